//! Pages with several URLs, and different pages whose URLs differ only in letter case.

use super::{Book, Reply, document, sentences};
use crate::site::SiteSpec;
use crate::site::truth::{PathTruth, Role};

/// The canonical path of each group, its title, and its other paths.
const GROUPS: [(&str, &str, &[&str]); 3] = [
    (
        "/copies/lamp",
        "Lamp of the copies",
        &["/copies/lamp/", "/copies/lamp?utm_source=letter&utm_medium=mail", "/copies/lamp?ref=start"],
    ),
    ("/copies/folder/", "Folder of the copies", &["/copies/folder/index.html", "/copies/folder"]),
    (
        "/copies/print",
        "Print of the copies",
        &["/copies/print?view=print", "/copies/print?a=1&b=2", "/copies/print?b=2&a=1"],
    ),
];

pub(super) fn add(book: &mut Book, _: &SiteSpec) {
    let mut links = Vec::new();
    for (canonical, title, others) in GROUPS {
        let mut group = vec![canonical.to_owned()];
        book.document(PathTruth::new(canonical, Role::Document), title, &[]);
        links.push((canonical, title));
        for other in others {
            let mut truth = PathTruth::new(*other, Role::Duplicate);
            canonical.clone_into(&mut truth.canonical);
            title.clone_into(&mut truth.title);
            truth.sentences = sentences(title);
            let html = document(&truth, &[]);
            book.add(truth, Reply::html(html));
            links.push((other, title));
            group.push((*other).to_owned());
        }
        book.truth.duplicates.push(group);
    }
    let links: Vec<(String, &str)> =
        links.into_iter().map(|(to, text)| (to.replace('&', "&amp;"), text)).collect();
    let links: Vec<(&str, &str)> = links.iter().map(|(to, text)| (to.as_str(), *text)).collect();
    book.index("/copies/", "Copies", &links);
}

/// Paths are case-sensitive (RFC 3986, 6.2.2.1), so these are four different pages.
const CASES: [(&str, &str); 4] = [
    ("/Case/A", "Great letters"),
    ("/case/a", "Small letters"),
    ("/Case/a", "Great then small letters"),
    ("/case/A", "Small then great letters"),
];

pub(super) fn add_case(book: &mut Book, _: &SiteSpec) {
    book.index("/case/", "Letter case", &CASES);
    for (path, title) in CASES {
        book.document(PathTruth::new(path, Role::Document), title, &[]);
    }
}
