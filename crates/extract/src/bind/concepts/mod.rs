//! The table of concepts: what pages state and schemas ask for, by the kind of thing that it is said about.

mod article;
mod course;
mod event;
mod job;
mod media;
pub(super) mod name_words;
mod organisation;
mod page;
mod person;
mod property;
mod recipe;
mod review;
mod shop;
pub(super) mod siblings;
mod software;
mod vehicle;

use hashbrown::{HashMap, HashSet};
use std::sync::LazyLock;

use super::concept::Concept;
use super::words::folded;
use crate::normalise::ValueForm;

/// A row of the table. Its lists are separated by commas.
#[derive(Debug)]
struct Row {
    form: ValueForm,
    /// Names that properties, keys, classes and labels have, in folded words; the plainest first.
    names: &'static str,
    /// Names that only labels have, as they mean something else as the name of a property.
    labels: &'static str,
    /// Paths within a schema.org entity, the most reliable first.
    paths: &'static str,
    /// Names of `meta` elements, the most reliable first.
    metas: &'static str,
    /// The concept of which this is a special case, if there is one.
    broader: &'static str,
}

/// What a row is where it says nothing else.
const ROW: Row = Row { form: ValueForm::Text, names: "", labels: "", paths: "", metas: "", broader: "" };

/// All rows. Of two concepts with the same name, the first is the one that a property with this name means.
const TABLES: [&[Row]; 14] = [
    shop::ROWS,
    article::ROWS,
    page::ROWS,
    review::ROWS,
    recipe::ROWS,
    job::ROWS,
    event::ROWS,
    media::ROWS,
    software::ROWS,
    course::ROWS,
    person::ROWS,
    organisation::ROWS,
    property::ROWS,
    vehicle::ROWS,
];

/// Names that mean a concept in schemas, and too many other things on pages.
const SCHEMA_NAMES: [(&str, &str); 68] = [
    ("cost", "price"),
    ("lowest price", "price"),
    ("ref", "sku"),
    ("item", "name"),
    ("product", "name"),
    ("dish", "name"),
    ("subject", "name"),
    ("topic", "name"),
    ("thread", "name"),
    ("job", "vacancy"),
    ("details", "description"),
    ("blurb", "description"),
    ("post", "article body"),
    ("by", "author"),
    ("user", "author"),
    ("username", "author"),
    ("user name", "author"),
    ("admission", "price"),
    ("cook", "author"),
    ("chef", "author"),
    ("source", "publisher"),
    ("issued", "date published"),
    ("year of publication", "date published"),
    ("image src", "image"),
    ("img src", "image"),
    ("img url", "image"),
    ("picture url", "image"),
    ("photo url", "image"),
    ("cover url", "image"),
    ("cover image url", "image"),
    ("detail url", "url"),
    ("details url", "url"),
    ("site", "website"),
    ("reviews number", "review count"),
    ("rating avg", "rating"),
    ("prep", "prep time"),
    ("cooking", "cook time"),
    ("method", "instructions"),
    ("place", "location"),
    ("where", "location"),
    ("employment", "employment type"),
    ("team", "department"),
    ("seniority", "experience"),
    ("degree", "education"),
    ("tasks", "responsibilities"),
    ("requirements", "qualifications"),
    ("when", "start date"),
    ("begin", "start date"),
    ("beginning", "start date"),
    ("end", "end date"),
    ("finish", "end date"),
    ("pagecount", "pages"),
    ("collection", "series"),
    ("school", "provider"),
    ("mobile phone", "phone"),
    ("hours", "opening hours"),
    ("services", "amenities"),
    ("zip", "postal code"),
    ("state", "region"),
    ("county", "region"),
    ("lon", "longitude"),
    ("long", "longitude"),
    ("founded year", "founded"),
    ("owners", "previous owners"),
    ("engine", "engine displacement"),
    ("drive", "drive type"),
    ("gear", "transmission"),
    ("consumption", "fuel consumption"),
];

/// All concepts.
pub(crate) static CONCEPTS: LazyLock<Vec<Concept>> =
    LazyLock::new(|| TABLES.into_iter().flatten().map(concept).collect());

/// The concepts by their plainest names.
static BY_PLAINEST_NAME: LazyLock<HashMap<&'static str, &'static Concept>> =
    LazyLock::new(|| CONCEPTS.iter().map(|concept| (concept.plainest_name(), concept)).collect());

/// The concepts that the name of a property means.
static BY_PROPERTY_NAME: LazyLock<HashMap<&'static str, &'static Concept>> = LazyLock::new(|| {
    let mut by_name = HashMap::new();
    for concept in CONCEPTS.iter() {
        for name in concept.names.iter().take(concept.property_names) {
            by_name.entry(*name).or_insert(concept);
        }
    }
    for (name, plainest) in SCHEMA_NAMES {
        if let Some(concept) = by_plainest_name(plainest) {
            by_name.entry(name).or_insert(concept);
        }
    }
    by_name
});

/// The names of all concepts.
static NAMES: LazyLock<HashSet<&'static str>> =
    LazyLock::new(|| CONCEPTS.iter().flat_map(|concept| concept.names).copied().collect());

/// The names of the concepts that are counts or other numbers.
static NUMBER_NAMES: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    let numbers =
        CONCEPTS.iter().filter(|concept| matches!(concept.form, ValueForm::Count | ValueForm::Number));
    numbers.flat_map(|concept| concept.names).copied().collect()
});

/// The concept of a row. The table lives as long as the program, so its lists may too.
fn concept(row: &'static Row) -> Concept {
    let mut names: Vec<&str> = list(row.names).collect();
    let property_names = names.len();
    names.extend(list(row.labels));
    let metas: Vec<&str> = list(row.metas).collect();
    Concept {
        form: row.form,
        names: names.leak(),
        property_names,
        paths: list(row.paths).map(folded_path).collect(),
        metas: metas.leak(),
        broader: Some(row.broader).filter(|broader| !broader.is_empty()),
    }
}

/// The elements of a list.
fn list(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.split(',').map(str::trim).filter(|element| !element.is_empty())
}

/// A path with each of its names in folded words; `@id` stays.
fn folded_path(path: &str) -> String {
    let parts: Vec<String> =
        path.split('.').map(|part| if part == "@id" { part.to_owned() } else { folded(part) }).collect();
    parts.join(".")
}

/// The concept with this plainest name.
pub(super) fn by_plainest_name(name: &str) -> Option<&'static Concept> {
    BY_PLAINEST_NAME.get(name).copied()
}

/// The concept that a property with exactly this name means, in folded words.
pub(super) fn by_property_name(name: &str) -> Option<&'static Concept> {
    BY_PROPERTY_NAME.get(name).copied()
}

/// Whether this is a name of any concept, in folded words.
pub(super) fn is_name(name: &str) -> bool {
    NAMES.contains(name)
}

/// Whether this is a name of a concept that is a count or another number.
pub(super) fn is_number_name(name: &str) -> bool {
    NUMBER_NAMES.contains(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_consistent() {
        let mut owners: HashMap<&str, &str> = HashMap::new();
        for concept in CONCEPTS.iter() {
            let plainest = concept.plainest_name();
            let mut own = HashSet::new();
            for name in concept.names {
                assert_eq!(folded(name), *name, "{plainest}");
                assert!(own.insert(*name), "{plainest}: {name} twice");
            }
            for name in concept.names.iter().take(concept.property_names) {
                let other = owners.insert(name, plainest);
                assert!(other.is_none(), "{name} is a property of {plainest} and {other:?}");
            }
            assert!(concept.broader.is_none_or(|broader| by_plainest_name(broader).is_some()), "{plainest}");
            assert!(concept.metas.iter().all(|meta| meta.to_lowercase() == **meta), "{plainest}");
        }
        assert_eq!(BY_PLAINEST_NAME.len(), CONCEPTS.len(), "two concepts have the same plainest name");
        for (name, plainest) in SCHEMA_NAMES {
            assert!(by_plainest_name(plainest).is_some(), "{plainest}");
            assert!(!owners.contains_key(name), "{name} is a name of {plainest} anyway");
        }
    }

    #[test]
    fn labels_of_many_languages_are_known() {
        let rows = [
            ("Zubereitungszeit", "total time"),
            ("Temps de cuisson", "cook time"),
            ("Ingredientes", "ingredients"),
            ("人数", "servings"),
            ("Arbeitgeber", "company"),
            ("Tipo di contratto", "employment type"),
            ("Termin składania ofert", "valid through"),
            ("Зарплата", "salary"),
            ("주최", "organizer"),
            ("Datum konání", "start date"),
            ("Εκδότης", "publisher"),
            ("Oldalszám", "pages"),
            ("Sidantal", "pages"),
            ("İsim", "name"),
            ("Doğum tarihi", "birth date"),
            ("Puhelin", "phone"),
            ("Öppettider", "opening hours"),
            ("Wohnfläche", "area"),
            ("Kilometerstand", "mileage"),
            ("שעות פתיחה", "opening hours"),
            ("تاريخ النشر", "date published"),
            ("出版社", "publisher"),
        ];
        for (label, plainest) in rows {
            let known = by_plainest_name(plainest).unwrap().names;
            assert!(known.contains(&folded(label).as_str()), "{label}");
        }
    }
}
