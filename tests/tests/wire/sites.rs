//! Sites on loopback that the cases scrape, each with a placeholder for its URL.

use gleaner_testkit::{Extras, RawServer, Server, Site, SiteSpec, Step};
use gleaner_tests::fakes::{FakeResponse, FakeServer};

use crate::placeholders::Placeholders;
use crate::tls_site;

/// The sites; they run until this is dropped.
pub(crate) struct TestSites {
    placeholders: Placeholders,
    _almanac: Server,
    _scripted: [RawServer; 2],
}

impl TestSites {
    pub(crate) fn start() -> Self {
        let extras = Extras { files: true, ..Extras::default() };
        let almanac = Site::generate(SiteSpec { extras, ..SiteSpec::pages(3) }).serve().unwrap();
        let stuck = RawServer::start([Step::ReadRequest, Step::Hang]).unwrap();
        let broken = RawServer::start([Step::ReadRequest, Step::Close]).unwrap();
        let mut placeholders = Placeholders::default();
        // The pages below.
        placeholders.set("site", site().url(""));
        // A site that robots.txt forbids.
        placeholders.set("closed", closed().url(""));
        // A generated site with files of all kinds.
        placeholders.set("almanac", almanac.base_url());
        // Accepts requests and never answers.
        placeholders.set("stuck", stuck.base_url());
        // Closes the connection instead of answering.
        placeholders.set("broken", broken.base_url());
        // TLS with an untrusted certificate.
        placeholders.set("secure", tls_site::start());
        // An id that no job has.
        placeholders.set("unknown", "0195c0de-0000-7000-8000-000000000000");
        Self { placeholders, _almanac: almanac, _scripted: [stuck, broken] }
    }

    pub(crate) fn placeholders(&self) -> Placeholders {
        self.placeholders.clone()
    }
}

fn closed() -> FakeServer {
    FakeServer::start(|_, request| match request.target() {
        "/robots.txt" => file("text/plain", "User-agent: *\nDisallow: /\n"),
        _ => FakeResponse::html("<main><h1>Closed</h1><p>Nobody should read this.</p></main>"),
    })
}

fn site() -> FakeServer {
    FakeServer::start(|_, request| {
        let origin = format!("http://{}", request.header("host").unwrap_or_default());
        page(request.target(), &origin)
    })
}

fn page(target: &str, origin: &str) -> FakeResponse {
    match target {
        "/robots.txt" => file("text/plain", "User-agent: *\nDisallow: /private/\n"),
        "/sitemap.xml" => file("application/xml", sitemap(origin)),
        "/" => linking("Home", &["/docs/", "/docs/a", "/rich", "/private/paper", "/gone"]),
        "/docs/" => linking("Docs", &["/docs/a", "/docs/b", "/docs-old", "/"]),
        "/docs/a" | "/docs/b" | "/docs/from-sitemap" | "/only-in-sitemap" | "/docs-old" => {
            linking(target, &[])
        }
        "/docs/guide/a" => linking("Guide", &[]),
        "/deep/" => linking("Depth 0", &["/deep/1"]),
        "/deep/1" => linking("Depth 1", &["/deep/2"]),
        "/deep/2" => linking("Depth 2", &[]),
        "/q/" => linking("Queries", &["/q/?a=1", "/q/?a=2", "/q/x"]),
        "/q/?a=1" | "/q/?a=2" | "/q/x" => linking(target, &[]),
        "/mixed/" => linking("Mixed", &["/mixed/good", "/mixed/gone", "/mixed/loop"]),
        "/mixed/good" => linking("Good", &[]),
        // The link on a 404 page must not be followed.
        "/mixed/gone" => FakeResponse::new(404, "<main><h1>Gone</h1><a href=/mixed/behind>Behind</a></main>")
            .with("content-type", "text/html"),
        "/mixed/loop" => redirect("/mixed/loop"),
        "/walled/" => linking("Walled", &["/walled/open", "/private/paper"]),
        "/walled/open" | "/private/paper" => linking(target, &[]),
        "/rich" => FakeResponse::html(RICH),
        "/moved" => redirect("/rich"),
        "/gone" => FakeResponse::new(404, "<h1>Gone</h1><p>There is nothing here.</p>")
            .with("content-type", "text/html"),
        "/forbidden" => {
            FakeResponse::new(403, "<h1>No</h1><p>Not for you.</p>").with("content-type", "text/html")
        }
        "/failing" => {
            FakeResponse::new(500, "<h1>Oh</h1><p>It failed.</p>").with("content-type", "text/html")
        }
        "/loop" => redirect("/loop"),
        "/cup" => FakeResponse::html(CUP),
        "/shell" => FakeResponse::html(SHELL),
        "/app.js" => file("text/javascript", format!("root.innerHTML = `{BUILT}`;")),
        "/shell/first" => linking(target, &[]),
        "/cyrillic" => file("text/html; charset=windows-1251", CYRILLIC),
        "/form" => FakeResponse::html(FORM),
        "/late" => FakeResponse::html(&format!("<title>Late</title><main><h1>Late</h1>{LATE}</main>")),
        "/endless" => FakeResponse::html(&format!("<title>Endless</title><main>{ENDLESS}</main>")),
        "/dot" => FakeResponse::html(DOT),
        "/film" => FakeResponse::html(FILM),
        "/notes.txt" => file("text/plain; charset=utf-8", "Notes\n\nThe gate opens at nine.\n"),
        "/data.json" => file("application/json", "{\"season\": 2026}"),
        "/table.csv" => file("text/csv", "station,visits\nNorth gate,412\n"),
        "/large/1" | "/large/2" | "/large/3" => file("text/plain", "x".repeat(LARGE)),
        "/hook" => FakeResponse::new(200, ""),
        _ => FakeResponse::new(404, "<h1>Not here</h1>").with("content-type", "text/html"),
    }
}

/// Two such files fit into one response, three do not.
const LARGE: usize = 3_400_000;

fn file(content_type: &str, body: impl Into<Vec<u8>>) -> FakeResponse {
    FakeResponse::new(200, body).with("content-type", content_type)
}

fn redirect(to: &str) -> FakeResponse {
    FakeResponse::new(302, "").with("location", to)
}

fn linking(title: &str, links: &[&str]) -> FakeResponse {
    let items: String = links.iter().map(|to| format!("<li><a href=\"{to}\">To {to}</a></li>")).collect();
    FakeResponse::html(&format!(
        "<!doctype html><title>{title}</title><main><h1>{title}</h1>\
         <p>The page called {title} says what nobody else says, and is read for {title} alone.</p>\
         <ul>{items}</ul></main>"
    ))
}

fn sitemap(origin: &str) -> String {
    let entries: String = ["/only-in-sitemap", "/docs/from-sitemap"]
        .iter()
        .map(|path| format!("<url><loc>{origin}{path}</loc></url>"))
        .collect();
    format!("<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">{entries}</urlset>")
}

/// A page with many kinds of metadata, a navigation and a footer.
const RICH: &str = r#"<!doctype html>
<html lang="en-GB"><head><meta charset="utf-8"><title>All our teas</title>
<meta name="description" content="Teas of the season">
<meta name="keywords" content="tea, green">
<meta name="robots" content="index">
<meta property="og:title" content="Teas, all of them">
<meta property="og:description" content="Forty teas from the hills">
<meta property="og:image" content="https://tea.example/cover.png">
<meta property="og:site_name" content="Tea house">
<meta property="og:locale" content="en_GB">
<meta property="og:locale:alternate" content="de_DE">
<meta property="og:locale:alternate" content="fr_FR">
<meta property="article:section" content="Teas">
<meta name="dc.subject" content="Leaves">
<meta name="colour" content="green"><meta name="colour" content="black">
<meta name="shelf" content="third">
<link rel="icon" href="/icon.png"></head>
<body><header><nav><a href="/nav">Navigation of the house</a></nav></header>
<main><h1>All our teas</h1>
<p>Green, black and white teas come from the hills above the lake, and each
of them is picked by hand in May.</p>
<p>The first leaves are dried in the sun, the later ones over a fire of pine, which gives them their taste
of smoke.</p>
<p>Ask for <a href="/docs/a">the guide</a> or go to
<a href="https://bare.example">a friend of the house</a>.</p>
<p><img src="/leaf.png" alt="A leaf"></p></main>
<footer><p>Imprint of the house</p></footer></body></html>"#;

/// A product page with a price and a brand, but no warranty.
const CUP: &str = "<!doctype html><title>Red cup</title><main><h1>Red cup</h1> <p class=price>12,50 €</p> \
    <dl><dt>Brand</dt><dd>Acme</dd></dl></main>";

/// The element that the script of `/shell` fills, and what it puts into it.
pub(crate) const MOUNT: &str = "<div id=\"root\"></div>";
pub(crate) const BUILT: &str = "<main><h1>Application</h1><p>The script of this page wrote these words, and \
    no server sent them.</p><a href=/shell/first>First</a></main>";

/// On a page that a browser gets in part.
pub(crate) const LATE: &str = "<p>A part of the page that came late.</p>";
/// On a page that no browser gets.
pub(crate) const ENDLESS: &str = "<p>A page whose scripts never end.</p>";

/// A page whose elements react to input.
const FORM: &str = "<!doctype html><title>Form</title><main><h1>Form</h1><p>A form that remembers what a \
    visitor does.</p><input id=\"name\"><button id=\"more\" onclick=\"this.insertAdjacentHTML('afterend', \
    '<p>Clicked #more.</p>')\">More</button></main>";

/// A page in windows-1251, whose script adds a link.
const CYRILLIC: &[u8] = b"<!doctype html><title>\xD7\xE0\xE9</title><main><h1>\xD7\xE0\xE9</h1>\
    <a href='/docs/a?q=\xFF'>A</a></main><script>document.querySelector('main').insertAdjacentHTML(\
    'beforeend', '<a href=/docs/b?q=\xFF>B</a>')</script>";

/// It has [`MOUNT`].
const SHELL: &str = "<!doctype html><title>Application</title><body><noscript>You need to enable JavaScript \
    to run this app.</noscript><div id=\"root\"></div><script src=\"/app.js\"></script>";

const DOT: &str = "<!doctype html><title>Dot</title><main><h1>Dot</h1><p>A dot, drawn within the page.</p>\
    <p><img src=\"data:image/png;base64,iVBORw0KGgo=\" alt=\"A dot\"></p></main>";

const FILM: &str = "<!doctype html><title>Film</title><main><h1>Film</h1><p>A film about teas.</p>\
    <iframe src=\"https://film.example/1\"></iframe></main>";
