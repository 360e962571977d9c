//! Fills a schema from one page without a language model: single values, then lists.

use hashbrown::HashSet;
use std::ops::Range;

use serde_json::{Map, Value};

use super::list_values::{self, PageView};
use super::pool::{Choice, Pool};
use super::score::{self, Model, OfferedValue, OptionTable, PageSegments, is_structured};
use super::target::TargetField;
use super::{MIN_CONFIDENCE, entity, records};
use crate::evidence::Evidence;
use crate::leaf::{Extraction, Leaf, Missing, MissingReason, child_pointer};
use crate::page::{MAX_QUOTE_BYTES, Method, PagePart, Provenance, Span, truncate};
use crate::schema::{Field, Shape, ShapeKind};

/// Upper bound on the proofs of one value.
const MAX_PROOFS: usize = 4;
/// Upper bound on the values of a list of plain values.
const MAX_LIST: usize = 100;

/// Fills a shape from a page's evidence.
pub(crate) fn bind(evidence: &Evidence<'_>, shape: &Shape) -> Extraction {
    bind_with(&PageSegments::new(evidence), shape, Model::shipped())
}

/// Fills a shape from a page with a model of its own. Several shapes may share the page's segments.
pub(crate) fn bind_with(page: &PageSegments<'_, '_>, shape: &Shape, model: &Model) -> Extraction {
    let mut out = Extraction { data: Value::Null, leaves: Vec::new(), missing: Vec::new() };
    let view = PageView::new(page.evidence());
    out.data = match &shape.kind {
        ShapeKind::Object(fields) => object(page, &view, fields, model, &mut out),
        ShapeKind::List(inner) => list(&view, inner, "", "", &mut out).unwrap_or_else(|| {
            out.missing.push(Missing { pointer: String::new(), reason: MissingReason::NotFound });
            Value::Array(Vec::new())
        }),
        _ => Value::Null,
    };
    out
}

/// The options of each single field of a shape, with the field.
pub(crate) fn field_options<'s>(
    page: &PageSegments<'_, '_>,
    shape: &'s Shape,
) -> Vec<(TargetField<'s>, OptionTable)> {
    let targets = leaf_targets(shape);
    let tables = score::option_tables(page, shape.fields(), &targets);
    targets.into_iter().zip(tables).collect()
}

/// The values that each single field of a shape may have, with the field.
pub(crate) fn offered_values<'s>(
    page: &PageSegments<'_, '_>,
    shape: &'s Shape,
) -> Vec<(TargetField<'s>, Vec<OfferedValue>)> {
    let targets = leaf_targets(shape);
    let offered = score::offered_values(page, &targets);
    targets.into_iter().zip(offered).collect()
}

/// The leaf fields of an object and of the objects within it, outermost first; and its lists.
pub(super) fn leaves<'s>(fields: &'s [Field]) -> (Vec<TargetField<'s>>, Vec<(String, &'s Field)>) {
    let mut targets = Vec::new();
    let mut lists = Vec::new();
    let mut waiting: Vec<(String, Vec<String>, &'s [Field])> = vec![(String::new(), Vec::new(), fields)];
    while let Some((pointer, scope, fields)) = waiting.pop() {
        for field in fields {
            let child = child_pointer(&pointer, &field.name);
            match &field.shape.kind {
                ShapeKind::Object(inner) => {
                    let mut scope = scope.clone();
                    scope.push(field.name.clone());
                    waiting.push((child, scope, inner));
                }
                ShapeKind::List(_) => lists.push((child, field)),
                _ => targets.push(TargetField::new(child, scope.clone(), field)),
            }
        }
    }
    TargetField::resolve_by_siblings(&mut targets);
    (targets, lists)
}

/// The single fields of a shape, without those of lists.
pub(crate) fn leaf_targets(shape: &Shape) -> Vec<TargetField<'_>> {
    leaves(shape.fields()).0
}

fn object(
    page: &PageSegments<'_, '_>,
    view: &PageView<'_, '_>,
    fields: &[Field],
    model: &Model,
    out: &mut Extraction,
) -> Value {
    let (targets, lists) = leaves(fields);
    let chosen = score::choose(page, fields, &targets, model);
    let mut data = empty_object(fields);
    for (target, choice) in targets.iter().zip(chosen) {
        match choice {
            Ok(choice) => {
                set_at(&mut data, &target.pointer, choice.value.clone());
                out.leaves.push(leaf(page.evidence(), &target.pointer, choice));
            }
            Err(reason) => {
                clear(&mut data, target);
                out.missing.push(Missing { pointer: target.pointer.clone(), reason });
            }
        }
    }
    for (pointer, field) in lists {
        let ShapeKind::List(inner) = &field.shape.kind else { continue };
        match list(view, inner, &pointer, &field.name, out) {
            Some(found) => set_at(&mut data, &pointer, found),
            None => out.missing.push(Missing { pointer, reason: MissingReason::NotFound }),
        }
    }
    data
}

fn leaf(evidence: &Evidence<'_>, pointer: &str, choice: Choice) -> Leaf {
    let provenance = choice
        .proofs
        .into_iter()
        .take(MAX_PROOFS)
        .map(|proof| provenance(evidence, &proof.quote, proof.method, proof.html_range))
        .collect();
    Leaf {
        pointer: pointer.to_owned(),
        value: choice.value,
        provenance,
        confidence: (choice.score * 1000.0).round() / 1000.0,
    }
}

/// A proof with its position: the given range, or the first occurrence of the quote in the HTML.
pub(crate) fn provenance(
    evidence: &Evidence<'_>,
    quote: &str,
    method: Method,
    html_range: Option<Range<usize>>,
) -> Provenance {
    let quote = truncate(quote, MAX_QUOTE_BYTES);
    let span = if method == Method::Url {
        evidence.url.as_str().find(quote).map(|at| Span::new(PagePart::Url, at..at + quote.len()))
    } else {
        html_range
            .or_else(|| {
                let at = memchr::memmem::find(evidence.html.as_bytes(), quote.as_bytes())?;
                Some(at..at + quote.len())
            })
            .map(|range| Span::new(PagePart::Html, range))
    };
    Provenance { url: evidence.url.as_str().to_owned(), quote: quote.to_owned(), span, method }
}

/// Reads a list: records of the page for objects, repeated values for plain values.
fn list(
    view: &PageView<'_, '_>,
    inner: &Shape,
    pointer: &str,
    name: &str,
    out: &mut Extraction,
) -> Option<Value> {
    let ShapeKind::Object(fields) = &inner.kind else {
        let field = Field { name: name.to_owned(), shape: inner.clone(), required: false };
        return plain_values(view, &field, pointer, out);
    };
    let evidence = view.evidence;
    let found = records::records(evidence, fields, name);
    let is_stated =
        found.iter().flat_map(|record| &record.values).any(|(_, value)| is_structured(value.method));
    let shown = if is_stated { Vec::new() } else { list_values::pairs(view, fields, name) };
    let found = if shown.is_empty() { found } else { shown };
    if found.is_empty() {
        return None;
    }
    let mut rows = Vec::with_capacity(found.len());
    for (at, record) in found.into_iter().enumerate() {
        let mut row = empty_object(fields);
        let child = child_pointer(pointer, &at.to_string());
        for (field, value) in record.values {
            set_growing(&mut row, fields, &field, value.value.clone());
            out.leaves.push(Leaf {
                pointer: format!("{child}{field}"),
                provenance: vec![provenance(evidence, &value.quote, value.method, value.html_range)],
                confidence: value.score,
                value: value.value,
            });
        }
        drop_disallowed_nulls(&mut row, fields);
        rows.push(row);
    }
    out.missing.extend(missing_in_rows(inner, pointer, &out.leaves));
    Some(Value::Array(rows))
}

/// Reads a list of plain values: all values of one property of the page's entities. The field is an element
/// of the list, with the name of the list.
fn plain_values(
    view: &PageView<'_, '_>,
    field: &Field,
    pointer: &str,
    out: &mut Extraction,
) -> Option<Value> {
    let evidence = view.evidence;
    let targets = [TargetField::new(pointer.to_owned(), Vec::new(), field)];
    let mut pools = [Pool::default()];
    entity::collect(evidence, &targets, &mut pools);
    let [pool] = pools;
    let choices = pool.choices();
    let best = choices.first().map_or(0.0, |choice| choice.score);
    let mut values = Vec::new();
    let choices = choices
        .into_iter()
        .filter(|choice| choice.score >= MIN_CONFIDENCE && best - choice.score < 0.2)
        .flat_map(|choice| terms_of(choice, field, &targets))
        .collect();
    let [target] = &targets;
    for choice in list_values::settled(&field.name, target, choices).into_iter().take(MAX_LIST) {
        let child = child_pointer(pointer, &values.len().to_string());
        values.push(choice.value.clone());
        out.leaves.push(leaf(evidence, &child, choice));
    }
    if values.is_empty() {
        for shown in list_values::plain(view, &field.name, target) {
            out.leaves.push(Leaf {
                pointer: child_pointer(pointer, &values.len().to_string()),
                provenance: vec![provenance(evidence, &shown.quote, shown.method, shown.html_range)],
                confidence: shown.score,
                value: shown.value.clone(),
            });
            values.push(shown.value);
        }
    }
    (!values.is_empty()).then_some(Value::Array(values))
}

/// The terms of a text that states a whole list, else the text itself.
fn terms_of(choice: Choice, field: &Field, targets: &[TargetField<'_>]) -> Vec<Choice> {
    let stated = targets
        .first()
        .zip(choice.value.as_str())
        .and_then(|(target, text)| list_values::stated_terms(&field.name, target, text));
    match stated {
        Some(terms) => {
            terms.into_iter().map(|term| Choice { value: Value::from(term), ..choice.clone() }).collect()
        }
        None => vec![choice],
    }
}

/// The fields of a list's rows that no row fills, with `*` for the row: `/offers/*/sku`.
pub(crate) fn missing_in_rows(row: &Shape, list: &str, leaves: &[Leaf]) -> Vec<Missing> {
    let below = child_pointer(list, "");
    let filled: HashSet<&str> = leaves
        .iter()
        .filter_map(|leaf| leaf.pointer.strip_prefix(&below))
        .filter_map(|rest| rest.find('/').and_then(|at| rest.get(at..)))
        .collect();
    let (targets, lists) = self::leaves(row.fields());
    let targets =
        targets.iter().map(|target| target.pointer.as_str()).filter(|pointer| !filled.contains(pointer));
    let lists = lists.iter().map(|(pointer, _)| pointer.as_str()).filter(|pointer| {
        let inner = child_pointer(pointer, "");
        !filled.iter().any(|filled| filled.starts_with(&inner))
    });
    targets
        .chain(lists)
        .map(|pointer| Missing { pointer: format!("{below}*{pointer}"), reason: MissingReason::NotFound })
        .collect()
}

/// An object with every field empty: null, an object of the same kind, or an empty list.
pub(crate) fn empty_object(fields: &[Field]) -> Value {
    Value::Object(fields.iter().map(|field| (field.name.clone(), empty(&field.shape))).collect::<Map<_, _>>())
}

/// Removes nulls that the schema does not allow.
pub(crate) fn drop_disallowed_nulls(row: &mut Value, fields: &[Field]) {
    let Some(object) = row.as_object_mut() else { return };
    for field in fields {
        match object.get_mut(&field.name) {
            Some(Value::Null) if !field.shape.nullable => {
                object.remove(&field.name);
            }
            Some(inner @ Value::Object(_)) => drop_disallowed_nulls(inner, field.shape.fields()),
            Some(Value::Array(list)) => {
                if let ShapeKind::List(inner) = &field.shape.kind {
                    list.iter_mut().for_each(|element| drop_disallowed_nulls(element, inner.fields()));
                }
            }
            _ => {}
        }
    }
}

/// Sets the value at a pointer in an object with these fields. A list on the path grows by the next element
/// if needed.
pub(crate) fn set_growing(data: &mut Value, fields: &[Field], pointer: &str, value: Value) {
    let mut slot = data;
    let mut fields = fields;
    let mut inner: Option<&Shape> = None;
    for part in pointer.split('/').skip(1) {
        let name = part.replace("~1", "/").replace("~0", "~");
        let (next, shape) = match slot {
            Value::Object(object) => {
                let Some(field) = fields.iter().find(|field| field.name == name) else { return };
                (object.entry(name).or_insert_with(|| empty(&field.shape)), &field.shape)
            }
            Value::Array(list) => {
                let (Some(shape), Ok(at)) = (inner, name.parse::<usize>()) else { return };
                if at == list.len() {
                    list.push(empty(shape));
                }
                let Some(element) = list.get_mut(at) else { return };
                (element, shape)
            }
            _ => return,
        };
        slot = next;
        fields = shape.fields();
        inner = if let ShapeKind::List(inner) = &shape.kind { Some(&**inner) } else { None };
    }
    *slot = value;
}

/// The sort key of a pointer for [`set_growing`]: elements of a list in the order of their numbers.
pub(crate) fn pointer_order(pointer: &str) -> Vec<(usize, String)> {
    pointer.split('/').map(|part| (part.len(), part.to_owned())).collect()
}

/// The empty value of a shape.
fn empty(shape: &Shape) -> Value {
    match &shape.kind {
        ShapeKind::Object(inner) => empty_object(inner),
        ShapeKind::List(_) => Value::Array(Vec::new()),
        _ => Value::Null,
    }
}

/// Sets the value at a pointer whose parents exist.
pub(crate) fn set_at(data: &mut Value, pointer: &str, value: Value) {
    if let Some(slot) = data.pointer_mut(pointer) {
        *slot = value;
    } else if let Some((parent, name)) = pointer.rsplit_once('/')
        && let Some(Value::Object(object)) = data.pointer_mut(parent)
    {
        object.insert(name.replace("~1", "/").replace("~0", "~"), value);
    }
}

/// Empties a field: it is null if the schema allows that, else left out.
pub(crate) fn clear(data: &mut Value, target: &TargetField<'_>) {
    if target.shape.nullable {
        set_at(data, &target.pointer, Value::Null);
    } else {
        remove(data, &target.pointer);
    }
}

fn remove(data: &mut Value, pointer: &str) {
    if let Some((parent, name)) = pointer.rsplit_once('/')
        && let Some(Value::Object(object)) = data.pointer_mut(parent)
    {
        object.remove(&name.replace("~1", "/").replace("~0", "~"));
    }
}
