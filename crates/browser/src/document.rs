//! The HTML of a page as it is now, with shadow roots and same-origin frames, and its encoding.

use std::fmt;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::page::Tab;
use crate::protocol::dom::GetOuterHtml;
use crate::wire::CallError;

const SCRIPT: &str = concat!(
    "function run(...all) {",
    include_str!("js/own.js"),
    include_str!("js/dom.js"),
    "return dom(...all); }"
);

/// How long the frames of a document may take.
const FRAMES_TIMEOUT: Duration = Duration::from_secs(5);

/// How long the document itself may take. One of 3.6 MB takes 0.3 s.
const HTML_TIMEOUT: Duration = Duration::from_secs(15);

/// A page that changes its document while it is read is read this often.
const ATTEMPTS: u32 = 3;
const GAP: Duration = Duration::from_millis(50);

/// Why there is no HTML.
#[derive(Debug)]
pub(crate) enum DocumentError {
    Call(CallError),
    /// It is larger than [`RenderProxy::max_body`](gleaner_fetch::RenderProxy::max_body).
    TooLarge,
}

impl From<CallError> for DocumentError {
    fn from(error: CallError) -> Self {
        match error {
            CallError::TooLarge(_) => Self::TooLarge,
            error => Self::Call(error),
        }
    }
}

impl fmt::Display for DocumentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Call(error) => error.fmt(f),
            Self::TooLarge => f.write_str("the HTML of the page is too large"),
        }
    }
}

impl std::error::Error for DocumentError {}

/// The HTML of a document.
#[derive(Debug)]
pub(crate) struct DocumentHtml {
    pub(crate) html: String,
    /// The name of its encoding, in which queries of its links are written.
    pub(crate) charset: String,
}

/// The result of the script.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Found {
    charset: String,
    frames: Vec<Frame>,
    /// Whether it has set attributes.
    is_changed: bool,
}

/// The content of a frame.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Frame {
    url: String,
    html: String,
    /// Whether it belongs to a `frameset`, which takes the place of a body.
    is_frameset: bool,
}

/// The HTML of the current document with its doctype. Shadow roots are written as declarative ones, closed
/// ones too. The content of each visible same-origin frame with text, also of one in a shadow root or in
/// another frame, follows its `iframe` element in a `<div data-frame-url>`, or takes the place of the
/// `frameset`; its URLs are absolute. A large frame of another origin becomes a link. Slots that a script
/// assigned get names.
///
/// # Errors
///
/// [`DocumentError::TooLarge`], or the browser does not answer.
pub(crate) async fn html(tab: &Tab<'_>) -> Result<DocumentHtml, DocumentError> {
    let mut attempt = 1;
    loop {
        match read(tab).await {
            Err(DocumentError::Call(error))
                if error.is_gone() && !tab.client().is_closed() && attempt < ATTEMPTS =>
            {
                attempt += 1;
                sleep(GAP).await;
            }
            result => return result,
        }
    }
}

async fn read(tab: &Tab<'_>) -> Result<DocumentHtml, DocumentError> {
    let limit = tab.proxy.max_body();
    let mark = mark();
    let begin = json!({ "op": "begin", "mark": mark, "limit": limit });
    let Found { charset, frames, is_changed } =
        tab.run_within(SCRIPT, vec![begin], time_for(tab, FRAMES_TIMEOUT)).await?;
    let result = outer_html(tab).await;
    if is_changed {
        // It fails only if the document has gone.
        let _ = tab.run::<Value>(SCRIPT, vec![json!({ "op": "end" })]).await;
    }
    let html = insert_frames(&result?, &mark, &frames);
    let fits = u64::try_from(html.len()).is_ok_and(|bytes| bytes <= limit);
    if fits { Ok(DocumentHtml { html, charset }) } else { Err(DocumentError::TooLarge) }
}

async fn outer_html(tab: &Tab<'_>) -> Result<String, CallError> {
    let limit = time_for(tab, HTML_TIMEOUT);
    let object = tab.document_object(limit).await?;
    let command = GetOuterHtml { object_id: &object, include_shadow_dom: true };
    let reply = tab.call_within(&command, limit).await?;
    Ok(reply.outer_html.0)
}

fn time_for(tab: &Tab<'_>, most: Duration) -> Duration {
    most.min(tab.proxy.remaining())
}

/// The name of an attribute that no page has.
fn mark() -> String {
    format!("data-gleaner-{:x}", RandomState::new().build_hasher().finish())
}

/// Inserts the content of frames into the HTML in which their elements are marked, and removes the marks.
fn insert_frames(html: &str, mark: &str, frames: &[Frame]) -> String {
    let mut result = String::with_capacity(html.len());
    let mut rest = html;
    let mut in_framesets = String::new();
    for (index, frame) in frames.iter().enumerate() {
        let attribute = format!(" {mark}=\"{index}\"");
        // The element is gone if the page has changed meanwhile.
        let Some((before, after)) = rest.split_once(&attribute) else { continue };
        result.push_str(before);
        rest = after;
        if frame.is_frameset {
            push_frame(&mut in_framesets, frame);
        } else if let Some((element, after)) = rest.split_once("</iframe>") {
            result.push_str(element);
            result.push_str("</iframe>");
            push_frame(&mut result, frame);
            rest = after;
        }
    }
    result.push_str(rest);
    if in_framesets.is_empty() { result } else { replace_frameset(&result, &in_framesets) }
}

fn push_frame(html: &mut String, frame: &Frame) {
    html.push_str("<div data-frame-url=\"");
    html.push_str(&frame.url.replace('&', "&amp;").replace('"', "&quot;"));
    html.push_str("\">");
    html.push_str(&frame.html);
    html.push_str("</div>");
}

/// Replaces the `frameset` of a document, which has no other body, by a body.
fn replace_frameset(html: &str, body: &str) -> String {
    let replaced = html.split_once("<frameset").and_then(|(head, rest)| {
        let (_, tail) = rest.rsplit_once("</frameset>")?;
        Some(format!("{head}<body>{body}</body>{tail}"))
    });
    replaced.unwrap_or_else(|| html.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(url: &str, html: &str) -> Frame {
        Frame { url: url.to_owned(), html: html.to_owned(), is_frameset: false }
    }

    #[test]
    fn frames_follow_their_elements() {
        let frames = [frame("https://a.example/?b&c=\"", "<p>one</p>"), frame("about:srcdoc", "two")];
        for (html, expected) in [
            (
                "<body><iframe src=\"/1\" m=\"0\"></iframe><p> m=\"x\"</p><iframe m=\"1\">x</iframe>end",
                "<body><iframe src=\"/1\"></iframe><div data-frame-url=\"https://a.example/?b&amp;c=&quot;\">\
                 <p>one</p></div><p> m=\"x\"</p><iframe>x</iframe>\
                 <div data-frame-url=\"about:srcdoc\">two</div>end",
            ),
            // The page has removed the first frame, or both.
            (
                "a<iframe m=\"1\"></iframe>b",
                "a<iframe></iframe><div data-frame-url=\"about:srcdoc\">two</div>b",
            ),
            ("<p>none</p>", "<p>none</p>"),
        ] {
            assert_eq!(insert_frames(html, "m", &frames), expected);
        }
    }

    #[test]
    fn a_frameset_becomes_a_body() {
        let frames =
            ["<h1>Menu</h1>", "<p>Text</p>"].map(|html| Frame { is_frameset: true, ..frame("/f", html) });
        let html = "<html><head></head><frameset cols=\"*,*\"><frame src=\"a\" m=\"0\"><frameset>\
             <frame src=\"b\" m=\"1\"></frameset></frameset></html>";
        let expected = "<html><head></head><body><div data-frame-url=\"/f\"><h1>Menu</h1></div>\
             <div data-frame-url=\"/f\"><p>Text</p></div></body></html>";
        assert_eq!(insert_frames(html, "m", &frames), expected);
    }

    #[test]
    fn marks_differ() {
        assert_ne!(mark(), mark());
    }
}
