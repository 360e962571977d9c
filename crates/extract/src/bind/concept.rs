use super::concepts::CONCEPTS;
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
    /// Paths within a schema.org entity, the most reliable first.
    pub(crate) paths: &'static [&'static str],
    /// Names of `meta` elements.
    pub(crate) metas: &'static [&'static str],
}

/// The job title of a person. Only the neighbouring properties distinguish it from the title of a thing, so
/// it is not in [`CONCEPTS`].
pub(crate) static TITLE_OF_PERSON: Concept = Concept {
    form: ValueForm::Text,
    names: &["job title", "title", "position", "role", "occupation"],
    paths: &["jobTitle", "hasOccupation.name", "roleName"],
    metas: &[],
};

/// Names that mean the page's main entity only if just [`MAIN_ENTITY_WORDS`] precede them.
const GENERIC_NAMES: [&str; 13] = [
    "url",
    "link",
    "image",
    "picture",
    "photo",
    "name",
    "title",
    "date",
    "text",
    "website",
    "homepage",
    "content",
    "description",
];

/// Words that refer to the page's main entity.
const MAIN_ENTITY_WORDS: [&str; 14] = [
    "product",
    "item",
    "page",
    "article",
    "post",
    "main",
    "primary",
    "full",
    "short",
    "canonical",
    "the",
    "this",
    "listing",
    "offer",
];

/// The concept of a schema property: by its whole name, then by the last words of its name, then by a name
/// that its description contains.
pub(crate) fn concept_of(name: &str, description: &str) -> Option<&'static Concept> {
    let name = words(name);
    let ends_in = |known: &str| {
        let known: Vec<&str> = known.split(' ').collect();
        name.len() >= known.len()
            && name.iter().rev().zip(known.iter().rev()).all(|(own, known)| own == known)
    };
    let exact = name.join(" ");
    if let Some(found) = CONCEPTS.iter().find(|concept| concept.names.contains(&exact.as_str())) {
        return Some(found);
    }
    let by_end = CONCEPTS
        .iter()
        .flat_map(|concept| concept.names.iter().map(move |known| (concept, *known)))
        .filter(|(_, known)| known.len() > 2 && ends_in(known))
        .filter(|(_, known)| {
            // `manual url` is not the page's URL, and `company name` is not the page's title.
            let before = name.len() - known.split(' ').count();
            !GENERIC_NAMES.contains(known)
                || name.iter().take(before).all(|word| MAIN_ENTITY_WORDS.contains(&word.as_str()))
        })
        .max_by_key(|(_, known)| known.len());
    if let Some((found, _)) = by_end {
        return Some(found);
    }
    // A schema with meaningless names: `a1` described as "stock keeping unit".
    let description = format!(" {} ", words(description).join(" "));
    CONCEPTS
        .iter()
        .flat_map(|concept| concept.names.iter().map(move |known| (concept, *known)))
        .filter(|(_, known)| known.contains(' ') && description.contains(&format!(" {known} ")))
        .max_by_key(|(_, known)| known.len())
        .map(|(concept, _)| concept)
}

/// Whether this is a name of any concept, in folded words.
pub(crate) fn is_known(name: &str) -> bool {
    CONCEPTS.iter().any(|concept| concept.names.contains(&name))
}

/// The plainest name of a property's concept.
pub(crate) fn concept_name(name: &str) -> Option<&'static str> {
    concept_of(name, "").and_then(|concept| concept.names.first().copied())
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
            ("productID", "", Some("sku")),
            ("ean", "", Some("gtin")),
            ("manufacturer", "", Some("brand")),
            ("x1", "the manufacturer part number of the tool", Some("mpn")),
            ("favourite_animal", "", None),
            ("manualUrl", "", None),
            ("companyName", "", None),
            ("product_url", "", Some("url")),
        ];
        for (name, description, expected) in rows {
            let found = concept_of(name, description).and_then(|concept| concept.names.first().copied());
            assert_eq!(found, expected, "{name}");
        }
    }
}
