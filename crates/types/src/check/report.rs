//! Collects the faults and warnings of one request.

use super::bounds::RequestBounds;
use super::path::Path;
use super::shape::Shape;
use crate::FaultPath;
use crate::error::{Fault, Faults, UNSUPPORTED_OPTION};
use crate::limits::{MAX_FAULTS, MIN_TIMEOUT_MS};

/// The version of the API whose names a body uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Version {
    V1,
    V2,
}

/// Maximum number of ignored fields that a warning names.
const MAX_NAMED_FIELDS: usize = 5;

/// A kind of fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Code {
    UnknownField,
    MissingField,
    WrongType,
    OutOfRange,
    InvalidValue,
    Conflict,
    UnsupportedOption,
}

impl Code {
    const fn as_str(self) -> &'static str {
        match self {
            Self::UnknownField => "unknown_field",
            Self::MissingField => "missing_field",
            Self::WrongType => "wrong_type",
            Self::OutOfRange => "out_of_range",
            Self::InvalidValue => "invalid_value",
            Self::Conflict => "conflict",
            Self::UnsupportedOption => UNSUPPORTED_OPTION,
        }
    }
}

/// Collects the faults of one request, first of its shape and then of its rules.
///
/// Both are reported together, so that a wrong type in one field does not hide an invalid URL in another. The
/// rules therefore run on a body in which misshapen values were removed or replaced by placeholders. A rule
/// reports nothing about such a value, because it already has its fault.
pub(crate) struct Report {
    version: Version,
    bounds: RequestBounds,
    faults: Vec<Fault>,
    omitted: usize,
    /// The names of the first ignored fields.
    ignored: Vec<String>,
    /// The number of ignored fields.
    ignored_count: usize,
    /// The number of faults of the shape; `None` during the check of the shape.
    shape_faults: Option<usize>,
}

impl Report {
    pub(crate) const fn new(version: Version, bounds: RequestBounds) -> Self {
        Self {
            version,
            bounds,
            faults: Vec::new(),
            omitted: 0,
            ignored: Vec::new(),
            ignored_count: 0,
            shape_faults: None,
        }
    }

    /// The shape of a `timeout`.
    pub(crate) fn timeout(&self) -> Shape {
        Shape::Integer { min: MIN_TIMEOUT_MS, max: self.bounds.timeout_ms() }
    }

    /// Records a field that has no effect but is not a fault.
    pub(crate) fn ignore(&mut self, path: &Path<'_>) {
        self.ignored_count += 1;
        if self.ignored.len() < MAX_NAMED_FIELDS {
            self.ignored.push(path.name());
        }
    }

    pub(crate) const fn version(&self) -> Version {
        self.version
    }

    /// Whether no more faults are collected, so that expensive checks can be skipped.
    pub(crate) const fn is_full(&self) -> bool {
        self.faults.len() >= MAX_FAULTS
    }

    /// Marks the end of the check of the shape. Later faults are of the rules.
    pub(crate) const fn end_of_shape(&mut self) {
        self.shape_faults = Some(self.faults.len());
    }

    /// Adds a fault at `path`. `message` gets the path's quoted name; it only runs if the fault is added.
    pub(crate) fn fault(&mut self, code: Code, path: &Path<'_>, message: impl FnOnce(&str) -> String) {
        if let Some(parts) = self.admit(path) {
            let message = message(&path.name());
            self.push(code, parts, message);
        }
    }

    /// The path of a fault that is to be added. Apart from [`fault`](Self::fault), which is compiled once per
    /// message.
    fn admit(&mut self, path: &Path<'_>) -> Option<FaultPath> {
        if self.is_full() {
            self.omitted += 1;
            return None;
        }
        let parts = path.parts();
        let is_misshapen = self.shape_faults().any(|fault| parts.is_within(&fault.path));
        (!is_misshapen).then_some(parts)
    }

    fn push(&mut self, code: Code, path: FaultPath, message: String) {
        self.faults.push(Fault { code: code.as_str().to_owned(), path, message });
    }

    /// Adds a fault at `path` that depends on the values at `others`, unless one of them is misshapen.
    pub(crate) fn conflict(
        &mut self,
        path: &Path<'_>,
        others: &[&Path<'_>],
        message: impl FnOnce(&str) -> String,
    ) {
        let misshapen = |other: &&Path<'_>| {
            let other = other.parts();
            self.shape_faults().any(|fault| fault.path.is_within(&other) || other.is_within(&fault.path))
        };
        if self.is_full() || !others.iter().any(misshapen) {
            self.fault(Code::Conflict, path, message);
        }
    }

    fn shape_faults(&self) -> impl Iterator<Item = &Fault> {
        self.faults.iter().take(self.shape_faults.unwrap_or(0))
    }

    /// The value if there are no faults, else the faults.
    pub(crate) fn finish<T>(mut self, value: Option<T>) -> Result<T, Faults> {
        if self.omitted > 0 {
            self.faults.push(Fault {
                code: "too_many_faults".to_owned(),
                path: FaultPath::default(),
                message: format!("and {} more", self.omitted),
            });
        }
        match (Faults::new(self.faults), value) {
            (Some(faults), _) => Err(faults),
            (None, Some(value)) => Ok(value),
            (None, None) => {
                Err(Faults::single(Code::InvalidValue.as_str(), "the body is not a valid request"))
            }
        }
    }

    /// Remarks for the sender.
    pub(crate) fn warnings(&self) -> Vec<String> {
        if self.ignored.is_empty() {
            return Vec::new();
        }
        let more = self.ignored_count.saturating_sub(self.ignored.len());
        let more = if more == 0 { String::new() } else { format!(" and {more} more") };
        let names = self.ignored.join(", ");
        vec![format!("ignored fields (experimental fields have no effect): {names}{more}")]
    }
}
