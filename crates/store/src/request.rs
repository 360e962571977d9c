//! The stored request of a job.

use std::fmt;

use serde_json::Value;

/// A version of the API, which determines the form of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ApiVersion {
    /// Version 1.
    V1,
    /// Version 2.
    #[default]
    V2,
}

/// The request of a job, so that another process can compile the job again. Null if there is none.
#[derive(Clone, Default, PartialEq)]
pub struct JobRequest {
    /// The version whose form the body has.
    pub api: ApiVersion,
    /// The checked request as JSON, without ignored fields. That of a batch has no `urls`: its pages are in
    /// the queue.
    pub body: Value,
}

impl From<Value> for JobRequest {
    /// A request of the current version.
    fn from(body: Value) -> Self {
        Self { api: ApiVersion::default(), body }
    }
}

impl fmt::Debug for JobRequest {
    /// Omits the body, because its headers may contain secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JobRequest").field("api", &self.api).finish_non_exhaustive()
    }
}
