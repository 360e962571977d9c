//! A site of known pages beside traps that never end, crawled with a budget: what of it goes into the traps.

use gleaner::request::Format;
use gleaner_testkit::{Extras, Role, Site, SiteSpec};
use gleaner_tests::fakes::engine_builder;

use crate::escape::Pages;
use crate::support::{engine, links_only};

const PAGES: u32 = 600;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn real_pages_are_found_within_a_budget() {
    let none = Extras::default();
    let rows = [
        ("calendar", 95, Extras { calendar: true, ..none }),
        ("session ids", 95, Extras { sessions: true, ..none }),
        ("infinite depth", 95, Extras { deeper: true, ..none }),
        ("facets", 95, Extras { facets: true, ..none }),
        // Each of them is given the patience that a real part of the site would need: together more than is to spare.
        ("all of them", 90, Extras { calendar: true, sessions: true, deeper: true, facets: true, ..none }),
    ];
    // A tenth more than there are pages.
    let budget = u64::from(PAGES) * 11 / 10;
    for (name, least, extras) in rows {
        for (format, formats) in [("links", vec![Format::Links]), ("Markdown", vec![Format::Markdown])] {
            let site = Site::generate(SiteSpec { extras, ..SiteSpec::pages(PAGES) });
            let server = site.serve().unwrap();
            let request = links_only(server.url("/")).limit(budget).formats(formats);
            let result = engine().crawl(request).await.unwrap().wait().await.unwrap();
            let log = server.log();
            let truth = site.truth();
            let real: Vec<String> =
                truth.paths().filter(|page| page.role == Role::Page).map(|page| page.path).collect();
            let found = real.iter().filter(|path| log.count(path) > 0).count();
            let in_trap =
                |path: &&str| truth.extras().traps.iter().any(|trap| path.starts_with(trap.prefix.as_str()));
            let (fetches, trapped) = (log.paths().count(), log.paths().filter(in_trap).count());
            println!(
                "trap: {name:<16} {format:<9} real pages found {:.1} %, trap share {:.1} % of {fetches} fetches",
                100.0 * found as f64 / real.len() as f64,
                100.0 * trapped as f64 / fetches as f64
            );
            assert_eq!(result.documents.len() as u64, budget, "{name}: what is left goes into the trap");
            assert!(found * 100 >= real.len() * least, "{name}, {format}: {found} of {}", real.len());
        }
    }
}

/// Words that nobody has seen before, other ones for each number.
fn prose(number: usize) -> String {
    let mut state = number as u64 + 1;
    let mut letter = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        char::from(b'a' + u8::try_from((state >> 33) % 26).unwrap())
    };
    (0..300).map(|place| if place % 6 == 5 { ' ' } else { letter() }).collect()
}

const REAL: usize = 40;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn soft_404s_wait_for_pages_that_say_something() {
    for max_concurrency in [None, Some(1)] {
        assert_eq!(
            real_pages_beside_soft_404s(max_concurrency, true).await,
            REAL,
            "{max_concurrency:?} at once"
        );
    }
    let found = real_pages_beside_soft_404s(None, false).await;
    assert!(found < REAL / 2, "found {found}, though nothing tells the soft ones from the others");
}

/// How many of the real pages a crawl with a budget comes upon.
async fn real_pages_beside_soft_404s(max_concurrency: Option<u32>, compares: bool) -> usize {
    const SOFT: usize = 4_000;
    const SORRY: &str = "We are sorry, but the page that you asked for was not found. It may have moved, or never have \
                         existed. Try the search, go back to the home page, or have a look at what others liked.";
    let link = |path: String| format!("<a href='{path}'>{path}</a>");
    let page = |text: &str, links: String| format!("<main><h1>A page</h1><p>{text}</p>{links}</main>");
    // Nothing in the addresses gives the tree of soft 404s away, and it is wider than the budget long before the real
    // pages, each a click behind the one before, are reached.
    let soft = (1..SOFT).map(|n| {
        let children = [2 * n, 2 * n + 1].map(|child| link(format!("/entry/n{child}")));
        (format!("/entry/n{n}"), page(&format!("{SORRY} {n}"), children.concat()))
    });
    let real = (0..REAL).map(|n| (format!("/real/{n}"), page(&prose(n), link(format!("/real/{}", n + 1)))));
    let first = link("/entry/n1".to_owned()) + &link("/real/0".to_owned());
    let all = std::iter::once(("/".to_owned(), page(&prose(REAL), first))).chain(soft).chain(real);
    let pages = Pages::serve(all.collect());
    let mut request = links_only(pages.url("/")).limit(3 * REAL as u64).formats([Format::Markdown]);
    request.max_concurrency = max_concurrency;
    let engine = engine_builder().near_duplicates(compares);
    let result = engine.build().unwrap().crawl(request).await.unwrap().wait().await.unwrap();
    let asked = pages.asked();
    let found = (0..REAL).filter(|n| asked.contains(&format!("/real/{n}"))).count();
    let fetched_soft = asked.iter().filter(|path| path.starts_with("/entry/")).count();
    println!(
        "trap: soft 404s        Markdown  real pages found {found} of {REAL} beside {fetched_soft} soft 404s \
         (at once: {max_concurrency:?}, compared: {compares})"
    );
    assert_eq!(result.documents.len(), 3 * REAL, "what is left goes to them: nothing is dropped");
    found
}
