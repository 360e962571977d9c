//! Renders one page: navigation, actions, reading, and warnings.

use gleaner_fetch::{Error, JarCookie, RenderProxy, RenderRequest, Rendered};
use gleaner_types::SafeUrl;
use tokio::time::{Instant, sleep_until};

use super::events::serve;
use super::ready::{self, Readiness, ReadyError};
use super::setup::set_up;
use super::tab::Tab;
use crate::capture::CaptureError;
use crate::document::DocumentError;
use crate::pool::Context;
use crate::protocol::page::Navigate;
use crate::protocol::target::CreateTarget;
use crate::wire::CallError;
use crate::{action, capture, consent, cookies, document, styles};

/// Renders one page in a context of its own.
pub(crate) async fn render(
    context: &Context,
    request: &RenderRequest,
    proxy: &RenderProxy<'_>,
) -> Result<Rendered, Error> {
    let events = context.events();
    let tab = Tab::new(context, request, proxy);
    let outcome = tokio::select! {
        result = drive(&tab) => result,
        () = serve(&tab, events) => Err(if tab.client().is_closed() {
            Error::browser_crashed(&request.url)
        } else {
            Error::unresponsive(&request.url, "it makes more requests at once than can be followed")
        }),
        () = tab.shared.wait_for(|state| state.is_crashed.then_some(())) => {
            Err(Error::unresponsive(&request.url, "its tab crashed"))
        }
    };
    if outcome.is_err() && proxy.remaining().is_zero() {
        // The caller ends the page at its deadline, with the error of a timeout.
        std::future::pending::<()>().await;
    }
    outcome
}

/// Renders the page. The job gets its cookies, also those of a page that failed after a login.
async fn drive(tab: &Tab<'_>) -> Result<Rendered, Error> {
    let cookies = open(tab).await.map_err(|error| failure(tab, error))?;
    let rendered = read(tab).await;
    cookies::save(tab, &cookies).await;
    rendered
}

/// Waits for the page, carries out its actions and reads it.
async fn read(tab: &Tab<'_>) -> Result<Rendered, Error> {
    let request = tab.request;
    let readiness = ready::wait(tab).await.map_err(|error| unready(tab, error))?;
    if let Some(error) = tab.take_navigation_error() {
        return Err(error);
    }
    let mut warnings = Vec::new();
    match readiness {
        Readiness::Ready => {}
        Readiness::Shell => warnings.push(with_fault(tab, "the page still looked as if it were loading")),
        Readiness::Deadline => warnings.push(with_fault(tab, "the page was not complete in time")),
    }
    sleep_until((Instant::now() + request.wait_for).min(tab.until())).await;
    consent::hide(tab).await;
    let mut results = Vec::new();
    action::run(tab, &request.actions, &mut results, &mut warnings).await.map_err(|error| match error {
        action::ActionError::Failed(error) => error,
        action::ActionError::Page(error) => unready(tab, error),
    })?;
    let styles = styles::read(tab).await;
    // Before the picture, because pages react to a capture as to a change of the window.
    let document = document::html(tab).await.map_err(|error| unread(tab, error))?;
    let screenshot = match &request.screenshot {
        Some(format) => {
            let shot = capture::screenshot(tab, format).await.map_err(|error| uncaptured(tab, error))?;
            warnings.extend(shot.warning);
            Some(shot.picture)
        }
        None => None,
    };
    let mut page = Rendered::new(tab.url(), document.html);
    page.charset = Some(document.charset);
    (page.screenshot, page.results, page.styles) = (screenshot, results, styles);
    add_counts(tab, &mut warnings);
    page.warnings = warnings;
    Ok(page)
}

/// A warning with what may be its cause.
fn with_fault(tab: &Tab<'_>, warning: &str) -> String {
    match &tab.shared.lock().fault {
        Some(fault) => format!("{warning}: {}", fault.text),
        None => warning.to_owned(),
    }
}

/// Opens the target and navigates to the page. Returns the cookies that it starts with.
async fn open(tab: &Tab<'_>) -> Result<Vec<JarCookie>, CallError> {
    let create = CreateTarget {
        url: "about:blank",
        browser_context_id: tab.context.id.clone(),
        width: 1280,
        height: 800,
    };
    let cookies = cookies::load(tab).await?;
    tab.client().call(None, &create).await?;
    let session = tab.shared.wait_for(|state| state.session.clone()).await;
    set_up(tab, &session, "page").await?;
    // The answer comes when the document's answer has come, so it may take as long as the page.
    let navigate = Navigate { url: tab.request.url.as_str() };
    let navigation = tab.call_within(&navigate, tab.proxy.remaining()).await?;
    tab.shared.change(|state| {
        state.main_frame.get_or_insert(navigation.frame_id);
    });
    Ok(cookies)
}

/// The error for a page whose browser does not answer.
fn failure(tab: &Tab<'_>, error: CallError) -> Error {
    if let Some(error) = tab.take_navigation_error() {
        return error;
    }
    let url = &tab.request.url;
    match error {
        CallError::Closed => Error::browser_crashed(url),
        CallError::TimedOut(_) => Error::unresponsive(url, "its scripts did not let the browser answer"),
        other => Error::render(url, &other.to_string()),
    }
}

fn unready(tab: &Tab<'_>, error: ReadyError) -> Error {
    match error {
        ReadyError::Call(error) => failure(tab, error),
        ReadyError::Unresponsive => {
            Error::unresponsive(&tab.request.url, "its scripts did not let the browser answer")
        }
        ReadyError::Endless => {
            let reason = format!("its scripts redirect without end, last to {}", SafeUrl::from(tab.url()));
            Error::render(&tab.request.url, &reason)
        }
    }
}

fn unread(tab: &Tab<'_>, error: DocumentError) -> Error {
    match error {
        DocumentError::Call(error) => failure(tab, error),
        DocumentError::TooLarge => Error::result_too_large(&tab.request.url, "its HTML"),
    }
}

fn uncaptured(tab: &Tab<'_>, error: CaptureError) -> Error {
    match error {
        CaptureError::Call(error) => failure(tab, error),
        CaptureError::TooLarge => Error::result_too_large(&tab.request.url, "the screenshot"),
        CaptureError::Empty => Error::render(&tab.request.url, &error.to_string()),
    }
}

/// Warns of what a visitor would have noticed.
fn add_counts(tab: &Tab<'_>, warnings: &mut Vec<String>) {
    // The file of a link with `download` becomes the document.
    let is_given = tab.proxy.is_other_document();
    let state = tab.shared.lock();
    let refused_downloads = if is_given { 0 } else { state.refused_downloads };
    let counts = [
        (state.refused_sockets, "refused WebSockets"),
        (state.refused_streams, "refused event streams"),
        (state.refused_requests, "refused requests (too many, too large, or not HTTP)"),
        (state.dismissed_dialogs, "dismissed dialogs"),
        (state.closed_popups, "closed popups"),
        (state.unanswered, "scripts and style sheets that did not answer in time"),
        (refused_downloads, "refused downloads (the address of a file gives its document)"),
    ];
    let counts = counts.iter().filter(|(count, _)| *count > 0);
    warnings.extend(counts.map(|(count, what)| format!("{what}: {count}")));
}
