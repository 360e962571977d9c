//! Definition lists inside definitions. A list of terms and their definitions is written as bold paragraphs
//! and paragraphs; one inside a definition as a list, each item of which has a term, so the nesting stays.

use super::Writer;
use crate::tree::NodeId;

/// An open definition list.
#[derive(Debug, Default)]
pub(super) struct DefinitionList {
    /// It is inside a definition and written as a list.
    nested: bool,
    /// An item is open.
    has_item: bool,
    /// A definition of the last term was found.
    defined: bool,
}

impl Writer<'_> {
    pub(super) fn open_definition_list(&mut self, node: NodeId) {
        let nested = self.definition_lists.last().is_some_and(|outer| outer.defined);
        self.definition_lists.push(DefinitionList { nested, ..DefinitionList::default() });
        if nested {
            self.open_list(node, false);
        }
    }

    /// Starts a term, or a definition if `defines`.
    pub(super) fn open_definition_part(&mut self, node: NodeId, defines: bool) {
        let Some(list) = self.definition_lists.last_mut() else { return };
        let ends_item = list.nested && list.has_item && list.defined && !defines;
        let starts_item = list.nested && (ends_item || !list.has_item);
        list.has_item |= starts_item;
        list.defined = defines;
        if ends_item {
            self.close_item();
        }
        if starts_item {
            self.open_item(node);
        }
    }

    pub(super) fn close_definition_list(&mut self) {
        let Some(list) = self.definition_lists.pop().filter(|list| list.nested) else { return };
        if list.has_item {
            self.close_item();
        }
        self.close_list();
    }
}

#[cfg(test)]
mod tests {
    use crate::markdown::tests::check_page;

    #[test]
    fn definition_lists_keep_their_nesting() {
        check_page(&[
            ("one level", "<dl><dt>A<dd>a<dt>B<dd>b</dl>", "**A**\n\na\n\n**B**\n\nb"),
            (
                "two levels",
                "<dl><dt>A<dd>a<dl><dt>I<dd>i<dt>J<dd>j</dl><dt>B<dd>b</dl><p>y",
                "**A**\n\na\n\n- **I**\n\n  i\n- **J**\n\n  j\n\n**B**\n\nb\n\ny",
            ),
            (
                "three levels",
                "<dl><dt>A<dd><dl><dt>I<dd><dl><dt>X<dd>x</dl></dl></dl>",
                "**A**\n\n- **I**\n  - **X**\n\n    x",
            ),
            (
                "two terms and two definitions",
                "<dl><dt>A<dd><dl><dt>I<dt>J<dd>i<dd>j</dl></dl>",
                "**A**\n\n- **I**\n\n  **J**\n\n  i\n\n  j",
            ),
            (
                "groups",
                "<dl><div><dt>A<dd><dl><div><dt>I<dd>i</div></dl></div></dl>",
                "**A**\n\n- **I**\n\n  i",
            ),
            ("without terms", "<dl><dd><dl><dd>i</dl></dl>", "- i"),
            ("in an item", "<ul><li>x<dl><dt>A<dd>a</dl></ul>", "- x\n\n  **A**\n\n  a"),
            (
                "in a cell",
                "<table><tr><th>H<th>I<tr><td><dl><dt>A<dd>a</dl><td>b</table>",
                "| H | I |\n| --- | --- |\n| A<br>a | b |",
            ),
        ]);
    }
}
