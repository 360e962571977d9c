//! Options for the webhook of a job.

use clap::Args;

use super::fields::Fields;
use super::value;

/// The webhook of a job.
#[derive(Debug, Args)]
#[command(next_help_heading = "Webhook")]
pub(crate) struct WebhookArgs {
    /// Send an event to this URL for the start, each page and the end; a private address also needs
    /// --allow-private
    #[arg(long, value_name = "URL", value_parser = value::with_scheme)]
    pub(crate) webhook: Option<String>,

    /// Send only these events: started, page, completed, failed, cancelled [default: all]
    #[arg(long, value_name = "KINDS", value_delimiter = ',', requires = "webhook")]
    webhook_events: Vec<String>,

    /// The environment variable with the secret that signs events
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
