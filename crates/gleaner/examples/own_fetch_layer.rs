//! A recorded session: what is not in `session.json` is fetched, so that later runs need no network.
//!
//! `cargo run --release -p gleaner --example own_fetch_layer -- https://example.com/`
#![expect(clippy::print_stdout, reason = "a command-line program")]

use std::{collections::HashMap, error::Error, fs, sync::Arc};

use gleaner::layer::{AnswerBody, FetchError, FetchLayer, LayerAnswer, LayerRequest, Next};
use gleaner::{BoxFuture, Engine, ScrapeRequest, http::Response, serde_json, tokio::sync::Mutex};

type Answers = HashMap<String, (u16, Vec<(String, Vec<u8>)>, Vec<u8>)>; // status, headers, body by URL
pub(crate) struct Session(pub(crate) Mutex<Answers>);

impl FetchLayer for Session {
    fn send<'a>(
        &'a self,
        sent: LayerRequest,
        next: Next<'a>,
    ) -> BoxFuture<'a, Result<LayerAnswer, FetchError>> {
        Box::pin(async move {
            let url = sent.url().clone();
            if !self.0.lock().await.contains_key(url.as_str()) {
                let (head, body) = next.send(sent).await?.into_parts();
                let body = body.read(50 << 20).await.map_err(|e| FetchError::layer(&url, &e.to_string()))?;
                let pairs = head.headers.iter().map(|(k, v)| (k.to_string(), v.as_bytes().into()));
                self.0.lock().await.insert(url.to_string(), (head.status.as_u16(), pairs.collect(), body));
            }
            let (status, headers, body) = self.0.lock().await.get(url.as_str()).cloned().unwrap_or_default();
            let answer = Response::builder().status(status);
            let answer = headers.into_iter().fold(answer, |answer, (k, v)| answer.header(k, v));
            answer.body(AnswerBody::from(body)).map_err(|e| FetchError::layer(&url, &e.to_string()))
        })
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let url = std::env::args().nth(1).unwrap_or_else(|| "https://example.com/".to_owned());
    let known = fs::read("session.json").unwrap_or_else(|_| b"{}".to_vec());
    let session = Arc::new(Session(Mutex::new(serde_json::from_slice(&known)?)));
    let engine = Engine::builder().wrap_fetch(session.clone()).build()?;
    println!("{}", engine.scrape(ScrapeRequest::new(url)).await?.markdown.unwrap_or_default());
    fs::write("session.json", serde_json::to_vec(&*session.0.lock().await)?).map_err(Into::into)
}
