//! A browser whose results follow from its request and the page as served.

use std::future::pending;

use bytes::Bytes;
use gleaner_fetch::{
    ActionResult, Error, Load, LoadKind, Picture, Render, RenderProxy, RenderRequest, Rendered, Request,
};
use gleaner_types::BoxFuture;
use gleaner_types::plan::{Action, ScreenshotFormat, WaitFor};
use serde_json::json;

use crate::sites::{BUILT, ENDLESS, LATE, MOUNT};

/// Runs no scripts: it knows the pages of the tests, and what their scripts do.
#[derive(Debug)]
pub(crate) struct FakeBrowser;

impl Render for FakeBrowser {
    fn render<'a>(
        &'a self,
        request: &'a RenderRequest,
        proxy: &'a RenderProxy<'a>,
    ) -> BoxFuture<'a, Result<Rendered, Error>> {
        Box::pin(async move {
            let mut url = request.url.clone();
            let response = loop {
                let load = Load::new(Request::get(url.clone()), LoadKind::Navigation);
                let response = proxy.fetch(load).await?;
                let target = response.header("location").and_then(|location| url.join(location).ok());
                match target {
                    Some(target) => url = target,
                    None => break response,
                }
            };
            let html = String::from_utf8_lossy(&response.body).replace(MOUNT, &format!("<div>{BUILT}</div>"));
            if html.contains(ENDLESS) {
                pending::<()>().await;
            }
            let mut page = Rendered::new(url, html);
            if page.html.contains(LATE) {
                page.warnings.push("the page was not complete in time".to_owned());
            }
            for planned in &request.actions {
                let result = perform(&planned.action, &mut page);
                let result = result.map_err(|reason| Error::action(&page.url, planned.index, &reason))?;
                page.results.extend(result);
            }
            page.screenshot = request.screenshot.as_ref().map(picture);
            let styles = || json!({ "colorScheme": "dark", "colors": { "primary": "#aabbcc" } });
            page.styles = request.styles.then(styles);
            Ok(page)
        })
    }
}

/// Carries out an action. Those that a page would notice leave a paragraph in it.
fn perform(action: &Action, page: &mut Rendered) -> Result<Option<ActionResult>, String> {
    let remark = match action {
        Action::Wait(WaitFor::Time(_)) => return Ok(None),
        Action::Wait(WaitFor::Selector(selector)) => {
            find(page, "wait", selector)?;
            return Ok(None);
        }
        Action::Click { selector, all } => {
            find(page, if *all { "click all" } else { "click" }, selector)?;
            format!("Clicked {selector}.")
        }
        Action::Write { text, selector } => {
            if let Some(selector) = selector {
                find(page, "write", selector)?;
            }
            format!("Wrote {text}.")
        }
        Action::Press { key } => format!("Pressed {key}."),
        Action::Scroll { direction, .. } => format!("Scrolled {}.", json!(direction)),
        Action::Screenshot(format) => return Ok(Some(ActionResult::Screenshot(picture(format)))),
        Action::Scrape => {
            return Ok(Some(ActionResult::Scrape { url: page.url.clone(), html: page.html.clone() }));
        }
        Action::ExecuteJavascript { script } => return value(script).map(Some),
        Action::Pdf { landscape, scale, format } => {
            let side = if *landscape { "landscape" } else { "portrait" };
            return Ok(Some(ActionResult::Pdf(format!("%PDF {format} {side} {scale}").into())));
        }
    };
    page.html = page.html.replace("</main>", &format!("<p>{remark}</p></main>"));
    Ok(None)
}

/// Finds the element with an id.
fn find(page: &Rendered, kind: &str, selector: &str) -> Result<(), String> {
    let id = format!("id=\"{}\"", selector.trim_start_matches('#'));
    if page.html.contains(&id) { Ok(()) } else { Err(format!("{kind} \"{selector}\": no element matches")) }
}

/// The value of a script.
fn value(script: &str) -> Result<ActionResult, String> {
    let (kind, json) = match script {
        "document.title" => ("string", "\"Form\""),
        "1 + 1" => ("number", "2"),
        "[1, null]" => ("object", "[1,null]"),
        "undefined" => ("undefined", "null"),
        _ => return Err("executeJavascript: Error: no".to_owned()),
    };
    Ok(ActionResult::Javascript { kind: kind.to_owned(), json: json.to_owned() })
}

/// A picture whose bytes name its options. The lowest quality gives a WebP.
fn picture(format: &ScreenshotFormat) -> Picture {
    let content_type = match format.quality {
        None => "image/png",
        Some(1) => "image/webp",
        Some(_) => "image/jpeg",
    };
    let area = if format.full_page { "page" } else { "window" };
    let (width, height) = format.viewport.map_or((0, 0), |viewport| (viewport.width, viewport.height));
    let text = format!("{area} q{} {width}x{height}", format.quality.unwrap_or(0));
    Picture::new(content_type, Bytes::from(text))
}
