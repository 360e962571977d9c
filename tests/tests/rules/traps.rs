//! A site of known pages beside traps that never end, crawled with a budget: what of it goes into the traps.

use gleaner::CrawlRequest;
use gleaner::request::Format;
use gleaner_testkit::{Extras, Role, Site, SiteSpec};

use crate::support::{engine, links_only};

const PAGES: u32 = 600;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn real_pages_are_found_within_a_budget() {
    let none = Extras::default();
    let rows = [
        ("calendar", Extras { calendar: true, ..none }),
        ("session ids", Extras { sessions: true, ..none }),
        ("infinite depth", Extras { deeper: true, ..none }),
        ("facets", Extras { facets: true, ..none }),
        ("all of them", Extras { calendar: true, sessions: true, deeper: true, facets: true, ..none }),
    ];
    // A tenth more than there are pages.
    let budget = u64::from(PAGES) * 11 / 10;
    for (name, extras) in rows {
        for (format, formats) in [("links", vec![Format::Links]), ("Markdown", vec![Format::Markdown])] {
            let site = Site::generate(SiteSpec { extras, ..SiteSpec::pages(PAGES) });
            let server = site.serve().unwrap();
            let mut request = CrawlRequest { limit: Some(budget), ..links_only(server.url("/")) };
            request.scrape_options.as_mut().unwrap().formats = Some(formats);
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
            assert_eq!(found, real.len(), "{name}, {format}");
        }
    }
}
