//! The served pages agree with the truth.

use std::collections::{HashMap, HashSet, VecDeque};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::time::Duration;

use crate::client::Client;
use crate::scan::hrefs;
use crate::site::{Extras, FailureKind, LINKS_PER_PAGE, Role, Site, SiteSpec};
use crate::{LogDetail, ServeOptions};

fn site(pages: u32, extras: Extras) -> Site {
    Site::generate(SiteSpec { pages, extras, ..SiteSpec::default() })
}

/// Resolves a link of `page` to path and query; `None` for a fragment, a mail address or another site.
fn resolve(page: &str, link: &str, base: &str) -> Option<String> {
    let link = link.strip_prefix(base).unwrap_or(link);
    if link.starts_with('#') || link.starts_with("mailto:") || link.starts_with("http") {
        return None;
    }
    if link.starts_with('/') {
        return Some(link.to_owned());
    }
    let folder = page.rsplit_once('/').map_or("", |(folder, _)| folder);
    Some(format!("{folder}/{link}"))
}

/// Every path that is reachable from `/`, with its distance in clicks. Does not enter traps.
fn crawl(site: &Site) -> HashMap<String, u32> {
    let server = site.serve().unwrap();
    let mut client = Client::new(server.addr());
    let base = server.base_url();
    let traps = &site.truth().extras().traps;
    let mut depths = HashMap::from([("/".to_owned(), 0)]);
    let mut queue = VecDeque::from(["/".to_owned()]);
    while let Some(path) = queue.pop_front() {
        if traps.iter().any(|trap| path.starts_with(&trap.prefix)) {
            continue;
        }
        let Ok(answer) = client.get(&path) else { continue };
        let html = answer.headers.get("content-type").is_some_and(|kind| kind.starts_with("text/html"));
        if answer.status != 200 || !html {
            continue;
        }
        for link in hrefs(&String::from_utf8_lossy(&answer.body)) {
            let Some(target) = resolve(&path, &link, &base) else { continue };
            let depth = depths[&path] + 1;
            depths.entry(target.clone()).or_insert_with(|| {
                queue.push_back(target);
                depth
            });
        }
    }
    depths
}

#[test]
fn a_breadth_first_crawl_finds_the_depth_of_every_page() {
    let site = site(700, Extras::default());
    let found = crawl(&site);
    let truth: HashMap<String, u32> =
        site.truth().paths().map(|path| (path.path, path.depth.expect("every page is linked"))).collect();
    assert_eq!(truth.len(), 700);
    assert_eq!(found, truth);
}

#[test]
fn extras_are_linked_as_in_the_truth_and_change_no_depth() {
    let with = site(60, Extras::all());
    let found = crawl(&with);
    let truth: HashMap<String, u32> =
        with.truth().paths().filter_map(|path| Some((path.path, path.depth?))).collect();
    assert_eq!(found, truth);
    let without = site(60, Extras::default());
    assert!((0..60).all(|id| with.truth().depth(id) == without.truth().depth(id)));
    let orphans = &with.truth().extras().orphans;
    assert!(!orphans.is_empty() && orphans.iter().all(|path| !found.contains_key(path)));
}

#[test]
fn every_page_has_the_links_of_the_truth() {
    let site = site(80, Extras::default());
    for id in 0..80 {
        let path = site.truth().paths().nth(id as usize).unwrap().path;
        let html = String::from_utf8(site.body(&path, "http://h").unwrap().to_vec()).unwrap();
        let links: Vec<String> =
            hrefs(&html).iter().filter_map(|link| resolve(&path, link, "http://h")).collect();
        assert_eq!(links.len(), LINKS_PER_PAGE);
        assert_eq!(links, site.truth().links(id));
    }
}

#[test]
fn every_path_responds_as_in_the_truth() {
    let site = site(20, Extras::all());
    let server = site.serve().unwrap();
    let mut client = Client::new(server.addr());
    for truth in site.truth().paths() {
        let answer = client.get(&truth.path);
        assert_eq!(
            answer.as_ref().map_or(0, |answer| answer.status),
            promised(&site, &truth.path),
            "{truth:?}"
        );
        let Ok(answer) = answer else { continue };
        let has_text = !matches!(truth.role, Role::File | Role::ScriptBuilt);
        if !has_text || truth.path.starts_with("/charsets/") || answer.status != 200 {
            continue;
        }
        let html = answer.text();
        let title = truth.title.replace('&', "&amp;");
        assert!(html.contains(&format!("<title>{title}")), "{}: {html}", truth.path);
        for sentence in &truth.sentences {
            assert!(html.contains(sentence), "{}: {sentence}", truth.path);
        }
        if let Some((_, rest)) = html.split_once("<link rel=\"canonical\" href=\"") {
            assert_eq!(rest.split('"').next(), Some(server.url(&truth.canonical).as_str()), "{}", truth.path);
        }
    }
}

/// The status that the truth gives for the first request; 0 if the response is not complete.
fn promised(site: &Site, path: &str) -> u16 {
    let truncated = |failure: &&crate::FailureTruth| {
        failure.path == path && matches!(failure.kind, FailureKind::Truncated { .. })
    };
    if site.truth().extras().failures.iter().any(|failure| truncated(&failure)) {
        return 0;
    }
    site.truth().path(path).unwrap().status
}

#[test]
fn redirects_end_where_the_truth_says() {
    let site = site(1, Extras { redirects: true, ..Extras::default() });
    let server = site.serve().unwrap();
    let mut client = Client::new(server.addr());
    for chain in &site.truth().extras().redirects {
        let (mut at, mut statuses) = (chain.from.clone(), Vec::new());
        while let answer = client.get(&at).unwrap()
            && (300..400).contains(&answer.status)
            && statuses.len() < 50
        {
            statuses.push(answer.status);
            let location = answer.headers["location"].split('#').next().unwrap().to_owned();
            at = resolve(&at, &location, "").unwrap();
        }
        match &chain.to {
            Some(to) => assert_eq!((&at, &statuses), (to, &chain.statuses), "{chain:?}"),
            None => assert_eq!(statuses.len(), 50, "{chain:?}"),
        }
    }
}

#[test]
fn failing_pages_fail_and_recover() {
    let site = site(1, Extras { failures: true, ..Extras::default() });
    let server = site.serve().unwrap();
    let mut client = Client::new(server.addr());
    for failure in &site.truth().extras().failures {
        let mut status =
            || client.get(&failure.path).map_err(|error| error.kind()).map(|answer| answer.status);
        match failure.kind {
            FailureKind::Status(wanted) => assert_eq!([status(), status()], [Ok(wanted), Ok(wanted)]),
            FailureKind::Recovers { status: wanted, failures } => {
                let seen: Vec<_> = (0..=failures).map(|_| status().unwrap()).collect();
                assert!(
                    seen[..failures as usize].iter().all(|status| *status == wanted),
                    "{failure:?}: {seen:?}"
                );
                assert_eq!(seen.last(), Some(&200), "{failure:?}");
            }
            FailureKind::Reset => assert_eq!(status(), Err(std::io::ErrorKind::ConnectionReset)),
            FailureKind::Closed | FailureKind::Truncated { .. } => {
                assert_eq!(status(), Err(std::io::ErrorKind::UnexpectedEof), "{failure:?}");
            }
            FailureKind::SoftNotFound | FailureKind::Slow(_) => assert_eq!(status(), Ok(200)),
        }
    }
    let log = server.log();
    assert_eq!(log.count("/fail/reset"), 1);
    assert_eq!(
        log.records.iter().find(|record| record.path == "/fail/500").map(|record| record.status),
        Some(500)
    );
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let hash = |spec: &SiteSpec| {
        let site = Site::generate(spec.clone());
        let mut hasher = DefaultHasher::new();
        for truth in site.truth().paths().filter(|truth| truth.role == Role::Page) {
            site.body(&truth.path, "http://host").unwrap().hash(&mut hasher);
        }
        hasher.finish()
    };
    let spec = SiteSpec { pages: 120, extras: Extras::all(), ..SiteSpec::default() };
    assert_eq!(hash(&spec), hash(&spec));
    assert_ne!(hash(&spec), hash(&SiteSpec { seed: 2, ..spec }));
}

#[test]
fn no_two_pages_are_the_same() {
    let site = site(500, Extras::default());
    let bodies: HashSet<_> = site.truth().paths().map(|truth| site.body(&truth.path, "").unwrap()).collect();
    let titles: HashSet<_> = site.truth().paths().map(|truth| truth.title).collect();
    assert_eq!((bodies.len(), titles.len()), (500, 500));
}

#[test]
fn boilerplate_is_on_every_page_and_in_no_article() {
    let site = site(40, Extras::default());
    for truth in site.truth().paths() {
        let html = String::from_utf8(site.body(&truth.path, "").unwrap().to_vec()).unwrap();
        let (before, rest) = html.split_once("<article>").unwrap();
        let (article, after) = rest.split_once("</article>").unwrap();
        for sentence in site.truth().boilerplate() {
            assert!(before.contains(sentence) || after.contains(sentence), "{}", truth.path);
            assert!(!article.contains(sentence), "{}", truth.path);
        }
        assert!(truth.sentences.iter().all(|sentence| article.contains(sentence.as_str())));
    }
}

#[test]
fn the_log_counts_concurrent_requests() {
    // Long enough that requests overlap on a busy machine too.
    let spec = SiteSpec { pages: 3, latency: Duration::from_secs(1), ..SiteSpec::default() };
    let server = Site::generate(spec)
        .serve_with(ServeOptions { log: LogDetail::Headers, ..ServeOptions::default() })
        .unwrap();
    std::thread::scope(|scope| {
        for path in ["/", "/p/1", "/p/2"] {
            scope.spawn(|| Client::new(server.addr()).get(path).unwrap());
        }
    });
    Client::new(server.addr()).get("/p/1").unwrap();
    let log = server.log();
    assert_eq!(log.records.len(), 4);
    assert_eq!(log.max_concurrent(), log.max_concurrent_on_host());
    assert!((2..=3).contains(&log.max_concurrent()), "three clients send requests at the same time");
    assert_eq!(log.records[3].concurrent, 1);
    assert_eq!(log.duplicates(), ["/p/1"]);
    assert_eq!(log.records[0].user_agent, "testkit");
    assert!(log.records[0].headers.contains(&("user-agent".to_owned(), "testkit".to_owned())));
    assert!(log.records.iter().all(|record| record.status == 200 && record.finished > Some(record.started)));
    assert_eq!(log.for_host("elsewhere").records, []);
}

#[test]
fn dropping_a_server_frees_its_port() {
    // A port that the system does not assign to another program in the meantime.
    let options = ServeOptions { port: crate::unused_port().unwrap(), ..ServeOptions::default() };
    let server = site(1, Extras::default()).serve_with(options).unwrap();
    let addr = server.addr();
    let mut client = Client::new(addr);
    assert_eq!(client.get("/").unwrap().status, 200);
    drop(server);
    std::net::TcpListener::bind(addr).expect("the port is free again");
}

#[test]
fn unknown_paths_are_not_found() {
    let server = site(5, Extras::default()).serve().unwrap();
    let mut client = Client::new(server.addr());
    let rows = [
        ("/p/4", 200),
        ("/p/5", 404),
        ("/p/0", 404),
        ("/p/4/", 404),
        ("/p/4?x=1", 200),
        ("/robots.txt", 404),
        ("/sitemap.xml", 404),
        ("/private/", 404),
        ("/slow/1", 404),
        ("/calendar/2026/11/", 404),
        ("/assets/site.css", 200),
    ];
    for (path, status) in rows {
        assert_eq!(client.get(path).unwrap().status, status, "{path}");
    }
}

#[test]
fn robots_txt_states_the_crawl_delay_and_the_sitemap() {
    let extras = Extras { robots: true, sitemap: true, ..Extras::default() };
    let spec = SiteSpec { extras, crawl_delay: Some(Duration::from_millis(1500)), ..SiteSpec::pages(1) };
    let server = Site::generate(spec).serve().unwrap();
    let robots = Client::new(server.addr()).get("/robots.txt").unwrap().text();
    assert!(robots.contains("Crawl-delay: 1.5\n"), "{robots}");
    assert!(robots.contains(&format!("Sitemap: {}\n", server.url("/sitemap.xml"))), "{robots}");
}
