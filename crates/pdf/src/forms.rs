//! Estimates the cost of pages that repeat pieces of content (form XObjects, PDF 32000-1, 8.10).
//!
//! A form may call others, each several times: a file of a kilobyte can cause any amount of work, on each of
//! ten thousand pages. The parser bounds a page; here the whole file is bounded. The cost is estimated
//! beforehand from how often each content names each form, without running anything.

use std::collections::{BTreeMap, HashMap};

use lopdf::{Dictionary, Document, Object, ObjectId};
use memchr::memmem;

use crate::Options;
use crate::marks::Marks;
use crate::streams::content;
use crate::syntax::unescaped;

/// Largest cost of all forms of a file's pages: the bytes of their content for each call, and 100 for each
/// call. A few seconds on one core.
pub const MAX_FORM_BYTES: u64 = 100_000_000;

/// Cost of a call of a form besides its content, in bytes of content.
const BYTES_PER_CALL: u64 = 100;

/// Largest cost of a page: the parser stops after ten thousand forms or a million operations.
const MAX_PAGE_BYTES: u64 = 12_000_000;

/// Most levels of forms within forms that are followed. Deeper ones count as [`MAX_PAGE_BYTES`].
const MAX_DEPTH: usize = 32;

/// Most forms with the same name that count.
const MAX_FORMS_PER_NAME: usize = 32;

/// The names of forms, and how often a content calls each.
pub(crate) type Calls = HashMap<Vec<u8>, u64>;

/// The cost of running content.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Cost {
    /// In bytes of content.
    pub(crate) bytes: u64,
    /// The marks that it draws.
    pub(crate) marks: Marks,
}

impl Cost {
    fn and(self, other: Self) -> Self {
        Self { bytes: self.bytes.saturating_add(other.bytes), marks: self.marks.and(other.marks) }
    }

    /// The cost, capped at that of a page.
    fn capped(self) -> Self {
        Self { bytes: self.bytes.min(MAX_PAGE_BYTES), marks: self.marks.capped() }
    }
}

/// The forms of a file.
#[derive(Debug, Default)]
pub(crate) struct Forms {
    /// The cost of one call of each form.
    costs: HashMap<ObjectId, Cost>,
    /// The forms by the names that any resources give them: a content without resources of its own uses its
    /// caller's.
    named: HashMap<Vec<u8>, Vec<ObjectId>>,
}

impl Forms {
    /// Estimates the forms of a file.
    pub(crate) fn of(document: &Document, options: &Options) -> Self {
        let mut forms = Self::default();
        for object in document.objects.values() {
            let resources = match object {
                Object::Stream(stream) => dictionary(document, stream.dict.get(b"Resources").ok()),
                Object::Dictionary(entries) => {
                    dictionary(document, entries.get(b"Resources").ok()).or(Some(entries))
                }
                _ => None,
            };
            for (name, form) in resources.into_iter().flat_map(|resources| of_resources(document, resources))
            {
                let same_name = forms.named.entry(name.to_vec()).or_default();
                if !same_name.contains(&form) && same_name.len() < MAX_FORMS_PER_NAME {
                    same_name.push(form);
                }
            }
        }
        let mut calls: BTreeMap<ObjectId, Vec<(ObjectId, u64)>> = BTreeMap::new();
        for (id, object) in &document.objects {
            let Object::Stream(stream) = object else { continue };
            if !is_form(object) {
                continue;
            }
            let content = content(stream, options.max_inflated_bytes).unwrap_or_default();
            forms.costs.insert(*id, Cost { bytes: content.len() as u64, marks: Marks::of(&content) });
            let own: HashMap<&[u8], ObjectId> = dictionary(document, stream.dict.get(b"Resources").ok())
                .into_iter()
                .flat_map(|resources| of_resources(document, resources))
                .collect();
            let list = calls.entry(*id).or_default();
            for (name, times) in form_calls(&content) {
                match own.get(name.as_slice()) {
                    Some(form) => list.push((*form, times)),
                    None => {
                        list.extend(forms.named.get(&name).into_iter().flatten().map(|form| (*form, times)));
                    }
                }
            }
        }
        forms.add_nested(&calls);
        forms
    }

    /// Adds the cost of forms within forms, until nothing changes or the greatest depth is reached.
    fn add_nested(&mut self, calls: &BTreeMap<ObjectId, Vec<(ObjectId, u64)>>) {
        let own = self.costs.clone();
        for round in 0..=MAX_DEPTH {
            let mut changed = false;
            let next: HashMap<ObjectId, Cost> = own
                .iter()
                .map(|(id, own)| {
                    let inner = calls.get(id).into_iter().flatten();
                    let cost = inner.fold(*own, |sum, (form, times)| sum.and(self.of_calls(*form, *times)));
                    let before = self.costs.get(id).copied().unwrap_or_default();
                    let mut cost = cost.capped();
                    if cost != before {
                        changed = true;
                        if round == MAX_DEPTH {
                            cost.bytes = MAX_PAGE_BYTES;
                        }
                    }
                    (*id, cost)
                })
                .collect();
            self.costs = next;
            if !changed {
                return;
            }
        }
    }

    /// The cost of this many calls of a form.
    fn of_calls(&self, form: ObjectId, times: u64) -> Cost {
        match self.costs.get(&form) {
            Some(once) => Cost {
                bytes: once.bytes.saturating_add(BYTES_PER_CALL).saturating_mul(times),
                marks: once.marks.times(times),
            },
            // Other objects are pictures. The analysis does not draw them but places them among the texts.
            None => Cost { bytes: 0, marks: Marks::texts(times) },
        }
    }

    /// The cost of the forms that a page calls.
    pub(crate) fn of_page(&self, document: &Document, page: ObjectId, calls: &Calls) -> Cost {
        let (own, inherited) = document.get_page_resources(page).unwrap_or_default();
        let inherited = inherited.iter().filter_map(|id| document.get_dictionary(*id).ok());
        let named: Vec<&Dictionary> = own
            .into_iter()
            .chain(inherited)
            .filter_map(|resources| dictionary(document, resources.get(b"XObject").ok()))
            .collect();
        let mut cost = Cost::default();
        for (name, times) in calls {
            match named.iter().find_map(|named| named.get(name).ok()) {
                Some(value) => {
                    let form = document.dereference(value).ok().and_then(|(id, _)| id);
                    cost = form.map_or(cost, |form| cost.and(self.of_calls(form, *times)));
                }
                None => {
                    for form in self.named.get(name).into_iter().flatten() {
                        cost = cost.and(self.of_calls(*form, *times));
                    }
                }
            }
        }
        cost.capped()
    }
}

/// The forms that a content calls (`/Name Do`).
pub(crate) fn form_calls(content: &[u8]) -> Calls {
    let mut calls = Calls::new();
    for at in memmem::find_iter(content, b"Do") {
        let before = content.get(..at).unwrap_or_default().trim_ascii_end();
        if before.len() == at && !before.ends_with(b"]") {
            continue;
        }
        let start = before.iter().rposition(|byte| *byte == b'/' || byte.is_ascii_whitespace());
        let Some(name) =
            start.filter(|start| before.get(*start) == Some(&b'/')).and_then(|start| before.get(start + 1..))
        else {
            continue;
        };
        // Longer names are not valid (PDF 32000-1, annex C).
        if name.len() <= 512 {
            *calls.entry(unescaped(name)).or_insert(0) += 1;
        }
    }
    calls
}

/// The forms that resources name.
fn of_resources<'d>(
    document: &'d Document,
    resources: &'d Dictionary,
) -> impl Iterator<Item = (&'d [u8], ObjectId)> {
    let named = dictionary(document, resources.get(b"XObject").ok());
    named.into_iter().flat_map(|named| named.iter()).filter_map(move |(name, value)| {
        let (id, object) = document.dereference(value).ok()?;
        Some((name.as_slice(), id.filter(|_| is_form(object))?))
    })
}

fn is_form(object: &Object) -> bool {
    let Object::Stream(stream) = object else { return false };
    stream.dict.get(b"Subtype").and_then(Object::as_name).is_ok_and(|name| name == b"Form")
}

/// A dictionary, directly or by reference.
pub(crate) fn dictionary<'d>(document: &'d Document, object: Option<&'d Object>) -> Option<&'d Dictionary> {
    match document.dereference(object?).ok()?.1 {
        Object::Dictionary(entries) => Some(entries),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_of_a_content_are_counted() {
        let calls = form_calls(b"q /X Do Q /Y1\nDo /X  Do (Do) /Z#41 Do DoX Document");
        let mut calls: Vec<(&str, u64)> =
            calls.iter().map(|(name, times)| (std::str::from_utf8(name).unwrap(), *times)).collect();
        calls.sort_unstable();
        assert_eq!(calls, [("X", 2), ("Y1", 1), ("ZA", 1)]);
    }
}
