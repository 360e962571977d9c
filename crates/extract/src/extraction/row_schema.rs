//! The schema of the rows of a list that a model is asked for.

use crate::bind::{TargetField, leaf_targets};
use crate::schema::{Field, Shape, ShapeKind};

/// The fields of a row, and the shapes that a model is sent for them.
#[derive(Debug)]
pub(super) struct RowSchema<'s> {
    pub(super) fields: &'s [Field],
    /// The shape of a row.
    pub(super) row: Shape,
    /// The shape of an answer: an object with a list of rows.
    pub(super) answer: Shape,
}

impl<'s> RowSchema<'s> {
    pub(super) fn new(fields: &'s [Field]) -> Self {
        let row = Shape {
            kind: ShapeKind::Object(fields.to_vec()),
            description: String::new(),
            nullable: false,
            choices: Vec::new(),
            format: None,
        };
        let rows = Field {
            name: "rows".to_owned(),
            required: true,
            shape: Shape { kind: ShapeKind::List(Box::new(row.clone())), ..row.clone() },
        };
        let answer = Shape { kind: ShapeKind::Object(vec![rows]), ..row.clone() };
        Self { fields, row, answer }
    }

    /// The single fields of a row, without the lists within it.
    pub(super) fn targets(&self) -> Vec<TargetField<'_>> {
        leaf_targets(&self.row)
    }
}
