//! Sentences, paragraphs and titles from a seed.
//!
//! The text has the features that content extraction relies on: stop words, commas, sentences of different
//! lengths, some letters outside ASCII. An expected sentence contains no character with a meaning in HTML or
//! Markdown, so that a test can search for it verbatim in both.

use super::random::Random;

/// Number of paragraphs in the pool that all pages share.
const PARAGRAPHS: usize = 768;

/// English names of the months.
pub(crate) const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

const ADJECTIVES: &[&str] = &[
    "quiet",
    "copper",
    "northern",
    "early",
    "broad",
    "patient",
    "hollow",
    "salted",
    "distant",
    "narrow",
    "golden",
    "wooden",
    "careful",
    "bright",
    "uneven",
    "seasonal",
    "local",
    "ancient",
    "modest",
    "painted",
    "winding",
    "steady",
    "forgotten",
    "shared",
    "curious",
    "plain",
    "heavy",
    "gentle",
    "public",
    "rural",
];
const NOUNS: &[&str] = &[
    "harbour",
    "lantern",
    "orchard",
    "library",
    "ferry",
    "workshop",
    "meadow",
    "market",
    "archive",
    "bridge",
    "kiln",
    "garden",
    "station",
    "river",
    "windmill",
    "café",
    "valley",
    "catalogue",
    "loom",
    "chapel",
    "granary",
    "footpath",
    "lighthouse",
    "bakery",
    "foundry",
    "reservoir",
    "théâtre",
    "Straße",
    "island",
    "observatory",
    "vineyard",
    "quarry",
    "canal",
    "museum",
    "pasture",
    "mill",
    "square",
    "railway",
];
const PLURALS: &[&str] = &[
    "visitors",
    "records",
    "letters",
    "builders",
    "sailors",
    "gardeners",
    "maps",
    "bells",
    "stones",
    "travellers",
    "weavers",
    "surveyors",
    "children",
    "traders",
    "photographs",
    "seasons",
    "repairs",
    "archivists",
    "beekeepers",
    "painters",
    "tools",
    "stories",
    "measurements",
    "neighbours",
];
const VERBS: &[&str] = &[
    "shaped",
    "followed",
    "restored",
    "described",
    "crossed",
    "measured",
    "supported",
    "replaced",
    "surrounded",
    "named",
    "carried",
    "recorded",
    "opened",
    "guarded",
    "connected",
    "outlived",
    "supplied",
];
const PLACES: &[&str] = &[
    "near the old wall",
    "at the edge of the town",
    "above the tide line",
    "across the county",
    "behind the main hall",
    "in the lower valley",
    "along the coast",
    "beside the railway",
    "in the second courtyard",
    "on the far bank",
    "under the east roof",
    "within a day of walking",
];
const TIMES: &[&str] = &[
    "in the spring of that year",
    "for almost a decade",
    "before the flood",
    "every autumn",
    "after the second survey",
    "during the long winter",
    "since the charter",
    "by the end of the season",
    "until the roof was mended",
    "on most market days",
];
const OPENINGS: &[&str] = &[
    "As a rule",
    "In practice",
    "By all accounts",
    "At first",
    "Even so",
    "For this reason",
    "According to the parish book",
    "Over time",
    "In the meantime",
    "On the whole",
];

/// One paragraph of the pool.
#[derive(Debug)]
pub(crate) struct Paragraph {
    /// The sentences that the HTML contains verbatim.
    pub(crate) sentences: Vec<String>,
    /// The content of the `<p>`: those sentences, and sometimes one more with inline markup.
    pub(crate) html: String,
}

/// The text that all pages of a site share.
#[derive(Debug)]
pub(crate) struct Prose {
    pub(crate) paragraphs: Vec<Paragraph>,
}

impl Prose {
    pub(crate) fn generate(seed: u64) -> Self {
        let paragraphs =
            (0..PARAGRAPHS as u64).map(|n| paragraph(&mut Random::new(seed, n | 1 << 40))).collect();
        Self { paragraphs }
    }
}

fn paragraph(random: &mut Random) -> Paragraph {
    let sentences: Vec<String> = (0..3 + random.below(4)).map(|_| sentence(random)).collect();
    let mut html = sentences.join(" ");
    match random.below(4) {
        0 => {
            let (plural, adjective, noun) =
                (random.pick(PLURALS), random.pick(ADJECTIVES), random.pick(NOUNS));
            html.push_str(&format!(
                " Most {plural} agree that the <em>{adjective}</em> {noun} is <strong>worth a visit</strong>."
            ));
        }
        1 => {
            let (noun, plural) = (random.pick(NOUNS), random.pick(PLURALS));
            html.push_str(&format!(
                " The entry <code>{noun}_index</code> lists {plural} &amp; dates, in order&nbsp;of arrival."
            ));
        }
        _ => {}
    }
    Paragraph { sentences, html }
}

/// One plain sentence, 8 to 30 words long.
pub(crate) fn sentence(random: &mut Random) -> String {
    let r = random;
    match r.below(6) {
        0 => format!(
            "The {} {} {} the {} {}, and the {} kept the {} {}.",
            r.pick(ADJECTIVES),
            r.pick(NOUNS),
            r.pick(VERBS),
            r.pick(ADJECTIVES),
            r.pick(NOUNS),
            r.pick(PLURALS),
            r.pick(NOUNS),
            r.pick(TIMES),
        ),
        1 => format!(
            "{}, the {} of the {} {} were kept {}.",
            r.pick(OPENINGS),
            r.pick(PLURALS),
            r.pick(ADJECTIVES),
            r.pick(NOUNS),
            r.pick(PLACES),
        ),
        2 => format!(
            "{} {} and {} {} met {}, where a {} {} {} the {} for {} days.",
            capital(r.pick(ADJECTIVES)),
            r.pick(PLURALS),
            r.pick(ADJECTIVES),
            r.pick(PLURALS),
            r.pick(PLACES),
            r.pick(ADJECTIVES),
            r.pick(NOUNS),
            r.pick(VERBS),
            r.pick(NOUNS),
            2 + r.below(97),
        ),
        3 => format!(
            "It is the {} that {} the {} {}, rather than the {} {}.",
            r.pick(NOUNS),
            r.pick(VERBS),
            r.pick(ADJECTIVES),
            r.pick(NOUNS),
            r.pick(PLURALS),
            r.pick(PLACES),
        ),
        4 => format!(
            "{}, {} of the {} came from the {} {}, while the rest stayed {} {}.",
            r.pick(OPENINGS),
            ["half", "most", "a third", "none", "a few"][r.below(5)],
            r.pick(PLURALS),
            r.pick(ADJECTIVES),
            r.pick(NOUNS),
            r.pick(PLACES),
            r.pick(TIMES),
        ),
        _ => format!(
            "A {} {} {} the {} {}.",
            r.pick(ADJECTIVES),
            r.pick(NOUNS),
            r.pick(VERBS),
            r.pick(NOUNS),
            r.pick(TIMES),
        ),
    }
}

/// The title of page `id`, unique because the id is its last word.
pub(crate) fn title(random: &mut Random, id: usize) -> String {
    format!("{} {} {} {id}", capital(random.pick(ADJECTIVES)), random.pick(NOUNS), random.pick(PLURALS))
}

/// The words of a heading, without markup.
pub(crate) fn heading(random: &mut Random) -> String {
    format!("The {} {}", random.pick(ADJECTIVES), random.pick(NOUNS))
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_has_no_character_with_a_meaning_in_html_or_markdown() {
        let mut random = Random::new(3, 3);
        for _ in 0..2000 {
            let text = sentence(&mut random);
            assert!(!text.contains(['<', '>', '&', '*', '_', '[', ']', '`', '#', '|', '\\', '~']), "{text}");
            assert!(text.ends_with('.') && text.len() > 25, "{text}");
        }
    }

    #[test]
    fn a_paragraph_contains_its_sentences_verbatim() {
        for paragraph in Prose::generate(5).paragraphs {
            assert!(paragraph.sentences.iter().all(|sentence| paragraph.html.contains(sentence.as_str())));
        }
    }
}
