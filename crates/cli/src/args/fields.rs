//! The JSON form of a request, built from options.

use gleaner::Faults;
use serde_json::{Map, Value};

use super::faults::described;
use crate::failure::Failure;

/// Fields of a JSON object. An option that was not given adds no field, so the request's default applies.
#[derive(Debug, Default)]
pub(super) struct Fields(Map<String, Value>);

impl Fields {
    /// Sets `name` if there is a value.
    pub(super) fn set<T: Into<Value>>(&mut self, name: &str, value: Option<T>) {
        if let Some(value) = value {
            self.0.insert(name.to_owned(), value.into());
        }
    }

    /// Sets `name` to a list, unless it is empty.
    pub(super) fn set_list<T: Into<Value>>(&mut self, name: &str, values: impl IntoIterator<Item = T>) {
        let values: Vec<Value> = values.into_iter().map(Into::into).collect();
        self.set(name, (!values.is_empty()).then_some(values));
    }

    /// Sets `name` to an object, unless it is empty.
    pub(super) fn set_object(&mut self, name: &str, fields: Self) {
        self.set(name, (!fields.0.is_empty()).then_some(fields.0));
    }

    /// Checks the request.
    ///
    /// # Errors
    /// All faults of the request, with the names of options.
    pub(super) fn checked<R, P>(
        self,
        check: fn(&Value) -> Result<P, Faults>,
        read: fn(&Value) -> Result<R, Faults>,
    ) -> Result<R, Failure> {
        let body = Value::Object(self.0);
        let request = check(&body).and_then(|_| read(&body));
        request.map_err(|faults| Failure::Usage(faults.as_slice().iter().map(described).collect()))
    }
}
