//! Pages that are one row of a list each.
//!
//! A request for a list of products is mostly answered by pages about one product each. Such a page is read
//! as a single row, like a page about one thing, so that its labels and its own entity count and the learned
//! template serves the next page. The row is inserted into the list afterwards. Which pages are rows depends
//! on what they state, and on whether the site has several similar pages.

use serde_json::Value;

use crate::bind::{empty_object, folded, leaf_targets, set_at};
use crate::evidence::Evidence;
use crate::leaf::{Extraction, Leaf, Missing, MissingReason, child_pointer};
use crate::page::{Method, Page};
use crate::plan::to_f64;
use crate::schema::{Shape, ShapeKind};

/// Lower bound on the share of a row's fields that a page must fill to be a row, without other signs.
const MIN_FILL: f64 = 0.5;
/// The same for one of several similar pages.
const MIN_FILL_ALIKE: f64 = 0.25;

/// The heading and the title of a page. A row that states only these is what any page has.
#[derive(Debug, Default)]
pub(crate) struct PageHeadings(Vec<String>);

impl PageHeadings {
    pub(crate) fn read(page: &Page, evidence: &Evidence<'_>) -> Self {
        let first = page.markdown.lines().find_map(|line| line.strip_prefix("# "));
        let texts = [Some(evidence.headline()), Some(evidence.title.as_str()), page.title.as_deref(), first];
        let texts = texts.into_iter().flatten().map(folded).filter(|text| !text.is_empty());
        Self(texts.collect())
    }

    /// Whether these values of a row state only the page's heading and its URL.
    pub(crate) fn are_all(&self, leaves: &[Leaf]) -> bool {
        leaves.iter().all(|leaf| {
            let is_own = leaf.provenance.iter().all(|proof| proof.method == Method::Url);
            is_own || leaf.value.as_str().is_some_and(|text| self.0.contains(&folded(text)))
        })
    }
}

/// The only list of objects of a shape.
#[derive(Debug)]
pub(crate) struct RowShape<'s> {
    whole: &'s Shape,
    pointer: String,
    row: &'s Shape,
    field_count: usize,
}

impl<'s> RowShape<'s> {
    /// `None` if a shape has no list of objects, or several: nothing says then which of them a page belongs
    /// to.
    pub(crate) fn of(whole: &'s Shape) -> Option<Self> {
        let mut lists = Vec::new();
        let mut waiting = vec![(String::new(), whole)];
        while let Some((pointer, shape)) = waiting.pop() {
            match &shape.kind {
                ShapeKind::Object(fields) => {
                    waiting.extend(
                        fields.iter().map(|field| (child_pointer(&pointer, &field.name), &field.shape)),
                    );
                }
                ShapeKind::List(row) if !row.fields().is_empty() => lists.push((pointer, &**row)),
                _ => {}
            }
        }
        let [(pointer, row)] = <[_; 1]>::try_from(lists).ok()?;
        let field_count = leaf_targets(row).len();
        (field_count > 0).then_some(Self { whole, pointer, row, field_count })
    }

    /// The shape of one row.
    pub(crate) const fn shape(&self) -> &'s Shape {
        self.row
    }

    /// Number of rows of the list that the page's own evidence gives.
    pub(crate) fn count(&self, whole: &Extraction) -> usize {
        whole.data.pointer(&self.pointer).and_then(Value::as_array).map_or(0, Vec::len)
    }

    /// Whether a page is about one thing, by its evidence. `whole` is the result for the list, `one` the
    /// result for a row, `records` the number of records that the text seems to contain. `alike` says that
    /// the site has several similar pages.
    pub(crate) fn is_one(&self, whole: &Extraction, one: &Extraction, records: usize, alike: bool) -> bool {
        let rows = self.count(whole);
        if rows < 2 {
            return alike || records < 2;
        }
        let below = format!("{}/", self.pointer);
        let stated = whole.leaves.iter().filter(|leaf| leaf.pointer.starts_with(&below)).count();
        let of_rows = to_f64(stated) / to_f64(rows * self.field_count);
        let of_one = to_f64(one.leaves.len()) / to_f64(self.field_count);
        // Other products beside the page's own are described less fully.
        of_one > of_rows || (alike && of_one >= of_rows)
    }

    /// Whether the result is a row, and not what any page has, such as a heading. One of several similar
    /// pages counts as a row even if it states only its name.
    pub(crate) fn is_row(&self, one: &Extraction, alike: bool, headings: &PageHeadings) -> bool {
        let least = if alike { MIN_FILL_ALIKE } else { MIN_FILL };
        !one.leaves.is_empty()
            && to_f64(one.leaves.len()) >= least * to_f64(self.field_count)
            && (alike || !headings.are_all(&one.leaves))
    }

    /// The row as the only row of its list; an empty list if the result is not a row.
    pub(crate) fn wrap_in_list(&self, one: Extraction, alike: bool, headings: &PageHeadings) -> Extraction {
        let mut data = match &self.whole.kind {
            ShapeKind::Object(fields) => empty_object(fields),
            _ => Value::Array(Vec::new()),
        };
        if !self.is_row(&one, alike, headings) {
            let reason = one.missing.first().map_or(MissingReason::NotFound, |missing| missing.reason);
            let missing = vec![Missing { pointer: self.pointer.clone(), reason }];
            return Extraction { data, leaves: Vec::new(), missing };
        }
        let rows = Value::Array(vec![one.data]);
        if self.pointer.is_empty() {
            data = rows;
        } else {
            set_at(&mut data, &self.pointer, rows);
        }
        let below = child_pointer(&self.pointer, "0");
        let leaf = |leaf: Leaf| Leaf { pointer: format!("{below}{}", leaf.pointer), ..leaf };
        let missing =
            |missing: Missing| Missing { pointer: format!("{below}{}", missing.pointer), ..missing };
        Extraction {
            data,
            leaves: one.leaves.into_iter().map(leaf).collect(),
            missing: one.missing.into_iter().map(missing).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Page;
    use serde_json::json;

    fn shape(schema: Value) -> Shape {
        Shape::from_schema(&schema).unwrap()
    }

    fn products() -> Shape {
        let text = json!({ "type": ["string", "null"] });
        let row = json!({
            "type": "object",
            "properties": { "name": text, "price": { "type": ["number", "null"] }, "brand": text },
        });
        shape(json!({ "properties": { "products": { "type": "array", "items": row } } }))
    }

    #[test]
    fn only_a_shape_with_one_list_has_rows() {
        let list = json!({ "type": "array", "items": { "properties": { "name": {} } } });
        let rows = [
            (json!({ "properties": { "a": list } }), true),
            (
                json!({ "properties": { "x": {}, "a": { "type": "object", "properties": { "b": list } } } }),
                true,
            ),
            (list.clone(), true),
            (json!({ "properties": { "a": list, "b": list } }), false),
            (json!({ "properties": { "a": { "type": "array", "items": { "type": "string" } } } }), false),
        ];
        for (schema, expected) in rows {
            assert_eq!(RowShape::of(&shape(schema.clone())).is_some(), expected, "{schema}");
        }
    }

    #[test]
    fn pages_about_one_thing_differ_from_lists() {
        let shape = products();
        let rows = RowShape::of(&shape).unwrap();
        let card =
            |at: usize| format!("<div class=card><h3>Cup {at}</h3><span class=price>{at},50 €</span></div>");
        let cards = format!("<main>{}</main>", (1..5).map(card).collect::<String>());
        let detail =
            "<h1>Red cup</h1><p class=price>12,50 €</p><dl><dt>Brand</dt><dd>Acme</dd></dl>".to_owned();
        let table = [
            ("a list", cards.clone(), false),
            ("one thing", detail.clone(), true),
            ("one thing beside others", format!("{detail}<h2>Others</h2>{cards}"), true),
        ];
        for (name, html, expected) in table {
            let page = Page::new("https://x.example/cup".parse().unwrap(), html);
            let (whole, one) = (crate::extract(&page, &shape), crate::extract(&page, rows.shape()));
            for alike in [false, true] {
                assert_eq!(rows.is_one(&whole, &one, 0, alike), expected, "{name}, alike: {alike}");
            }
        }
    }

    #[test]
    fn a_row_becomes_the_only_row_of_its_list() {
        let shape = products();
        let rows = RowShape::of(&shape).unwrap();
        let lift = |path: &str, html: &str, alike: bool| {
            let page = Page::new(format!("https://x.example{path}").parse().unwrap(), html);
            let evidence = Evidence::read(&page);
            rows.wrap_in_list(
                crate::extract(&page, rows.shape()),
                alike,
                &PageHeadings::read(&page, &evidence),
            )
        };
        let lifted = lift("/cup", "<h1>Red cup</h1><p class=price>12,50 €</p>", true);
        assert_eq!(lifted.data, json!({ "products": [{ "name": "Red cup", "price": 12.5, "brand": null }] }));
        assert!(lifted.leaves.iter().all(|leaf| leaf.pointer.starts_with("/products/0/")));
        assert_eq!(lifted.missing[0].pointer, "/products/0/brand");
        let none = lift("/", "<h1>Our shop</h1>", false);
        assert_eq!((none.data, none.leaves.len()), (json!({ "products": [] }), 0));
        assert_eq!(none.missing[0].pointer, "/products");
    }

    #[test]
    fn the_heading_of_the_page_is_not_a_row() {
        let text = json!({ "type": ["string", "null"] });
        let of = |names: &[&str]| {
            let row: serde_json::Map<String, Value> =
                names.iter().map(|name| ((*name).to_owned(), text.clone())).collect();
            shape(json!({ "type": "array", "items": { "properties": row } }))
        };
        let html = "<title>Things of the shop</title><h1>Things of the shop</h1><p>Many of them.</p>";
        for names in [&["name"][..], &["name", "colour"], &["name", "url", "colour"]] {
            let shape = of(names);
            let rows = RowShape::of(&shape).unwrap();
            let page = Page::new("https://x.example/things".parse().unwrap(), html);
            let (one, headings) =
                (crate::extract(&page, rows.shape()), PageHeadings::read(&page, &Evidence::read(&page)));
            assert!(!one.leaves.is_empty(), "{names:?}");
            assert_eq!(
                (rows.is_row(&one, false, &headings), rows.is_row(&one, true, &headings)),
                (false, true)
            );
        }
    }
}
