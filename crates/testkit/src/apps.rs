//! Single-page applications: pages whose text comes from their scripts, some time after they have loaded.

use std::io;
use std::time::Duration;

use serde_json::json;

use crate::hostile::{HostilePage, PageServer};
use crate::site::prose;
use crate::site::random::Random;

/// Most milliseconds until an application is complete, apart from the work of its scripts.
const MAX_DELAY: usize = 3_000;

/// Most milliseconds between two texts that only timers add. After a longer pause in which nothing is loaded,
/// a page with a part of its text cannot be told from a complete one.
const MAX_PAUSE: usize = 250;

/// The start of every script: adds a paragraph, waits, and loads the texts of a part.
const LIBRARY: &str = "\
const root = document.getElementById('root');
const add = (text, place = root) => {
  const paragraph = document.createElement('p');
  paragraph.textContent = text;
  place.append(paragraph);
};
const wait = ms => new Promise(done => setTimeout(done, ms));
const load = async path => (await fetch(path)).json();
";

/// An application.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct App {
    /// Its path on the server.
    pub path: String,
    /// How it gets its text.
    pub kind: &'static str,
    /// The texts that it shows when it is complete. None of them is in the page as served.
    pub texts: Vec<String>,
}

/// Generated applications. The same seed gives the same bytes on every machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Apps {
    apps: Vec<App>,
    pages: Vec<HostilePage>,
}

impl Apps {
    /// This number of applications, of each kind in turn.
    #[must_use]
    pub fn generate(seed: u64, count: usize) -> Self {
        let (mut apps, mut pages) = (Vec::new(), Vec::new());
        for (number, (kind, write)) in (0..count).zip(KINDS.into_iter().cycle()) {
            let mut writer = Writer::new(seed, number);
            write(&mut writer);
            apps.push(App { path: writer.path(""), kind, texts: writer.texts });
            pages.append(&mut writer.pages);
        }
        Self { apps, pages }
    }

    /// The applications.
    #[must_use]
    pub fn apps(&self) -> &[App] {
        &self.apps
    }

    /// Serves them on 127.0.0.1.
    ///
    /// # Errors
    /// If no port can be bound or no thread started.
    pub fn serve(&self) -> io::Result<PageServer> {
        PageServer::start(self.pages.clone())
    }
}

/// Writes an application of one kind.
type Write = fn(&mut Writer);

const KINDS: [(&str, Write); 12] = [
    ("timers", timers),
    ("chain of requests", chain),
    ("requests at once", parallel),
    ("lazy chunks", chunks),
    ("skeleton", skeleton),
    ("loading text", loading),
    ("observer", observer),
    ("beacons", beacons),
    ("shadow root", shadow_root),
    ("late script", late_script),
    ("route", route),
    ("worker", worker),
];

/// Writes the pages of one application.
struct Writer {
    random: Random,
    number: usize,
    texts: Vec<String>,
    pages: Vec<HostilePage>,
}

impl Writer {
    fn new(seed: u64, number: usize) -> Self {
        let mut random = Random::new(seed, number as u64);
        let texts = (0..2 + random.below(4)).map(|part| {
            let sentence = prose::sentence(&mut random);
            let plain = sentence.replace(|letter: char| !letter.is_ascii_alphanumeric() && letter != ' ', "");
            format!("Entry {number}-{part}: {plain}")
        });
        let texts = texts.collect();
        Self { random, number, texts, pages: Vec::new() }
    }

    fn path(&self, name: &str) -> String {
        format!("/app/{}/{name}", self.number)
    }

    /// Delays in milliseconds, one for each text. Together they are at most `MAX_DELAY`.
    fn delays(&mut self) -> Vec<usize> {
        let most = MAX_DELAY / self.texts.len();
        (0..self.texts.len()).map(|_| 20 + self.random.below(most - 20)).collect()
    }

    /// One delay in milliseconds.
    fn delay(&mut self) -> usize {
        20 + self.random.below(MAX_DELAY - 20)
    }

    /// The page itself, with this body. `script` runs behind the library.
    fn page(&mut self, body: &str, script: &str) {
        let html = format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <title>Application {}</title>\n</head>\n<body>\n{body}\n\
             <script type=\"module\">\n{LIBRARY}{script}\n</script>\n</body>\n</html>\n",
            self.number
        );
        self.pages.push(HostilePage::html(self.path(""), html));
    }

    fn file(&mut self, name: &str, content_type: &str, delay: usize, body: String) {
        let page = HostilePage::new(self.path(name), content_type, body);
        self.pages.push(page.delay(Duration::from_millis(delay as u64)));
    }

    fn script(&mut self, name: &str, delay: usize, body: String) {
        self.file(name, "text/javascript", delay, body);
    }

    /// All texts, as the answer of a request.
    fn data(&mut self, delay: usize) {
        self.file("data", "application/json", delay, json!(self.texts).to_string());
    }

    /// Each text, as the answer of a request of its own.
    fn parts(&mut self) {
        let delays = self.delays();
        for (number, (text, delay)) in self.texts.clone().into_iter().zip(delays).enumerate() {
            self.file(&format!("part/{number}"), "application/json", delay, json!(text).to_string());
        }
    }
}

const ROOT: &str = "<div id=\"root\"></div>";

fn timers(app: &mut Writer) {
    let first = app.delay() / 2;
    let pauses = (1..app.texts.len()).map(|_| 20 + app.random.below(MAX_PAUSE - 20));
    let delays: Vec<usize> = std::iter::once(first).chain(pauses).collect();
    let steps: Vec<_> = delays.into_iter().zip(&app.texts).collect();
    let script = format!("for (const [ms, text] of {}) {{ await wait(ms); add(text); }}", json!(steps));
    app.page(ROOT, &script);
}

fn chain(app: &mut Writer) {
    app.parts();
    let script =
        format!("for (let part = 0; part < {}; part++) add(await load('part/' + part));", app.texts.len());
    app.page(ROOT, &script);
}

fn parallel(app: &mut Writer) {
    app.parts();
    let count = app.texts.len();
    app.page(
        ROOT,
        &format!("for (let part = 0; part < {count}; part++) load('part/' + part).then(text => add(text));"),
    );
}

fn chunks(app: &mut Writer) {
    let delays = app.delays();
    let last = app.texts.len() - 1;
    for (number, (text, delay)) in app.texts.clone().into_iter().zip(delays).enumerate() {
        let next = if number < last {
            format!("import('./{}.js').then(it => it.show(add));", number + 1)
        } else {
            String::new()
        };
        let body = format!("export function show(add) {{ add({}); {next} }}", json!(text));
        app.script(&format!("chunk/{number}.js"), delay, body);
    }
    app.page(ROOT, "import('./chunk/0.js').then(it => it.show(add));");
}

fn skeleton(app: &mut Writer) {
    let delay = app.delay();
    app.data(delay);
    let boxes = "<div class=\"skeleton\" style=\"height:120px;margin:8px;background:#ddd\"></div>".repeat(5);
    let script =
        "const texts = await load('data'); root.replaceChildren(); texts.forEach(text => add(text));";
    app.page(&format!("<header>County register</header><div id=\"root\">{boxes}</div>"), script);
}

fn loading(app: &mut Writer) {
    let (delay, texts) = (app.delay(), json!(app.texts));
    let script = format!("await wait({delay}); root.replaceChildren(); {texts}.forEach(text => add(text));");
    app.page("<div id=\"root\"><p>Loading...</p></div>", &script);
}

fn observer(app: &mut Writer) {
    app.parts();
    let count = app.texts.len();
    let script = format!(
        "let part = 0;\nconst watcher = new IntersectionObserver(async entries => {{\n\
         if (!entries.some(entry => entry.isIntersecting)) return;\nwatcher.unobserve(end);\n\
         add(await load('part/' + part++));\nif (part < {count}) watcher.observe(end);\n}});\n\
         watcher.observe(end);"
    );
    app.page(&format!("{ROOT}<div id=\"end\" style=\"height:1px\"></div>"), &script);
}

fn beacons(app: &mut Writer) {
    let delay = app.delay();
    app.data(delay);
    app.file("beacon", "text/plain", 0, "ok".to_owned());
    let send = if app.number.is_multiple_of(2) {
        "navigator.sendBeacon('beacon', 'here')"
    } else {
        "fetch('beacon', { method: 'POST', body: 'here' })"
    };
    let script = format!("setInterval(() => {send}, 200);\n(await load('data')).forEach(text => add(text));");
    app.page(ROOT, &script);
}

fn shadow_root(app: &mut Writer) {
    let delay = app.delay();
    app.data(delay);
    let script = "customElements.define('app-entries', class extends HTMLElement {\n\
                  async connectedCallback() {\nconst shadow = this.attachShadow({ mode: 'open' });\n\
                  (await load('data')).forEach(text => add(text, shadow));\n}\n});";
    app.page("<div id=\"root\"></div><app-entries></app-entries>", script);
}

fn late_script(app: &mut Writer) {
    let (first, second) = (app.delay() / 2, app.delay() / 2);
    app.data(second);
    let body = format!("{LIBRARY}load('data').then(texts => texts.forEach(text => add(text)));");
    app.script("main.js", first, body);
    let script = "const script = document.createElement('script');\nscript.src = 'main.js';\n\
                  document.head.append(script);";
    app.page(ROOT, script);
}

fn route(app: &mut Writer) {
    let delay = app.delay();
    app.data(delay);
    let entries = app.path("entries");
    let script = format!(
        "history.pushState(null, '', '{entries}');\ndispatchEvent(new PopStateEvent('popstate'));\n\
         (await load('data')).forEach(text => add(text));"
    );
    app.page(ROOT, &script);
}

fn worker(app: &mut Writer) {
    let delay = app.delay();
    app.data(delay);
    let body = "fetch('data').then(answer => answer.json()).then(texts => postMessage(texts));".to_owned();
    app.script("worker.js", 0, body);
    app.page(ROOT, "new Worker('worker.js').onmessage = event => event.data.forEach(text => add(text));");
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn the_applications_of_a_seed_are_stable_and_complete_by_scripts_only() {
        let apps = Apps::generate(7, 3 * KINDS.len());
        assert_eq!(apps, Apps::generate(7, 3 * KINDS.len()));
        assert_ne!(apps, Apps::generate(8, 3 * KINDS.len()));
        let targets: HashSet<&str> = apps.pages.iter().map(HostilePage::target).collect();
        assert_eq!(targets.len(), apps.pages.len(), "no target twice");
        for app in apps.apps() {
            let served = apps.pages.iter().filter(|page| page.target().starts_with(&app.path));
            let served: String =
                served.map(|page| String::from_utf8_lossy(page.body()).into_owned()).collect();
            assert!(app.texts.len() >= 2);
            for text in &app.texts {
                assert_eq!(served.matches(text.as_str()).count(), 1, "{}: {text}", app.kind);
                assert!(!served.contains(&format!("<p>{text}")), "{}: {text}", app.kind);
            }
        }
    }
}
