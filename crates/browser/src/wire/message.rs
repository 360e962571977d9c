//! Messages of the DevTools protocol.

use std::borrow::Cow;
use std::fmt;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// A command of the protocol.
pub(crate) trait Command: Serialize {
    /// Its name, such as `Page.navigate`.
    const METHOD: &'static str;
    /// Its result.
    type Reply: DeserializeOwned + Send + 'static;
}

/// The id of a session: a connection to one target.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct SessionId(Box<str>);

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<&str> for SessionId {
    fn from(id: &str) -> Self {
        Self(id.into())
    }
}

/// An event of the browser.
#[derive(Debug)]
pub(crate) struct Event {
    /// The session that it belongs to; `None` for the browser itself.
    pub(crate) session: Option<SessionId>,
    /// Its name, such as `Fetch.requestPaused`.
    pub(crate) method: Box<str>,
    /// Its fields.
    pub(crate) params: Box<RawValue>,
}

impl Event {
    /// The bytes that it takes, about.
    pub(crate) fn size(&self) -> usize {
        self.params.get().len() + self.method.len()
    }

    /// The fields as `T`; `None` if they do not fit, which is logged.
    pub(crate) fn read<T: DeserializeOwned>(&self) -> Option<T> {
        serde_json::from_str(self.params.get())
            .inspect_err(|error| {
                // The error itself can quote the page.
                let (kind, at) = (error.classify(), error.column());
                tracing::debug!(?kind, at, method = %self.method, "an event was not understood");
            })
            .ok()
    }
}

#[derive(Serialize)]
struct Outgoing<'a, C> {
    id: u64,
    method: &'static str,
    #[serde(rename = "sessionId", skip_serializing_if = "Option::is_none")]
    session: Option<&'a SessionId>,
    params: &'a C,
}

/// The bytes of a command, with the zero byte that ends it.
pub(crate) fn encode<C: Command>(
    id: u64,
    session: Option<&SessionId>,
    command: &C,
) -> Result<Vec<u8>, serde_json::Error> {
    let mut bytes = serde_json::to_vec(&Outgoing { id, method: C::METHOD, session, params: command })?;
    bytes.push(0);
    Ok(bytes)
}

/// A message of the browser.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Incoming<'a> {
    pub(crate) id: Option<u64>,
    #[serde(borrow)]
    pub(crate) session_id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub(crate) method: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub(crate) params: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(crate) result: Option<&'a RawValue>,
    pub(crate) error: Option<Refusal>,
}

/// The id of the command that a message answers, from its first bytes. Chromium writes it first.
pub(crate) fn leading_id(message: &[u8]) -> Option<u64> {
    let digits = message.strip_prefix(br#"{"id":"#)?;
    let end = digits.iter().position(|byte| !byte.is_ascii_digit())?;
    std::str::from_utf8(digits.get(..end)?).ok()?.parse().ok()
}

/// Why the browser refuses a command.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct Refusal {
    pub(crate) code: i64,
    pub(crate) message: String,
}
