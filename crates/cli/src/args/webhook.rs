use clap::Args;

use super::fields::Fields;
use super::value;

/// Who is told of a job.
#[derive(Debug, Args)]
#[command(next_help_heading = "Webhook")]
pub(crate) struct WebhookArgs {
    /// Post an event to this address for the start, each page and the end; on loopback it needs --allow-private too
    #[arg(long, value_name = "URL", value_parser = value::with_scheme)]
    pub(crate) webhook: Option<String>,

    /// Post only events of these kinds: started, page, completed, failed, cancelled [default: all]
    #[arg(long, value_name = "KINDS", value_delimiter = ',', requires = "webhook")]
    webhook_events: Vec<String>,

    /// The environment variable that holds the secret which events are signed with
    #[arg(long, value_name = "VAR", requires = "webhook")]
    pub(crate) webhook_secret_env: Option<String>,
}

impl WebhookArgs {
    pub(super) fn add_to(&self, fields: &mut Fields) {
        let mut webhook = Fields::default();
        webhook.set("url", self.webhook.clone());
        webhook.set_list("events", self.webhook_events.clone());
        fields.set_object("webhook", webhook);
    }
}
