//! Reads the text of a page from the state that it carries for its scripts.
//!
//! Frameworks send what their scripts show as data: JSON in scripts and attributes, literals in programs, the
//! stream of server components ([`sources`]). Such a state holds much that is not the page: translations,
//! menus, other pages. So only one value counts ([`choose`]): the record that has the title or the address of
//! the page, or a text that is longer than everything else. It becomes HTML ([`mod@write`]), which is then read
//! like any page, and is as safe as that.
//!
//! Values are recognised by their shape, not by the name of a site, a variable or a framework. Only a page
//! that shows text of its own needs a known sign of a state before it is searched ([`SIGNS`]), which saves
//! time. Time and memory grow at most linearly with the page; the bounds are [`MAX_PAGE_BYTES`] and the number
//! and depth of values.

mod choose;
mod context;
mod flight;
mod image;
mod keys;
mod leaf;
mod literal;
mod meaning;
mod names;
mod prose;
mod record;
mod references;
mod shape;
mod shown;
mod sources;
mod value;
mod weigh;
mod write;

#[cfg(test)]
mod tests;

use gleaner_types::Interrupt;
use memchr::memmem;
use url::Url;

use crate::tree::{NodeId, Tag, Tree};
use choose::{Choice, MIN_LETTERS};
use context::Context;
use names::Names;
pub(crate) use sources::Origin;
use weigh::Weights;
use write::Writer;

/// Upper bound on the page, in bytes. The states of a longer one are not read.
pub(crate) const MAX_PAGE_BYTES: usize = 8 << 20;

/// The HTML of a text takes at most this many times the bytes of the page.
const MAX_GROWTH: usize = 2;

/// A page that gives more text shows its text, in bytes of Markdown, most of which may be addresses.
const MAX_SHOWN_BYTES: usize = 6_000;

/// The same in letters, without addresses.
const MAX_SHOWN_LETTERS: usize = 1_000;

/// A shorter page has no state with a text of [`MIN_LETTERS`], in bytes.
const MIN_STATEFUL_BYTES: usize = 1_000;

/// Signs of states. A page that shows text is searched for states only if it has one, because few have.
const SIGNS: [&str; 7] =
    ["application/json", "__next_f", "_STATE__", "_DATA__", "__NUXT", "JSON.parse(", "&quot;:{&quot;"];

/// The text of a state has this many times the letters that the page gives without.
const MIN_FACTOR: usize = 3;

/// Samples by which the text of a state is looked for on the page.
const SAMPLES: usize = 8;

/// Letters of a sample.
const SAMPLE_LETTERS: usize = 40;

/// Occurrences of a name that are looked at.
const MAX_NAMED: usize = 10;

/// The text of a page, found in a state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Found {
    /// The text as HTML.
    pub(crate) html: String,
    /// Its title, authors and date as JSON-LD; empty if the state does not tell.
    pub(crate) json_ld: String,
    /// Where the state is.
    pub(crate) origin: Origin,
    /// The letters of its prose.
    pub(crate) letters: usize,
    /// The state gives it the title or the address of the page.
    pub(crate) is_named: bool,
    /// The HTML is a whole page, with navigation and the like.
    pub(crate) is_page: bool,
}

impl Found {
    /// The element for the text.
    pub(crate) const fn tag(&self) -> Tag {
        if self.is_page { Tag::Div } else { Tag::Article }
    }

    /// True if the text is long enough to stand for the page. With less, a browser may give more.
    pub(crate) const fn is_long(&self) -> bool {
        self.letters >= MIN_LETTERS
    }
}

/// The text of the page, if a state has it. `html` is the source of the tree, which does not keep the text of
/// scripts.
pub(crate) fn read(tree: &Tree, html: &str, url: &Url, interrupt: &Interrupt) -> Option<Found> {
    if html.len() > MAX_PAGE_BYTES {
        return None;
    }
    let states = sources::read(html, interrupt);
    if states.list.is_empty() {
        return None;
    }
    let values = &states.values;
    let weights = Weights::of(values, &Names::of(tree, url), interrupt);
    let limit = html.len().saturating_mul(MAX_GROWTH);
    let choice = choose::choose(&states, &weights);
    let letters = choice.map_or(0, |choice| weights.letters(choice.value));
    // Server components are the page itself. A record among their properties counts if it is not much less.
    let stream = states.list.iter().find(|state| state.origin == Origin::Stream);
    let stream = stream.filter(|state| {
        let all = weights.letters(state.root);
        all >= MIN_LETTERS && letters < MIN_LETTERS.min(all / 2)
    });
    if let Some(state) = stream {
        let mut writer = Writer::new(values, &weights, limit, interrupt);
        return Some(Found {
            html: writer.write(state.root, Context::Block),
            json_ld: String::new(),
            origin: Origin::Stream,
            letters: weights.letters(state.root),
            is_named: true,
            is_page: true,
        });
    }
    let Choice { value, origin, is_named } = choice?;
    Some(Found {
        html: record::write(values, &weights, value, limit, interrupt),
        json_ld: record::json_ld(values, value),
        origin,
        letters,
        is_named,
        is_page: false,
    })
}

/// True if a shell may have its text in a state.
pub(crate) fn may_fill(html: &str, interrupt: &Interrupt) -> bool {
    html.len() <= MAX_PAGE_BYTES && !sources::read(html, interrupt).list.is_empty()
}

/// True if a page may have a state with more text than it shows.
pub(crate) fn may_hide(html: &str) -> bool {
    let has_sign = || SIGNS.iter().any(|sign| memmem::find(html.as_bytes(), sign.as_bytes()).is_some());
    (MIN_STATEFUL_BYTES..=MAX_PAGE_BYTES).contains(&html.len()) && has_sign() && !is_paid(html)
}

/// The text of a page that shows only a part of it, if a state has all. `written` is the text that the page
/// gives without. A page with a text of its own, most of which is not in the state, stays as it is.
pub(crate) fn read_hidden(
    tree: &Tree,
    html: &str,
    written: &str,
    url: &Url,
    interrupt: &Interrupt,
) -> Option<Found> {
    let shown =
        if written.len() <= MAX_SHOWN_BYTES { prose::letters_of_markdown(written) } else { usize::MAX };
    if shown > MAX_SHOWN_LETTERS || !may_hide(html) {
        return None;
    }
    let found = read(tree, html, url, interrupt)?;
    let is_more = found.is_named
        && found.is_long()
        && !found.is_page
        && found.letters >= shown.saturating_mul(MIN_FACTOR);
    (is_more && !shows(tree, &found.html) && shown::is_within(written, &found)).then_some(found)
}

/// True if the page says that only its subscribers may read it.
fn is_paid(html: &str) -> bool {
    let name = "isAccessibleForFree";
    memmem::find_iter(html.as_bytes(), name).take(MAX_NAMED).any(|at| {
        let value = html.as_bytes().get(at + name.len()..).unwrap_or_default();
        memmem::find(value.get(..16).unwrap_or(value), b"alse").is_some()
    })
}

/// True if a page shows most of a text: most of its samples occur in the text of the page.
fn shows(tree: &Tree, html: &str) -> bool {
    let shown = prose::plain(&tree.text_content(NodeId::DOCUMENT));
    let text: Vec<char> = prose::plain(html).chars().collect();
    let step = (text.len() / SAMPLES).max(1);
    let samples: Vec<String> =
        text.chunks(step).take(SAMPLES).map(|chunk| chunk.iter().take(SAMPLE_LETTERS).collect()).collect();
    let found = samples.iter().filter(|sample| memmem::find(shown.as_bytes(), sample.as_bytes()).is_some());
    found.count() * 2 > samples.len()
}
