//! Tables: data tables or layout tables, and tables that only HTML can express.

use super::Writer;
use super::code_shape;
use super::lines::BlockKind;
use crate::tree::{Attr, Edge, Kind, NodeId, Tag, Tree, Walk};
use crate::view::View;

/// A longer cell is a sign of a layout table: a data table has at most one for every 20 cells.
const MAX_CELL_BYTES: usize = 2_000;

/// Is this a data table, and not one that only arranges parts of the page?
pub(super) fn is_data_table(tree: &Tree, table: NodeId) -> bool {
    if matches!(tree.attribute(table, Attr::Role), Some("presentation" | "none")) {
        return false;
    }
    let (mut rows, mut cells, mut widest, mut headers, mut code) =
        (0_usize, 0_usize, 0_usize, 0_usize, false);
    // Number of header cells that are alone in their row.
    let mut titles = 0_usize;
    let mut in_row = 0_usize;
    let mut cell_bytes = 0_usize;
    let mut long_cells = 0_usize;
    let walk = Walk::new(tree, table);
    for edge in walk {
        let Edge::Enter(node) = edge else { continue };
        if tree.kind(node) == Kind::Text {
            cell_bytes += tree.text(node).len();
            if cell_bytes > MAX_CELL_BYTES {
                long_cells += 1;
                cell_bytes = 0;
                if long_cells > cells / 20 {
                    return false;
                }
            }
            continue;
        }
        match tree.tag(node) {
            Tag::Table if node != table => return false,
            Tag::Pre => code = true,
            Tag::Form | Tag::H1 | Tag::H2 | Tag::Article | Tag::Section | Tag::Iframe => {
                return false;
            }
            Tag::Tr => {
                rows += 1;
                in_row = 0;
                titles += usize::from(
                    code_shape::only_cell(tree, node).is_some_and(|cell| tree.tag(cell) == Tag::Th),
                );
            }
            Tag::Th | Tag::Td => {
                cells += 1;
                in_row += 1;
                cell_bytes = 0;
                widest = widest.max(in_row);
                headers += usize::from(tree.tag(node) == Tag::Th);
            }
            _ => {}
        }
    }
    // A table without headers that has code is code beside its line numbers. It may have a title over both
    // columns; a header over a single column is its name.
    let headers = if code && widest > 1 { headers.saturating_sub(titles) } else { headers };
    cells > 0 && (headers > 0 || (rows > 1 && widest > 1 && !code))
}

impl Writer<'_> {
    /// Writes a table as HTML. Returns false if the table has a `pre`.
    pub(super) fn html_table(&mut self, node: NodeId) -> bool {
        if Walk::new(self.tree, node)
            .any(|edge| matches!(edge, Edge::Enter(inner) if self.tree.tag(inner) == Tag::Pre))
        {
            return false;
        }
        let view = View { roots: vec![node], ..self.view.clone() };
        let options =
            crate::html::Options { remove_base64_images: self.options.remove_base64_images, iframes: false };
        let html = crate::html::write(self.tree, &view, self.options.resolver, options);
        self.cut |= html.cut;
        // Every parser inserts `tbody` itself.
        let html = html.text.replace("<tbody>", "").replace("</tbody>", "");
        self.lines.start(BlockKind::Table);
        // An empty line would end the block.
        for (index, line) in html.lines().map(str::trim).filter(|line| !line.is_empty()).enumerate() {
            if index > 0 {
                self.lines.next_line();
            }
            self.lines.write(line);
        }
        self.ended_list = None;
        true
    }
}
