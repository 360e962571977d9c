//! Checks the webhook of a request.

use super::headers::headers;
use super::path::Path;
use super::report::{Code, Report};
use super::text::alternatives;
use crate::job::JobKind;
use crate::limits::MAX_WEBHOOK_METADATA_BYTES;
use crate::plan::{EventKind, Target, WebhookPlan};
use crate::quote::quote;
use crate::request::Webhook;

/// The checked receiver of the events of this kind of job.
pub(crate) fn webhook(
    webhook: Option<Webhook>,
    kind: JobKind,
    path: &Path<'_>,
    report: &mut Report,
) -> Option<WebhookPlan> {
    let webhook = webhook?;
    let url = match Target::parse(&webhook.url) {
        Ok(target) => Some(target.url),
        Err(error) => {
            report.fault(Code::InvalidValue, &path.key("url"), |name| {
                format!("{name} is not a URL that events can be sent to: {error}")
            });
            None
        }
    };
    let metadata = webhook.metadata.unwrap_or_default();
    let size = serde_json::to_vec(&metadata).map_or(usize::MAX, |json| json.len());
    if size > MAX_WEBHOOK_METADATA_BYTES {
        report.fault(Code::OutOfRange, &path.key("metadata"), |name| {
            format!("{name} must be at most {MAX_WEBHOOK_METADATA_BYTES} bytes of JSON, not {size}")
        });
    }
    let events = events(webhook.events, kind, &path.key("events"), report);
    let headers = headers(webhook.headers, &path.key("headers"), report);
    Some(WebhookPlan { url: url?, headers, metadata, events })
}

fn events(names: Option<Vec<String>>, kind: JobKind, path: &Path<'_>, report: &mut Report) -> Vec<EventKind> {
    let Some(names) = names else { return kind.events().to_vec() };
    let mut events = Vec::new();
    for (index, name) in names.iter().enumerate() {
        let short = name.strip_prefix(kind.as_str()).and_then(|rest| rest.strip_prefix('.')).unwrap_or(name);
        match kind.events().iter().find(|event| event.as_str() == short) {
            Some(event) if !events.contains(event) => events.push(*event),
            Some(_) => {}
            None => report.fault(Code::InvalidValue, &path.index(index), |place| {
                let known = alternatives(kind.events().iter().map(|event| event.as_str()));
                let kind = kind.as_str();
                format!("{place} must be one of {known}, alone or after `{kind}.`, not {}", quote(name))
            }),
        }
    }
    events
}
