//! The computed styles of a rendered page, checked and put over what its style sheets declare.
//!
//! They come from a browser that a hostile page has run in. So only the known keys are read, each value must
//! have the form that this module gives it, and everything else is left out.

use serde_json::{Map, Value, json};
use url::Url;

use super::color::Color;
use super::{MAX_FONTS, first_family, insert_string, is_length};

/// Upper bound on an address, in bytes.
const MAX_ADDRESS_BYTES: usize = 4_096;

/// Upper bound on a logo that is drawn in the page, as a `data:` URI, in bytes.
const MAX_DRAWING_BYTES: usize = 64 * 1024;

/// The beginning of such a logo.
const DRAWING: &str = "data:image/svg+xml,";

/// Upper bound on the elements that a font is counted in.
const MAX_COUNT: u64 = 1_000_000;

/// Upper bound on the base unit of the spacing, in CSS pixels.
const MAX_UNIT: f64 = 64.0;

/// Puts the computed styles of a page over its `branding` from style sheets. Computed values win; where there
/// is none, the branding stays. `styles` has the form of the branding, and need not be trusted.
pub fn add_computed_styles(branding: &mut Value, styles: &Value) {
    if let Value::Object(branding) = branding {
        put_over(branding, read(styles));
    }
}

/// Replaces the values of `base` by those of `computed`. Objects are merged.
fn put_over(base: &mut Map<String, Value>, computed: Map<String, Value>) {
    for (name, value) in computed {
        let value = match value {
            Value::Object(computed) => {
                if let Some(Value::Object(base)) = base.get_mut(&name) {
                    // The styles that `read` returns are a few levels deep.
                    put_over(base, computed);
                    continue;
                }
                Value::Object(computed)
            }
            value => value,
        };
        base.insert(name, value);
    }
}

/// The valid values among the styles.
fn read(styles: &Value) -> Map<String, Value> {
    let mut checked = Map::new();
    let scheme = styles.get("colorScheme").and_then(Value::as_str);
    let scheme = scheme.filter(|scheme| matches!(*scheme, "light" | "dark"));
    insert_string(&mut checked, "colorScheme", scheme.map(str::to_owned));
    insert_string(&mut checked, "logo", text(styles, "logo", logo));
    let colors = ["primary", "secondary", "accent", "background", "textPrimary", "textSecondary", "link"];
    insert_object(&mut checked, "colors", strings(part(styles, "colors"), &colors, color));
    let fonts = fonts(part(styles, "fonts"));
    if !fonts.is_empty() {
        checked.insert("fonts".to_owned(), Value::Array(fonts));
    }
    let mut typography = Map::new();
    let declared = part(styles, "typography");
    let families = strings(part(declared, "fontFamilies"), &["primary", "heading", "code"], family);
    insert_object(&mut typography, "fontFamilies", families);
    let sizes = strings(part(declared, "fontSizes"), &["body", "h1", "h2", "h3"], length);
    insert_object(&mut typography, "fontSizes", sizes);
    insert_object(&mut checked, "typography", typography);
    let declared = part(styles, "spacing");
    let mut spacing = strings(declared, &["borderRadius"], length);
    let unit = part(declared, "baseUnit").as_f64().filter(|unit| (1.0..=MAX_UNIT).contains(unit));
    if let Some(unit) = unit {
        spacing.insert("baseUnit".to_owned(), json!(unit));
    }
    insert_object(&mut checked, "spacing", spacing);
    let mut components = Map::new();
    for name in ["buttonPrimary", "buttonSecondary"] {
        let styles = part(part(styles, "components"), name);
        let mut button = strings(styles, &["background", "textColor"], color);
        insert_string(&mut button, "borderRadius", text(styles, "borderRadius", length));
        insert_object(&mut components, name, button);
    }
    insert_object(&mut checked, "components", components);
    let declared = part(styles, "images");
    let mut images = strings(declared, &["favicon", "ogImage"], address);
    insert_string(&mut images, "logo", text(declared, "logo", logo));
    insert_object(&mut checked, "images", images);
    checked
}

/// The value with this name; null if there is none.
fn part<'v>(styles: &'v Value, name: &str) -> &'v Value {
    styles.get(name).unwrap_or(&Value::Null)
}

fn insert_object(object: &mut Map<String, Value>, name: &str, value: Map<String, Value>) {
    if !value.is_empty() {
        object.insert(name.to_owned(), Value::Object(value));
    }
}

/// The strings with these names that pass the check.
fn strings(styles: &Value, names: &[&str], check: fn(&str) -> Option<String>) -> Map<String, Value> {
    let mut strings = Map::new();
    for name in names {
        insert_string(&mut strings, name, text(styles, name, check));
    }
    strings
}

/// The string with this name, if it passes the check.
fn text(styles: &Value, name: &str, check: fn(&str) -> Option<String>) -> Option<String> {
    styles.get(name)?.as_str().and_then(check)
}

fn fonts(styles: &Value) -> Vec<Value> {
    let entries = styles.as_array().map_or(&[][..], Vec::as_slice).iter().take(MAX_FONTS);
    let font = |entry: &Value| {
        let family = text(entry, "family", family)?;
        let count = entry.get("count")?.as_u64().filter(|count| (1..=MAX_COUNT).contains(count))?;
        Some(json!({ "family": family, "count": count }))
    };
    entries.filter_map(font).collect()
}

fn color(value: &str) -> Option<String> {
    // A longer value holds no color that this module writes.
    (value.len() <= 100).then(|| Color::parse(value))?.map(|color| color.to_string())
}

fn length(value: &str) -> Option<String> {
    is_length(value).then(|| value.to_owned())
}

fn family(value: &str) -> Option<String> {
    first_family(value).filter(|family| !family.chars().any(char::is_control))
}

/// An address on the web, absolute.
fn address(value: &str) -> Option<String> {
    if value.len() > MAX_ADDRESS_BYTES {
        return None;
    }
    let url = Url::parse(value).ok()?;
    (matches!(url.scheme(), "http" | "https") && url.as_str().len() <= MAX_ADDRESS_BYTES).then(|| url.into())
}

/// The address of a logo, or its drawing.
fn logo(value: &str) -> Option<String> {
    let is_drawing = value.len() <= MAX_DRAWING_BYTES
        && value.starts_with(DRAWING)
        && value.bytes().all(|byte| byte.is_ascii_graphic());
    if is_drawing { Some(value.to_owned()) } else { address(value) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The branding of a page without style sheets, with these computed styles.
    fn with(styles: &Value) -> Value {
        let mut branding = json!({ "colorScheme": "light", "colors": {}, "images": {} });
        add_computed_styles(&mut branding, styles);
        branding
    }

    #[test]
    fn computed_values_win_and_others_stay() {
        let mut branding = json!({
            "colorScheme": "light",
            "logo": "https://a.example/old.png",
            "colors": { "primary": "#111111", "accent": "#222222" },
            "fonts": [{ "family": "Lora", "count": 1 }],
            "typography": { "fontFamilies": { "code": "Fira Code" }, "fontSizes": { "body": "16px" } },
            "spacing": { "baseUnit": 5.0, "borderRadius": "1px" },
            "components": { "buttonPrimary": { "background": "#333333", "textColor": "#444444" } },
            "images": { "logo": "https://a.example/old.png", "favicon": "https://a.example/f.ico" },
        });
        add_computed_styles(
            &mut branding,
            &json!({
                "colorScheme": "dark",
                "logo": "https://a.example/logo.svg",
                "colors": { "primary": "#ABCDEF", "background": "rgb(0, 0, 0)" },
                "fonts": [{ "family": "Work Sans", "count": 12 }],
                "typography": { "fontFamilies": { "primary": "Work Sans" }, "fontSizes": { "h1": "40px" } },
                "spacing": { "baseUnit": 8 },
                "components": {
                    "buttonPrimary": { "background": "#123456" },
                    "buttonSecondary": { "borderRadius": "50%" },
                },
                "images": { "logo": "https://a.example/logo.svg" },
            }),
        );
        assert_eq!(
            branding,
            json!({
                "colorScheme": "dark",
                "logo": "https://a.example/logo.svg",
                "colors": { "primary": "#abcdef", "accent": "#222222", "background": "#000000" },
                "fonts": [{ "family": "Work Sans", "count": 12 }],
                "typography": {
                    "fontFamilies": { "code": "Fira Code", "primary": "Work Sans" },
                    "fontSizes": { "body": "16px", "h1": "40px" },
                },
                "spacing": { "baseUnit": 8.0, "borderRadius": "1px" },
                "components": {
                    "buttonPrimary": { "background": "#123456", "textColor": "#444444" },
                    "buttonSecondary": { "borderRadius": "50%" },
                },
                "images": { "logo": "https://a.example/logo.svg", "favicon": "https://a.example/f.ico" },
            })
        );
    }

    #[test]
    fn values_of_the_wrong_form_are_left_out() {
        let long = "a".repeat(10_000);
        let drawing = |bytes: usize| format!("{DRAWING}{}", "a".repeat(bytes));
        for styles in [
            json!(null),
            json!([1, 2]),
            json!("dark"),
            json!({ "colorScheme": "<b>", "colors": [], "fonts": {}, "typography": 1, "spacing": null }),
            json!({ "colors": { "primary": 7, "link": "url(x)", "accent": "transparent", "other": "#fff" } }),
            json!({ "colors": { "primary": format!("#fff {long}") } }),
            json!({ "logo": "javascript:alert(1)", "images": { "favicon": "data:text/html,x" } }),
            json!({ "images": { "logo": "logo.svg" } }),
            json!({ "logo": drawing(MAX_DRAWING_BYTES) }),
            json!({ "images": { "logo": format!("{DRAWING}<svg onload>\n") } }),
            json!({ "images": { "ogImage": format!("https://a.example/{long}") } }),
            json!({ "fonts": [
                { "family": long, "count": 1 },
                { "family": "A{}", "count": 1 },
                "B",
                { "family": "C", "count": -1 },
                { "family": "D", "count": 1e300 },
                { "family": "E\u{7}", "count": 1 },
            ] }),
            json!({ "typography": { "fontSizes": { "h1": "expression(x)", "h2": long, "other": "1px" } } }),
            json!({ "spacing": { "baseUnit": 1e9, "borderRadius": ["1px"] } }),
            json!({ "components": { "buttonPrimary": { "color": "#fff" } } }),
            json!({ "components": { "card": { "background": "#fff" } } }),
            json!({ "unknown": { "colors": { "primary": "#fff" } } }),
        ] {
            assert_eq!(with(&styles), with(&Value::Null), "{styles}");
        }
        let drawn = drawing(100);
        assert_eq!(with(&json!({ "logo": drawn }))["logo"], json!(drawn));
        let many: Vec<Value> = (0..100).map(|n| json!({ "family": format!("F{n}"), "count": 1 })).collect();
        assert_eq!(with(&json!({ "fonts": many }))["fonts"].as_array().unwrap().len(), MAX_FONTS);
    }

    #[test]
    fn a_page_without_branding_gets_none() {
        let mut branding = Value::Null;
        add_computed_styles(&mut branding, &json!({ "colorScheme": "dark" }));
        assert_eq!(branding, Value::Null);
    }
}
