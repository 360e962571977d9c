//! The pages under test, served by a process of their own, so that their server takes no time from a browser.

use std::io::{self, BufRead as _, BufReader, Read as _};
use std::process::{Child, Command, Stdio};

use gleaner_testkit::{HostilePage, PageServer, Site, SiteSpec};
use url::Url;

use crate::Failure;

/// The argument with which this program serves the pages.
pub(crate) const SERVE: &str = "serve";

/// Pages of each kind.
const PAGES: usize = 20;

/// A text of every static page.
const STATIC_TEXT: &str = "All entries are kept by volunteers";

/// A text that the other pages show when they are complete.
const LATE_TEXT: &str = "The register is complete";

/// A page of [`PageKind::Quiet`]. It has a clock, so that it never stands still, and gets its text in steps.
const QUIET_PAGE: &str = "<!doctype html>
<html lang=en><head><meta charset=utf-8><title>Register</title></head><body><h1>County register</h1>
<p id=clock></p><div id=root></div>
<script>
setInterval(() => { clock.textContent = Math.round(performance.now() / 1000); }, 1000);
const add = text => { const p = document.createElement('p'); p.textContent = text; root.append(p); };
setTimeout(async () => {
  for (const entry of await (await fetch('/entries')).json()) add(entry);
  setTimeout(() => add('The register is ' + 'complete'), 30);
}, 30);
</script></body></html>";

/// What a page needs until it is complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PageKind {
    /// Nothing: it is ready when it has loaded.
    Static,
    /// Timers and requests of its scripts.
    Quiet,
}

impl PageKind {
    pub(crate) const ALL: [Self; 2] = [Self::Static, Self::Quiet];

    /// A text of the complete page.
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::Static => STATIC_TEXT,
            Self::Quiet => LATE_TEXT,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Static => "static pages",
            Self::Quiet => "pages by scripts",
        }
    }

    /// The path of a page.
    pub(crate) fn path(self, number: usize) -> String {
        match self {
            Self::Static => format!("/static/{}", number % PAGES),
            Self::Quiet => format!("/quiet/{}", number % PAGES),
        }
    }
}

/// The files that static pages load: path, media type, text.
pub(crate) const ASSETS: [(&str, &str, &str); 5] = [
    ("/assets/site.css", "text/css", "article{max-width:60rem}"),
    ("/assets/site.js", "text/javascript", "document.documentElement.dataset.ready = '1';"),
    ("/assets/logo.svg", "image/svg+xml", PICTURE),
    ("/assets/cover.png", "image/svg+xml", PICTURE),
    ("/assets/cover-2x.png", "image/svg+xml", PICTURE),
];

const PICTURE: &str = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 120 40\">\
                       <circle cx=\"20\" cy=\"20\" r=\"12\"/></svg>";

/// All pages and their files.
pub(crate) fn pages() -> Vec<HostilePage> {
    let site = Site::generate(SiteSpec::pages(100));
    let assets = ASSETS.map(|(path, content_type, text)| HostilePage::new(path, content_type, text));
    let entries = r#"["One entry of the county","Another entry of the county"]"#;
    let mut pages = Vec::from(assets);
    pages.push(HostilePage::new("/entries", "application/json", entries));
    for number in 0..PAGES {
        let body = site.body(&format!("/p/{}", number + 1), "").unwrap_or_default();
        pages.push(HostilePage::html(PageKind::Static.path(number), body));
        pages.push(HostilePage::html(PageKind::Quiet.path(number), QUIET_PAGE));
    }
    pages
}

/// Serves the pages until standard input ends. Prints their URL.
pub(crate) fn serve() -> io::Result<()> {
    let server = PageServer::start(pages())?;
    println!("{}", server.base_url());
    io::stdin().read_to_end(&mut Vec::new()).map(drop)
}

/// The server of the pages.
#[derive(Debug)]
pub(crate) struct PageProcess {
    child: Child,
    base: Url,
}

impl PageProcess {
    pub(crate) fn start() -> Result<Self, Failure> {
        let mut command = Command::new(std::env::current_exe()?);
        let mut child = command.arg(SERVE).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let mut line = String::new();
        if let Some(output) = child.stdout.take() {
            BufReader::new(output).read_line(&mut line)?;
        }
        Ok(Self { child, base: line.trim().parse()? })
    }

    /// The URL of a page.
    pub(crate) fn url(&self, kind: PageKind, number: usize) -> Url {
        let mut url = self.base.clone();
        url.set_path(&kind.path(number));
        url
    }
}

impl Drop for PageProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
