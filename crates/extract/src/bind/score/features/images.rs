//! Features of images: size, file name, order, and similarity to the heading.

use hashbrown::HashMap;

use super::super::fit::is_image;
use super::super::options::ValueOption;
use super::super::page_facts::{PageFacts, text_of};
use super::{Named, count, flag};
use crate::bind::target::TargetField;
use crate::bind::words::words;
use crate::markup::{NodeId, Tree};
use crate::page::truncate;

/// The number of features of this part.
pub(super) const WIDTH: usize = 21;

/// Longest attribute that is read, in bytes.
const MAX_ATTRIBUTE_BYTES: usize = 300;
/// Elements around an image whose names are read.
const MAX_AROUND: usize = 3;
/// Shortest word that an image and the heading share, in characters.
const MIN_WORD_CHARS: usize = 4;
/// Upper bound on the words of the heading that are compared.
const MAX_WORDS: usize = 24;
/// Sizes in addresses are at most this large, in pixels.
const MAX_PIXELS: u32 = 10_000;
/// Images with this side or a longer one are no icons, in pixels.
const LARGE_PIXELS: u32 = 300;
/// The rank of an image before the heading.
const NO_RANK: f32 = 60.0;

/// Words in the names of images of persons.
const PERSON_WORDS: &[&str] = &[
    "author", "avatar", "bio", "byline", "gravatar", "headshot", "portrait", "profile", "staff", "team",
    "user",
];
/// Words in the names of images that belong to the site.
const SITE_WORDS: &[&str] = &[
    "ad",
    "ads",
    "badge",
    "banner",
    "brand",
    "button",
    "favicon",
    "flag",
    "footer",
    "icon",
    "icons",
    "logo",
    "logos",
    "menu",
    "nav",
    "payment",
    "pixel",
    "placeholder",
    "promo",
    "social",
    "sponsor",
    "sprite",
];
/// Words in the names of the image that stands for a text.
const LEAD_WORDS: &[&str] = &[
    "cover",
    "featured",
    "feature",
    "hero",
    "lead",
    "main",
    "masthead",
    "post",
    "poster",
    "primary",
    "thumbnail",
];

/// The images among the options of a field.
#[derive(Debug, Default)]
pub(super) struct ImageOverview {
    is_asked: bool,
    /// The longer words of the heading.
    heading: Vec<String>,
    /// How many options have each file name.
    files: HashMap<String, usize>,
    /// The file names of images that the head of the page names.
    of_head: Vec<String>,
    /// For each option, its number among the images after the heading, and among the large ones.
    ranks: Vec<(f32, f32)>,
}

impl ImageOverview {
    pub(super) fn read(page: &PageFacts<'_, '_>, target: &TargetField<'_>, options: &[ValueOption]) -> Self {
        if !is_image(target) {
            return Self::default();
        }
        let tree = &page.evidence.tree;
        let heading = page.evidence.heading.map_or(0, NodeId::index);
        let mut overview = Self {
            is_asked: true,
            heading: long_words(page.evidence.headline()),
            ranks: vec![(NO_RANK, NO_RANK); options.len()],
            ..Self::default()
        };
        let mut after: Vec<(NodeId, usize, bool)> = Vec::new();
        for (number, option) in options.iter().enumerate() {
            let text = text_of(&option.value);
            let file = file_name(&text);
            let Some(node) = node_of(page, option) else { continue };
            if tree.is(node, &["link"]) {
                overview.of_head.push(file.clone());
            } else if node.index() >= heading {
                let (width, height) = size(tree, node, &text);
                after.push((node, number, width.max(height) >= LARGE_PIXELS));
            }
            *overview.files.entry(file).or_default() += 1;
        }
        after.sort_unstable();
        let mut large = 0;
        for (rank, (_, number, is_large)) in after.iter().enumerate() {
            if let Some(slot) = overview.ranks.get_mut(*number) {
                *slot = (count(rank), if *is_large { count(large) } else { NO_RANK });
            }
            large += usize::from(*is_large);
        }
        overview
    }
}

/// What is known of the image that an option is the address of. All zero if the field is no image.
#[derive(Debug, Default)]
pub(super) struct ImageFacts {
    width: f32,
    height: f32,
    is_large: f32,
    is_wide: f32,
    /// The head of the page names it.
    is_of_head: f32,
    is_background: f32,
    rank_after_heading: f32,
    rank_of_large: f32,
    /// Options with the same file name: other sizes of one image.
    same_file: f32,
    /// Share of the heading's longer words that its description has.
    heading_in_label: f32,
    /// Share of the heading's longer words that its file name has.
    heading_in_file: f32,
    has_label: f32,
    names_person: f32,
    names_site: f32,
    names_lead: f32,
    loads_first: f32,
    loads_late: f32,
    is_photo: f32,
    is_drawing: f32,
    /// Its file name has a year and a month, or its path does.
    has_date: f32,
    digits: f32,
}

impl ImageFacts {
    pub(super) fn read(
        page: &PageFacts<'_, '_>,
        overview: &ImageOverview,
        option: &ValueOption,
        at: usize,
    ) -> Self {
        if !overview.is_asked {
            return Self::default();
        }
        let tree = &page.evidence.tree;
        let text = text_of(&option.value);
        let file = file_name(&text);
        let (rank, rank_of_large) = overview.ranks.get(at).copied().unwrap_or((NO_RANK, NO_RANK));
        let ending = text.split(['?', '#']).next().and_then(|path| path.rsplit_once('.'));
        let ending = ending.map_or("", |(_, ending)| ending);
        let is_ending = |known: &[&str]| known.iter().any(|known| known.eq_ignore_ascii_case(ending));
        let mut facts = Self {
            is_of_head: flag(overview.of_head.contains(&file)),
            rank_after_heading: rank,
            rank_of_large,
            same_file: count(overview.files.get(&file).copied().unwrap_or_default()),
            heading_in_file: share(&overview.heading, &long_words(&file)),
            is_photo: flag(is_ending(&["jpg", "jpeg", "webp", "avif"])),
            is_drawing: flag(is_ending(&["svg", "gif", "ico"])),
            has_date: flag(text.split('/').any(is_year)),
            digits: count(file.bytes().filter(u8::is_ascii_digit).count()),
            ..Self::default()
        };
        let Some(node) = node_of(page, option) else { return facts };
        let (width, height) = size(tree, node, &text);
        let pixels = |side: u32| f32::from(u16::try_from(side).unwrap_or(u16::MAX)).ln_1p();
        (facts.width, facts.height) = (pixels(width), pixels(height));
        facts.is_large = flag(width.max(height) >= LARGE_PIXELS);
        facts.is_wide = flag(width > height && height > 0);
        let images = ["img", "source", "picture", "image", "amp-img", "link"];
        facts.is_background = flag(!tree.is(node, &images));
        let mut names = words(&file);
        for (level, element) in std::iter::once(node).chain(tree.ancestors(node)).take(MAX_AROUND).enumerate()
        {
            for (key, value) in tree.attributes(element).iter().copied() {
                let is = |name: &str| key.eq_ignore_ascii_case(name);
                let value = truncate(value, MAX_ATTRIBUTE_BYTES);
                if is("class") || is("id") {
                    names.extend(words(value));
                } else if level == 0 && is("alt") {
                    facts.has_label = flag(!value.trim().is_empty());
                    facts.heading_in_label = share(&overview.heading, &long_words(value));
                    names.extend(words(value));
                } else if level == 0 && is("loading") {
                    facts.loads_late = flag(value.eq_ignore_ascii_case("lazy"));
                    facts.loads_first =
                        f32::max(facts.loads_first, flag(value.eq_ignore_ascii_case("eager")));
                } else if level == 0 && is("fetchpriority") {
                    facts.loads_first = f32::max(facts.loads_first, flag(value.eq_ignore_ascii_case("high")));
                }
            }
        }
        let has = |known: &[&str]| flag(names.iter().any(|name| known.contains(&name.as_str())));
        facts.names_person = has(PERSON_WORDS);
        facts.names_site = has(SITE_WORDS);
        facts.names_lead = has(LEAD_WORDS);
        facts
    }

    pub(super) fn named(&self) -> Named<WIDTH> {
        [
            ("width", self.width),
            ("height", self.height),
            ("is_large", self.is_large),
            ("is_wide", self.is_wide),
            ("is_of_head", self.is_of_head),
            ("is_background", self.is_background),
            ("rank_after_heading", self.rank_after_heading),
            ("rank_of_large", self.rank_of_large),
            ("same_file", self.same_file),
            ("heading_in_label", self.heading_in_label),
            ("heading_in_file", self.heading_in_file),
            ("has_label", self.has_label),
            ("names_person", self.names_person),
            ("names_site", self.names_site),
            ("names_lead", self.names_lead),
            ("loads_first", self.loads_first),
            ("loads_late", self.loads_late),
            ("is_photo", self.is_photo),
            ("is_drawing", self.is_drawing),
            ("has_date", self.has_date),
            ("digits", self.digits),
        ]
    }
}

/// The element of the first segment that states an option.
fn node_of(page: &PageFacts<'_, '_>, option: &ValueOption) -> Option<NodeId> {
    option.segments.first().and_then(|at| page.segments.get(*at)).map(|segment| segment.node)
}

/// The width and the height of an image in pixels, as its element or its address states them; 0 if unknown.
fn size(tree: &Tree<'_>, node: NodeId, address: &str) -> (u32, u32) {
    let side = |name: &str| {
        let value = tree.attribute(node, name).unwrap_or_default();
        value.trim().trim_end_matches("px").parse::<u32>().ok().filter(|side| *side <= MAX_PIXELS)
    };
    let (width, height) = (side("width"), side("height"));
    let (own_width, own_height) = stated_size(truncate(address, MAX_ATTRIBUTE_BYTES));
    (width.unwrap_or(own_width), height.unwrap_or(own_height))
}

/// The size in an address: `cup-300x200.jpg`, `w_300,h_200` or `?w=300&height=200`.
fn stated_size(address: &str) -> (u32, u32) {
    let (mut width, mut height) = (0, 0);
    let number = |text: &str| text.parse::<u32>().ok().filter(|side| (1..=MAX_PIXELS).contains(side));
    for part in address.split(['/', '?', '&', ',', '-', ';', '.', '!']) {
        let last = part.rsplit('_').next().unwrap_or_default();
        if let Some((left, right)) = last.split_once(['x', 'X'])
            && let (Some(left), Some(right)) = (number(left), number(right))
        {
            (width, height) = (left, right);
        } else if let Some((key, value)) = part.split_once(['=', '_'])
            && let Some(value) = number(value)
        {
            match key {
                "w" | "width" | "wid" => width = value,
                "h" | "height" | "hei" => height = value,
                _ => {}
            }
        }
    }
    (width, height)
}

/// The name of a file in lower case, without its ending and the size at its end.
fn file_name(address: &str) -> String {
    let path = address.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/');
    let name = truncate(path.rsplit('/').next().unwrap_or_default(), MAX_ATTRIBUTE_BYTES).to_lowercase();
    let stem = name.rsplit_once('.').map_or(name.as_str(), |(stem, _)| stem);
    let is_size = |size: &str| {
        size.contains('x')
            && size.len() >= 3
            && size.bytes().all(|byte| byte.is_ascii_digit() || byte == b'x')
    };
    match stem.rsplit_once(['-', '_']) {
        Some((before, size)) if is_size(size) => before.to_owned(),
        _ => stem.to_owned(),
    }
}

fn is_year(step: &str) -> bool {
    step.len() == 4 && step.starts_with("20") && step.bytes().all(|byte| byte.is_ascii_digit())
}

/// The longer words of a text.
fn long_words(text: &str) -> Vec<String> {
    let mut found = words(text);
    found.retain(|word| word.chars().count() >= MIN_WORD_CHARS);
    found.truncate(MAX_WORDS);
    found
}

/// Share of the words that another list has.
fn share(words: &[String], other: &[String]) -> f32 {
    let shared = words.iter().filter(|word| other.contains(word)).count();
    count(shared) / count(words.len()).max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_state_sizes() {
        let rows = [
            ("/a/cup-300x200.jpg", (300, 200)),
            ("/w_300,h_200,c_fill/cup.jpg", (300, 200)),
            ("/cup.jpg?w=640&height=480", (640, 480)),
            ("/cup_1200x630.webp", (1200, 630)),
            ("/2021/05/cup.jpg", (0, 0)),
        ];
        for (address, expected) in rows {
            assert_eq!(stated_size(address), expected, "{address}");
        }
    }

    #[test]
    fn sizes_of_one_image_have_one_file_name() {
        for address in ["/a/Cup-300x200.jpg", "https://a.example/cup.webp?v=1", "/cup/"] {
            assert_eq!(file_name(address), "cup", "{address}");
        }
        assert_eq!(file_name("/cup-max.png"), "cup-max");
    }
}
