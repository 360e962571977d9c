//! What counts as a link: `nofollow`, iframes, areas of image maps, and pages of a series.

use std::collections::BTreeSet;

use gleaner::request::Format;
use gleaner::{EngineBuilder, Pages, Politeness, SkipReason, Verdict};
use gleaner_tests::fakes::engine_builder;

use crate::escape::PathServer;
use crate::support::{links_only, url};

const START: &str = "<head><link rel=next href=/series/2></head><body>
    <a href=/plain>a</a> <a href=/unvouched rel='nofollow noopener'>b</a> <a href=/twice rel=nofollow>c</a>
    <a href=/closed>d</a> <a href=https://elsewhere.example/ rel=nofollow>e</a>
    <map name=m><area href=/area></map> <iframe src=/framed></iframe></body>";

fn site() -> PathServer {
    let page = |path: &str, html: &str| (path.to_owned(), html.to_owned());
    PathServer::start(vec![
        page("/", START),
        page("/plain", "<a href=/twice>c</a>"),
        page("/unvouched", "<a href=/behind>f</a>"),
        page("/twice", "twice"),
        page("/closed", "<meta name=robots content='noindex, nofollow'><a href=/in-the-closed>g</a>"),
        page("/in-the-closed", "g"),
        page("/behind", "f"),
        page("/area", "area"),
        page("/framed", "<a href=/in-the-frame>h</a>"),
        page("/in-the-frame", "h"),
        page("/series/2", "<link rel=prev href=/><link rel=next href=/series/3>"),
        page("/series/3", "<link rel=prev href=/series/2>"),
    ])
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_embedder_chooses_whether_nofollow_and_iframes_count_as_links() {
    const ALWAYS: [&str; 7] = ["/", "/plain", "/twice", "/closed", "/area", "/series/2", "/series/3"];
    const UNVOUCHED: [&str; 3] = ["/unvouched", "/behind", "/in-the-closed"];
    const FRAMED: [&str; 2] = ["/framed", "/in-the-frame"];
    type Setting = fn(EngineBuilder) -> EngineBuilder;
    let rows: [(&str, Setting, &[&str], u64); 4] = [
        ("by default", |builder| builder, &UNVOUCHED, 0),
        // Three links: `/unvouched`, `/twice`, which another page links to as well, and the link of
        // `/closed`.
        ("nofollow", |builder| builder.politeness(Politeness::new().obey_nofollow(true)), &[], 3),
        (
            "iframes",
            |builder| builder.pages(Pages::new().follow_iframes(true)),
            &["/unvouched", "/behind", "/in-the-closed", "/framed", "/in-the-frame"],
            0,
        ),
        (
            "both",
            |builder| {
                builder
                    .politeness(Politeness::new().obey_nofollow(true))
                    .pages(Pages::new().follow_iframes(true))
            },
            &FRAMED,
            3,
        ),
    ];
    for (row, setting, more, left_out) in rows {
        // Both extraction paths: links only without a tree, and the full tree.
        for format in [Format::Links, Format::Markdown] {
            let pages = site();
            let mut request = links_only(pages.url("/"));
            request.scrape_options.as_mut().unwrap().formats = Some(vec![format]);
            let builder = engine_builder();
            let engine = setting(builder).build().unwrap();
            let explained_urls =
                [url(&pages.url("/unvouched")), url(&pages.url("/twice")), url(&pages.url("/behind"))];
            let mut job = engine.crawl_explained(request, &explained_urls).await.unwrap();
            let mut found = BTreeSet::new();
            while let Some(document) = job.next().await {
                let document = document.unwrap();
                found.insert(url(document.metadata.url.as_deref().unwrap()).path().to_owned());
            }
            let expected: BTreeSet<String> =
                ALWAYS.iter().chain(more).map(|path| (*path).to_owned()).collect();
            assert_eq!(found, expected, "{row}");
            let rejected = |reason| {
                job.rejections().into_iter().find(|(other, _)| *other == reason).map_or(0, |(_, count)| count)
            };
            assert_eq!(rejected(SkipReason::Nofollow), left_out, "{row}");
            assert_eq!(
                rejected(SkipReason::OtherHost),
                1,
                "{row}: an external link counts as external with or without nofollow"
            );
            let [unvouched, twice, behind] = job.explanations().await.unwrap().try_into().unwrap();
            assert!(matches!(twice.verdict, Verdict::Crawled(_)), "{row}: {twice:?}");
            if left_out > 0 {
                assert_eq!(unvouched.verdict, Verdict::Rejected(SkipReason::Nofollow), "{row}");
                assert_eq!(
                    unvouched.found_on.map(|page| page.path().to_owned()).as_deref(),
                    Some("/"),
                    "{row}"
                );
                assert_eq!(behind.verdict, Verdict::NotFound, "{row}");
            } else {
                assert!(matches!(unvouched.verdict, Verdict::Crawled(_)), "{row}: {unvouched:?}");
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn x_robots_tag_nofollow_is_obeyed_if_the_embedder_enables_it() {
    for (tag, agent, applies) in [
        ("nofollow", "gleaner", true),
        ("noindex, none", "gleaner", true),
        ("gleaner: nofollow", "gleaner", true),
        ("nofollow, unavailable_after: 25 août 2031", "gleaner", true),
        ("otherbot: nofollow", "gleaner", false),
        ("otherbot: nofollow", "OtherBot", true),
        ("otherbot: noindex, gleaner: nofollow", "gleaner", true),
        ("noindex", "gleaner", false),
    ] {
        for obeys in [false, true] {
            let pages = PathServer::start(vec![
                ("/".to_owned(), format!("X-Robots-Tag: {tag}\n<a href=/linked>a</a>")),
                ("/linked".to_owned(), "linked".to_owned()),
            ]);
            let builder = engine_builder();
            let engine = builder
                .politeness(Politeness::new().robots_agent(agent).obey_nofollow(obeys))
                .build()
                .unwrap();
            let mut job = engine.crawl(links_only(pages.url("/"))).await.unwrap();
            let mut found = 0;
            while job.next().await.transpose().unwrap().is_some() {
                found += 1;
            }
            assert_eq!(found, if obeys && applies { 1 } else { 2 }, "{tag} for {agent}, {obeys}");
            let left_out = u64::from(obeys && applies);
            let counted = job.rejections().into_iter().map(|(_, count)| count).sum::<u64>();
            assert_eq!(counted, left_out, "{tag} for {agent}, {obeys}");
        }
    }
}
