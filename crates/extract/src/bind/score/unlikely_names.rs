//! Texts that are no name of a thing, though they stand where its name does.

use super::fit::feature;
use super::options::ValueOption;
use super::page_facts::PageFacts;
use crate::bind::target::TargetField;
use crate::bind::words::{folded, words};
use crate::segment::Segment;

const EQUALS_HEADING: usize = feature("equals_heading");
const IS_SITE_NAME: usize = feature("is_site_name");
const SITE_TITLE: usize = feature("site_title");
const IS_TITLE_WITHOUT_SITE: usize = feature("is_title_without_site");
const WORDS_IN_TITLE: usize = feature("words_in_title");

/// Words from which a text with a full stop is a sentence.
const MIN_SENTENCE_WORDS: usize = 5;
/// Things whose name is no sentence, by concepts of their other properties.
const OF_GOODS: [&str; 7] =
    ["price", "sku", "availability", "brand", "operating system", "version", "developer"];

/// Headings of pages about an organisation or a person that name neither, in folded words.
const PAGE_HEADINGS: [&str; 58] = [
    "home",
    "find us",
    "visit us",
    "where to find us",
    "location",
    "our location",
    "company",
    "homepage",
    "welcome",
    "contact",
    "contact us",
    "get in touch",
    "about",
    "about us",
    "who we are",
    "our story",
    "our team",
    "our work",
    "our services",
    "services",
    "team",
    "staff",
    "people",
    "profile",
    "news",
    "blog",
    "imprint",
    "legal notice",
    "privacy policy",
    "opening hours",
    "directions",
    "impressum",
    "kontakt",
    "über uns",
    "wir über uns",
    "willkommen",
    "startseite",
    "anfahrt",
    "öffnungszeiten",
    "unser team",
    "à propos",
    "qui sommes nous",
    "nous contacter",
    "contactez nous",
    "mentions légales",
    "accueil",
    "contacto",
    "contáctanos",
    "quiénes somos",
    "sobre nosotros",
    "inicio",
    "contatti",
    "chi siamo",
    "contato",
    "sobre nós",
    "over ons",
    "o nas",
    "om oss",
];

/// Whether a text is the title without the name of the site.
pub(super) fn is_title_without_site(page: &PageFacts<'_, '_>, segment: &Segment) -> bool {
    page.places.feature(segment, IS_TITLE_WITHOUT_SITE) > 0.0
}

/// Whether a text is the heading of a page and names no organisation or person.
pub(super) fn is_of_page(text: &str) -> bool {
    PAGE_HEADINGS.contains(&folded(text).as_str())
}

/// Leaves out the options for a name that is
///
/// - the name of the site, if the title has another part,
/// - a heading that shares no word with the title, if the page shows the title elsewhere: a banner,
/// - a sentence that is not the title, if things for sale are asked for: a slogan.
pub(super) fn leave_out(
    page: &PageFacts<'_, '_>,
    targets: &[TargetField<'_>],
    options: &mut Vec<ValueOption>,
) {
    let has = |segment: &Segment, feature: usize| page.places.feature(segment, feature) > 0.0;
    let segments = |option: &ValueOption| -> Vec<&Segment> {
        option.segments.iter().filter_map(|at| page.segments.get(*at)).collect()
    };
    let is_title =
        |option: &ValueOption| segments(option).iter().any(|segment| is_title_without_site(page, segment));
    let shows_title = |option: &ValueOption| {
        is_title(option)
            && segments(option).iter().any(|segment| segment.range.is_some() && !has(segment, EQUALS_HEADING))
    };
    let has_title = options.iter().any(is_title);
    let shows_title = options.iter().any(shows_title);
    let are_goods = targets
        .iter()
        .filter_map(|target| target.concept)
        .any(|concept| OF_GOODS.contains(&concept.plainest_name()));
    let is_no_name = |option: &ValueOption| {
        let segments = segments(option);
        let text = option.value.as_str().unwrap_or_default();
        let names_site =
            segments.iter().any(|segment| has(segment, IS_SITE_NAME) && has(segment, SITE_TITLE));
        let is_banner = segments.iter().any(|segment| has(segment, EQUALS_HEADING))
            && !segments.iter().any(|segment| has(segment, WORDS_IN_TITLE));
        let is_sentence = text.ends_with(['.', '!', '。']) && words(text).len() >= MIN_SENTENCE_WORDS;
        !option.is_structured()
            && ((has_title && names_site && !is_title(option))
                || (shows_title && is_banner)
                || (are_goods && is_sentence && !is_title(option)))
    };
    options.retain(|option| !is_no_name(option));
}

#[cfg(test)]
mod tests {
    use crate::page::Page;
    use crate::schema::Shape;
    use serde_json::{Value, json};

    fn name(properties: &Value, title: &str, body: &str) -> Value {
        let shape = Shape::from_schema(&json!({ "properties": properties })).unwrap();
        let html = format!("<title>{title}</title><body>{body}");
        let page = Page::new("https://www.acme.example/cups/red".parse().unwrap(), html);
        crate::extract(&page, &shape).data["name"].clone()
    }

    #[test]
    fn headings_of_pages_name_nobody() {
        for text in ["Contact us", "IMPRESSUM", "À propos"] {
            assert!(super::is_of_page(text), "{text}");
        }
        assert!(!super::is_of_page("Contact Press Ltd"));
    }

    #[test]
    fn sites_banners_and_slogans_are_no_names() {
        let goods =
            json!({ "name": { "type": ["string", "null"] }, "price": { "type": ["number", "null"] } });
        let rows = [
            ("Red cup of steel | Acme", "<h1>Acme</h1><p>Red cup of steel</p><p>12,50 €</p>"),
            (
                "Red cup of steel | Acme",
                "<h1>Always at your side</h1><h3>Red cup of steel</h3><p>12,50 €</p>",
            ),
            ("Red cup of steel | Acme", "<h1>The cup that you will always love.</h1><p>12,50 €</p>"),
        ];
        for (title, body) in rows {
            let found = name(&goods, title, body);
            assert!(found.is_null() || found == "Red cup of steel", "{body}: {found}");
        }
        for title in ["Red cup", "Olive oil extra virgin 16 oz."] {
            let body = format!("<h1>{title}</h1><p class=price>12,50 €</p>");
            assert_eq!(name(&goods, &format!("{title} | Acme"), &body), title);
        }
    }
}
