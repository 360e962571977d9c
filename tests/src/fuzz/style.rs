//! Style sheets. Input: the text of a `style` element.

use gleaner_transform::{Input, transform};
use gleaner_types::request::{Format, ScrapeOptions};
use serde_json::Value;
use url::Url;

use super::BASE;

/// Upper bounds on the fonts of a page and on the bytes of a font's name.
const MAX_FONTS: usize = 8;
const MAX_FONT_BYTES: usize = 80;

/// Colours are `#rrggbb`, fonts are few and have short names, and a leading comment changes nothing.
pub fn style(data: &[u8]) {
    // A body with many control characters counts as binary.
    let css = String::from_utf8_lossy(data).replace(|found: char| found.is_control() && found != '\n', " ");
    let Some(branding) = branding(&css) else { return };
    let colors = [branding.pointer("/colors"), branding.pointer("/components/buttonPrimary")];
    for (name, value) in colors.into_iter().flatten().filter_map(Value::as_object).flatten() {
        if name != "borderRadius" {
            assert!(value.as_str().is_some_and(is_color), "{name}: {value}");
        }
    }
    let fonts = branding.get("fonts").and_then(Value::as_array);
    assert!(fonts.is_some_and(|fonts| fonts.len() <= MAX_FONTS), "{fonts:?}");
    for font in fonts.into_iter().flatten() {
        let family = font.get("family").and_then(Value::as_str).unwrap_or_default();
        assert!(!family.is_empty() && family.len() <= MAX_FONT_BYTES && !family.contains('<'), "{font}");
    }
    let commented = format!("/* {{ a: b; }} */{css}");
    assert_eq!(self::branding(&commented), Some(branding), "with a leading comment");
}

fn branding(css: &str) -> Option<Value> {
    let html = format!("<!doctype html><title>A</title><style>{css}");
    let options = ScrapeOptions::new().formats([Format::Branding]).check().ok()?;
    let url = Url::parse(BASE).ok()?;
    let input = Input::new(&url, Some("text/html; charset=utf-8"), html.as_bytes());
    transform(input, &options).ok()?.document.branding
}

/// True for `#rrggbb`.
fn is_color(text: &str) -> bool {
    let digits = text.strip_prefix('#').unwrap_or_default();
    digits.len() == 6 && digits.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}
