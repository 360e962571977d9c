//! Known concepts, such as price or author, with their names in schemas, markup and labels.

use super::concepts;
use super::concepts::name_words::{
    GENERIC_NAMES, MAIN_ENTITY_WORDS, MEANINGLESS_NAMES, MODIFIERS, NAMES_OF_OBJECTS, NOTATION_WORDS,
    OF_ORGANISATIONS, ORGANISATION_WORDS, THINGS, WRAPPERS,
};
use super::words::words;
use crate::normalise::ValueForm;

/// A concept that pages state and schemas ask for, with the names that both use for it.
///
/// The names come from schema.org, Open Graph, common shop software and the languages of the web; none is
/// specific to a site.
#[derive(Debug)]
pub(crate) struct Concept {
    /// How a value is read.
    pub(crate) form: ValueForm,
    /// Names of properties, keys, classes and labels, in lower-case words; the plainest first.
    pub(crate) names: &'static [&'static str],
    /// How many of the names, from the first, also mean the concept as the name of a property. The others are
    /// ambiguous labels. If there are none, only the properties beside it tell that a property means it.
    pub(crate) property_names: usize,
    /// Paths of folded names within a schema.org entity, the most reliable first.
    pub(crate) paths: Vec<String>,
    /// Names of `meta` elements, the most reliable first.
    pub(crate) metas: &'static [&'static str],
    /// The concept of which it is a special case: a question is the name of a page about it.
    pub(crate) broader: Option<&'static str>,
}

impl Concept {
    /// The name that identifies the concept.
    pub(crate) fn plainest_name(&self) -> &'static str {
        self.names.first().copied().unwrap_or_default()
    }

    /// Whether this is the concept with this plainest name, or a special case of it.
    pub(crate) fn is(&self, plainest: &str) -> bool {
        self.plainest_name() == plainest || self.broader == Some(plainest)
    }
}

/// Longest known name, in words.
const MAX_NAME_WORDS: usize = 6;

/// The concept of a schema property: by its whole name, then by the last words of its name, then by a name in
/// its description.
pub(crate) fn concept_of(name: &str, description: &str) -> Option<&'static Concept> {
    let name = words(name);
    named(&name).or_else(|| described(&name, description))
}

/// The concept of a property of an object that is itself a property.
pub(crate) fn nested_concept_of(object: &str, name: &str, description: &str) -> Option<&'static Concept> {
    let (object, own) = (words(object), words(name));
    if let Some(found) = concepts::by_property_name(&[object.as_slice(), own.as_slice()].concat().join(" ")) {
        return Some(found);
    }
    if object.iter().all(|word| is_main_entity(word) || WRAPPERS.contains(&word.as_str())) {
        return concept_of(name, description);
    }
    let around = named(&object);
    // `author.name` is an author, not a title.
    if let [only] = own.as_slice()
        && NAMES_OF_OBJECTS.contains(&only.as_str())
    {
        return around;
    }
    // `author.url` is not the page's.
    let is_own_thing = around.is_some_and(is_thing);
    concept_of(name, description)
        .filter(|concept| !is_own_thing || OF_ORGANISATIONS.contains(&concept.plainest_name()))
}

/// Whether a phrase that describes a property with this concept and this folded name asks for what the concept
/// means: all of its words occur in its names or leave their meaning as it is, or it names the concept.
pub(crate) fn is_meant(concept: &Concept, name: &str, phrase: &[String]) -> bool {
    let has = |names: &str, word: &str| names.split(' ').any(|own| own == word);
    let is_own = |word: &str| has(name, word) || concept.names.iter().any(|names| has(names, word));
    let is_said = |word: &String| {
        let word = word.as_str();
        is_main_entity(word)
            || MODIFIERS.contains(&word)
            || NOTATION_WORDS.contains(&word)
            || is_own(word)
            || word.strip_suffix('s').is_some_and(is_own)
    };
    let is_related = |found: &Concept| found.is(concept.plainest_name()) || concept.is(found.plainest_name());
    phrase.iter().all(is_said) || named(phrase).is_some_and(is_related)
}

/// Whether this is a name of any concept, in folded words.
pub(crate) fn is_known(name: &str) -> bool {
    concepts::is_name(name)
}

/// Whether this is a name of a concept that is a count or another number, in folded words.
pub(crate) fn is_number_name(name: &str) -> bool {
    concepts::is_number_name(name)
}

/// The plainest name of a property's concept, or of the concept of which that is a special case.
pub(crate) fn concept_name(name: &str) -> Option<&'static str> {
    concept_of(name, "").map(|concept| concept.broader.unwrap_or_else(|| concept.plainest_name()))
}

/// The concept that a name means.
fn named(name: &[String]) -> Option<&'static Concept> {
    let mut rest = name;
    let mut found = exactly(rest);
    // `prep_time_minutes` is a preparation time.
    while found.is_none()
        && let Some((last, before)) = rest.split_last()
        && !before.is_empty()
        && NOTATION_WORDS.contains(&last.as_str())
    {
        rest = before;
        found = exactly(rest);
    }
    found.or_else(|| name_of_thing(rest)).or_else(|| by_end(rest))
}

/// The concept with exactly this name, in the singular or the plural.
fn exactly(name: &[String]) -> Option<&'static Concept> {
    if name.is_empty() || name.len() > MAX_NAME_WORDS {
        return None;
    }
    let joined = name.join(" ");
    concepts::by_property_name(&joined).or_else(|| {
        let singular = match joined.strip_suffix("ies") {
            Some(stem) => format!("{stem}y"),
            None => joined.strip_suffix('s')?.to_owned(),
        };
        // Links and titles are those of many things.
        let last = singular.rsplit(' ').next().unwrap_or_default();
        concepts::by_property_name(&singular).filter(|_| !GENERIC_NAMES.contains(&last))
    })
}

/// The concept of `director name`: the name of a thing stands for the thing.
fn name_of_thing(name: &[String]) -> Option<&'static Concept> {
    let (last, before) = name.split_last()?;
    exactly(before).filter(|concept| matches!(last.as_str(), "name" | "names") && is_thing(concept))
}

/// Whether a concept is a thing with properties of its own.
fn is_thing(concept: &Concept) -> bool {
    matches!(concept.form, ValueForm::Names | ValueForm::Place) || THINGS.contains(&concept.plainest_name())
}

/// The concept that the last words of a name mean, the most words first.
fn by_end(name: &[String]) -> Option<&'static Concept> {
    (1..name.len()).find_map(|start| {
        let (before, end) = name.split_at_checked(start)?;
        let is_short = matches!(end, [only] if only.len() <= 2);
        exactly(end).filter(|concept| !is_short && keeps_meaning(before, end, concept))
    })
}

/// Whether the words before a name leave its meaning as it is. `manual url` is not the page's URL, and `room
/// price` is a price, but `shipping insurance price` is another one.
fn keeps_meaning(before: &[String], end: &[String], concept: &Concept) -> bool {
    let is_generic = end.last().is_some_and(|last| GENERIC_NAMES.contains(&last.as_str()));
    let is_of_organisation = OF_ORGANISATIONS.contains(&concept.plainest_name());
    before.iter().all(|word| {
        is_main_entity(word)
            || (!is_generic && MODIFIERS.contains(&word.as_str()))
            || (is_of_organisation
                && (MODIFIERS.contains(&word.as_str()) || ORGANISATION_WORDS.contains(&word.as_str())))
    })
}

fn is_main_entity(word: &str) -> bool {
    MAIN_ENTITY_WORDS.contains(&word)
}

/// The concept that a description names: at its beginning; or anywhere, if the name says nothing, as in `a1`
/// described as "stock keeping unit".
fn described(name: &[String], description: &str) -> Option<&'static Concept> {
    let text = words(description);
    let skipped = text.iter().take_while(|word| matches!(word.as_str(), "the" | "a" | "an")).count();
    let text = text.get(skipped..).unwrap_or_default();
    let lengths = (2..=MAX_NAME_WORDS.min(text.len())).rev();
    if !is_meaningless(name) {
        return lengths.filter_map(|length| text.get(..length)).find_map(exactly);
    }
    exactly(text).or_else(|| lengths.flat_map(|length| text.windows(length)).find_map(exactly))
}

/// Whether a name says nothing about its value, such as `x1` and `field_2`.
fn is_meaningless(name: &[String]) -> bool {
    name.iter().all(|word| {
        word.chars().filter(|found| found.is_alphabetic()).count() <= 1
            || MEANINGLESS_NAMES.contains(&word.as_str())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn concepts_are_found_by_name_and_description() {
        let rows = [
            ("price", "", Some("price")),
            ("currentPrice", "", Some("price")),
            ("total_price", "", Some("price")),
            ("original_price", "", Some("list price")),
            ("shipping price", "", Some("shipping price")),
            ("insurance_price", "", None),
            ("productID", "", Some("sku")),
            ("ean", "", Some("gtin")),
            ("isbn13", "", Some("gtin")),
            ("manufacturer", "", Some("brand")),
            ("x1", "the manufacturer part number of the tool", Some("mpn")),
            ("prc", "The current price in euros", Some("price")),
            ("favourite_animal", "", None),
            ("favourite_animal", "what the product name tells of animals", None),
            ("manualUrl", "", None),
            ("product_url", "", Some("url")),
            ("images", "", Some("image")),
            ("links", "", None),
            ("companyName", "", Some("company")),
            ("hiring_organization", "", Some("company")),
            ("employer", "", Some("company")),
            ("company_description", "", None),
            ("company_phone", "", Some("phone")),
            ("author_email", "", None),
            ("publisher_name", "", Some("publisher")),
            ("author_name", "", Some("author")),
            ("director_name", "", Some("director")),
            ("job_title", "", Some("vacancy")),
            ("datePosted", "", Some("date published")),
            ("posted_at", "", Some("date published")),
            ("created_timestamp", "", Some("date created")),
            ("start_date", "", Some("start date")),
            ("startsAt", "", Some("start date")),
            ("organizer", "", Some("organizer")),
            ("host", "", Some("organizer")),
            ("prep_time_minutes", "", Some("prep time")),
            ("cookTime", "", Some("cook time")),
            ("ingredient_list", "", Some("ingredients")),
            ("page_count", "", Some("pages")),
            ("number_of_pages", "", Some("pages")),
            ("rating_value", "", Some("rating")),
            ("average_rating", "", Some("rating")),
            ("num_reviews", "", Some("review count")),
            ("salary_min", "", Some("salary min")),
            ("Arbeitgeber", "", Some("company")),
            ("prix_de_vente", "", Some("price")),
        ];
        for (name, description, expected) in rows {
            let found = concept_of(name, description).map(Concept::plainest_name);
            assert_eq!(found, expected, "{name} {description}");
        }
    }

    #[test]
    fn nested_names_belong_to_their_object() {
        let rows = [
            ("author", "name", Some("author")),
            ("author", "url", None),
            ("company", "phone", Some("phone")),
            ("company", "name", Some("company")),
            ("rating", "value", Some("rating")),
            ("salary", "currency", Some("currency")),
            ("product", "name", Some("name")),
            ("data", "title", Some("name")),
            ("offers", "price", Some("price")),
            ("location", "city", Some("city")),
        ];
        for (object, name, expected) in rows {
            let found = nested_concept_of(object, name, "").map(Concept::plainest_name);
            assert_eq!(found, expected, "{object}.{name}");
        }
    }

    #[test]
    fn a_special_case_has_the_name_of_its_broader_concept() {
        assert_eq!([concept_name("question"), concept_name("jobTitle")], [Some("name"), Some("name")]);
        assert!(concept_of("bio", "").is_some_and(|concept| concept.is("description")));
    }
}
