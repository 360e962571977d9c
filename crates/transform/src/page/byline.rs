//! Finds the names of authors.

use gleaner_types::{MetaValue, Metadata};

use super::metadata::{clean, other_value};
use crate::tree::{Attr, NodeId, Tree};
use crate::words::is_unspaced;

/// Upper bound on the authors of a page.
const MAX_AUTHORS: usize = 20;

/// Names of `<meta>` elements for the author, besides `author`.
const AUTHOR_KEYS: &[&str] = &[
    "article:author",
    "dc.creator",
    "DC.creator",
    "DC.Creator",
    "dcterms.creator",
    "parsely-author",
    "sailthru.author",
    "byl",
];

/// The name of the `<meta>` elements for each author of a scholarly page.
const CITATION_KEY: &str = "citation_author";

/// Prefixes of names in bylines, longest first.
const PREFIXES: &[&str] = &[
    "authored by",
    "written by",
    "article by",
    "posted by",
    "author by",
    "by author",
    "story by",
    "words by",
    "text by",
    "autorin:",
    "escrito por",
    "publicado por",
    "scritto da",
    "author:",
    "author ",
    "autor:",
    "auteur:",
    "autore:",
    "作者",
    "文：",
    "文/",
    "by:",
    "by ",
    "von ",
    "par ",
    "por ",
];

/// The author in the `<meta>` elements, if the value is a name and not a URL or an account.
pub(super) fn declared(metadata: &Metadata) -> Option<&str> {
    let is_name = |name: &&str| !name.is_empty() && !name.contains("://") && !name.starts_with('@');
    other_value(metadata, "author").filter(is_name)
}

/// The authors in other `<meta>` elements that pages use.
pub(super) fn under_other_keys(metadata: &Metadata) -> Vec<String> {
    let cited: Vec<String> = match metadata.other.get(CITATION_KEY) {
        Some(MetaValue::One(name)) => vec![given_name_first(name)],
        Some(MetaValue::Many(names)) => {
            names.iter().take(MAX_AUTHORS).map(|name| given_name_first(name)).collect()
        }
        None => Vec::new(),
    };
    if !cited.is_empty() {
        return cited;
    }
    AUTHOR_KEYS.iter().find_map(|key| other_value(metadata, key).and_then(name)).into_iter().collect()
}

/// Puts the given name of `Example, Ann` first.
fn given_name_first(name: &str) -> String {
    match name.split_once(',') {
        Some((family, given)) if !given.trim().is_empty() && !given.contains(',') => {
            format!("{} {}", given.trim(), family.trim())
        }
        _ => name.trim().to_owned(),
    }
}

/// Stores the authors of a page, each once.
pub(super) fn set(metadata: &mut Metadata, names: &[String]) {
    let mut unique: Vec<String> = Vec::new();
    for name in names.iter().map(|name| clean(name)).filter(|name| !name.is_empty()) {
        if !unique.contains(&name) {
            unique.push(name);
        }
    }
    let value = match unique.as_slice() {
        [] => return,
        [one] => MetaValue::One(one.clone()),
        _ => MetaValue::Many(unique),
    };
    metadata.other.insert("author".to_owned(), value);
}

/// True if the class of an element marks it as the author's name.
pub(super) fn has_author_class(tree: &Tree, node: NodeId) -> bool {
    let Some(class) = tree.attribute(node, Attr::Class) else { return false };
    let class = class.get(..class.len().min(300)).unwrap_or_default().to_ascii_lowercase();
    // `authority` and `authorize` do not name an author.
    let names_author = class.contains("byline")
        || class
            .match_indices("author")
            .any(|(at, word)| class.get(at + word.len()..).is_some_and(|rest| !rest.starts_with('i')));
    const OTHER_PARTS: [&str; 14] = [
        "avatar", "image", "img", "photo", "bio", "box", "about", "social", "date", "icon", "list",
        "comment", "reply", "reviewer",
    ];
    names_author && !OTHER_PARTS.iter().any(|part| class.contains(part))
}

/// The name in a line that begins like a byline (`By Ann Example`).
pub(super) fn of_line(text: &str) -> Option<String> {
    let text = text.trim();
    let is_byline = text.get(..3).is_some_and(|by| by.eq_ignore_ascii_case("by "))
        && text.get(3..).is_some_and(|name| name.starts_with(char::is_uppercase));
    is_byline.then(|| name(text)).flatten().filter(|name| is_spelled_as_name(name))
}

/// True if all words are capitalized or particles of names.
fn is_spelled_as_name(name: &str) -> bool {
    const PARTICLES: [&str; 18] = [
        "and", "al", "bin", "da", "de", "del", "den", "der", "di", "dos", "du", "el", "la", "le", "ten",
        "van", "von", "y",
    ];
    name.split_whitespace()
        .all(|word| PARTICLES.contains(&word) || !word.starts_with(|c: char| c.is_lowercase()))
}

/// A name without the prefix of its byline (`By Ann Example`). `None` if the text is no name.
pub(super) fn name(text: &str) -> Option<String> {
    let separators = [':', '：', '/', '-', '–', '—', '•', '|', ','];
    let trimmed =
        |text: &str| text.trim_matches(|c: char| c.is_whitespace() || separators.contains(&c)).len();
    let mut name = text;
    loop {
        let start = name.trim_start_matches(|c: char| c.is_whitespace() || separators.contains(&c));
        let found = PREFIXES.iter().find_map(|prefix| {
            let head = start.get(..prefix.len())?;
            // Something must follow the prefix: a person may be called By.
            let rest = start.get(prefix.len()..).filter(|rest| trimmed(rest) > 0)?;
            let is_whole_word = prefix.ends_with(|c: char| !c.is_alphanumeric() || is_unspaced(c))
                || !rest.starts_with(char::is_alphanumeric);
            (is_whole_word && head.to_lowercase() == **prefix).then_some(rest)
        });
        match found {
            Some(rest) => name = rest,
            None => {
                name = start;
                break;
            }
        }
    }
    let name = name.split([',', '|', '•', '·']).next().unwrap_or_default().trim();
    let words = name.split_whitespace().count();
    let fits = (1..=5).contains(&words)
        && name.len() <= 60
        && name.chars().any(char::is_alphabetic)
        && !name.contains("://")
        && !name.chars().any(|c| c.is_ascii_digit());
    fits.then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_extracted_from_its_line() {
        let rows = [
            ("By Ann Example", Some("Ann Example")),
            (" Written by: Ann Example | News", Some("Ann Example")),
            (": Ann Example", Some("Ann Example")),
            ("Text by Ann Example", Some("Ann Example")),
            ("Author Ann Example", Some("Ann Example")),
            ("By Author: Ann Example, Editor", Some("Ann Example")),
            ("Von Ann Example", Some("Ann Example")),
            ("Byron Example", Some("Byron Example")),
            ("作者：山田花子", Some("山田花子")),
            ("By", Some("By")),
            ("by 3 people", None),
            ("https://example.org/ann", None),
            ("—", None),
        ];
        for (text, expected) in rows {
            assert_eq!(name(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn each_cited_author_is_listed_once() {
        let mut metadata = Metadata::default();
        let cited = ["Example, Ann", "Bo Example", "Example, Ann"].map(str::to_owned).to_vec();
        metadata.other.insert(CITATION_KEY.to_owned(), MetaValue::Many(cited));
        let names = under_other_keys(&metadata);
        set(&mut metadata, &names);
        let both = MetaValue::Many(vec!["Ann Example".into(), "Bo Example".into()]);
        assert_eq!(metadata.other["author"], both);
    }
}
