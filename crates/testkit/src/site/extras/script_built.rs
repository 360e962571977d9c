//! Pages whose text and links exist only after their scripts ran, as in an application of one page.
//!
//! The server sends the same shell for every page. Its script fetches the page as JSON, builds it, and shows
//! the target of a link without another document, by `history.pushState`.

use serde_json::json;

use super::{Book, HTML, Reply, sentences};
use crate::site::SiteSpec;
use crate::site::random::Random;
use crate::site::truth::{PathTruth, Role};

/// The first page of the application.
const START: &str = "/app/";

/// Number of pages, [`START`] included.
const PAGES: usize = 12;

/// Links of a page to pages with a higher number, which make all pages reachable.
const BRANCHES: usize = 3;

/// The stream of random numbers for this extra.
const STREAM: u64 = 1 << 50;

const SHELL: &str = "<!doctype html>\n<html lang=\"en-GB\">\n<head>\n<meta charset=\"utf-8\">\n\
<title>County Charts</title>\n</head>\n<body>\n\
<noscript>You need to enable JavaScript to run this app.</noscript>\n<div id=\"root\"></div>\n\
<script src=\"/app/app.js\"></script>\n</body>\n</html>\n";

const SCRIPT: &str = "\
const element = (name, text, children = []) => {
  const made = document.createElement(name);
  made.append(...(text ? [text] : []), ...children);
  return made;
};
const link = ([to, text]) => {
  const anchor = element('a', text);
  anchor.href = to;
  anchor.addEventListener('click', event => {
    event.preventDefault();
    history.pushState(null, '', to);
    show();
  });
  return element('li', '', [anchor]);
};
const show = async () => {
  const name = location.pathname.split('/').pop() || 'start';
  const page = await (await fetch(`/app/data/${name}.json`)).json();
  document.title = `${page.title} | County Charts`;
  const article = element('article', '', [
    element('h1', page.title), ...page.sentences.map(sentence => element('p', sentence)),
  ]);
  const list = element('ul', '', page.links.map(link));
  document.getElementById('root').replaceChildren(element('main', '', [article, list]));
};
addEventListener('popstate', show);
show();
";

pub(super) fn add(book: &mut Book, spec: &SiteSpec) {
    let mut random = Random::new(spec.seed, STREAM);
    let titles: Vec<String> = (0..PAGES)
        .map(|page| {
            let topic = random.pick(&["rainfall", "harvests", "bridges", "markets", "lamps", "ferries"]);
            format!("Chart {page} of {topic}")
        })
        .collect();
    book.indexes.push((START.to_owned(), "Charts".to_owned()));
    for (page, title) in titles.iter().enumerate() {
        let mut targets: Vec<usize> =
            (1..=BRANCHES).map(|nth| page * BRANCHES + nth).filter(|to| *to < PAGES).collect();
        targets.extend([0, random.below(PAGES)]);
        let links: Vec<[String; 2]> = targets.iter().map(|to| [path(*to), titles[*to].clone()]).collect();
        let mut truth = PathTruth::new(path(page), Role::ScriptBuilt);
        // Without scripts, no link leads to the other pages.
        truth.depth = (page == 0).then_some(1);
        truth.title.clone_from(title);
        truth.sentences = sentences(title);
        let data = json!({ "title": title, "sentences": truth.sentences, "links": links });
        let name = if page == 0 { "start".to_owned() } else { page.to_string() };
        book.replies
            .insert(format!("/app/data/{name}.json"), Reply::file("application/json", data.to_string()));
        book.add(truth, Reply::file(HTML, SHELL));
    }
    book.replies.insert("/app/app.js".to_owned(), Reply::file("text/javascript; charset=utf-8", SCRIPT));
}

fn path(page: usize) -> String {
    if page == 0 { START.to_owned() } else { format!("/app/page/{page}") }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use serde_json::Value;

    use super::*;
    use crate::site::extras::Extras;

    fn book(seed: u64) -> Book {
        let extras = Extras { script_built: true, ..Extras::default() };
        Book::write(&SiteSpec { seed, extras, ..SiteSpec::pages(1) })
    }

    fn text(book: &Book, path: &str) -> String {
        let Some(Reply::Body { body, .. }) = book.replies.get(path) else { panic!("no {path}") };
        String::from_utf8(body.bytes("").to_vec()).unwrap()
    }

    #[test]
    fn the_seed_decides_the_data() {
        let data = |seed| text(&book(seed), "/app/data/5.json");
        assert_eq!(data(1), data(1));
        assert_ne!(data(1), data(2));
    }

    #[test]
    fn the_data_leads_to_every_page_and_the_shell_to_none() {
        let book = book(1);
        let (mut found, mut queue) = (HashSet::new(), vec![START.to_owned()]);
        while let Some(path) = queue.pop() {
            let shell = text(&book, &path);
            assert!(crate::hrefs(&shell).is_empty() && !shell.contains(" of "), "{shell}");
            let name = path.rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or("start");
            let data: Value = serde_json::from_str(&text(&book, &format!("/app/data/{name}.json"))).unwrap();
            if found.insert(path) {
                let links = data["links"].as_array().unwrap();
                queue.extend(links.iter().map(|link| link[0].as_str().unwrap().to_owned()));
            }
        }
        assert_eq!(found.len(), PAGES);
    }
}
