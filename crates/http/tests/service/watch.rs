//! Watching over a WebSocket, through hyper on loopback.

use std::net::SocketAddr;

use futures_util::StreamExt;
use gleaner_http::Service;
use gleaner_testkit::{HostilePage, PageServer};
use http::Request;
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::{Error, Message};

use super::serving::serve;
use super::{KEY, call, ended, service, site};

async fn served(service: Service) -> SocketAddr {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(serve::serve(listener, service, serve::MAX_CONNECTIONS));
    address
}

#[expect(clippy::disallowed_methods, reason = "the client of a test")]
async fn connect(address: SocketAddr) -> TcpStream {
    TcpStream::connect(address).await.unwrap()
}

fn upgrade(address: SocketAddr, path: &str, key: (&str, &str)) -> Request<()> {
    Request::get(format!("ws://{address}{path}"))
        .header("host", address.to_string())
        .header("connection", "Upgrade")
        .header("upgrade", "websocket")
        .header("sec-websocket-version", "13")
        .header("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ==")
        .header(key.0, key.1)
        .body(())
        .unwrap()
}

#[tokio::test]
async fn a_watcher_receives_every_document_once_and_then_the_end() {
    let (site, service) = (site(), service());
    let address = served(service.clone()).await;
    let bearer = format!("Bearer {KEY}");
    let crawl = json!({"url": site.base_url(), "limit": 12});
    let batch = json!({"urls": (1..=12).map(|page| site.url(&format!("/p/{page}"))).collect::<Vec<_>>()});
    for (key, line, body, watched_at) in [
        (("authorization", bearer.as_str()), "POST /v2/crawl", &crawl, "/v2/crawl"),
        (("sec-websocket-protocol", KEY), "POST /v2/crawl", &crawl, "/v2/crawl"),
        (("authorization", bearer.as_str()), "POST /v2/batch/scrape", &batch, "/v2/batch/scrape"),
        // The v1 client watches batches at the route of crawls.
        (("authorization", bearer.as_str()), "POST /v1/batch/scrape", &batch, "/v1/crawl"),
        (("authorization", bearer.as_str()), "POST /v2/batch/scrape", &batch, "/v2/crawl"),
        (("authorization", bearer.as_str()), "POST /v1/crawl", &crawl, "/v1/batch/scrape"),
    ] {
        let id = call(&service, line, body.clone()).await.body["id"].as_str().unwrap().to_owned();
        let stream = connect(address).await;
        let request = upgrade(address, &format!("{watched_at}/{id}"), key);
        let (mut socket, response) = tokio_tungstenite::client_async(request, stream).await.unwrap();
        let protocol = response.headers().get("sec-websocket-protocol").map(|name| name.to_str().unwrap());
        assert_eq!(protocol, (key.0 == "sec-websocket-protocol").then_some(KEY));

        let (mut documents, mut types) = (Vec::new(), Vec::new());
        let close = loop {
            match socket.next().await.unwrap().unwrap() {
                Message::Text(text) => {
                    let frame: Value = serde_json::from_str(&text).unwrap();
                    match frame["type"].as_str().unwrap() {
                        "catchup" => {
                            documents.extend(frame["data"]["data"].as_array().unwrap().iter().cloned());
                        }
                        "document" => documents.push(frame["data"].clone()),
                        _ => {}
                    }
                    types.push(frame["type"].clone());
                }
                Message::Close(frame) => break frame.unwrap(),
                _ => {}
            }
        };
        assert_eq!((types.first().unwrap(), types.last().unwrap()), (&"catchup".into(), &"done".into()));
        assert_eq!((u16::from(close.code), close.reason.as_str()), (1000, r#"{"type":"done"}"#));
        let mut ids: Vec<&Value> =
            documents.iter().map(|document| &document["metadata"]["scrapeId"]).collect();
        ids.sort_by_key(ToString::to_string);
        ids.dedup();
        assert_eq!((ids.len(), documents.len()), (12, 12));
    }
}

#[tokio::test]
async fn long_messages_arrive_whole() {
    // The first document is part of the catchup; the second is larger than that may be.
    let sizes = [200_000, 1_500_000];
    let page = |size: usize| {
        HostilePage::html(format!("/{size}"), format!("<title>T</title><p>{}", "ä€".repeat(size / 5)))
    };
    let site = PageServer::start(sizes.map(page).into()).unwrap();
    let service = service();
    let urls = sizes.map(|size| format!("{}/{size}", site.base_url()));
    let body = json!({ "urls": urls, "formats": ["rawHtml"] });
    let submitted = call(&service, "POST /v2/batch/scrape", body).await.body;
    let path = format!("/v2/batch/scrape/{}", submitted["id"].as_str().unwrap());
    let status = ended(&service, &path).await;
    let address = served(service).await;
    let request = upgrade(address, &path, ("sec-websocket-protocol", KEY));
    let (mut socket, _) = tokio_tungstenite::client_async(request, connect(address).await).await.unwrap();
    let mut documents = Vec::new();
    while let Some(Ok(message)) = socket.next().await {
        let Message::Text(text) = message else { break };
        let frame: Value = serde_json::from_str(&text).unwrap();
        match frame["type"].as_str().unwrap() {
            "catchup" => documents.extend(frame["data"]["data"].as_array().unwrap().iter().cloned()),
            "document" => documents.push(frame["data"].clone()),
            _ => {}
        }
    }
    assert_eq!(documents.len(), 2);
    assert!(Value::Array(documents) == status["data"], "the same documents as in the status");
}

#[tokio::test]
async fn a_watcher_of_an_unknown_job_is_refused_before_the_upgrade() {
    let address = served(service()).await;
    let path = "/v2/crawl/0195c0de-0000-7000-8000-000000000000";
    for (key, want) in [(("authorization", "Bearer key"), 404), (("sec-websocket-protocol", "other"), 401)] {
        let stream = connect(address).await;
        match tokio_tungstenite::client_async(upgrade(address, path, key), stream).await {
            Err(Error::Http(response)) => assert_eq!(response.status().as_u16(), want),
            other => assert!(other.is_err(), "{want}"),
        }
    }
}
