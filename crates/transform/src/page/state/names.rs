//! The names of a page, by which its record is found among others in a state.

use percent_encoding::percent_decode_str;
use url::Url;

use super::meaning::Meanings;
use super::value::{Kind, ValueId, Values};
use crate::names::truncate;
use crate::page::title_parts::{Site, split};
use crate::tree::{Attr, NodeId, Tag, Tree};
use crate::words::letters;

/// Upper bound on the titles and addresses that are compared, in bytes.
const MAX_BYTES: usize = 600;

/// Upper bound on the headings of the page that are read.
const MAX_HEADINGS: usize = 8;

/// A shorter title names no page, in bytes of its letters.
const MIN_TITLE_BYTES: usize = 4;

/// A title within a longer one has at least this part of its letters.
const MIN_SHARE: usize = 3;

/// A shorter part of a path names no page, in bytes.
const MIN_SEGMENT_BYTES: usize = 3;

/// A shorter identifier within a part of a path names no page, in bytes.
const MIN_ID_BYTES: usize = 4;

/// What a page is called, on itself and in its address.
#[derive(Debug, Default)]
pub(crate) struct Names {
    /// The letters of its titles.
    titles: Vec<String>,
    /// Its paths, without slashes at their ends.
    paths: Vec<String>,
}

impl Names {
    /// The names in the head, the headings and the address of a page.
    pub(crate) fn of(tree: &Tree, url: &Url) -> Self {
        let mut names = Self::default();
        let meta = |wanted: &str| {
            let mut all = tree.elements_with_tag(Tag::Meta).filter(|node| {
                [Attr::Property, Attr::Name].iter().any(|name| tree.attribute(*node, *name) == Some(wanted))
            });
            all.find_map(|node| tree.attribute(node, Attr::Content)).unwrap_or_default()
        };
        let site = Site::new(url.host_str().unwrap_or_default(), meta("og:site_name"));
        let text = |node: NodeId| tree.folded_text(node, MAX_BYTES);
        let title = tree.elements_with_tag(Tag::Title).next().map(text).unwrap_or_default();
        let headings = tree.elements_with_tag(Tag::H1).take(MAX_HEADINGS).map(text);
        let titles = [title, meta("og:title").to_owned(), meta("twitter:title").to_owned()];
        for title in titles.into_iter().chain(headings) {
            let title = truncate(&title, MAX_BYTES);
            let parts = split(title);
            for part in parts.iter().copied().chain((parts.len() > 1).then_some(title)) {
                let part_letters = letters(part);
                if part_letters.len() >= MIN_TITLE_BYTES
                    && !site.is_named_by(part)
                    && !names.titles.contains(&part_letters)
                {
                    names.titles.push(part_letters);
                }
            }
        }
        let canonical = tree
            .elements_with_tag(Tag::Link)
            .filter(|node| {
                tree.attribute(*node, Attr::Rel).is_some_and(|rel| rel.eq_ignore_ascii_case("canonical"))
            })
            .find_map(|node| tree.attribute(node, Attr::Href));
        for address in [Some(url.as_str()), canonical, Some(meta("og:url"))].into_iter().flatten() {
            if let Some(path) = path_of(address, url)
                && !path.is_empty()
                && !names.paths.contains(&path)
            {
                names.paths.push(path);
            }
        }
        names
    }

    /// True if an object of a state is the page: its title or its address is one of the page.
    pub(super) fn are_of(&self, values: &Values, object: ValueId, meanings: &Meanings) -> bool {
        values.first_children(object).any(|member| {
            let meaning = meanings.get(member);
            match values.kind(member) {
                Kind::Text if meaning.is_title() => self.has_title(values.text(member)),
                Kind::Text if meaning.is_address() => self.has_address(values.text(member)),
                Kind::Text | Kind::Number if meaning.is_id() => self.has_id(values.text(member)),
                // `{"title": {"rendered": "..."}}`, `{"slug": {"current": "..."}}`
                Kind::Object if meaning.is_title() || meaning.is_address() => {
                    values.children(member).take(4).filter_map(|inner| values.string(inner)).any(|text| {
                        if meaning.is_title() { self.has_title(text) } else { self.has_address(text) }
                    })
                }
                _ => false,
            }
        })
    }

    fn has_title(&self, title: &str) -> bool {
        if title.len() > MAX_BYTES {
            return false;
        }
        let own = letters(title);
        own.len() >= MIN_TITLE_BYTES
            && self.titles.iter().any(|title| {
                let (short, long) = if own.len() < title.len() { (&own, title) } else { (title, &own) };
                short == long
                    || (short.len() >= 12
                        && short.len() * MIN_SHARE >= long.len()
                        && long.contains(short.as_str()))
            })
    }

    fn has_address(&self, address: &str) -> bool {
        if address.len() > MAX_BYTES {
            return false;
        }
        let after_host = address.split_once("://").and_then(|(_, rest)| rest.split_once('/'));
        let path = after_host.map_or(address, |(_, path)| path);
        let path = path.split(['?', '#']).next().unwrap_or_default().trim_matches('/');
        let path = percent_decode_str(path).decode_utf8_lossy();
        let path = without_extension(&path);
        path.len() >= MIN_SEGMENT_BYTES
            && self.paths.iter().any(|own| {
                own.strip_suffix(path).is_some_and(|before| before.is_empty() || before.ends_with('/'))
            })
    }

    /// True if the last part of a path is an identifier or ends with it.
    fn has_id(&self, id: &str) -> bool {
        (MIN_ID_BYTES..=MAX_BYTES).contains(&id.len())
            && self.paths.iter().any(|path| {
                path.rsplit('/').take(2).any(|segment| {
                    let before = segment.strip_suffix(id);
                    before.is_some_and(|before| before.is_empty() || before.ends_with(['-', '_', '.', '=']))
                })
            })
    }
}

/// The decoded path of an address, without slashes and the extension of a file at its end.
fn path_of(address: &str, base: &Url) -> Option<String> {
    if address.is_empty() || address.len() > MAX_BYTES {
        return None;
    }
    let url = base.join(address).ok()?;
    let path = percent_decode_str(url.path().trim_matches('/')).decode_utf8_lossy().into_owned();
    Some(without_extension(&path).to_owned())
}

fn without_extension(path: &str) -> &str {
    path.strip_suffix(".html").or_else(|| path.strip_suffix(".htm")).unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use gleaner_types::Interrupt;

    use super::*;
    use crate::page::state::literal;
    use crate::tree::{ParseOptions, parse};

    #[test]
    fn a_record_is_named_by_its_title_or_its_address() {
        let html = "<title>How to heat a kiln | Pots</title><meta property=og:title content='Heating a kiln'>
            <meta property=og:site_name content=Pots><link rel=canonical href=/guides/heat-a-kiln>";
        let tree = parse(html, ParseOptions::default());
        let names =
            Names::of(&tree, &Url::parse("https://www.pots.example/g/heat-a-kiln-48213.html?x=1").unwrap());
        let rows = [
            ("{title:'How to heat a kiln'}", true),
            ("{headline:'HOW TO HEAT A KILN!'}", true),
            ("{title:{rendered:'Heating a kiln'}}", true),
            ("{title:'How to heat a kiln in winter'}", true),
            ("{slug:'heat-a-kiln'}", true),
            ("{url:'https://pots.example/guides/heat-a-kiln/'}", true),
            ("{slug:{current:'heat-a-kiln'}}", true),
            ("{id:48213}", true),
            ("{title:'Pots'}", false),
            ("{title:'How to glaze a pot'}", false),
            ("{title:'Kiln'}", false),
            ("{slug:'a-kiln'}", false),
            ("{slug:'/'}", false),
            ("{id:213}", false),
            ("{text:'How to heat a kiln'}", false),
        ];
        for (input, expected) in rows {
            let mut values = Values::default();
            let parsed = literal::parse(input, &mut values, &Interrupt::never()).unwrap();
            assert_eq!(names.are_of(&values, parsed.root, &Meanings::of(&values)), expected, "{input}");
        }
    }
}
