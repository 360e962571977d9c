//! The HTML and the computed styles of pages.

use gleaner_fetch::{EgressPolicy, Error, Fetcher, FollowAll, Rendered};
use gleaner_testkit::{HostilePage, PageServer};
use serde_json::{Value, json};

use crate::support::{browser, render_pages, request};

const INNER: &str = "<title>Inner</title><p>Words of the frame, <a href=more?a=1>a link</a>, \
    <img src=i.png srcset='a.png, b.png 2x'></p>";

const SHADOW_ROOTS: &str = "<x-open>slot</x-open><x-closed></x-closed><script>\
    const root = (mode, html) => class extends HTMLElement {\
        connectedCallback() { this.attachShadow({ mode }).innerHTML = html; } };\
    customElements.define('x-open', root('open', '<p>open</p><slot></slot>'));\
    customElements.define('x-closed', root('closed', '<p>closed</p>'));</script>";

/// A frame in a shadow root.
const IN_SHADOW: &str = "<x-f></x-f><script>customElements.define('x-f', class extends HTMLElement {\
    connectedCallback() { this.attachShadow({ mode: 'open' }).innerHTML =\
        '<iframe srcdoc=\"<b>in shadow</b>\"></iframe>'; } })</script>";

/// A frame with another frame and a shadow root.
const OUTER: &str = "<noscript>Switch it on</noscript><i>outer</i><iframe src=/frames/inner></iframe>\
    <x-s></x-s><script>customElements.define('x-s', class extends HTMLElement { connectedCallback() {\
        this.attachShadow({ mode: 'open' }).innerHTML = '<u>in both</u>'; } })</script>";

/// A slot without a name, to which a script assigns the second child.
const ASSIGNED: &str = "<x-m><b>first</b><b>second</b></x-m><script>customElements.define('x-m',\
    class extends HTMLElement { connectedCallback() {\
        const root = this.attachShadow({ mode: 'open', slotAssignment: 'manual' });\
        root.innerHTML = '(<slot>none</slot>)';\
        root.querySelector('slot').assign(this.lastElementChild); } })</script>";

/// Cookie dialogs in several languages and forms.
const DIALOGS: &[&str] = &[
    "<div style='position: fixed; bottom: 0; left: 0; right: 0'>This site uses cookies. <a href=/p>More</a> \
     <button>Got it</button></div>",
    "<style>body { overflow: hidden }</style><div style='position: fixed; inset: 0; z-index: 9'></div>\
     <div role=dialog style='position: fixed; top: 20%; z-index: 10'><h2>We value your privacy</h2>\
     <p>We and our partners store cookies.</p><button>Manage</button><button>Accept all</button></div>",
    "<x-cmp></x-cmp><script>document.querySelector('x-cmp').attachShadow({ mode: 'open' }).innerHTML = \
     '<div style=\"position: fixed; inset: 0\">Wir nutzen Cookies <button>Alle akzeptieren</button></div>'\
     </script>",
    "<dialog id=d>Nous utilisons des cookies. <button>Tout accepter</button></dialog>\
     <script>d.showModal()</script>",
    "<div id=cookie-notice>Usamos cookies propias. <button>Aceptar</button></div>",
];

/// Elements that resemble cookie dialogs.
const NO_DIALOGS: &[&str] = &[
    "<header style='position: sticky; top: 0'>Cookie recipes \
     <nav><a href=/privacy>Privacy and cookies</a></nav></header>",
    "<article style='position: relative'>A cookie is a small cake. We accept all recipes with cookies. \
     <button>Accept recipe</button></article>",
    "<div role=dialog style='position: fixed; top: 10%'>By signing in you accept our cookie policy \
     <form><input type=password><button>Continue</button></form></div>",
    "<div style='position: fixed; bottom: 0'>Chat with us <button>Okay</button></div>",
    "<div class=cookie-card>Cookie with chocolate <button>Buy</button></div>\
     <div class=cookie-card>Cookie with nuts <button>Buy</button></div>",
];

async fn rendered(html: &str, options: Value) -> Option<Rendered> {
    let browser = browser()?;
    let pages = vec![
        HostilePage::html("/", html.to_owned()),
        HostilePage::html("/frames/inner", INNER),
        HostilePage::html("/frames/outer", OUTER),
    ];
    let rendered = render_pages(&browser, pages, options).await.unwrap();
    browser.close().await;
    Some(rendered.page)
}

#[tokio::test]
async fn the_html_is_what_a_visitor_sees() {
    let cases: [(&str, &[&str], &[&str]); 13] = [
        (
            "<!DOCTYPE html><p id=p></p><script>p.textContent = 'a < b & c'</script>",
            &["<!DOCTYPE html><html><head></head><body><p id=\"p\">a &lt; b &amp; c</p>"],
            &[],
        ),
        ("<p>No doctype</p>", &["<html><head></head><body><p>No doctype</p>"], &["DOCTYPE"]),
        (
            SHADOW_ROOTS,
            &[
                "<x-open><template shadowrootmode=\"open\"><p>open</p><slot></slot></template>slot</x-open>",
                "<x-closed><template shadowrootmode=\"closed\"><p>closed</p></template></x-closed>",
            ],
            &[],
        ),
        // Half of a surrogate pair.
        (
            "<p id=p></p><script>p.textContent = 'cut \\ud83d here'</script>",
            &["<p id=\"p\">cut \u{fffd}"],
            &[],
        ),
        (
            "<iframe src=/frames/inner></iframe><iframe srcdoc='<b>words of srcdoc</b>'></iframe><p>end</p>",
            &[
                "<iframe src=\"/frames/inner\"></iframe><div data-frame-url=\"http://127.0.0.1:",
                "/frames/inner\"><p>Words of the frame, <a href=\"http://127.0.0.1:",
                "/frames/more?a=1\">a link</a>",
                "/frames/i.png\"",
                "/frames/b.png 2x\"",
                "<div data-frame-url=\"about:srcdoc\"><b>words of srcdoc</b></div><p>end</p>",
            ],
            &["data-gleaner", "<title>Inner"],
        ),
        (
            "<iframe style='display: none' srcdoc='<b>x</b>'></iframe><iframe sandbox srcdoc=words></iframe>",
            &["<iframe style=\"display: none\""],
            &["data-frame-url"],
        ),
        (
            "<body><noscript>Switch it on</noscript><noscript><img src=a.png></noscript>",
            &["<noscript hidden=\"\">Switch it on</noscript><noscript><img src=a.png></noscript>"],
            &[],
        ),
        (
            "<iframe src=http://127.0.0.1:9/film title='A film' width=400 height=300></iframe>
            <iframe src=http://127.0.0.1:9/button width=90 height=20></iframe>",
            &[
                "<div data-frame-url=\"http://127.0.0.1:9/film\"><p><a href=\"http:",
                "9/film\">A film</a></p></div>",
            ],
            &["<a href=\"http://127.0.0.1:9/button\"", "data-gleaner"],
        ),
        (
            "<style>.no-js, .tab { display: none }</style><div class=no-js><p>Sorry.</p><p>Please enable \
             JavaScript to see the list.</p></div><div class=tab>In JavaScript: <code>a()</code></div>",
            &["<div class=\"no-js\" hidden=\"\"><p>Sorry.</p>", "<div class=\"tab\">In JavaScript"],
            &[],
        ),
        (
            IN_SHADOW,
            &["</iframe><div data-frame-url=\"about:srcdoc\"><b>in shadow</b></div></template>"],
            &["data-gleaner"],
        ),
        (
            "<iframe src=/frames/outer></iframe><p>end</p>",
            &[
                "<i>outer</i><iframe src=\"http://127.0.0.1:",
                "/frames/inner\"><p>Words of the frame",
                "<template shadowrootmode=\"open\"><u>in both</u></template>",
                "</div><p>end</p>",
            ],
            &["data-gleaner", "Switch it on"],
        ),
        (
            ASSIGNED,
            &["(<slot name=\"assigned-0\">none</slot>)", "<b>first</b><b slot=\"assigned-0\">second</b>"],
            &["data-gleaner"],
        ),
        (
            "<title>Set</title><frameset rows=*><frame src=/frames/inner><frame src=/none></frameset>",
            &["<title>Set</title>", "</head><body><div data-frame-url=", "<p>Words of the frame"],
            &["<frameset", "<frame "],
        ),
    ];
    for (html, expected, unexpected) in cases {
        let Some(page) = rendered(html, json!({})).await else { return };
        for text in expected {
            assert!(page.html.contains(text), "{text} is not in {}", page.html);
        }
        for text in unexpected {
            assert!(!page.html.contains(text), "{text} is in {}", page.html);
        }
    }
}

#[tokio::test]
async fn the_encoding_is_that_of_the_page_as_served() {
    let Some(browser) = browser() else { return };
    for (content_type, html, charset) in [
        ("text/html; charset=cp1251", b"<p>\xFF<form name=characterSet></form>".as_slice(), "windows-1251"),
        ("text/html", b"<meta charset=latin1><p>\xE4".as_slice(), "windows-1252"),
        ("text/html; charset=utf-8", b"<p>text".as_slice(), "UTF-8"),
    ] {
        let pages = vec![HostilePage::new("/", content_type, html)];
        let page = render_pages(&browser, pages, json!({})).await.unwrap().page;
        assert_eq!(page.charset.as_deref(), Some(charset), "{content_type}");
    }
    browser.close().await;
}

#[tokio::test]
async fn a_document_that_grows_beyond_the_limit_is_an_error() {
    let Some(browser) = browser() else { return };
    let page = |letters: usize| {
        let script = format!("document.body.append('x'.repeat({letters}))");
        HostilePage::html("/", format!("<!doctype html><body><script>{script}</script>"))
    };
    let policy = EgressPolicy::public_only().allow_cidr("127.0.0.0/8".parse().unwrap());
    let fetcher = Fetcher::builder().egress(policy).max_body(10_000).build().unwrap();
    for (letters, is_too_large) in [(9_000, false), (10_000, true)] {
        let server = PageServer::start(vec![page(letters)]).unwrap();
        let url = format!("{}/", server.base_url()).parse().unwrap();
        let result = fetcher.render(&browser, &request(url, json!({})), &FollowAll).await;
        assert_eq!(result.as_ref().is_err_and(Error::is_too_large), is_too_large, "{result:?}");
        assert_eq!(result.is_ok(), !is_too_large, "{result:?}");
    }
    browser.close().await;
}

#[tokio::test]
async fn cookie_dialogs_are_hidden_and_nothing_else() {
    let words = "<p>Many words on mills, rivers and their people.</p>".repeat(40);
    let dialogs = DIALOGS.iter().map(|html| (html, true));
    for (html, is_dialog) in dialogs.chain(NO_DIALOGS.iter().map(|html| (html, false))) {
        let page = format!("<!doctype html><body>{html}<h1>Mills</h1>{words}");
        for block_ads in [true, false] {
            let Some(rendered) = rendered(&page, json!({ "blockAds": block_ads })).await else { return };
            let is_hidden = rendered.html.contains(" hidden=\"\"");
            assert_eq!(is_hidden, is_dialog && block_ads, "blockAds {block_ads}: {html}");
        }
    }
}

#[tokio::test]
async fn computed_styles_have_the_form_of_branding() {
    let html = "<!doctype html><meta property=og:image content=/og.png><link rel=icon href=/f.ico>\
        <style>:root { --brand: oklch(0.6 0.2 250) } body { background: #fff; color: rgb(10, 20, 30); \
        font: 17px 'Work Sans', sans-serif } h1 { font-family: Lora, serif } a { color: #123456 }\
        .btn { background: #123456; color: #fff; border-radius: 6px; padding: 8px 16px; border: 0 }</style>\
        <h1>Acme</h1><p>Hello, <a href=/x>link</a></p><button class=btn>Buy it now</button>";
    let Some(page) = rendered(html, json!({ "formats": ["branding"] })).await else { return };
    let styles = page.styles.unwrap();
    for (pointer, expected) in [
        ("/colorScheme", json!("light")),
        ("/colors/background", json!("#ffffff")),
        ("/colors/textPrimary", json!("#0a141e")),
        ("/colors/link", json!("#123456")),
        ("/typography/fontFamilies/primary", json!("Work Sans")),
        ("/typography/fontFamilies/heading", json!("Lora")),
        ("/typography/fontSizes/body", json!("17px")),
        (
            "/components/buttonPrimary",
            json!({
                "background": "#123456", "textColor": "#ffffff", "borderRadius": "6px",
            }),
        ),
    ] {
        assert_eq!(styles.pointer(pointer), Some(&expected), "{pointer} of {styles}");
    }
    let primary = styles.pointer("/colors/primary").and_then(Value::as_str).unwrap_or_default();
    assert!(primary.starts_with('#') && primary.len() == 7, "any notation is converted: {styles}");
    let favicon = styles.pointer("/images/favicon").and_then(Value::as_str).unwrap_or_default();
    assert!(favicon.starts_with("http://127.0.0.1:") && favicon.ends_with("/f.ico"), "{styles}");
    let Some(page) = rendered(html, json!({})).await else { return };
    assert_eq!(page.styles, None);
}
