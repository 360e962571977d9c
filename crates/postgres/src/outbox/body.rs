//! The bodies of events.

use async_trait::async_trait;
use gleaner_store::parts::{EventContent, event_body};
use gleaner_store::{Error, EventId, Store};
use gleaner_types::event::EventName;
use gleaner_types::plan::WebhookPlan;
use serde::Deserialize;
use serde_json::Value;
use tokio_postgres::Row;
use tokio_postgres::types::Type;
use url::Url;

use super::{kind, webhook_form};
use crate::blocking;
use crate::database::Sql;
use crate::documents::{StoredDocument, document_at};
use crate::failure::Failure;
use crate::inner::Inner;
use crate::job_row::JobRow;
use crate::operation::Operation;
use crate::transaction::Transaction;
use crate::units::{big, count};

/// What the body of an event is made of.
#[derive(Debug)]
struct PendingBody {
    name: EventName,
    webhook: WebhookPlan,
    content: Content,
    error: Option<String>,
}

#[derive(Debug)]
enum Content {
    Nothing,
    /// `None` if it was removed.
    Document(Option<StoredDocument>),
    Failure {
        url: Url,
        slash_added: bool,
    },
    Conclusion(Value),
}

/// The part of a conclusion that an event has.
#[derive(Debug, Deserialize)]
struct Data {
    data: Value,
}

impl PendingBody {
    fn is_large(&self) -> bool {
        match &self.content {
            Content::Nothing | Content::Failure { .. } => false,
            Content::Document(document) => {
                document.as_ref().is_some_and(|document| document.size() > blocking::LARGE as u64)
            }
            Content::Conclusion(_) => true,
        }
    }

    /// Builds the exact bytes.
    fn write(self, id: EventId) -> Result<Vec<u8>, Error> {
        let Self { name, webhook, content, error } = self;
        let write = |content: EventContent<'_>| event_body(id, name, &webhook, content, error.as_deref());
        match content {
            Content::Nothing => write(EventContent::Nothing),
            Content::Document(document) => {
                let json = document.and_then(StoredDocument::json);
                write(EventContent::Document(json.as_deref()))
            }
            Content::Failure { url, slash_added } => write(EventContent::Failure { url: &url, slash_added }),
            Content::Conclusion(data) => write(EventContent::Conclusion(&data)),
        }
    }
}

/// Reads what the body of an event is made of.
#[derive(Debug)]
struct ReadEvent<'a> {
    sql: &'a Sql,
    id: EventId,
}

#[async_trait]
impl Operation for ReadEvent<'_> {
    /// `None` if it is not the next event of its job.
    type Output = Option<PendingBody>;

    async fn run(&self, t: &Transaction<'_>) -> Result<Self::Output, Failure> {
        let Some(job) = JobRow::find_any(t, self.sql, self.id.job).await? else { return Ok(None) };
        let Some(kind) = job.kind.filter(|_| job.next_event == self.id.sequence) else { return Ok(None) };
        let text = self.sql.text(
            "SELECT event.kind, event.error, job_form.webhook, event.document, event.url, \
                 event.slash_added, event.concludes \
             FROM {schema}.event JOIN {schema}.job_form ON job_form.job = event.job \
             WHERE event.job = $1 AND event.sequence = $2",
        );
        let row = t
            .query_typed_opt(&text, &[(&job.number, Type::INT4), (&big(self.id.sequence), Type::INT8)])
            .await?;
        let Some(row) = row else { return Ok(None) };
        let name = EventName { job: kind, event: kind::kind(row.try_get(0)?)? };
        let webhook = row.try_get::<_, Option<&str>>(2)?.and_then(webhook_form::read);
        let webhook = webhook.ok_or_else(|| Failure::damaged("the webhook of a job"))?;
        let content = self.content(t, &job, &row).await?;
        Ok(Some(PendingBody { name, webhook, content, error: row.try_get(1)? }))
    }
}

impl ReadEvent<'_> {
    async fn content(&self, t: &Transaction<'_>, job: &JobRow, row: &Row) -> Result<Content, Failure> {
        if let Some(position) = row.try_get::<_, Option<i64>>(3)? {
            return Ok(Content::Document(document_at(t, self.sql, job, count(position)).await?));
        }
        if let Some(url) = row.try_get::<_, Option<&str>>(4)? {
            let url = Url::parse(url).map_err(|_| Failure::damaged("the URL of an event"))?;
            return Ok(Content::Failure { url, slash_added: row.try_get(5)? });
        }
        let concludes: bool = row.try_get(6)?;
        if !concludes {
            return Ok(Content::Nothing);
        }
        let text = self.sql.text("SELECT body FROM {schema}.conclusion WHERE job = $1");
        let Some(row) = t.query_typed_opt(&text, &[(&job.number, Type::INT4)]).await? else {
            return Ok(Content::Nothing);
        };
        let Data { data } =
            serde_json::from_str(row.try_get(0)?).map_err(|_| Failure::damaged("the conclusion of a job"))?;
        Ok(Content::Conclusion(data))
    }
}

impl Inner {
    pub(crate) async fn event_body(&self, id: EventId) -> Result<Option<Vec<u8>>, Error> {
        if self.is_local(id.job) {
            return self.memory.event_body(id).await;
        }
        let Some(body) = self.db.read(&ReadEvent { sql: &self.db.sql, id }).await? else { return Ok(None) };
        blocking::run(body.is_large(), move || body.write(id)).await.map(Some)
    }
}
