//! Who wrote a page: names as authors' names are written.

use gleaner_types::{MetaValue, Metadata};

use super::metadata::{clean, other_value};
use crate::tree::{Attr, NodeId, Tree};
use crate::words::is_unspaced;

/// At most so many authors are named.
const MAX_AUTHORS: usize = 20;

/// Names under which pages give their author, besides `author`.
const AUTHORS: &[&str] = &[
    "article:author",
    "dc.creator",
    "DC.creator",
    "DC.Creator",
    "dcterms.creator",
    "parsely-author",
    "sailthru.author",
    "byl",
];

/// The name under which scholarly pages give each of their authors.
const CITED: &str = "citation_author";

/// What stands before a name, longest first.
const BEFORE: &[&str] = &[
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

/// The author that `<meta>` elements name, if what they give is a name and no address or account.
pub(super) fn declared(metadata: &Metadata) -> Option<&str> {
    let named = |name: &&str| !name.is_empty() && !name.contains("://") && !name.starts_with('@');
    other_value(metadata, "author").filter(named)
}

/// The authors under the other names that pages use.
pub(super) fn under_other_names(metadata: &Metadata) -> Vec<String> {
    let cited: Vec<String> = match metadata.other.get(CITED) {
        Some(MetaValue::One(name)) => vec![in_order(name)],
        Some(MetaValue::Many(names)) => names.iter().take(MAX_AUTHORS).map(|name| in_order(name)).collect(),
        None => Vec::new(),
    };
    if !cited.is_empty() {
        return cited;
    }
    AUTHORS.iter().find_map(|key| other_value(metadata, key).and_then(name)).into_iter().collect()
}

/// A name that gives the family first (`Example, Ann`) as it is spoken.
fn in_order(name: &str) -> String {
    match name.split_once(',') {
        Some((family, given)) if !given.trim().is_empty() && !given.contains(',') => {
            format!("{} {}", given.trim(), family.trim())
        }
        _ => name.trim().to_owned(),
    }
}

/// Writes the authors of a page, each once.
pub(super) fn set(metadata: &mut Metadata, names: &[String]) {
    let mut each: Vec<String> = Vec::new();
    for name in names.iter().map(|name| clean(name)).filter(|name| !name.is_empty()) {
        if !each.contains(&name) {
            each.push(name);
        }
    }
    let value = match each.as_slice() {
        [] => return,
        [one] => MetaValue::One(one.clone()),
        _ => MetaValue::Many(each),
    };
    metadata.other.insert("author".to_owned(), value);
}

/// Is the element one that names the author, by its class?
pub(super) fn is_named_so(tree: &Tree, node: NodeId) -> bool {
    let Some(class) = tree.attribute(node, Attr::Class) else { return false };
    let class = class.get(..class.len().min(300)).unwrap_or_default().to_ascii_lowercase();
    // `authority` and `authorize` name no author.
    let names = class.contains("byline")
        || class
            .match_indices("author")
            .any(|(at, word)| class.get(at + word.len()..).is_some_and(|rest| !rest.starts_with('i')));
    const OTHERS: [&str; 14] = [
        "avatar", "image", "img", "photo", "bio", "box", "about", "social", "date", "icon", "list",
        "comment", "reply", "reviewer",
    ];
    names && !OTHERS.iter().any(|part| class.contains(part))
}

/// The name in a line that begins as bylines do (`By Ann Example`).
pub(super) fn of_line(text: &str) -> Option<String> {
    let text = text.trim();
    let begins = text.get(..3).is_some_and(|by| by.eq_ignore_ascii_case("by "))
        && text.get(3..).is_some_and(|name| name.starts_with(char::is_uppercase));
    begins.then(|| name(text)).flatten().filter(|name| is_spelled_as_name(name))
}

/// Are all words written as those of a name are?
fn is_spelled_as_name(name: &str) -> bool {
    const PARTICLES: [&str; 18] = [
        "and", "al", "bin", "da", "de", "del", "den", "der", "di", "dos", "du", "el", "la", "le", "ten",
        "van", "von", "y",
    ];
    name.split_whitespace()
        .all(|word| PARTICLES.contains(&word) || !word.starts_with(|c: char| c.is_lowercase()))
}

/// A name without what stands before it (`By Ann Example`); `None` for what is no name.
pub(super) fn name(text: &str) -> Option<String> {
    let loose = [':', '：', '/', '-', '–', '—', '•', '|', ','];
    let trimmed = |text: &str| text.trim_matches(|c: char| c.is_whitespace() || loose.contains(&c)).len();
    let mut name = text;
    loop {
        let start = name.trim_start_matches(|c: char| c.is_whitespace() || loose.contains(&c));
        let found = BEFORE.iter().find_map(|before| {
            let head = start.get(..before.len())?;
            // What is left must be something: a person may be called By.
            let rest = start.get(before.len()..).filter(|rest| trimmed(rest) > 0)?;
            let whole = before.ends_with(|c: char| !c.is_alphanumeric() || is_unspaced(c))
                || !rest.starts_with(char::is_alphanumeric);
            (whole && head.to_lowercase() == **before).then_some(rest)
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
    fn a_name_is_taken_out_of_its_line() {
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
    fn each_cited_author_is_named_once() {
        let mut metadata = Metadata::default();
        let cited = ["Example, Ann", "Bo Example", "Example, Ann"].map(str::to_owned).to_vec();
        metadata.other.insert(CITED.to_owned(), MetaValue::Many(cited));
        let names = under_other_names(&metadata);
        set(&mut metadata, &names);
        let both = MetaValue::Many(vec!["Ann Example".into(), "Bo Example".into()]);
        assert_eq!(metadata.other["author"], both);
    }
}
