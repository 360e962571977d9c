//! A picture of a whole page, made by an installed Chromium (Debian: `chromium-headless-shell`).
//!
//! `cargo run --release -p gleaner --features browser --example screenshot -- https://example.com/`
#![expect(clippy::print_stdout, reason = "a command-line program")]

use gleaner::browser::Browser;
use gleaner::request::{Format, ScreenshotFormat, Viewport};
use gleaner::{Engine, ScrapeRequest};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let url = std::env::args().nth(1).unwrap_or_else(|| "https://example.com/".to_owned());
    // Chromium's sandbox refuses root: as root, the user `nobody` runs it.
    let browser = Browser::builder().user_if_root(65_534, 65_534).build()?;
    let engine = Engine::builder().browser(browser.clone()).build()?;
    let picture = ScreenshotFormat::new().full_page(true).viewport(Viewport::new(1280, 800));
    let request = ScrapeRequest::new(url).formats([Format::Markdown, Format::Screenshot(picture)]);
    let page = engine.scrape(request).await;
    // Otherwise the folder of its profile may remain.
    browser.close().await;
    // `data:image/png;base64,...`, which an HTML page can show as it is.
    let picture = page?.screenshot.ok_or("the page gave no picture")?;
    std::fs::write("screenshot.html", format!("<img src=\"{picture}\">"))?;
    println!("screenshot.html has a picture of {} bytes: open it in a browser", picture.len() / 4 * 3);
    Ok(())
}
