//! How much work the pages of a file are that run pieces of content again and again (form XObjects, PDF 32000-1, 8.10).
//!
//! A form may run others, each several times: a file of a kilobyte asks for as much work as it likes, and one of ten
//! thousand pages for that on each of them. The parser has a bound for a page; what counts here is the file. It is
//! reckoned beforehand, from how often each content names which form, without running anything.

use std::collections::{BTreeMap, HashMap};

use lopdf::{Dictionary, Document, Object, ObjectId};
use memchr::memmem;

use crate::Options;
use crate::marks::Marks;
use crate::shape::unescaped;
use crate::streams::content;

/// What all forms of a file's pages may cost: bytes of their content each time that it is run, and
/// 100 for each time. A few seconds on one core.
pub const MAX_FORM_BYTES: u64 = 100_000_000;

/// Running a form costs as much as so many bytes of content, before any is run.
const BYTES_PER_CALL: u64 = 100;

/// No page costs more: the parser gives up after ten thousand forms or a million operations.
const MAX_PAGE_BYTES: u64 = 12_000_000;

/// Forms are followed into one another so deep; what goes deeper costs as much as a page can.
const DEPTH: usize = 32;

/// A form's name, and how often a content runs it.
pub(crate) type Calls = HashMap<Vec<u8>, u64>;

/// What it is to run content.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Work {
    /// What it costs, in bytes of content.
    pub(crate) bytes: u64,
    /// What it draws.
    pub(crate) marks: Marks,
}

impl Work {
    fn and(self, other: Self) -> Self {
        Self { bytes: self.bytes.saturating_add(other.bytes), marks: self.marks.and(other.marks) }
    }

    /// No more than a page can cost.
    fn capped(self) -> Self {
        Self { bytes: self.bytes.min(MAX_PAGE_BYTES), marks: self.marks.capped() }
    }
}

/// The forms of a file, each with what it is to run it once.
#[derive(Debug, Default)]
pub(crate) struct Forms {
    cost: HashMap<ObjectId, Work>,
    /// Which forms have a name anywhere: a content without resources of its own runs those of who runs it.
    named: HashMap<Vec<u8>, Vec<ObjectId>>,
}

impl Forms {
    /// Reckons the forms of a file.
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
                let known = forms.named.entry(name.to_vec()).or_default();
                if !known.contains(&form) && known.len() < DEPTH {
                    known.push(form);
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
            forms.cost.insert(*id, Work { bytes: content.len() as u64, marks: Marks::of(&content) });
            let own: HashMap<&[u8], ObjectId> = dictionary(document, stream.dict.get(b"Resources").ok())
                .into_iter()
                .flat_map(|resources| of_resources(document, resources))
                .collect();
            let list = calls.entry(*id).or_default();
            for (name, times) in named_forms(&content) {
                match own.get(name.as_slice()) {
                    Some(form) => list.push((*form, times)),
                    None => {
                        list.extend(forms.named.get(&name).into_iter().flatten().map(|form| (*form, times)));
                    }
                }
            }
        }
        forms.settle(&calls);
        forms
    }

    /// Adds what forms run within forms, until nothing changes or it is as deep as is followed.
    fn settle(&mut self, calls: &BTreeMap<ObjectId, Vec<(ObjectId, u64)>>) {
        let own = self.cost.clone();
        for round in 0..=DEPTH {
            let mut changed = false;
            let next: HashMap<ObjectId, Work> = own
                .iter()
                .map(|(id, work)| {
                    let inner = calls.get(id).into_iter().flatten();
                    let cost = inner.fold(*work, |sum, (form, times)| sum.and(self.run(*form, *times)));
                    let before = self.cost.get(id).copied().unwrap_or_default();
                    let mut cost = cost.capped();
                    if cost != before {
                        changed = true;
                        if round == DEPTH {
                            cost.bytes = MAX_PAGE_BYTES;
                        }
                    }
                    (*id, cost)
                })
                .collect();
            self.cost = next;
            if !changed {
                return;
            }
        }
    }

    /// What it is to run a form so often.
    fn run(&self, form: ObjectId, times: u64) -> Work {
        match self.cost.get(&form) {
            Some(once) => Work {
                bytes: once.bytes.saturating_add(BYTES_PER_CALL).saturating_mul(times),
                marks: once.marks.times(times),
            },
            // What is no form is a picture, which is not drawn and stands among the texts.
            None => Work { bytes: 0, marks: Marks::texts(times) },
        }
    }

    /// What the forms of a page are that names them in its content.
    pub(crate) fn of_page(&self, document: &Document, page: ObjectId, calls: &Calls) -> Work {
        let (own, inherited) = document.get_page_resources(page).unwrap_or_default();
        let inherited = inherited.iter().filter_map(|id| document.get_dictionary(*id).ok());
        let named: Vec<&Dictionary> = own
            .into_iter()
            .chain(inherited)
            .filter_map(|resources| dictionary(document, resources.get(b"XObject").ok()))
            .collect();
        let mut work = Work::default();
        for (name, times) in calls {
            match named.iter().find_map(|named| named.get(name).ok()) {
                Some(value) => {
                    let form = document.dereference(value).ok().and_then(|(id, _)| id);
                    work = form.map_or(work, |form| work.and(self.run(form, *times)));
                }
                None => {
                    for form in self.named.get(name).into_iter().flatten() {
                        work = work.and(self.run(*form, *times));
                    }
                }
            }
        }
        work.capped()
    }
}

/// How often a content runs what names (`/Name Do`).
pub(crate) fn named_forms(content: &[u8]) -> Calls {
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
        // Longer names are allowed by no rule (PDF 32000-1, annex C).
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

/// A dictionary, or what a reference to one leads to.
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
    fn what_a_content_runs_is_counted() {
        let calls = named_forms(b"q /X Do Q /Y1\nDo /X  Do (Do) /Z#41 Do DoX Document");
        let mut calls: Vec<(&str, u64)> =
            calls.iter().map(|(name, times)| (std::str::from_utf8(name).unwrap(), *times)).collect();
        calls.sort_unstable();
        assert_eq!(calls, [("X", 2), ("Y1", 1), ("ZA", 1)]);
    }
}
