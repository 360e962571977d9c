//! Pages that are empty shells as served, and pages that look like them. Each is read twice: with a tree, and
//! in the single pass for links.

#![expect(clippy::unwrap_used, reason = "code of tests: a broken assumption ends the test")]

use gleaner_transform::{Input, transform};
use gleaner_types::request::{Format, ScrapeOptions};

const SHELLS: &[(&str, &str)] = &[
    (
        "React, one bundle",
        "<title>App</title><noscript>You need to enable JavaScript to run this app.</noscript><div id=root>\
         </div>\
         <script src=/static/js/main.1a2b.js></script>",
    ),
    (
        "React, module in the head",
        "<head><script type=module src=/assets/index.js></script></head><body><div id='root'></div></body>",
    ),
    (
        "Vue",
        "<noscript><strong>We're sorry, but the shop doesn't work without JavaScript.</strong></noscript>\
         <div id=app></div><!-- built files --><script src=/js/app.js></script>",
    ),
    (
        "Vue, template in the page",
        "<div id=app><h1>{{ title }}</h1><p>{{ text }}</p></div><script src=/vue.js></script>",
    ),
    ("Angular", "<app-root></app-root><script src=main.js type=module></script>"),
    ("Angular with a text", "<app-root>Loading...</app-root><script src=main.js type=module></script>"),
    (
        "AngularJS, a view",
        "<body ng-app=shop><nav><a href=/>Home</a></nav><div ng-view></div><script src=a.js></script>",
    ),
    (
        "AngularJS, a template",
        "<html ng-app=shop><body><h1>{{ page.title }}</h1><p>{{ page.text }}</p><script src=a.js></script>",
    ),
    ("Svelte", "<body><div id=svelte></div><script type=module>import('./start.js')</script>"),
    (
        "SvelteKit without a server",
        "<body data-sveltekit-preload-data=hover><div style='display: contents'><script>start()</script>\
         </div>",
    ),
    (
        "Ember",
        "<body><script src=/assets/vendor.js></script><script src=/assets/shop.js></script>\
         <div id=ember-basic-dropdown-wormhole></div></body>",
    ),
    (
        "Next, exported for clients",
        "<div id=__next></div><script id=__NEXT_DATA__ type=application/json>{\"props\":{}}</script>\
         <script src=/_next/static/chunks/main.js></script>",
    ),
    (
        "Nuxt without a server",
        "<div id=__nuxt><style>.loader{}</style><div class=loader></div></div>\
         <script>window.__NUXT__={}</script>",
    ),
    (
        "Gatsby",
        "<div id=___gatsby><div tabindex=-1 id=gatsby-focus-wrapper></div></div><script src=/app.js>\
         </script>",
    ),
    ("Docusaurus", "<div id=__docusaurus></div><script src=/main.js></script>"),
    ("Quasar", "<div id=q-app></div><script src=/js/app.js></script>"),
    ("Flutter", "<body><script src=flutter_bootstrap.js async></script></body>"),
    (
        "Blazor",
        "<div id=app><svg class=loading-progress><circle r=40 /></svg><div class=loading-progress-text>\
         </div></div>\
         <div id=blazor-error-ui>An unhandled error has occurred. <a href=''>Reload</a></div>\
         <script src=_framework/blazor.webassembly.js></script>",
    ),
    (
        "a custom element and a text beside it",
        "<my-app></my-app><p>© The makers of tea pots</p><script type=module src=my-app.js></script>",
    ),
    (
        "a spinner with a text",
        "<div id=root><div class=spinner><span>Please wait</span></div></div><script src=a.js></script>",
    ),
    (
        "a skeleton",
        "<div id=app><div class=skeleton-line></div><div class=skeleton-line></div>\
         <div class=skeleton-line></div>\
         </div><script src=a.js></script>",
    ),
    ("a logo", "<div id=root><img src=/logo.svg alt=Acme></div><script src=a.js></script>"),
    ("aria-busy", "<main aria-busy=true><p>The catalogue comes soon</p></main><script src=a.js></script>"),
    (
        "an empty element between a long header and a long footer",
        "<header><p>%LONG%</p></header><div id=app></div><footer><p>%LONG%</p></footer><script src=a.js>\
         </script>",
    ),
    (
        "an empty main element between a header and a footer",
        "<header><nav><a href=/a>Teas</a><a href=/b>Pots</a></nav></header><main></main>\
         <footer>Imprint</footer><script src=a.js></script>",
    ),
    ("one word", "<body>Loading…<script src=app.js></script></body>"),
    ("another language", "<div id=app>Die Anwendung wird geladen …</div><script src=app.js></script>"),
    (
        "a sentence in place of the page",
        "<p>Please enable JavaScript to view this site.</p><script src=app.js></script>",
    ),
    (
        "a sentence in the element",
        "<div id=app><p>This site requires JavaScript.</p></div><script src=app.js></script>",
    ),
    (
        "browsers without JavaScript are sent away",
        "<noscript><meta http-equiv=refresh content='0;url=/basic'></noscript><div id=wrapper></div>\
         <p>We use cookies for the basket, and to count the visits of our pages.</p><script src=a.js>\
         </script>",
    ),
    (
        "a link to the content, and a script of a widget",
        "<div id=app><a href=#content>Skip to the content</a><div id=content></div></div>\
         <script src=https://challenges.example/v0/widget.js></script><script src=a.js></script>",
    ),
    (
        "a short text in JSON-LD",
        "<script type=application/ld+json>{\"@type\":\"Article\",\"articleBody\":\"Short.\"}</script>\
         <div id=root></div><script src=a.js></script>",
    ),
];

const PAGES: &[(&str, &str)] = &[
    ("a short page", "<h1>Tea</h1><p>Short, but served.</p><script>track()</script>"),
    ("no scripts", "<div id=root></div>"),
    ("data alone", "<div id=app></div><script type=application/json>{}</script>"),
    (
        "an error page of a framework",
        "<div id=__next><div><h1>404</h1><h2>This page could not be found.</h2></div></div>\
         <script src=a.js></script>",
    ),
    (
        "a login form",
        "<div id=root><form><label>E-mail</label><input name=email><input type=password name=p>\
         <button>Log in</button></form></div><script src=a.js></script>",
    ),
    ("a search form", "<main><form><input type=search name=q></form></main><script src=a.js></script>"),
    ("a frame", "<body><iframe src=https://film.example/1></iframe><script src=a.js></script></body>"),
    ("a frameset", "<head><script>a()</script></head><frameset><frame src=a><frame src=b></frameset>"),
    ("a game", "<canvas></canvas><script src=game.js></script>"),
    ("a film", "<main><video src=film.mp4></video></main><script src=a.js></script>"),
    (
        "a challenge",
        "<title>Just a moment...</title><noscript>Enable JavaScript and cookies to continue</noscript>\
         <script src=a.js></script>",
    ),
    (
        "a challenge with an app",
        "<title>Attention Required!</title><div id=app></div><script src=a.js></script>",
    ),
    (
        "a puzzle",
        "<div class=h-captcha></div><noscript>Please enable JavaScript.</noscript><script src=a.js></script>",
    ),
    (
        "a post with comments by scripts",
        "<article><h1>Glazing</h1><p>Two coats are enough.</p></article><div id=comments></div>\
         <noscript>Please enable JavaScript to view the comments.</noscript><script src=a.js></script>",
    ),
    (
        "rendered by a server",
        "<div id=root data-reactroot><h1>Pots</h1><p>%LONG%</p></div><script src=a.js></script>",
    ),
    (
        "a short page rendered by a server",
        "<noscript>You need to enable JavaScript to run this app.</noscript><div id=root><h1>Pots</h1>\
         <p>We make pots.</p></div><script src=a.js></script>",
    ),
    (
        "exported by a server",
        "<div id=__docusaurus><nav><a href=/>Docs</a></nav><main><h1>Start</h1><p>%LONG%</p></main></div>\
         <script src=a.js></script>",
    ),
    (
        "its text in a noscript",
        "<div id=app><noscript><p>%LONG%</p><p>%LONG%</p></noscript></div><script src=a.js></script>",
    ),
    (
        "a header without an end",
        "<header><nav><a href=/>Home</a></header><main><h1>Pots</h1><p>%LONG%</p></main>\
         <script src=a.js></script>",
    ),
    (
        "a drawing before the text",
        "<svg viewBox='0 0 1 1'/><h1>Pots</h1><p>We make pots.</p><script src=a.js></script>",
    ),
    (
        "its text in JSON-LD",
        "<script type=application/ld+json>{\"@type\":\"Article\",\"articleBody\":\"%LONG% %LONG%\"}</script>\
         <div id=root></div><script src=a.js></script>",
    ),
    (
        "photos",
        "<header><nav><a href=/>Home</a></nav></header><main id=main><img src=a.jpg><img src=b.jpg></main>\
         <script src=a.js></script>",
    ),
    (
        "a preloader above a short page",
        "<div class=preloader><span>Loading</span></div><h1>Coming soon</h1><p>Our shop opens in May.</p>\
         <script src=a.js></script>",
    ),
    (
        "widgets",
        "<h1>Contact</h1><p>Call us from nine to five.</p><div id=chat-widget></div><div id=fb-root></div>\
         <script src=a.js></script>",
    ),
    ("a manual about JavaScript", "<h1>How to enable JavaScript</h1><p>%LONG%</p><script src=a.js></script>"),
    (
        "a header as a custom element",
        "<site-header></site-header><p>We are open from nine to five.</p><script src=a.js></script>",
    ),
    (
        "a pixel",
        "<h1>Thanks</h1><p>We got your message.</p><noscript><img src=/pixel.gif></noscript>\
         <script src=a.js></script>",
    ),
    (
        "a body that is marked until its scripts ran",
        "<body class=loading><h1>Opening hours</h1><p>Nine to five.</p><script src=a.js></script></body>",
    ),
    (
        "a word within another",
        "<div id=app><p>Downloading is free of charge.</p></div><script src=a.js></script>",
    ),
    (
        "a picture in the element",
        "<div id=app><img src=/harbour.jpg alt='The harbour'></div><script src=a.js></script>",
    ),
];

/// More text than a shell has.
const LONG: &str = "The kiln is heated slowly, for the first two hours with the door ajar, so that the \
         water in \
    the clay can leave as steam. After that the door is closed, and the heat rises by a hundred degrees an \
    hour \
    until the cones bend. Then the potter waits for a day: a pot that meets cold air too early cracks, and \
         its \
    glaze crazes. The first pots of a new kiln are always test pieces, since every kiln has warm and cold \
         corners.";

fn needs_scripts(page: &str, format: Format) -> bool {
    let url = "https://example.org/a/".parse().unwrap();
    let input = Input::new(&url, Some("text/html; charset=utf-8"), page.as_bytes());
    let options = ScrapeOptions::new().formats(vec![format]).check().unwrap();
    transform(input, &options).unwrap().needs_scripts
}

#[test]
fn shells_are_distinguished_from_pages() {
    assert!(SHELLS.len() >= 20 && PAGES.len() >= 20);
    let rows = SHELLS.iter().map(|row| (row, true)).chain(PAGES.iter().map(|row| (row, false)));
    let mut wrong = Vec::new();
    for ((name, page), expected) in rows {
        let page = format!("<!doctype html>{}", page.replace("%LONG%", LONG));
        for (reader, format) in [("tree", Format::Markdown), ("tags", Format::Links)] {
            if needs_scripts(&page, format) != expected {
                wrong.push(format!("{name} ({reader}): not {expected}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The text in `noscript` counts only if it is the page for readers without scripts.
#[test]
fn a_notice_in_noscript_is_no_text() {
    let url = "https://example.org/".parse().unwrap();
    let options = ScrapeOptions::new().formats(vec![Format::Markdown]).check().unwrap();
    let notice = "Your browser runs no JavaScript, so the list of mills cannot be shown here. Please switch \
        it on in the settings of your browser and load this page again, or write to the office of the guild \
        for a printed list of all mills in the valley with their owners and rights.";
    for (attribute, text, is_text) in [("", notice, false), ("", LONG, true), (" hidden", LONG, false)] {
        let text = text.repeat(if is_text { 3 } else { 1 });
        let page = format!(
            "<body><noscript{attribute}><p>{text}</p></noscript><div id=root></div><script src=a.js></script>"
        );
        let page = transform(Input::new(&url, Some("text/html"), page.as_bytes()), &options).unwrap();
        let markdown = page.document.markdown.unwrap();
        assert_eq!(!markdown.is_empty(), is_text, "{attribute}: {markdown}");
    }
}

#[test]
fn a_shell_has_no_warning_of_its_own() {
    let url = "https://example.org/".parse().unwrap();
    let body = b"<div id=root></div><script src=a.js></script>";
    let input = Input::new(&url, Some("text/html"), body);
    for format in [Format::Markdown, Format::Links] {
        let options = ScrapeOptions::new().formats(vec![format]).check().unwrap();
        let page = transform(input, &options).unwrap();
        assert!(page.needs_scripts && page.document.warning.is_none(), "{:?}", page.document.warning);
    }
}

#[test]
fn the_text_of_a_state_fills_a_shell() {
    let article = format!(
        "<h2>Kilns</h2><p>{LONG}</p><p>{LONG}</p><p>{LONG}</p><p>{LONG} See <a href=/glaze>glazes</a>.</p>"
    );
    let state = serde_json::json!({ "page": { "title": "Kilns", "body": article } });
    let shell = format!(
        "<!doctype html><title>Kilns</title><div id=__next></div>\
         <script id=__NEXT_DATA__ type=application/json>{state}</script><script src=a.js></script>"
    );
    let url = "https://example.org/a/".parse().unwrap();
    let transform_as = |page: &str, formats: Vec<Format>| {
        let input = Input::new(&url, Some("text/html; charset=utf-8"), page.as_bytes());
        transform(input, &ScrapeOptions::new().formats(formats).check().unwrap()).unwrap()
    };
    let page = transform_as(&shell, vec![Format::Markdown, Format::Html, Format::RawHtml, Format::Links]);
    let document = &page.document;
    assert!(!page.needs_scripts, "{document:?}");
    assert!(document.markdown.as_ref().unwrap().contains("The kiln is heated slowly"), "{document:?}");
    assert!(document.html.as_ref().unwrap().contains("The kiln is heated slowly"), "{document:?}");
    assert_eq!(document.raw_html.as_deref(), Some(shell.as_str()));
    assert_eq!(document.links.as_deref(), Some(&["https://example.org/glaze".to_owned()][..]));
    assert_eq!(page.links.links.len(), 1);
    assert!(document.warning.as_ref().unwrap().contains("embedded state"), "{document:?}");
    // Without a format with text, the page stays a shell, but its links are the same.
    for formats in [vec![Format::Links], vec![Format::Links, Format::RawHtml, Format::Images]] {
        let other = transform_as(&shell, formats);
        assert!(other.needs_scripts && other.document.warning.is_none(), "{:?}", other.document);
        assert_eq!(other.document.links, document.links);
        assert_eq!(other.document.metadata, document.metadata);
        assert_eq!(other.links, page.links);
        assert!(other.document.raw_html.is_none_or(|html| html == shell));
    }
    // A page with text is read from its text, and a state in pieces is no text.
    let served = shell.replace("<div id=__next></div>", &format!("<div id=__next><p>Pots. {LONG}</p></div>"));
    let page = transform_as(&served, vec![Format::Markdown]);
    assert!(page.document.warning.is_none() && page.document.markdown.unwrap().contains("Pots."));
    let pieces = shell.replace(&serde_json::json!(article).to_string(), "\"Kilns are heated. Slowly.\"");
    assert!(transform_as(&pieces, vec![Format::Markdown]).needs_scripts);
    // An element that is left open does not hide the text.
    let open = transform_as(&format!("{shell}<script>"), vec![Format::Markdown]);
    assert!(open.document.markdown.unwrap().contains("The kiln is heated slowly"));
}
