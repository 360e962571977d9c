//! The `branding` format: colors, fonts, logo and spacing, from style sheets in the page and its meta tags,
//! and from [computed styles](computed) where a browser rendered the page.
//!
//! Without a browser, this module reads the declarations for the most important elements (`body`, headings,
//! links, buttons), the names of color variables, and the theme in the meta tags. Style sheets in other files
//! are not fetched. What the page does not declare is left out.

mod color;
mod computed;
mod css;

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use crate::page::picture;
use crate::resolver::Resolver;
use crate::tree::{Attr, Edge, NodeId, Tag, Tree, Walk};
use color::Color;
pub use computed::add_computed_styles;
use css::StyleSheet;

/// Upper bound on the fonts in the result.
const MAX_FONTS: usize = 8;

/// The branding of a page whose source is `text`.
pub(crate) fn read(tree: &Tree, text: &str, resolver: &Resolver) -> Value {
    let sheet = StyleSheet::of_page(text);
    let head = Head::read(tree, resolver);
    let colors = colors(&sheet, &head);
    let background = colors.get("background").and_then(Value::as_str).and_then(Color::parse);
    let scheme = head.scheme.clone().or_else(|| sheet.root("color-scheme").map(str::to_owned));
    let dark = match scheme.as_deref().map(str::trim) {
        Some("dark" | "only dark") => true,
        Some("light" | "only light") => false,
        _ => background.is_some_and(Color::is_dark),
    };
    let mut branding = Map::new();
    branding.insert("colorScheme".to_owned(), json!(if dark { "dark" } else { "light" }));
    branding.insert("colors".to_owned(), Value::Object(colors));
    branding.insert("fonts".to_owned(), fonts(&sheet));
    branding.insert("typography".to_owned(), typography(&sheet));
    branding.insert("spacing".to_owned(), spacing(&sheet));
    branding.insert("components".to_owned(), components(&sheet));
    let mut images = Map::new();
    for (name, address) in [("logo", &head.logo), ("favicon", &head.icon), ("ogImage", &head.preview)] {
        insert_string(&mut images, name, address.clone());
    }
    insert_string(&mut branding, "logo", head.logo.clone());
    branding.insert("images".to_owned(), Value::Object(images));
    Value::Object(branding)
}

fn insert_string(object: &mut Map<String, Value>, name: &str, value: Option<String>) {
    if let Some(value) = value {
        object.insert(name.to_owned(), Value::String(value));
    }
}

/// What meta tags, links and images declare.
#[derive(Debug, Default)]
struct Head {
    theme: Option<String>,
    scheme: Option<String>,
    icon: Option<String>,
    preview: Option<String>,
    logo: Option<String>,
}

impl Head {
    fn read(tree: &Tree, resolver: &Resolver) -> Self {
        let mut head = Self::default();
        let mut best = 0;
        for edge in Walk::new(tree, NodeId::DOCUMENT) {
            let Edge::Enter(node) = edge else { continue };
            let attribute = |name| tree.attribute(node, name).unwrap_or_default();
            match tree.tag(node) {
                Tag::Meta => {
                    let name = if tree.has(node, Attr::Name) {
                        attribute(Attr::Name)
                    } else {
                        attribute(Attr::Property)
                    };
                    let content =
                        || Some(attribute(Attr::Content).to_owned()).filter(|text| !text.is_empty());
                    match name.to_ascii_lowercase().as_str() {
                        "theme-color" => head.theme = head.theme.or_else(content),
                        "msapplication-tilecolor" => head.theme = head.theme.or_else(content),
                        "color-scheme" => head.scheme = head.scheme.or_else(content),
                        "og:image" => {
                            head.preview = head
                                .preview
                                .or_else(|| resolver.web_url(attribute(Attr::Content)).map(String::from));
                        }
                        _ => {}
                    }
                }
                Tag::Link => {
                    let rel = attribute(Attr::Rel).to_ascii_lowercase();
                    if rel.split_ascii_whitespace().any(|word| word == "icon" || word == "apple-touch-icon") {
                        head.icon =
                            head.icon.or_else(|| resolver.web_url(attribute(Attr::Href)).map(String::from));
                    }
                }
                Tag::Img => {
                    let rank = logo_rank(tree, node);
                    if rank > best
                        && let Some(url) =
                            picture::source(tree, node).and_then(|source| resolver.web_url(source))
                    {
                        best = rank;
                        head.logo = Some(url.into());
                    }
                }
                _ => {}
            }
        }
        head
    }
}

/// How likely an image is the logo; 0 without evidence.
fn logo_rank(tree: &Tree, image: NodeId) -> u32 {
    let mentions_logo = |node: NodeId| {
        [Attr::Class, Attr::Id, Attr::Alt, Attr::Src, Attr::AriaLabel]
            .iter()
            .filter_map(|name| tree.attribute(node, *name))
            .any(|text| text.len() < 500 && text.to_ascii_lowercase().contains("logo"))
    };
    let ancestors: Vec<NodeId> = tree.ancestors(image).take(6).collect();
    let named = mentions_logo(image) || ancestors.iter().take(3).any(|node| mentions_logo(*node));
    if !named {
        return 0;
    }
    let at_top = ancestors.iter().any(|node| matches!(tree.tag(*node), Tag::Header | Tag::Nav));
    let home = ancestors.iter().any(|node| {
        tree.tag(*node) == Tag::A
            && tree.attribute(*node, Attr::Href).is_some_and(|href| matches!(href.trim(), "/" | "./" | "#"))
    });
    1 + 2 * u32::from(at_top) + 2 * u32::from(home)
}

fn colors(sheet: &StyleSheet, head: &Head) -> Map<String, Value> {
    let parsed = |text: &str| Color::parse(sheet.resolved(text)).map(|color| color.to_string());
    let named = |names: &[&str]| names.iter().find_map(|name| sheet.variable_like(name)).and_then(parsed);
    let of = |selectors: &[&str], property: &str| sheet.of(selectors, property).and_then(parsed);
    let mut colors = Map::new();
    let primary =
        named(&["primary", "brand", "main-color"]).or_else(|| head.theme.as_deref().and_then(parsed));
    insert_string(
        &mut colors,
        "primary",
        primary.or_else(|| of(BUTTONS, "background-color").or_else(|| of(BUTTONS, "background"))),
    );
    insert_string(&mut colors, "secondary", named(&["secondary"]));
    insert_string(&mut colors, "accent", named(&["accent", "highlight"]));
    let background = of(PAGE, "background-color").or_else(|| of(PAGE, "background"));
    insert_string(&mut colors, "background", background.or_else(|| named(&["background", "bg"])));
    insert_string(&mut colors, "textPrimary", of(PAGE, "color").or_else(|| named(&["text", "foreground"])));
    insert_string(&mut colors, "textSecondary", named(&["text-secondary", "text-muted", "muted"]));
    insert_string(&mut colors, "link", of(&["a", "a:link"], "color").or_else(|| named(&["link"])));
    colors
}

const PAGE: &[&str] = &["body", "html", ":root", "html,body", "html body"];
const BUTTONS: &[&str] =
    &[".btn-primary", ".button-primary", ".button--primary", ".btn", ".button", "button"];

fn fonts(sheet: &StyleSheet) -> Value {
    let families = sheet.values("font-family").filter_map(|value| first_family(sheet.resolved(value)));
    let most = by_count(families).into_iter().take(MAX_FONTS);
    Value::Array(most.map(|(family, count)| json!({ "family": family, "count": count })).collect())
}

/// Values with their counts, most frequent first. Equal counts keep the order of the first occurrence.
fn by_count(values: impl Iterator<Item = String>) -> Vec<(String, usize)> {
    let mut counts: HashMap<String, (usize, usize)> = HashMap::new();
    for (at, value) in values.enumerate() {
        counts.entry(value).or_insert((0, at)).0 += 1;
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|(_, (count, first))| (std::cmp::Reverse(*count), *first));
    counts.into_iter().map(|(value, (count, _))| (value, count)).collect()
}

/// The first family of a font list. `None` if it is a generic family or a keyword.
fn first_family(list: &str) -> Option<String> {
    let family = list.split(',').next()?.trim().trim_matches(['"', '\'']).trim();
    let generic =
        ["inherit", "initial", "unset", "serif", "sans-serif", "monospace", "system-ui", "cursive", "revert"];
    let fits = !family.is_empty()
        && family.len() <= 80
        && !family.contains(['(', '{', ';', '<'])
        && !generic.iter().any(|word| family.eq_ignore_ascii_case(word));
    fits.then(|| family.to_owned())
}

fn typography(sheet: &StyleSheet) -> Value {
    let (mut families, mut sizes) = (Map::new(), Map::new());
    let family = |selectors: &[&str]| {
        sheet.of(selectors, "font-family").and_then(|list| first_family(sheet.resolved(list)))
    };
    insert_string(&mut families, "primary", family(PAGE));
    insert_string(&mut families, "heading", family(&["h1", "h2", "h1,h2,h3", "h1,h2,h3,h4,h5,h6"]));
    insert_string(&mut families, "code", family(&["code", "pre", "pre,code", "code,pre"]));
    for (name, selectors) in [("body", PAGE), ("h1", &["h1"][..]), ("h2", &["h2"]), ("h3", &["h3"])] {
        insert_string(
            &mut sizes,
            name,
            sheet
                .of(selectors, "font-size")
                .map(|size| sheet.resolved(size).to_owned())
                .filter(|size| is_length(size)),
        );
    }
    json!({ "fontFamilies": families, "fontSizes": sizes })
}

fn spacing(sheet: &StyleSheet) -> Value {
    let mut spacing = Map::new();
    let lengths: Vec<f64> = ["padding", "margin", "gap"]
        .iter()
        .flat_map(|property| sheet.values(property))
        .flat_map(str::split_ascii_whitespace)
        .filter_map(pixels)
        .filter(|length| *length >= 2.0)
        .collect();
    let multiples = |unit: f64| lengths.iter().filter(|length| (**length % unit).abs() < 0.01).count();
    if lengths.len() >= 4 {
        let unit = [8.0, 5.0, 4.0].into_iter().find(|unit| multiples(*unit) * 10 >= lengths.len() * 6);
        spacing.insert("baseUnit".to_owned(), json!(unit.unwrap_or(4.0)));
    }
    let radii =
        sheet.values("border-radius").map(|value| sheet.resolved(value)).filter(|value| is_length(value));
    insert_string(
        &mut spacing,
        "borderRadius",
        by_count(radii.map(str::to_owned)).into_iter().next().map(|(radius, _)| radius),
    );
    Value::Object(spacing)
}

fn components(sheet: &StyleSheet) -> Value {
    let mut components = Map::new();
    let groups: [(&str, &[&str]); 2] = [
        ("buttonPrimary", BUTTONS),
        ("buttonSecondary", &[".btn-secondary", ".button-secondary", ".button--secondary"]),
    ];
    for (name, selectors) in groups {
        let mut button = Map::new();
        let color = |property: &str| {
            sheet
                .of(selectors, property)
                .and_then(|value| Color::parse(sheet.resolved(value)))
                .map(|color| color.to_string())
        };
        insert_string(&mut button, "background", color("background-color").or_else(|| color("background")));
        insert_string(&mut button, "textColor", color("color"));
        let radius = sheet.of(selectors, "border-radius").map(|radius| sheet.resolved(radius).to_owned());
        insert_string(&mut button, "borderRadius", radius.filter(|radius| is_length(radius)));
        if !button.is_empty() {
            components.insert(name.to_owned(), Value::Object(button));
        }
    }
    Value::Object(components)
}

fn is_length(value: &str) -> bool {
    value.len() <= 40
        && value.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '.' | 'c'))
        && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".%+-*/(), ".contains(&byte))
}

/// A length in CSS pixels.
fn pixels(length: &str) -> Option<f64> {
    if let Some(rem) = length.strip_suffix("rem") {
        return rem.parse::<f64>().ok().map(|rem| rem * 16.0);
    }
    length.strip_suffix("px")?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{ParseOptions, parse};

    #[test]
    fn branding_is_read_from_a_page() {
        let html = "<html><head><meta name=theme-color content='#0a7'><link rel=icon href=/f.ico>
            <meta property=og:image content=/og.png><style>/* x */ :root{--brand:#123456;--text-muted:gray}
            body { background: #fff; color: rgb(10, 20, 30);
            font-family: 'Work Sans', sans-serif; font-size: 17px }
            @media (min-width: 10px) { h1, h2 { font-family: Lora, serif }
            .card { padding: 8px 16px; margin: 24px; gap: 8px } }
            a{color:var(--brand)} .btn{background-color:#123456;color:white;border-radius:6px}</style></head>
            <body><header><a href=/><img src=/logo.svg alt='Acme logo'></a></header><p>x</p></body></html>";
        let tree = parse(html, ParseOptions::default());
        let resolver = Resolver::of_tree(&"https://example.org/".parse().unwrap(), &tree);
        assert_eq!(
            read(&tree, html, &resolver),
            json!({
                "colorScheme": "light",
                "logo": "https://example.org/logo.svg",
                "colors": {
                    "primary": "#123456", "background": "#ffffff", "textPrimary": "#0a141e",
                    "textSecondary": "#808080", "link": "#123456",
                },
                "fonts": [{ "family": "Work Sans", "count": 1 }, { "family": "Lora", "count": 1 }],
                "typography": {
                    "fontFamilies": { "primary": "Work Sans", "heading": "Lora" },
                    "fontSizes": { "body": "17px" },
                },
                "spacing": { "baseUnit": 8.0, "borderRadius": "6px" },
                "components": {
                    "buttonPrimary": {
                        "background": "#123456", "textColor": "#ffffff", "borderRadius": "6px",
                    },
                },
                "images": {
                    "logo": "https://example.org/logo.svg", "favicon": "https://example.org/f.ico",
                    "ogImage": "https://example.org/og.png",
                },
            })
        );
    }

    #[test]
    fn a_dark_page_is_recognized() {
        for (html, scheme) in [
            ("<style>body{background:#111}</style>", "dark"),
            ("<meta name=color-scheme content=dark>", "dark"),
            ("<p>x", "light"),
        ] {
            let tree = parse(html, ParseOptions::default());
            let branding = read(&tree, html, &Resolver::without_base());
            assert_eq!(branding.get("colorScheme"), Some(&json!(scheme)), "{html}");
        }
    }
}
