//! The webhook of a job as JSON, for the column `webhook` of `job_form`.

use std::collections::HashMap;

use gleaner_store::parts::StoredWebhook;
use gleaner_types::plan::{EventKind, WebhookPlan};
use serde::Deserialize;
use tokio_postgres::types::Type;

use crate::database::Sql;
use crate::failure::Failure;
use crate::transaction::Transaction;

/// The part of the form that says which events are asked for.
#[derive(Debug, Deserialize)]
struct Events {
    events: Vec<EventKind>,
}

/// Writes a webhook.
pub(crate) fn write(plan: &WebhookPlan) -> String {
    // Text can always be written.
    serde_json::to_string(&StoredWebhook::from(plan)).unwrap_or_default()
}

/// Reads a webhook; `None` if it is damaged.
pub(crate) fn read(json: &str) -> Option<WebhookPlan> {
    serde_json::from_str::<StoredWebhook>(json).ok().map(WebhookPlan::from)
}

/// The events that the webhooks of these jobs ask for.
pub(super) async fn wanted_events(
    t: &Transaction<'_>,
    sql: &Sql,
    jobs: &[i32],
) -> Result<HashMap<i32, Vec<EventKind>>, Failure> {
    let text = sql.text(
        "SELECT job, webhook FROM {schema}.job_form WHERE job = ANY ($1::int[]) AND webhook IS NOT NULL",
    );
    let mut wanted = HashMap::new();
    for row in t.query_typed(&text, &[(&jobs, Type::INT4_ARRAY)]).await? {
        let json: &str = row.try_get(1)?;
        let Events { events } =
            serde_json::from_str(json).map_err(|_| Failure::damaged("the webhook of a job"))?;
        wanted.insert(row.try_get(0)?, events);
    }
    Ok(wanted)
}

#[cfg(test)]
mod tests {
    use url::Url;

    use super::*;

    #[test]
    fn a_webhook_is_read_as_it_was_written() {
        let plan = WebhookPlan {
            url: Url::parse("https://hook.example/?key=a").unwrap(),
            headers: [("x-a".to_owned(), "b\0".to_owned())].into(),
            metadata: serde_json::json!({"a": [1, "\0"]}).as_object().cloned().unwrap(),
            events: vec![EventKind::Page, EventKind::Failed],
        };
        let json = write(&plan);
        assert!(!json.contains('\0'), "a column of text holds it");
        assert!(read(&json).unwrap() == plan);
        assert_eq!(serde_json::from_str::<Events>(&json).unwrap().events, plan.events);
        assert!(read("{}").is_none());
    }
}
