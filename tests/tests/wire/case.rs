//! A case of a table: a request and expectations of its response.

use gleaner::EngineBuilder;
use serde_json::Value;

use crate::expect::Expect;
use crate::runner::teams;

/// The API key of most requests.
const KEY: &str = "key";

/// The body of a request.
#[derive(Debug, Clone, Default)]
pub(crate) enum Body {
    #[default]
    Empty,
    Json(Value),
    Text(String),
}

impl From<Value> for Body {
    fn from(value: Value) -> Self {
        Self::Json(value)
    }
}

impl From<&str> for Body {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Body {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

/// A request. The runner fills in placeholders in braces.
#[derive(Debug, Clone)]
pub(crate) struct ApiCall {
    /// The API key; `None` sends none.
    pub(crate) key: Option<&'static str>,
    /// Method and path: `GET /v2/crawl/active`.
    pub(crate) line: String,
    pub(crate) headers: Vec<(&'static str, &'static str)>,
    pub(crate) body: Body,
}

impl ApiCall {
    fn new(line: impl Into<String>, body: impl Into<Body>) -> Self {
        Self { key: Some(KEY), line: line.into(), headers: Vec::new(), body: body.into() }
    }
}

/// A step before the request of a case.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    /// Sends a request, expects this status, and keeps values of the response as placeholders.
    Send { call: ApiCall, status: u16, keep: Vec<(&'static str, &'static str)> },
    /// Polls the status of a job until it has ended.
    AwaitEnd(ApiCall),
    /// Repeats a request until the value at a JSON pointer of the response is this one.
    AwaitValue { call: ApiCall, pointer: &'static str, value: Value },
}

/// Sends a request first and expects status 200.
pub(crate) fn send(line: &str, body: impl Into<Body>) -> Step {
    Step::Send { call: ApiCall::new(line, body), status: 200, keep: Vec::new() }
}

/// Starts a job first; `{id}` is its id.
pub(crate) fn start_job(line: &str, body: impl Into<Body>) -> Step {
    send(line, body).keep("id", "/id")
}

/// Waits for the end of the job with its status at this path.
pub(crate) fn wait_for_end(path: &str) -> Step {
    // With `skip` beyond the end, a long poll delays each response, so the wait does not spin.
    Step::AwaitEnd(ApiCall::new(format!("GET {path}?skip=1000000"), Body::Empty))
}

/// Repeats a request until the value at a JSON pointer of the response is this one.
pub(crate) fn wait_until(line: &str, pointer: &'static str, value: impl Into<Value>) -> Step {
    Step::AwaitValue { call: ApiCall::new(line, Body::Empty), pointer, value: value.into() }
}

impl Step {
    fn call(&mut self) -> &mut ApiCall {
        match self {
            Self::Send { call, .. } | Self::AwaitEnd(call) | Self::AwaitValue { call, .. } => call,
        }
    }

    /// Keeps a string of the response as a placeholder.
    pub(crate) fn keep(mut self, name: &'static str, pointer: &'static str) -> Self {
        if let Self::Send { keep, .. } = &mut self {
            keep.push((name, pointer));
        }
        self
    }

    /// Sends the request with the key of another team.
    pub(crate) fn key(mut self, key: &'static str) -> Self {
        self.call().key = Some(key);
        self
    }

    pub(crate) fn header(mut self, name: &'static str, value: &'static str) -> Self {
        self.call().headers.push((name, value));
        self
    }

    /// Expects this status.
    pub(crate) fn status(mut self, expected: u16) -> Self {
        if let Self::Send { status, .. } = &mut self {
            *status = expected;
        }
        self
    }
}

/// A case of a table.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) before: Vec<Step>,
    pub(crate) call: ApiCall,
    /// Configures the builder of the engine.
    pub(crate) embedder: fn(EngineBuilder) -> EngineBuilder,
    pub(crate) status: u16,
    /// Expected response headers.
    pub(crate) headers: Vec<(&'static str, Expect)>,
    /// Expected values of the body, by JSON pointer.
    pub(crate) fields: Vec<(&'static str, Expect)>,
}

/// A case that expects status 200, unless [`status`](Case::status) sets another one.
pub(crate) fn case(name: impl Into<String>, line: impl Into<String>) -> Case {
    Case {
        name: name.into(),
        before: Vec::new(),
        call: ApiCall::new(line, Body::Empty),
        embedder: teams,
        status: 200,
        headers: Vec::new(),
        fields: Vec::new(),
    }
}

// The request.
impl Case {
    pub(crate) fn body(mut self, body: impl Into<Body>) -> Self {
        self.call.body = body.into();
        self
    }

    pub(crate) fn key(mut self, key: &'static str) -> Self {
        self.call.key = Some(key);
        self
    }

    pub(crate) fn anonymous(mut self) -> Self {
        self.call.key = None;
        self
    }

    pub(crate) fn header(mut self, name: &'static str, value: &'static str) -> Self {
        self.call.headers.push((name, value));
        self
    }

    pub(crate) fn embedder(mut self, embedder: fn(EngineBuilder) -> EngineBuilder) -> Self {
        self.embedder = embedder;
        self
    }

    pub(crate) fn after(mut self, step: Step) -> Self {
        self.before.push(step);
        self
    }

    /// Starts a job first and waits for its end; `{id}` is its id.
    pub(crate) fn after_job(self, line: &str, body: impl Into<Body>) -> Self {
        let path = line.split(' ').next_back().unwrap_or_default();
        self.after(start_job(line, body)).after(wait_for_end(&format!("{path}/{{id}}")))
    }
}

// The response.
impl Case {
    pub(crate) fn status(mut self, status: u16) -> Self {
        self.status = status;
        self
    }

    pub(crate) fn field(mut self, pointer: &'static str, expected: Expect) -> Self {
        self.fields.push((pointer, expected));
        self
    }

    pub(crate) fn response_header(mut self, header: &'static str, expected: Expect) -> Self {
        self.headers.push((header, expected));
        self
    }

    pub(crate) fn is(self, pointer: &'static str, value: impl Into<Value>) -> Self {
        self.field(pointer, Expect::Equals(value.into()))
    }

    pub(crate) fn absent(self, pointer: &'static str) -> Self {
        self.field(pointer, Expect::Absent)
    }

    pub(crate) fn kind(self, pointer: &'static str, kind: &'static str) -> Self {
        self.field(pointer, Expect::Kind(kind))
    }

    pub(crate) fn contains(self, pointer: &'static str, text: &str) -> Self {
        self.field(pointer, Expect::Contains(text.to_owned()))
    }

    pub(crate) fn lacks(self, pointer: &'static str, text: &str) -> Self {
        self.field(pointer, Expect::Lacks(text.to_owned()))
    }

    pub(crate) fn starts_with(self, pointer: &'static str, text: &str) -> Self {
        self.field(pointer, Expect::StartsWith(text.to_owned()))
    }

    pub(crate) fn time(self, pointer: &'static str) -> Self {
        self.field(pointer, Expect::Time)
    }

    pub(crate) fn len(self, pointer: &'static str, length: usize) -> Self {
        self.field(pointer, Expect::Len(length))
    }

    pub(crate) fn keys(self, pointer: &'static str, keys: &[&'static str]) -> Self {
        self.field(pointer, Expect::Keys(keys.to_vec()))
    }

    pub(crate) fn includes<V: Into<Value>>(
        self,
        pointer: &'static str,
        values: impl IntoIterator<Item = V>,
    ) -> Self {
        self.field(pointer, Expect::Includes(values.into_iter().map(Into::into).collect()))
    }

    /// Expects documents of exactly these URLs.
    pub(crate) fn documents<const N: usize>(self, urls: [&str; N]) -> Self {
        self.field("/data", Expect::ItemsExactly("/metadata/sourceURL", urls.map(Value::from).into()))
    }

    /// Expects these links of a map, and possibly others.
    pub(crate) fn links<const N: usize>(self, urls: [&str; N]) -> Self {
        self.field("/links", Expect::ItemsInclude("/url", urls.map(Value::from).into()))
    }

    /// Expects this text of the error.
    pub(crate) fn error(self, text: &str) -> Self {
        self.is("/error", text)
    }

    /// Expects these parts in the text of the error.
    pub(crate) fn error_contains<const N: usize>(self, texts: [&str; N]) -> Self {
        texts.into_iter().fold(self, |case, text| case.contains("/error", text))
    }

    pub(crate) fn code(self, code: &str) -> Self {
        self.is("/code", code)
    }

    /// Expects 400 `BAD_REQUEST` with a detail whose path starts with this JSON array.
    pub(crate) fn refused_at(self, path: Value) -> Self {
        let path = path.as_array().cloned().unwrap_or_default();
        self.status(400).code("BAD_REQUEST").field("/details", Expect::Fault(path))
    }

    /// Expects that no such job is found.
    pub(crate) fn not_found(self) -> Self {
        self.status(404).error("Job not found").is("/success", false)
    }
}
