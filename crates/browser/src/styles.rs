//! The computed styles of a page, for the format `branding`.

use std::time::Duration;

use serde_json::Value;

use crate::page::Tab;

const SCRIPT: &str = concat!(
    "function run(...all) {",
    include_str!("js/own.js"),
    include_str!("js/brand.js"),
    "return brand(...all); }"
);

/// Pages with 3,000 elements, which is the maximum, take less than 0.1 s.
const TIMEOUT: Duration = Duration::from_secs(3);

/// The computed styles of the page if its request asks for them: a JSON object of the same form as the
/// `branding` that gleaner-transform reads from style sheets. Its values are those that a visitor sees, so
/// they come before those of style sheets.
///
/// ```json
/// {
///   "colorScheme": "light",
///   "logo": "https://a.example/logo.svg",
///   "colors": { "primary": "#123456", "secondary": "...", "accent": "...", "background": "#ffffff",
///               "textPrimary": "...", "textSecondary": "...", "link": "..." },
///   "fonts": [{ "family": "Work Sans", "count": 12 }],
///   "typography": { "fontFamilies": { "primary": "Work Sans", "heading": "Lora", "code": "..." },
///                   "fontSizes": { "body": "17px", "h1": "...", "h2": "...", "h3": "..." } },
///   "spacing": { "baseUnit": 8, "borderRadius": "6px" },
///   "components": { "buttonPrimary": { "background": "#123456", "textColor": "#ffffff",
///                                      "borderRadius": "6px" }, "buttonSecondary": {} },
///   "images": { "logo": "...", "favicon": "...", "ogImage": "..." }
/// }
/// ```
///
/// The objects and `fonts` are always there. A value in them that the page does not show is left out. A logo
/// that is drawn in the page is a `data:` URI.
///
/// `None` if the page does not answer, too.
pub(crate) async fn read(tab: &Tab<'_>) -> Option<Value> {
    if !tab.request.styles {
        return None;
    }
    let styles = tab.run_within(SCRIPT, Vec::new(), TIMEOUT.min(tab.proxy.remaining())).await;
    styles.inspect_err(|error| tracing::debug!(%error, "computed styles were not read")).ok()
}
