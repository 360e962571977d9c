//! Pictures, compared by their pixels.

use std::io::Cursor;

use gleaner_fetch::Picture;
use gleaner_testkit::HostilePage;
use serde_json::{Value, json};

use crate::support::{browser, render_pages};

type Color = [u8; 3];

const RED: Color = [255, 0, 0];
const GREEN: Color = [0, 255, 0];
const YELLOW: Color = [255, 255, 0];
const CYAN: Color = [0, 255, 255];
const MAGENTA: Color = [255, 0, 255];

/// Fixed header and footer, a part as high as the window, and two more parts: 2,600 pixels in one of 800.
const FIXED: &str = "<!doctype html><meta name=viewport content='width=device-width'>\
    <style>body { margin: 0 } header, footer { position: fixed; left: 0; right: 0 }</style>\
    <div style='height: 100vh; background: #f00'></div>\
    <header style='top: 0; height: 50px; background: #0f0'></header>\
    <div style='height: 1700px; background: #ff0'></div>\
    <footer style='bottom: 0; height: 40px; background: #0ff'></footer>\
    <div style='height: 100px; background: #f0f'></div>";

/// Each part becomes green when it is seen, or is a picture that loads when it is seen. 3,600 pixels.
const REVEALED: &str = "<!doctype html>\
    <style>body { margin: 0 } .part { display: block; width: 100%; height: 600px; transition: background 2s }\
    .seen { background: #0f0 }</style>\
    <div class=part></div><img class=part loading=lazy src=/green.svg>\
    <div class=part></div><img class=part loading=lazy src=/green.svg?2>\
    <div class=part></div><div class=part></div>\
    <script>const observer = new IntersectionObserver(entries => {\
        for (const entry of entries) if (entry.isIntersecting) entry.target.classList.add('seen'); });\
    for (const part of document.querySelectorAll('div')) observer.observe(part);</script>";

/// Becomes longer whenever its end is near.
const ENDLESS: &str = "<!doctype html><style>body { margin: 0 } p { height: 60px; margin: 0 }</style>\
    <div id=list></div><script>\
    function add() { for (let i = 0; i < 20; i++) list.append(document.createElement('p')); }\
    const isNearEnd = () => innerHeight + scrollY > document.body.scrollHeight - 300;\
    add(); onscroll = () => { if (isNearEnd()) setTimeout(add, 30); };\
    </script>";

const GREEN_SVG: &str = "<svg xmlns='http://www.w3.org/2000/svg' width='1280' height='600'>\
    <rect width='1280' height='600' fill='#0f0'/></svg>";

async fn picture(html: &str, format: Value, options: Value) -> Option<(Picture, Vec<String>)> {
    let browser = browser()?;
    let mut options = options;
    let mut screenshot = format;
    screenshot["type"] = "screenshot".into();
    options["formats"] = json!([screenshot]);
    let pages = vec![
        HostilePage::html("/", html.to_owned()),
        HostilePage::new("/green.svg", "image/svg+xml", GREEN_SVG),
        HostilePage::new("/green.svg?2", "image/svg+xml", GREEN_SVG),
    ];
    let rendered = render_pages(&browser, pages, options).await.unwrap();
    browser.close().await;
    Some((rendered.page.screenshot.unwrap(), rendered.page.warnings))
}

/// Width and height in the header of a PNG.
fn size(picture: &Picture) -> (u32, u32) {
    assert_eq!(picture.content_type, "image/png");
    let reader = png::Decoder::new(Cursor::new(&picture.bytes[..])).read_info().unwrap();
    (reader.info().width, reader.info().height)
}

/// The rows at which the color of the left edge changes, in pixels from the top.
fn bands(picture: &Picture) -> Vec<(usize, Color)> {
    let mut reader = png::Decoder::new(Cursor::new(&picture.bytes[..])).read_info().unwrap();
    let (width, height) = size(picture);
    let mut pixels = vec![0; width as usize * height as usize * 4];
    let frame = reader.next_frame(&mut pixels).unwrap();
    let mut bands: Vec<(usize, Color)> = Vec::new();
    for row in 0..height as usize {
        let start = row * frame.line_size + 10 * frame.color_type.samples();
        let color = [pixels[start], pixels[start + 1], pixels[start + 2]];
        if bands.last().is_none_or(|(_, last)| *last != color) {
            bands.push((row, color));
        }
    }
    bands
}

#[tokio::test]
async fn a_picture_has_the_size_that_was_asked_for() {
    for (format, options, expected) in [
        (json!({}), json!({}), (1_280, 800)),
        (json!({ "fullPage": true }), json!({}), (1_280, 2_600)),
        (json!({ "viewport": { "width": 500, "height": 400 } }), json!({}), (500, 400)),
        (json!({ "viewport": { "width": 500, "height": 400 }, "fullPage": true }), json!({}), (500, 2_200)),
        // Two device pixels per CSS pixel.
        (json!({}), json!({ "mobile": true }), (824, 1_830)),
        (json!({ "fullPage": true }), json!({ "mobile": true }), (824, 5_430)),
    ] {
        let case = format!("{format} {options}");
        let Some((picture, warnings)) = picture(FIXED, format, options).await else { return };
        assert_eq!(size(&picture), expected, "{case}");
        assert!(warnings.is_empty(), "{case}: {warnings:?}");
    }
}

#[tokio::test]
async fn fixed_elements_appear_once_in_a_picture_of_the_whole_page() {
    for (format, expected) in [
        (json!({}), vec![(0, GREEN), (50, RED), (760, CYAN)]),
        (
            json!({ "fullPage": true }),
            vec![(0, GREEN), (50, RED), (760, CYAN), (800, YELLOW), (2_500, MAGENTA)],
        ),
    ] {
        let Some((picture, _)) = picture(FIXED, format, json!({})).await else { return };
        assert_eq!(bands(&picture), expected);
    }
}

#[tokio::test]
async fn content_that_appears_when_it_is_seen_is_in_the_picture() {
    let Some((picture, _)) = picture(REVEALED, json!({ "fullPage": true }), json!({})).await else { return };
    assert_eq!((size(&picture), bands(&picture)), ((1_280, 3_600), vec![(0, GREEN)]));
}

#[tokio::test]
async fn a_box_that_scrolls_in_place_of_the_page_is_whole() {
    let page = |height: &str| {
        format!(
            "<!doctype html><style>body {{ margin: 0 }}</style><div style='height: {height}; overflow: auto'>\
             <div style='height: 1500px; background: #f00'></div>\
             <div style='height: 500px; background: #0f0'></div></div>"
        )
    };
    for (height, expected) in [("100vh", 2_000), ("calc(100vh - 50px)", 2_050), ("700px", 800)] {
        let format = json!({ "fullPage": true });
        let Some((picture, _)) = picture(&page(height), format, json!({})).await else { return };
        assert_eq!(size(&picture), (1_280, expected), "{height}");
        let is_whole = bands(&picture).contains(&(1_500, GREEN));
        assert_eq!(is_whole, height != "700px", "{height}: {:?}", bands(&picture));
    }
}

#[tokio::test]
async fn an_endless_page_has_a_picture_with_an_end() {
    let Some((picture, _)) = picture(ENDLESS, json!({ "fullPage": true }), json!({})).await else { return };
    let (width, height) = size(&picture);
    assert_eq!(width, 1_280);
    assert!((1_200..10_000).contains(&height), "{height}");
}

#[tokio::test]
async fn a_very_tall_page_is_cut_with_a_warning() {
    let html = "<!doctype html><body style='margin: 0'><div style='height: 40000px; background: #f00'></div>";
    let Some((picture, warnings)) = picture(html, json!({ "fullPage": true }), json!({})).await else {
        return;
    };
    assert_eq!(size(&picture), (1_280, 19_531));
    let expected = |warning: &String| warning.contains("19531 of 40000 CSS pixels");
    assert!(warnings.iter().any(expected), "{warnings:?}");
}

#[tokio::test]
async fn a_quality_makes_a_jpeg() {
    let mut sizes = Vec::new();
    for quality in [5, 95] {
        let format = json!({ "quality": quality });
        let Some((picture, _)) = picture(FIXED, format, json!({})).await else { return };
        assert_eq!(picture.content_type, "image/jpeg");
        assert!(picture.bytes.starts_with(&[0xff, 0xd8, 0xff]));
        sizes.push(picture.bytes.len());
    }
    assert!(sizes[0] < sizes[1], "{sizes:?}");
}

#[tokio::test]
async fn cookie_dialogs_are_not_in_the_picture() {
    let html = "<!doctype html><body style='margin: 0; background: #0f0'>\
        <div style='position: fixed; inset: 0; background: #f00'>We use cookies. \
        <button>Accept all</button></div>";
    for (block_ads, expected) in [(true, GREEN), (false, RED)] {
        let options = json!({ "blockAds": block_ads });
        let Some((picture, _)) = picture(html, json!({}), options).await else { return };
        assert_eq!(bands(&picture).last().map(|(_, color)| *color), Some(expected), "blockAds {block_ads}");
    }
}
