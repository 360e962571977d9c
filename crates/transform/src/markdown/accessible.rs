//! Names of icons, ticks and stars. A cell or an item whose only content is a drawing says what the drawing
//! means by its accessible name; without it, a table of comparison would have empty cells.

use super::Writer;
use super::media::fold_spaces;
use crate::names;
use crate::tree::{Attr, Edge, NodeId, Tag, Tree, Walk};
use crate::view::View;

/// Maximum number of tree edges that are examined for names.
const MAX_EDGES: usize = 160;

/// Maximum length of a name in bytes.
const MAX_NAME_BYTES: usize = 240;

/// Maximum number of names in one place.
const MAX_NAMES: usize = 12;

/// Ends of the class names that icon fonts give to ticks.
const TICKS: &[&str] = &["check", "checkmark", "ok", "tick", "yes"];

/// The same for crosses.
const CROSSES: &[&str] = &["close", "cross", "no", "remove", "times", "xmark"];

/// Starts of the class names of icon fonts.
const ICONS: &[&str] = &["bi", "fa", "fas", "far", "glyphicon", "icon", "icons", "la", "mdi", "ri", "ti"];

impl Writer<'_> {
    /// Writes the names of what is drawn in a cell or an item without text.
    pub(super) fn write_accessible_names(&mut self, node: NodeId) {
        if self.options.faithful || !self.inline.is_empty() {
            return;
        }
        let mut names = names_in(self.tree, self.view, node, self.in_cell());
        if names.is_empty() && self.in_cell() {
            let own = self.tree.attribute(node, Attr::AriaLabel).filter(|name| name.len() <= MAX_NAME_BYTES);
            names.extend(own.map(str::to_owned));
        }
        for name in names {
            self.inline.space();
            self.inline.text(&name);
        }
    }
}

/// The names of the drawings below an element, outside of buttons and links. `marks`: with the ticks and
/// crosses of icon fonts.
fn names_in(tree: &Tree, view: &View, node: NodeId, marks: bool) -> Vec<String> {
    let mut found = Vec::new();
    let mut walk = Walk::new(tree, node);
    for _ in 0..MAX_EDGES {
        let Some(edge) = walk.next() else { break };
        let Edge::Enter(inner) = edge else { continue };
        if inner == node || !tree.is_element(inner) {
            continue;
        }
        let is_control = matches!(tree.tag(inner), Tag::A | Tag::Button | Tag::Select | Tag::Textarea)
            || tree.attribute(inner, Attr::Role) == Some("button");
        let is_skipped = view.hidden.contains(inner) || is_control;
        let is_unshown = tree.is_unshown(inner) && tree.tag(inner) != Tag::Svg;
        if is_skipped || is_unshown {
            walk.skip_children();
        } else if let Some(name) =
            name(tree, inner).or_else(|| mark(tree, inner).filter(|_| marks).map(str::to_owned))
        {
            walk.skip_children();
            found.push(name);
            if found.len() >= MAX_NAMES {
                break;
            }
        }
    }
    found
}

/// The name of a drawing or of a value without text.
fn name(tree: &Tree, node: NodeId) -> Option<String> {
    let attribute = |name: Attr| {
        let value = tree.attribute(node, name).map(|value| names::truncate(value, MAX_NAME_BYTES));
        value.map(fold_spaces).filter(|value| !value.is_empty())
    };
    match tree.tag(node) {
        Tag::Input => {
            let kind = tree.attribute(node, Attr::Type)?;
            let is_checkbox = kind.eq_ignore_ascii_case("checkbox") || kind.eq_ignore_ascii_case("radio");
            let state = if tree.has(node, Attr::Checked) { "[x]" } else { "[ ]" };
            return is_checkbox.then(|| state.to_owned());
        }
        Tag::Meter | Tag::Progress => {
            let text = tree.folded_text(node, MAX_NAME_BYTES);
            let value = || match (attribute(Attr::Value)?, attribute(Attr::Max)) {
                (value, Some(max)) => Some(format!("{value}/{max}")),
                (value, None) => Some(value),
            };
            return attribute(Attr::AriaLabel)
                .or_else(|| Some(text).filter(|text| !text.is_empty()))
                .or_else(value);
        }
        Tag::Img => return None, // it is written itself
        _ => {}
    }
    let is_silent = tree.attribute(node, Attr::AriaHidden) == Some("true");
    let title = || {
        let title = tree.child_elements(node).next().filter(|first| tree.name(*first) == "title")?;
        Some(tree.folded_text(title, MAX_NAME_BYTES)).filter(|title| !title.is_empty())
    };
    attribute(Attr::AriaLabel).filter(|_| !is_silent).or_else(title).or_else(|| attribute(Attr::Title))
}

/// The tick or the cross that an icon font draws, by the class of the element.
fn mark(tree: &Tree, node: NodeId) -> Option<&'static str> {
    let is_icon = matches!(tree.tag(node), Tag::I | Tag::Span | Tag::Svg | Tag::Em | Tag::B);
    if !is_icon || tree.child_elements(node).next().is_some() {
        return None;
    }
    names::class_words(names::class(tree, node)).find_map(|word| {
        let mut parts = word
            .split(['-', '_'])
            .filter(|part| !matches!(*part, "o" | "alt" | "lg" | "circle" | "square" | "fill"));
        let (first, last) = (parts.next()?, parts.next_back());
        match last {
            Some(last) if ICONS.contains(&first) && TICKS.contains(&last) => Some("✓"),
            Some(last) if ICONS.contains(&first) && CROSSES.contains(&last) => Some("✗"),
            None if matches!(first, "check" | "checkmark" | "tick") => Some("✓"),
            None if matches!(first, "cross" | "xmark") => Some("✗"),
            _ => None,
        }
    })
}

#[cfg(test)]
mod tests {
    use crate::markdown::tests::check_page;

    #[test]
    fn a_cell_that_is_a_drawing_has_its_name() {
        let rows = [
            ("<svg role=img aria-label='Not included'><path/></svg>", "Not included"),
            ("<svg><title>Included</title><path/></svg>", "Included"),
            ("<i class='fa fa-times' aria-label=No></i>", "No"),
            ("<i class='fa fa-check' title=Yes></i>", "Yes"),
            ("<span role=img aria-label='2 out of 5 stars' class=stars></span>", "2 out of 5 stars"),
            ("<div aria-label='4 of 5'><i></i><i></i></div>", "4 of 5"),
            ("<i class='fas fa-check'></i>", "✓"),
            ("<i class='fa fa-check-circle' aria-hidden=true></i>", "✓"),
            ("<span class='glyphicon glyphicon-remove'></span>", "✗"),
            ("<svg class='bi bi-x-lg bi-xmark'></svg>", "✗"),
            ("<input type=checkbox checked disabled>", "[x]"),
            ("<input type=checkbox disabled>", "[ ]"),
            ("<meter value=3 max=5></meter>", "3/5"),
            ("<progress value=30>30 %</progress>", "30 %"),
            ("<svg aria-label=A></svg> <svg aria-label=B></svg>", "A B"),
            ("<button aria-label=Sort><svg></svg></button>", ""),
            ("<svg aria-label=Warning></svg> text", "text"),
            (
                "<i class='fa fa-star' aria-label=star></i><i class='fa fa-star' aria-label=star></i>",
                "star star",
            ),
            ("<svg class=chart></svg>", ""),
            ("<img alt=No src=n.png>", "![No](n.png)"),
        ];
        for (content, cell) in rows {
            let html = format!("<table><tr><th>H<th>I<tr><td>{content}<td>z</table>");
            let markdown = format!("| H | I |\n| --- | --- |\n| {cell} | z |").replace("|  |", "| |");
            check_page(&[(content, html.as_str(), markdown.as_str())]);
        }
    }

    #[test]
    fn an_item_that_is_a_drawing_has_its_name() {
        check_page(&[
            ("an icon", "<ul><li><svg aria-label=Wifi></svg><li>b</ul>", "- Wifi\n- b"),
            ("a button", "<ul><li><button aria-label=Share><svg></svg></button><li>b</ul>", "- b"),
            ("a link", "<ul><li><a href=/x aria-label=X><svg></svg></a><li>b</ul>", "- b"),
            ("an icon without a name", "<ul><li><i class='fa fa-check'></i><li>b</ul>", "- b"),
            ("beside a text", "<ul><li><svg aria-label=Wifi></svg> b</ul>", "- b"),
        ]);
    }
}
