//! Fits the fetcher to the port that webhooks leave by.

use async_trait::async_trait;
use gleaner_fetch::{Accept, Error, Fetcher, FollowAll, Request};
use gleaner_jobs::{Deliver, DeliverError, Delivery};
use gleaner_types::plan::ProxyMode;
use url::Url;

/// [`Deliver`] by `gleaner-fetch`: the same guard stands before a webhook as before a page.
#[derive(Debug)]
pub(crate) struct WebhookDoor {
    fetcher: Fetcher,
}

impl WebhookDoor {
    pub(crate) fn new(fetcher: Fetcher) -> Self {
        Self { fetcher }
    }
}

#[async_trait]
impl Deliver for WebhookDoor {
    async fn check(&self, url: &Url) -> Result<(), DeliverError> {
        self.fetcher.check_resolved(url).await.map_err(|error| failure(&error))
    }

    async fn deliver(&self, delivery: Delivery<'_>) -> Result<u16, DeliverError> {
        let headers = delivery.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let request = Request::post(delivery.url.clone(), delivery.body.to_vec()).headers(headers);
        let mut request = request.map_err(|error| failure(&error))?;
        request.accept = Accept::Nothing;
        request.max_redirects = Some(0);
        request.timeout = Some(delivery.timeout);
        request.proxy = ProxyMode::Basic;
        match self.fetcher.fetch(request, &FollowAll).await {
            Ok(answer) => Ok(answer.status),
            Err(error) => Err(failure(&error)),
        }
    }
}

fn failure(error: &Error) -> DeliverError {
    DeliverError { refused: error.is_refusal(), message: error.detail().to_owned() }
}
