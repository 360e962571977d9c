//! Which scripts are data.

use html5ever::Attribute as BuilderAttribute;

use super::PageParser;
use crate::tree::Attr;

impl PageParser<'_> {
    /// True if a script holds data that is read later (JSON, TeX) instead of code.
    pub(super) fn is_data_script(&self, attributes: &[BuilderAttribute]) -> bool {
        let Some(number) =
            attributes.first().and_then(|attribute| usize::from_str_radix(&attribute.value, 16).ok())
        else {
            return false;
        };
        let tree = self.builder.sink.tree.borrow();
        let range = tree.extras.get(number).map_or(0..0, |extra| extra.start as usize..extra.end as usize);
        let list = tree.attributes.get(range).unwrap_or_default();
        list.iter().filter(|attribute| attribute.name == Attr::Type).any(|attribute| {
            let value = tree.slice(attribute.value_start, attribute.value_end);
            value.contains("json") || value.starts_with("math/")
        })
    }
}
