//! Pictures of a page.
//!
//! A picture of the whole page is one capture beyond the window, from the top of the document. Alternative: a
//! window as high as the page. That would stretch everything whose height depends on the window. It is used
//! only where this is the aim: a box that fills the window and scrolls in place of the page.

mod framing;
mod reveal;

use std::fmt;
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use gleaner_fetch::{MAX_RESULTS_BYTES_PER_PAGE, Picture};
use gleaner_types::plan::{ScreenshotFormat, Viewport};
use tokio::time::{Instant, sleep, timeout};

use self::framing::{Area, Framing};
use crate::blocking::blocking;
use crate::consent;
use crate::emulate::Device;
use crate::page::Tab;
use crate::protocol::capture::{CaptureScreenshot, GetLayoutMetrics, LayoutMetrics};
use crate::wire::CallError;

/// The time before the deadline that is kept for the capture itself. A page of 16,000 pixels takes 2 to 5 s.
const CAPTURE_RESERVE: Duration = Duration::from_secs(3);

/// How long the capture may take. While a large picture is taken, other pages wait for theirs.
const CAPTURE_TIMEOUT: Duration = Duration::from_secs(30);

/// Only one picture of more device pixels than this is taken at a time.
const LARGE_PIXELS: f64 = 4_000_000.0;

/// Maximum height of a window that shows the whole content of a box, in CSS pixels.
const MAX_GROWN: u32 = 16_000;

/// How long a page gets to adapt to another window.
const RESIZE_TIME: Duration = Duration::from_millis(100);

/// How long a page that is busy may take to tell its size.
const METRICS_TIMEOUT: Duration = Duration::from_secs(3);

const CAPTURE: &str = "Page.captureScreenshot";

/// Why there is no picture.
#[derive(Debug)]
pub(crate) enum CaptureError {
    Call(CallError),
    /// It exceeds [`MAX_RESULTS_BYTES_PER_PAGE`].
    TooLarge,
    /// The browser gave none, which it does for sizes that a format does not have.
    Empty,
}

impl From<CallError> for CaptureError {
    fn from(error: CallError) -> Self {
        match error {
            CallError::TooLarge(_) => Self::TooLarge,
            error => Self::Call(error),
        }
    }
}

impl fmt::Display for CaptureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Call(error) => error.fmt(f),
            Self::TooLarge => f.write_str("the screenshot is too large"),
            Self::Empty => f.write_str("the browser gave an empty screenshot"),
        }
    }
}

impl std::error::Error for CaptureError {}

/// A picture of a page.
#[derive(Debug)]
pub(crate) struct Screenshot {
    pub(crate) picture: Picture,
    /// What the picture does not show.
    pub(crate) warning: Option<String>,
}

/// Takes a picture of the page. The window has the size of `format` meanwhile, and its scroll position is
/// restored.
///
/// A picture of the whole page shows fixed elements once, where they are in a window at the top of the page,
/// and content that loads or appears when it is seen. The window is higher for a box that scrolls in place of
/// the page. The picture is cut at 25,000,000 device pixels. What has not loaded in time is missing.
pub(crate) async fn screenshot(tab: &Tab<'_>, format: &ScreenshotFormat) -> Result<Screenshot, CaptureError> {
    let device = Device::of(tab.request);
    let mut window = format.viewport.map_or(device, |viewport| device.with_viewport(viewport));
    if window != device {
        resize(tab, window).await?;
    }
    if format.full_page {
        window = grow(tab, window).await?;
    }
    let result = prepared(tab, format, window).await;
    if window == device {
        return result;
    }
    let restored = tab.call(&device.metrics()).await;
    let screenshot = result?;
    restored?;
    Ok(screenshot)
}

async fn resize(tab: &Tab<'_>, window: Device) -> Result<(), CallError> {
    tab.call(&window.metrics()).await?;
    sleep(RESIZE_TIME).await;
    Ok(())
}

/// Makes the window so high that a box that scrolls in place of the page shows its whole content. Returns the
/// window as it is then.
async fn grow(tab: &Tab<'_>, window: Device) -> Result<Device, CallError> {
    let Viewport { width, height: before, .. } = window.viewport;
    let hidden = match reveal::hidden_height(tab, before).await {
        Ok(hidden) if hidden > 0 => hidden,
        Ok(_) | Err(CallError::TimedOut(_)) => return Ok(window),
        Err(error) => return Err(error),
    };
    let height = before.saturating_add(hidden).min(MAX_GROWN.max(before));
    let grown = window.with_viewport(Viewport::new(width, height));
    resize(tab, grown).await?;
    if reveal::hidden_height(tab, before).await.is_ok_and(|left| left < hidden) {
        return Ok(grown);
    }
    // Its height does not depend on the window.
    resize(tab, window).await?;
    Ok(window)
}

/// Takes a picture between the preparation of the page and its end.
async fn prepared(
    tab: &Tab<'_>,
    format: &ScreenshotFormat,
    device: Device,
) -> Result<Screenshot, CaptureError> {
    let deadline = Instant::now() + tab.proxy.remaining().saturating_sub(CAPTURE_RESERVE);
    match prepare(tab, format, deadline).await {
        // The page is busy. Its picture shows what is there.
        Ok(()) | Err(CallError::TimedOut(_)) => {}
        Err(error) => return Err(error.into()),
    }
    let result = capture(tab, format, device).await;
    if let Err(error) = reveal::end(tab).await {
        tracing::debug!(%error, "the scroll position was not restored");
    }
    result
}

async fn prepare(tab: &Tab<'_>, format: &ScreenshotFormat, deadline: Instant) -> Result<(), CallError> {
    let extent = reveal::begin(tab).await?;
    let mut shown = None;
    if format.full_page {
        let metrics = metrics(tab).await?;
        let zoom = metrics.css_visual_viewport.scale;
        let most = Framing::max_shown(Area::page(&metrics), zoom);
        reveal::scroll_through(tab, extent, most, deadline).await?;
        shown = Some(most);
    }
    // Some dialogs appear when the page is scrolled.
    consent::hide(tab).await;
    reveal::settle(tab, shown, deadline).await
}

async fn capture(
    tab: &Tab<'_>,
    format: &ScreenshotFormat,
    device: Device,
) -> Result<Screenshot, CaptureError> {
    let framing = framing(tab, format, device).await?;
    let is_large = framing.as_ref().is_some_and(|framing| framing.pixels > LARGE_PIXELS);
    let large_picture = &tab.context.running.large_picture;
    // The semaphore is never closed.
    let _permit = if is_large {
        let permit = timeout(tab.proxy.remaining(), large_picture.acquire()).await;
        permit.map_err(|_| CallError::TimedOut(CAPTURE))?.ok()
    } else {
        None
    };
    let (name, content_type) = match format.quality {
        Some(_) => ("jpeg", "image/jpeg"),
        None => ("png", "image/png"),
    };
    let command = CaptureScreenshot {
        format: name,
        quality: format.quality,
        clip: framing.map(|framing| framing.clip),
        capture_beyond_viewport: framing.is_some(),
        // Twice as fast, and the file is two to four times as large.
        optimize_for_speed: is_large,
    };
    let limit = CAPTURE_TIMEOUT.min(tab.proxy.remaining());
    let data = tab.call_within(&command, limit).await?.data;
    if data.is_empty() {
        return Err(CaptureError::Empty);
    }
    let most = usize::try_from(MAX_RESULTS_BYTES_PER_PAGE).unwrap_or(usize::MAX);
    if data.len() / 4 * 3 > most {
        return Err(CaptureError::TooLarge);
    }
    let bytes = blocking(data.len(), move || BASE64_STANDARD.decode(data))
        .await
        .map_err(|error| CallError::Invalid { method: CAPTURE, detail: error.to_string() })?;
    let picture = Picture::new(content_type, bytes.into());
    Ok(Screenshot { picture, warning: framing.as_ref().and_then(Framing::warning) })
}

async fn metrics(tab: &Tab<'_>) -> Result<LayoutMetrics, CallError> {
    tab.call_within(&GetLayoutMetrics {}, METRICS_TIMEOUT.min(tab.proxy.remaining())).await
}

/// How the picture is framed. `None` for the window as it is.
async fn framing(
    tab: &Tab<'_>,
    format: &ScreenshotFormat,
    device: Device,
) -> Result<Option<Framing>, CallError> {
    if !format.full_page && !framing::is_too_large(device.pixels()) {
        return Ok(None);
    }
    let metrics = metrics(tab).await?;
    let area = if format.full_page { Area::page(&metrics) } else { Area::window(&metrics) };
    Ok(Some(Framing::of(area, metrics.css_visual_viewport.scale, device.scale_factor)))
}
