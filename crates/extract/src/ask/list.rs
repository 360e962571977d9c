use std::ops::Range;

use serde_json::Value;
use url::Url;

use super::extractor::{Coverage, Session};
use super::stated::{Row, Stated, agree, rows_at};
use super::units::Units;
use super::{answer, prompt};
use crate::bind::Want;
use crate::ground::{Gate, LinkTable, Outcome};
use crate::leaf::{Extraction, Leaf, step};
use crate::normalise::Form;
use crate::page::{Method, Page, Part, Provenance, Span, cut};
use crate::schema::{Field, Shape, ShapeKind, WireSchema};

/// Calls for one list.
pub const MAX_LIST_CALLS: usize = 400;
/// Records that one call asks for.
pub const MAX_ROWS_PER_CALL: usize = 40;
/// Bytes of page text that one call carries.
const MAX_CALL_BYTES: usize = 24_000;

/// A list as far as it was read.
#[derive(Debug)]
pub(super) struct Listed {
    pub(super) rows: Vec<Value>,
    pub(super) leaves: Vec<Leaf>,
    pub(super) coverage: Coverage,
}

/// Reads a list record by record of the page.
///
/// The records are counted before the model is asked. Each call carries those that are still open; a row counts for the one
/// record that states its values, so that a row can come twice neither by mistake nor by a page's trick. Records that the model
/// leaves out are asked for again as long as any call gains one. `known` are the rows that the page's own evidence gave: their records are not
/// asked for, and they come first in the result.
pub(super) async fn read(
    session: &Session<'_>,
    pointer: &str,
    fields: &[Field],
    known: Vec<Row>,
) -> Option<Listed> {
    let markdown = session.page.markdown.as_str();
    let stated = Stated::read(markdown, &known)?;
    let mut open = stated.open();
    let Units { header, records } = stated.units;
    let (row_shape, shape) = rows_of(fields);
    let wants = crate::bind::leaf_wants(&row_shape);
    let counted = records.len().max(known.len());
    let header = markdown.get(header).unwrap_or_default();
    let mut found: Vec<Option<(Value, Vec<Leaf>)>> = records.iter().map(|_| None).collect();
    let mut calls = 0;
    while !open.is_empty() && calls < MAX_LIST_CALLS {
        calls += 1;
        let mut batch = Vec::new();
        let mut bytes = header.len();
        for at in open.iter().take(MAX_ROWS_PER_CALL) {
            let length = records.get(*at).map_or(0, Range::len).min(MAX_CALL_BYTES);
            if !batch.is_empty() && bytes + length > MAX_CALL_BYTES {
                break;
            }
            bytes += length;
            batch.push(*at);
        }
        let shown: Vec<(usize, Record<'_>)> = batch
            .iter()
            .filter_map(|at| {
                Some((*at, Record::new(markdown, records.get(*at)?.clone(), &session.page.url)?))
            })
            .collect();
        let mut links = LinkTable::default();
        let texts: Vec<&str> = shown.iter().map(|(_, record)| cut(record.text, MAX_CALL_BYTES)).collect();
        let sent = links.replace(&format!("{header}\n{}", texts.join("\n")), &session.page.url);
        let note =
            format!("The page text below has {} records. Give one row for each, in order.", batch.len());
        let messages =
            prompt::messages(session.task.system_prompt, session.task.prompt, &row_shape, &note, &sent);
        let Some(text) = session.ask(messages, &shape, wants.len() * batch.len()).await else { break };
        let mut gained = 0;
        for row in answer::rows(&text, MAX_ROWS_PER_CALL * 2) {
            let row = WireSchema::restore(&row_shape, row);
            let best = shown
                .iter()
                .filter(|(at, _)| found.get(*at).is_some_and(Option::is_none))
                .map(|(at, record)| (*at, judge(session, &links, record, fields, &wants, &row)))
                .filter(|(_, proved)| proved.leaves.len() * 2 > proved.claims && !proved.leaves.is_empty())
                // The first of equals, as rows come in order.
                .min_by_key(|(at, proved)| (std::cmp::Reverse(proved.leaves.len()), *at));
            if let Some((at, proved)) = best
                && let Some(place) = found.get_mut(at)
            {
                *place = Some((proved.row, proved.leaves));
                gained += 1;
            }
        }
        if gained == 0 {
            // The model has nothing to say about these; the rest is still worth asking for.
            open.retain(|at| !batch.contains(at));
        } else {
            open.retain(|at| found.get(*at).is_some_and(Option::is_none));
        }
    }
    // A row of the evidence whose record was not recognised may have been read once more.
    let gained = found.into_iter().flatten().filter(|(_, row)| known.iter().all(|(_, own)| !agree(own, row)));
    let gained: Vec<Row> = gained.collect();
    let mut rows = Vec::new();
    let mut leaves = Vec::new();
    for (row, row_leaves) in known.into_iter().chain(gained) {
        let here = step(pointer, &rows.len().to_string());
        for leaf in row_leaves {
            leaves.push(Leaf { pointer: format!("{here}{}", leaf.pointer), ..leaf });
        }
        rows.push(row);
    }
    let coverage = Coverage { pointer: pointer.to_owned(), found: rows.len(), counted };
    Some(Listed { rows, leaves, coverage })
}

/// How much of each list a page's evidence gave, where its records can be counted.
pub(super) fn coverage(page: &Page, shape: &Shape, found: &Extraction) -> Vec<Coverage> {
    let lists = lists_of(shape).rows;
    let counted = |(pointer, _): (String, &Shape)| {
        let known = rows_at(&found.data, &found.leaves, &pointer);
        let stated = Stated::read(&page.markdown, &known).filter(|_| !known.is_empty())?;
        let counted = stated.units.records.len().max(known.len());
        Some(Coverage { pointer, found: known.len(), counted })
    };
    lists.into_iter().filter_map(counted).collect()
}

/// The lists that a shape asks for, by their pointers.
#[derive(Debug, Default)]
pub(super) struct Lists<'s> {
    /// Lists of objects, each with the shape of a row.
    pub(super) rows: Vec<(String, &'s Shape)>,
    /// Lists of plain values, each as a field of its values' shape.
    pub(super) plain: Vec<(String, Field)>,
}

/// Finds the lists of a shape, those of rows aside.
pub(super) fn lists_of(shape: &Shape) -> Lists<'_> {
    let Lists { rows: mut lists, mut plain } = Lists::default();
    let mut waiting = vec![(String::new(), shape.fields())];
    if let ShapeKind::List(inner) = &shape.kind {
        lists.push((String::new(), &**inner));
    }
    while let Some((pointer, fields)) = waiting.pop() {
        for field in fields {
            let here = step(&pointer, &field.name);
            match &field.shape.kind {
                ShapeKind::Object(inner) => waiting.push((here, inner)),
                ShapeKind::List(inner) if !inner.fields().is_empty() => lists.push((here, &**inner)),
                ShapeKind::List(inner) if !inner.is_branch() => {
                    let mut shape = (**inner).clone();
                    if shape.description.is_empty() {
                        shape.description.clone_from(&field.shape.description);
                    }
                    plain.push((here, Field { shape, ..field.clone() }));
                }
                _ => {}
            }
        }
    }
    Lists { rows: lists, plain }
}

/// The shape of a row, and that of an answer: an object with the rows.
pub(super) fn rows_of(fields: &[Field]) -> (Shape, Shape) {
    let row_shape = Shape {
        kind: ShapeKind::Object(fields.to_vec()),
        description: String::new(),
        nullable: false,
        choices: Vec::new(),
        format: None,
    };
    let rows_field = Field {
        name: "rows".to_owned(),
        required: true,
        shape: Shape { kind: ShapeKind::List(Box::new(row_shape.clone())), ..row_shape.clone() },
    };
    let shape = Shape { kind: ShapeKind::Object(vec![rows_field]), ..row_shape.clone() };
    (row_shape, shape)
}

/// One record of the page.
struct Record<'p> {
    text: &'p str,
    /// Where it stands in the page's Markdown.
    offset: usize,
    /// The addresses that it links to itself, whatever its neighbours do.
    links: LinkTable,
}

impl<'p> Record<'p> {
    fn new(markdown: &'p str, range: Range<usize>, base: &Url) -> Option<Self> {
        let offset = range.start;
        let text = markdown.get(range)?;
        let mut links = LinkTable::default();
        links.replace(text, base);
        Some(Self { text, offset, links })
    }

    /// May this record have the value? Ids of links are those of all records that are shown together, so an address can be another's.
    fn holds(&self, want: &Want<'_>, value: &Value) -> bool {
        let is_address = want.form == Form::Url && want.shape.choices.is_empty();
        !is_address || value.as_str().is_some_and(|url| self.links.resolve(url).is_some())
    }
}

struct Proved {
    row: Value,
    leaves: Vec<Leaf>,
    claims: usize,
}

/// Holds a row against one record of the page.
fn judge(
    session: &Session<'_>,
    links: &LinkTable,
    record: &Record<'_>,
    fields: &[Field],
    wants: &[Want<'_>],
    row: &Value,
) -> Proved {
    let mut gate = Gate::new(record.text, links);
    let mut proved = Proved { row: crate::bind::skeleton(fields), leaves: Vec::new(), claims: 0 };
    for want in wants {
        let Some(claim) = row.pointer(&want.pointer) else { continue };
        let (value, quote) = super::extractor::claim(claim);
        if value.is_null() {
            continue;
        }
        proved.claims += 1;
        let pointer = want.pointer.clone();
        if let Outcome::Proved { value, quote, span } = gate.judge(want, value, quote, 0)
            && record.holds(want, &value)
        {
            crate::bind::put(&mut proved.row, &pointer, value.clone());
            let span = Span::new(Part::Markdown, span.start + record.offset..span.end + record.offset);
            let provenance = Provenance {
                url: session.page.url.as_str().to_owned(),
                quote,
                span: Some(span),
                method: Method::Model,
            };
            proved.leaves.push(Leaf { pointer, value, provenance: vec![provenance], confidence: 0.8 });
        }
    }
    crate::bind::drop_unknown(&mut proved.row, fields);
    proved
}
