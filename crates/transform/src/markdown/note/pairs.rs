//! Notes without links: a superscript number in the text, and later a block that begins with it.
//!
//! Powers and ordinals are superscript too. So the blocks must be numbered from 1 in order, and each needs a
//! reference before it, which comes after the reference of the note before.

use std::collections::HashMap;

use super::scan::{Number, Role};
use crate::tree::NodeId;

/// A reference and its note.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pair {
    pub(super) reference: NodeId,
    pub(super) note: NodeId,
    pub(super) number: u32,
    /// The list whose item the note is.
    list: Option<NodeId>,
}

/// Pairs numbers, which are in document order.
pub(super) fn pairs(numbers: &[Number]) -> Vec<Pair> {
    let mut references: HashMap<u32, Vec<usize>> = HashMap::new();
    let mut last_reference = 0;
    for (at, number) in numbers.iter().enumerate().filter(|(_, number)| number.role == Role::Reference) {
        references.entry(number.value).or_default().push(at);
        last_reference = at;
    }
    let mut pairs: Vec<Pair> = Vec::new();
    let mut items: HashMap<NodeId, usize> = HashMap::new();
    let (mut expected, mut after) = (1, 0);
    for (at, Number { node, value, role }) in numbers.iter().enumerate() {
        let (note, list) = match role {
            Role::Reference => continue,
            // A bold number is also the number of a step or a part.
            Role::BoldLabel(_) if at < last_reference => continue,
            Role::Label(block) | Role::BoldLabel(block) => (*block, None),
            Role::Item { list } => (*node, Some(*list)),
        };
        if let Some(list) = list {
            *items.entry(list).or_default() += 1;
        }
        if *value != expected {
            continue;
        }
        let found = references.get(value).and_then(|found| {
            let next = found.partition_point(|reference| *reference < after);
            found.get(next).copied().filter(|reference| *reference < at)
        });
        let Some((found, reference)) = found.and_then(|found| Some((found, numbers.get(found)?))) else {
            continue;
        };
        pairs.push(Pair { reference: reference.node, note, number: *value, list });
        (expected, after) = (expected + 1, found + 1);
    }
    // A list is written as notes only as a whole.
    let mut paired: HashMap<NodeId, usize> = HashMap::new();
    for list in pairs.iter().filter_map(|pair| pair.list) {
        *paired.entry(list).or_default() += 1;
    }
    pairs.retain(|pair| pair.list.is_none_or(|list| paired.get(&list) == items.get(&list)));
    pairs
}
