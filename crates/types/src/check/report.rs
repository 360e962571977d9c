use super::bounds::RequestBounds;
use super::path::Path;
use super::shape::Shape;
use crate::FaultPath;
use crate::error::{Fault, Faults, UNSUPPORTED_OPTION};
use crate::limits::{MAX_FAULTS, MIN_TIMEOUT_MS};

/// Which version's names a body uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Version {
    V1,
    V2,
}

/// Ignored fields that are named.
const MAX_NAMED: usize = 5;

/// Kinds of fault.
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

/// Gathers the faults of one request, first of its shape and then of its rules.
///
/// Both are reported at once, so that a wrong type in one field does not hide a bad URL in another. The rules then
/// run over a body in which what had no shape was left out or stood in for. To keep that from showing, a
/// rule that looks at such a place reports nothing: the place already has its fault.
pub(crate) struct Report {
    version: Version,
    bounds: RequestBounds,
    faults: Vec<Fault>,
    omitted: usize,
    /// Names of fields that are ignored, the first of them.
    ignored: Vec<String>,
    /// How many there are.
    ignored_count: usize,
    /// The first so many faults are of the shape; `None` while the shape is still looked at.
    shape: Option<usize>,
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
            shape: None,
        }
    }

    /// What a `timeout` must be.
    pub(crate) fn timeout(&self) -> Shape {
        Shape::Integer { min: MIN_TIMEOUT_MS, max: self.bounds.timeout_ms() }
    }

    /// A field that has no effect and is no fault.
    pub(crate) fn ignore(&mut self, path: &Path<'_>) {
        self.ignored_count += 1;
        if self.ignored.len() < MAX_NAMED {
            self.ignored.push(path.name());
        }
    }

    pub(crate) const fn version(&self) -> Version {
        self.version
    }

    /// Is there no room for another fault? Costly work on a message, or for the sake of one, can then be spared.
    pub(crate) const fn is_full(&self) -> bool {
        self.faults.len() >= MAX_FAULTS
    }

    /// The shape has been looked at; from now on faults are of the rules.
    pub(crate) const fn end_of_shape(&mut self) {
        self.shape = Some(self.faults.len());
    }

    /// A fault at `path`, whose message is made from its quoted name where it is wanted.
    pub(crate) fn fault(&mut self, code: Code, path: &Path<'_>, message: impl FnOnce(&str) -> String) {
        if self.is_full() {
            self.omitted += 1;
            return;
        }
        let place = path.parts();
        if self.shape_faults().any(|fault| place.is_within(&fault.path)) {
            return;
        }
        let message = message(&path.name());
        self.faults.push(Fault { code: code.as_str().to_owned(), path: place, message });
    }

    /// A fault at `path` that would not be one if a value at one of the `others` were different.
    pub(crate) fn conflict(
        &mut self,
        path: &Path<'_>,
        others: &[&Path<'_>],
        message: impl FnOnce(&str) -> String,
    ) {
        let unreadable = |other: &&Path<'_>| {
            let other = other.parts();
            self.shape_faults().any(|fault| fault.path.is_within(&other) || other.is_within(&fault.path))
        };
        if self.is_full() || !others.iter().any(unreadable) {
            self.fault(Code::Conflict, path, message);
        }
    }

    fn shape_faults(&self) -> impl Iterator<Item = &Fault> {
        self.faults.iter().take(self.shape.unwrap_or(0))
    }

    /// The value, if nothing is wrong; else everything that is.
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

    /// What the sender should know.
    pub(crate) fn warnings(&self) -> Vec<String> {
        if self.ignored.is_empty() {
            return Vec::new();
        }
        let more = self.ignored_count.saturating_sub(self.ignored.len());
        let more = if more == 0 { String::new() } else { format!(" and {more} more") };
        let named = self.ignored.join(", ");
        vec![format!("ignored, as experimental fields have no effect here: {named}{more}")]
    }
}
