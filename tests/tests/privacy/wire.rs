//! A client of the HTTP service.

use std::time::Duration;

use bytes::Bytes;
use gleaner_http::Service;
use http::Request;
use http_body_util::{BodyExt as _, Full};
use serde_json::Value;
use tower_service::Service as _;

/// The service, and every response so far.
pub(crate) struct ApiClient {
    service: Service,
    key: &'static str,
    /// Headers and bodies of responses, each after its request line.
    pub(crate) responses: Vec<String>,
}

impl ApiClient {
    pub(crate) fn new(service: Service, key: &'static str) -> Self {
        Self { service, key, responses: Vec::new() }
    }

    /// Sends a body, which need not be JSON, and returns the status and the body of the response.
    pub(crate) async fn send(&mut self, key: &str, line: &str, body: String) -> (u16, Value) {
        let (method, path) = line.split_once(' ').unwrap();
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header("host", "api.example")
            .header("authorization", format!("Bearer {key}"))
            .body(Full::new(Bytes::from(body)))
            .unwrap();
        let (parts, body) = self.service.clone().call(request).await.unwrap().into_parts();
        let text = String::from_utf8(body.collect().await.unwrap().to_bytes().to_vec()).unwrap();
        let response = serde_json::from_str(&text).unwrap();
        self.responses.push(format!("{line}: {:?} {text}", parts.headers));
        (parts.status.as_u16(), response)
    }

    pub(crate) async fn call(&mut self, line: &str, body: &Value) -> (u16, Value) {
        self.send(self.key, line, body.to_string()).await
    }

    /// Starts a job, reads it to its end and returns its status with documents. Reads its errors too.
    pub(crate) async fn run_job(&mut self, line: &str, body: &Value) -> Value {
        let (status, started) = self.call(line, body).await;
        assert_eq!(status, 200, "{line}: {started}");
        let path = format!("{}/{}", line.replace("POST", "GET"), started["id"].as_str().unwrap());
        self.call("GET /v2/crawl/active", &Value::Null).await;
        loop {
            // A long poll, if there is one, prevents spinning.
            let (status, read) = self.call(&format!("{path}?skip=1000"), &Value::Null).await;
            assert_eq!(status, 200, "{path}: {read}");
            match read["status"].as_str() {
                Some("scraping") => {}
                Some("processing") => tokio::time::sleep(Duration::from_millis(10)).await,
                _ => break,
            }
        }
        if !line.ends_with("extract") {
            assert_eq!(self.call(&format!("{path}/errors"), &Value::Null).await.0, 200, "{path}");
        }
        self.call(&path, &Value::Null).await.1
    }
}
