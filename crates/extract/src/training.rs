//! Private access for the training of the model that chooses single values. Not part of the API.

use serde_json::Value;

use crate::bind::{self, GROUPS, Model, PageSegments, WIDTH};
use crate::evidence::Evidence;
use crate::leaf::Extraction;
use crate::page::Page;
use crate::schema::Shape;

/// The options of one field.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldOptions {
    /// The field: an RFC 6901 pointer.
    pub pointer: String,
    /// The index of its group in [`group_names`].
    pub group: usize,
    /// Its options, those of the rules first.
    pub options: Vec<FieldOption>,
}

/// A value that a field may have.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldOption {
    /// The value, of the type that the schema requests.
    pub value: Value,
    /// Its features, in the order of [`feature_names`].
    pub features: Vec<f32>,
    /// The score by the rules, 0 to 1; 0 if they do not know the value.
    pub rule_score: f64,
}

/// The options of each single field of a shape on a page.
#[must_use]
pub fn options(page: &Page, shape: &Shape) -> Vec<FieldOptions> {
    let evidence = Evidence::read(page);
    let found = bind::field_options(&PageSegments::new(&evidence), shape);
    let of_field = found.into_iter().map(|(target, table)| {
        let rows = table.rows.chunks_exact(WIDTH);
        let options = table.options.iter().zip(rows).map(|(option, row)| FieldOption {
            value: option.value.clone(),
            features: row.to_vec(),
            rule_score: option.rule_score(),
        });
        FieldOptions { options: options.collect(), group: bind::group_of(&target), pointer: target.pointer }
    });
    of_field.collect()
}

/// The names of the features, in order.
#[must_use]
pub fn feature_names() -> Vec<String> {
    bind::feature_names()
}

/// The groups of fields. Each has a bound of its own in the model file, in this order.
#[must_use]
pub fn group_names() -> Vec<&'static str> {
    GROUPS.to_vec()
}

/// A model that chooses among options.
#[derive(Debug)]
pub struct Scorer {
    model: Model,
}

impl Scorer {
    /// Reads a model file; `None` if it is broken or made for other features.
    #[must_use]
    pub fn read(bytes: &[u8]) -> Option<Self> {
        Model::read(bytes).map(|model| Self { model })
    }
}

/// Fills a shape from one page, with this model in place of the shipped one.
#[must_use]
pub fn extract_with(page: &Page, shape: &Shape, scorer: &Scorer) -> Extraction {
    let evidence = Evidence::read(page);
    bind::bind_with(&PageSegments::new(&evidence), shape, &scorer.model)
}
