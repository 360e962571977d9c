//! The service, asked as its clients ask it.

use std::time::Duration;

use bytes::Bytes;
use gleaner_http::Service;
use http::Request;
use http_body_util::{BodyExt as _, Full};
use serde_json::Value;
use tower_service::Service as _;

/// The service, and everything that it said.
pub(crate) struct Wire {
    service: Service,
    key: &'static str,
    /// Headers and bodies of answers, each after what was asked.
    pub(crate) said: Vec<String>,
}

impl Wire {
    pub(crate) fn new(service: Service, key: &'static str) -> Self {
        Self { service, key, said: Vec::new() }
    }

    /// The status and the body of the answer. What is sent need not be JSON.
    pub(crate) async fn say(&mut self, key: &str, line: &str, body: String) -> (u16, Value) {
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
        let answer = serde_json::from_str(&text).unwrap();
        self.said.push(format!("{line}: {:?} {text}", parts.headers));
        (parts.status.as_u16(), answer)
    }

    pub(crate) async fn call(&mut self, line: &str, body: &Value) -> (u16, Value) {
        self.say(self.key, line, body.to_string()).await
    }

    /// Begins a job and reads it to its end: its status and its documents. What failed is asked for too.
    pub(crate) async fn job(&mut self, line: &str, body: &Value) -> Value {
        let (status, begun) = self.call(line, body).await;
        assert_eq!(status, 200, "{line}: {begun}");
        let path = format!("{}/{}", line.replace("POST", "GET"), begun["id"].as_str().unwrap());
        self.call("GET /v2/crawl/active", &Value::Null).await;
        loop {
            // The long poll keeps this from spinning, where there is one.
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
