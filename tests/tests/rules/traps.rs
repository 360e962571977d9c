//! Sites with known pages and infinite traps, crawled with a budget: how much of the budget the traps use.

use gleaner::Pages;
use gleaner::request::Format;
use gleaner_testkit::{Extras, Role, Site, SiteSpec};
use gleaner_tests::fakes::engine_builder;

use crate::escape::PathServer;
use crate::support::{engine, links_only};

const PAGES: u32 = 600;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn most_real_pages_are_found_within_a_budget_despite_traps() {
    let none = Extras::default();
    let rows = [
        ("calendar", 95, Extras { calendar: true, ..none }),
        ("session ids", 95, Extras { sessions: true, ..none }),
        ("infinite depth", 95, Extras { deeper: true, ..none }),
        ("facets", 95, Extras { facets: true, ..none }),
        // Each trap gets as many pages as a real section would need before it is deferred, together more than
        // the spare budget.
        ("all of them", 90, Extras { calendar: true, sessions: true, deeper: true, facets: true, ..none }),
    ];
    // 10 % more than there are pages.
    let budget = u64::from(PAGES) * 11 / 10;
    for (name, min_percent, extras) in rows {
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
                "trap: {name:<16} {format:<9} real pages found {:.1} %, \
                 trap share {:.1} % of {fetches} fetches",
                100.0 * found as f64 / real.len() as f64,
                100.0 * trapped as f64 / fetches as f64
            );
            assert_eq!(
                result.documents.len() as u64,
                budget,
                "{name}: the trap uses up the rest of the budget"
            );
            assert!(found * 100 >= real.len() * min_percent, "{name}, {format}: {found} of {}", real.len());
        }
    }
}

/// Random words, different for each number.
fn prose(number: usize) -> String {
    let mut state = number as u64 + 1;
    let mut letter = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        char::from(b'a' + u8::try_from((state >> 33) % 26).unwrap())
    };
    (0..300).map(|position| if position % 6 == 5 { ' ' } else { letter() }).collect()
}

const REAL: usize = 40;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn soft_404s_are_deferred_behind_pages_with_content() {
    for max_concurrency in [None, Some(1)] {
        assert_eq!(
            real_pages_beside_soft_404s(max_concurrency, true).await,
            REAL,
            "max_concurrency {max_concurrency:?}"
        );
    }
    let found = real_pages_beside_soft_404s(None, false).await;
    assert!(found < REAL / 2, "found {found} without near-duplicate detection");
}

/// How many real pages a crawl with a budget finds.
async fn real_pages_beside_soft_404s(max_concurrency: Option<u32>, compares: bool) -> usize {
    const SOFT: usize = 4_000;
    const SORRY: &str = "We are sorry, but the page that you asked for was not found. It may have moved, or \
                         never have existed. Try the search, go back to the home page, or have a look at \
                         others liked.";
    let link = |path: String| format!("<a href='{path}'>{path}</a>");
    let page = |text: &str, links: String| format!("<main><h1>A page</h1><p>{text}</p>{links}</main>");
    // The URLs of the soft 404s look normal, and their tree is wider than the budget long before the real
    // pages, a chain of one click each, are reached.
    let soft = (1..SOFT).map(|n| {
        let children = [2 * n, 2 * n + 1].map(|child| link(format!("/entry/n{child}")));
        (format!("/entry/n{n}"), page(&format!("{SORRY} {n}"), children.concat()))
    });
    let real = (0..REAL).map(|n| (format!("/real/{n}"), page(&prose(n), link(format!("/real/{}", n + 1)))));
    let first = link("/entry/n1".to_owned()) + &link("/real/0".to_owned());
    let all = std::iter::once(("/".to_owned(), page(&prose(REAL), first))).chain(soft).chain(real);
    let pages = PathServer::start(all.collect());
    let mut request = links_only(pages.url("/")).limit(3 * REAL as u64).formats([Format::Markdown]);
    request.max_concurrency = max_concurrency;
    let engine = engine_builder().pages(Pages::new().near_duplicates(compares));
    let result = engine.build().unwrap().crawl(request).await.unwrap().wait().await.unwrap();
    let requested = pages.requested_paths();
    let found = (0..REAL).filter(|n| requested.contains(&format!("/real/{n}"))).count();
    let fetched_soft = requested.iter().filter(|path| path.starts_with("/entry/")).count();
    println!(
        "trap: soft 404s        Markdown  real pages found {found} of {REAL} with {fetched_soft} soft 404s \
         (max_concurrency: {max_concurrency:?}, compared: {compares})"
    );
    assert_eq!(result.documents.len(), 3 * REAL, "soft 404s use up the rest of the budget");
    found
}
