//! A row of the table: a request, and what its answer must be.

use gleaner::EngineBuilder;
use serde_json::Value;

use crate::expect::Expect;
use crate::runner::teams;

/// The key of the team that most requests come from.
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

/// A request. Names in braces stand for what the runner knows.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    /// The API key; `None` sends none.
    pub(crate) key: Option<&'static str>,
    /// Method and path: `GET /v2/crawl/active`.
    pub(crate) line: String,
    pub(crate) headers: Vec<(&'static str, &'static str)>,
    pub(crate) body: Body,
}

impl Asked {
    fn new(line: impl Into<String>, body: impl Into<Body>) -> Self {
        Self { key: Some(KEY), line: line.into(), headers: Vec::new(), body: body.into() }
    }
}

/// Something done before the request of a case.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    /// Sends a request that must be answered with this status, and keeps values of the answer under names.
    Send { asked: Asked, status: u16, keep: Vec<(&'static str, &'static str)> },
    /// Reads the status of a job until it has ended.
    Ended(Asked),
    /// Asks until the value at a place of the answer is this one.
    Until { asked: Asked, place: &'static str, value: Value },
}

/// A request to send first, which must be answered with 200.
pub(crate) fn send(line: &str, body: impl Into<Body>) -> Step {
    Step::Send { asked: Asked::new(line, body), status: 200, keep: Vec::new() }
}

/// A job to begin first; `{id}` is its id.
pub(crate) fn begin(line: &str, body: impl Into<Body>) -> Step {
    send(line, body).keep("id", "/id")
}

/// Waits for the end of the job whose status is at this path.
pub(crate) fn ended(path: &str) -> Step {
    // Where there is a long poll, the place keeps the wait from spinning.
    Step::Ended(Asked::new(format!("GET {path}?skip=1000000"), Body::Empty))
}

/// Asks until the value at a place of the answer is this one.
pub(crate) fn until(line: &str, place: &'static str, value: impl Into<Value>) -> Step {
    Step::Until { asked: Asked::new(line, Body::Empty), place, value: value.into() }
}

impl Step {
    fn asked(&mut self) -> &mut Asked {
        match self {
            Self::Send { asked, .. } | Self::Ended(asked) | Self::Until { asked, .. } => asked,
        }
    }

    /// Keeps a text of the answer under a name.
    pub(crate) fn keep(mut self, name: &'static str, place: &'static str) -> Self {
        if let Self::Send { keep, .. } = &mut self {
            keep.push((name, place));
        }
        self
    }

    /// As another team.
    pub(crate) fn key(mut self, key: &'static str) -> Self {
        self.asked().key = Some(key);
        self
    }

    pub(crate) fn header(mut self, name: &'static str, value: &'static str) -> Self {
        self.asked().headers.push((name, value));
        self
    }

    /// Must be answered with this status.
    pub(crate) fn gives(mut self, wanted: u16) -> Self {
        if let Self::Send { status, .. } = &mut self {
            *status = wanted;
        }
        self
    }
}

/// A row of the table.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) before: Vec<Step>,
    pub(crate) asked: Asked,
    /// What the engine is built with.
    pub(crate) embedder: fn(EngineBuilder) -> EngineBuilder,
    pub(crate) status: u16,
    /// Headers of the answer, as texts.
    pub(crate) headers: Vec<(&'static str, Expect)>,
    /// Places of the body as JSON pointers.
    pub(crate) fields: Vec<(&'static str, Expect)>,
}

/// A case of a request that must be answered with 200, unless [`gives`](Case::gives) says otherwise.
pub(crate) fn ask(name: impl Into<String>, line: impl Into<String>) -> Case {
    Case {
        name: name.into(),
        before: Vec::new(),
        asked: Asked::new(line, Body::Empty),
        embedder: teams,
        status: 200,
        headers: Vec::new(),
        fields: Vec::new(),
    }
}

// The request.
impl Case {
    pub(crate) fn with(mut self, body: impl Into<Body>) -> Self {
        self.asked.body = body.into();
        self
    }

    pub(crate) fn key(mut self, key: &'static str) -> Self {
        self.asked.key = Some(key);
        self
    }

    pub(crate) fn anonymous(mut self) -> Self {
        self.asked.key = None;
        self
    }

    pub(crate) fn header(mut self, name: &'static str, value: &'static str) -> Self {
        self.asked.headers.push((name, value));
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

    /// Begins a job first and waits for its end; `{id}` is its id.
    pub(crate) fn after_job(self, line: &str, body: impl Into<Body>) -> Self {
        let path = line.split(' ').next_back().unwrap_or_default();
        self.after(begin(line, body)).after(ended(&format!("{path}/{{id}}")))
    }
}

// Its answer.
impl Case {
    pub(crate) fn gives(mut self, status: u16) -> Self {
        self.status = status;
        self
    }

    pub(crate) fn must(mut self, place: &'static str, expected: Expect) -> Self {
        self.fields.push((place, expected));
        self
    }

    pub(crate) fn answers_with(mut self, header: &'static str, expected: Expect) -> Self {
        self.headers.push((header, expected));
        self
    }

    pub(crate) fn is(self, place: &'static str, value: impl Into<Value>) -> Self {
        self.must(place, Expect::Is(value.into()))
    }

    pub(crate) fn absent(self, place: &'static str) -> Self {
        self.must(place, Expect::Absent)
    }

    pub(crate) fn kind(self, place: &'static str, kind: &'static str) -> Self {
        self.must(place, Expect::Kind(kind))
    }

    pub(crate) fn has(self, place: &'static str, text: &str) -> Self {
        self.must(place, Expect::Has(text.to_owned()))
    }

    pub(crate) fn lacks(self, place: &'static str, text: &str) -> Self {
        self.must(place, Expect::Lacks(text.to_owned()))
    }

    pub(crate) fn starts(self, place: &'static str, text: &str) -> Self {
        self.must(place, Expect::Starts(text.to_owned()))
    }

    pub(crate) fn time(self, place: &'static str) -> Self {
        self.must(place, Expect::Time)
    }

    pub(crate) fn len(self, place: &'static str, length: usize) -> Self {
        self.must(place, Expect::Len(length))
    }

    pub(crate) fn keys(self, place: &'static str, keys: &[&'static str]) -> Self {
        self.must(place, Expect::Keys(keys.to_vec()))
    }

    pub(crate) fn holds<V: Into<Value>>(
        self,
        place: &'static str,
        values: impl IntoIterator<Item = V>,
    ) -> Self {
        self.must(place, Expect::Holds(values.into_iter().map(Into::into).collect()))
    }

    /// The documents are those of these addresses.
    pub(crate) fn documents<const N: usize>(self, addresses: [&str; N]) -> Self {
        self.must("/data", Expect::Each("/metadata/sourceURL", addresses.map(Value::from).into()))
    }

    /// A map's links, among others.
    pub(crate) fn links<const N: usize>(self, addresses: [&str; N]) -> Self {
        self.must("/links", Expect::Among("/url", addresses.map(Value::from).into()))
    }

    /// The error's text.
    pub(crate) fn error(self, text: &str) -> Self {
        self.is("/error", text)
    }

    /// Parts of the error's text.
    pub(crate) fn error_has<const N: usize>(self, texts: [&str; N]) -> Self {
        texts.into_iter().fold(self, |case, text| case.has("/error", text))
    }

    pub(crate) fn code(self, code: &str) -> Self {
        self.is("/code", code)
    }

    /// A refusal with 400 `BAD_REQUEST`, one of whose details has a path that begins so: a JSON array.
    pub(crate) fn refused_at(self, path: Value) -> Self {
        let path = path.as_array().cloned().unwrap_or_default();
        self.gives(400).code("BAD_REQUEST").must("/details", Expect::Fault(path))
    }

    /// There is no such job.
    pub(crate) fn not_found(self) -> Self {
        self.gives(404).error("Job not found").is("/success", false)
    }
}
