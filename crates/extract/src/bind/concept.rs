use super::concepts::CONCEPTS;
use super::words::words;
use crate::normalise::ValueForm;

/// A thing that pages state and schemas ask for, and the names both give it.
///
/// Names are those of schema.org, of Open Graph, of common shop software and of the languages of the web; none is of a site.
#[derive(Debug)]
pub(crate) struct Concept {
    /// How a value is read.
    pub(crate) form: ValueForm,
    /// Names of properties, keys, classes and labels, in words of lower case; the plainest first.
    pub(crate) names: &'static [&'static str],
    /// Paths within a schema.org entity, the surest first.
    pub(crate) paths: &'static [&'static str],
    /// Names of `meta` elements.
    pub(crate) metas: &'static [&'static str],
}

/// What a person is at work. It is told from the title of a thing by what stands beside it, so it is none of [`CONCEPTS`].
pub(crate) static TITLE_OF_PERSON: Concept = Concept {
    form: ValueForm::Text,
    names: &["job title", "title", "position", "role", "occupation"],
    paths: &["jobTitle", "hasOccupation.name", "roleName"],
    metas: &[],
};

/// Names that mean the page's own thing only where nothing but [`OWN`] stands before them.
const VAGUE: [&str; 13] = [
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

/// Words that speak of the page's own thing.
const OWN: [&str; 14] = [
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

/// The concept that a property of a schema means: by its whole name, then by the last words of it, then by a name that its
/// description begins with or holds in full.
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
            // `manual url` is another address than the page's, `company name` another name than its title.
            let before = name.len() - known.split(' ').count();
            !VAGUE.contains(known) || name.iter().take(before).all(|word| OWN.contains(&word.as_str()))
        })
        .max_by_key(|(_, known)| known.len());
    if let Some((found, _)) = by_end {
        return Some(found);
    }
    // A schema without telling names: `a1` described as "stock keeping unit".
    let description = format!(" {} ", words(description).join(" "));
    CONCEPTS
        .iter()
        .flat_map(|concept| concept.names.iter().map(move |known| (concept, *known)))
        .filter(|(_, known)| known.contains(' ') && description.contains(&format!(" {known} ")))
        .max_by_key(|(_, known)| known.len())
        .map(|(concept, _)| concept)
}

/// Is this the name of anything, in folded words?
pub(crate) fn is_known(name: &str) -> bool {
    CONCEPTS.iter().any(|concept| concept.names.contains(&name))
}

/// The plainest name of what a property means.
pub(crate) fn concept_name(name: &str) -> Option<&'static str> {
    concept_of(name, "").and_then(|concept| concept.names.first().copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn properties_are_understood_by_name_and_description() {
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
