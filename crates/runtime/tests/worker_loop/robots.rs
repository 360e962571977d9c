//! What robots.txt lets the loop do.

use std::time::Duration;

use gleaner_runtime::StartOptions;
use gleaner_types::ErrorCode;
use gleaner_types::plan::ProxyMode;
use gleaner_types::request::{CrawlRequest, Location, Proxy};
use tokio::time::Instant;

use crate::support::{Answer, Web, crawl, paths, runtime, site_of};

#[tokio::test(start_paused = true)]
async fn a_crawl_delay_holds_from_the_first_request_on() {
    let web = Web::new([
        ("https://a.example/robots.txt", vec![Answer::Ok("User-agent: *\nCrawl-delay: 5")]),
        ("https://a.example/", vec![Answer::Ok("/1\n/2\n/3")]),
        ("https://a.example/1", vec![Answer::Ok("")]),
        ("https://a.example/2", vec![Answer::Redirect("https://a.example/4")]),
        ("https://a.example/3", vec![Answer::Ok("")]),
        ("https://a.example/4", vec![Answer::Ok("")]),
        ("https://a.example/sitemap.xml", vec![Answer::Ok("https://a.example/5")]),
        ("https://a.example/5", vec![Answer::Ok("")]),
    ]);
    let result = crawl(&web, CrawlRequest::new("https://a.example/")).await;
    assert_eq!(paths(&result), ["/", "/1", "/2", "/3", "/5"]);
    let requests = web.requests();
    for pair in requests.windows(2) {
        let gap = pair[1].began.duration_since(pair[0].ended.unwrap());
        assert!(gap >= Duration::from_secs(5), "{} came {gap:?} after {}", pair[1].url, pair[0].url);
    }
}

#[tokio::test(start_paused = true)]
async fn pages_that_robots_txt_forbids_cost_no_time() {
    let links: &'static str =
        (0..50).map(|n| format!("/no/{n}\n")).chain(["/yes".to_owned()]).collect::<String>().leak();
    for (name, robots, delay) in [
        ("a Crawl-delay", "User-agent: *\nDisallow: /no/\nCrawl-delay: 30", None),
        ("a delay of the job", "User-agent: *\nDisallow: /no/", Some(30.0)),
    ] {
        let web = Web::new([
            ("https://a.example/robots.txt", vec![Answer::Ok(robots)]),
            ("https://a.example/", vec![Answer::Ok(links)]),
            ("https://a.example/yes", vec![Answer::Ok("")]),
        ]);
        let began = Instant::now();
        let mut request = CrawlRequest::new("https://a.example/");
        request.delay = delay;
        let result = crawl(&web, request).await;
        assert_eq!(paths(&result), ["/", "/yes"], "{name}");
        assert_eq!(result.snapshot.robots_blocked, 50, "{name}");
        let requests = web.requests();
        for pair in requests.windows(2) {
            let gap = pair[1].began.duration_since(pair[0].ended.unwrap());
            assert!(
                gap >= Duration::from_secs(30),
                "{name}: {} came {gap:?} after {}",
                pair[1].url,
                pair[0].url
            );
        }
        let bound = Duration::from_secs(40) * u32::try_from(requests.len()).unwrap();
        assert!(began.elapsed() < bound, "{name}: {} requests took {:?}", requests.len(), began.elapsed());
    }
}

/// Ways in which robots.txt is not to be had, what they are told as, and whether the site is closed for it.
fn troubles() -> [(&'static str, Answer, &'static str, bool); 6] {
    [
        ("its server fails", Answer::status(500), "status 500", true),
        ("its server is busy", Answer::status(503), "status 503", true),
        ("the connection breaks", Answer::Broken, "the connection broke", true),
        (
            "nobody is there",
            Answer::Refused(ErrorCode::ScrapeDnsResolutionError, false),
            "nobody is there",
            true,
        ),
        ("redirects without end", Answer::status(302), "", false),
        ("it is forbidden itself", Answer::status(403), "", false),
    ]
}

#[tokio::test(start_paused = true)]
async fn a_robots_txt_that_cannot_be_had_has_one_end() {
    for (name, trouble, told, closed) in troubles() {
        let web = Web::new([
            ("https://a.example/robots.txt", vec![trouble.clone()]),
            ("https://a.example/", vec![Answer::Ok("/one")]),
            ("https://a.example/one", vec![Answer::Ok("")]),
            ("https://b.example/", vec![Answer::Redirect("https://www.b.example/")]),
            ("https://www.b.example/robots.txt", vec![trouble]),
            ("https://www.b.example/", vec![Answer::Ok("")]),
        ]);
        for (where_met, start, documents) in
            [("on the page", "https://a.example/", 2), ("at a redirect", "https://b.example/", 1)]
        {
            let name = format!("{name}, {where_met}");
            let result = crawl(&web, CrawlRequest::new(start)).await;
            assert_eq!(result.documents.len(), if closed { 0 } else { documents }, "{name}");
            assert!(result.failures.is_empty(), "{name}: {:?}", result.failures);
            assert_eq!(result.robots_blocked.len(), usize::from(closed), "{name}");
            let warning = result.snapshot.warning.unwrap_or_default();
            assert!(warning.contains(told), "{name}: {warning}");
            assert_eq!(warning.contains("robots.txt could not be read"), closed, "{name}: {warning}");
        }
        let asked = web.requests();
        let pages = asked.iter().filter(|request| !request.url.ends_with("/robots.txt"));
        let allowed = |url: &str| url == "https://b.example/" || url.ends_with("sitemap.xml");
        assert!(!closed || pages.clone().all(|request| allowed(&request.url)), "{name}: {asked:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_address_that_the_engine_does_not_go_to_fails_for_that() {
    let refused = || vec![Answer::Refused(ErrorCode::ScrapeBlocked, false)];
    let web = Web::new([
        ("https://a.example/robots.txt", refused()),
        ("https://b.example/", vec![Answer::Redirect("https://www.b.example/")]),
        ("https://www.b.example/robots.txt", refused()),
    ]);
    let result = crawl(&web, CrawlRequest::new("https://a.example/")).await;
    assert_eq!(result.failures[0].error.code, ErrorCode::ScrapeBlocked);
    assert_eq!(web.requests().len(), 1);
    let result = crawl(&web, CrawlRequest::new("https://b.example/")).await;
    assert_eq!((result.snapshot.failed, result.snapshot.robots_blocked), (1, 0), "at a redirect too");
    assert_eq!(web.count("https://www.b.example/robots.txt"), 1);
}

#[tokio::test(start_paused = true)]
async fn a_robots_txt_that_comes_a_moment_late_loses_nothing() {
    let fails = || [Answer::status(503), Answer::Broken];
    for (name, first, late) in fails().into_iter().flat_map(|first| {
        [Answer::Ok(""), Answer::Ok("User-agent: *\nDisallow: /")]
            .map(|late| (format!("{first:?}, {late:?}"), first.clone(), late))
    }) {
        let shown = matches!(late, Answer::Ok(""));
        let web = Web::new([
            ("https://a.example/", vec![Answer::Redirect("https://www.a.example/")]),
            ("https://a.example/robots.txt", vec![first.clone(), first.clone(), Answer::status(404)]),
            ("https://www.a.example/", vec![Answer::Ok("")]),
            ("https://www.a.example/robots.txt", vec![first, late]),
        ]);
        for start in ["https://www.a.example/", "https://a.example/"] {
            let result = crawl(&web, CrawlRequest::new(start)).await;
            assert_eq!(result.documents.len(), usize::from(shown), "{name}");
            assert_eq!(result.robots_blocked.len(), usize::from(!shown), "{name}");
            assert_eq!(result.snapshot.warning.is_some(), !shown, "{name}: an empty crawl says why");
        }
    }
}

fn impatient(milliseconds: u64, url: &str) -> CrawlRequest {
    CrawlRequest::new(url).timeout(milliseconds)
}

#[tokio::test(start_paused = true)]
async fn a_robots_txt_that_drips_holds_no_crawl_beyond_its_timeout() {
    let web = Web::new([
        ("https://a.example/robots.txt", vec![Answer::Silent]),
        ("https://a.example/", vec![Answer::Ok("/one")]),
    ]);
    let began = Instant::now();
    let result = crawl(&web, impatient(5_000, "https://a.example/")).await;
    // Three tries of five seconds, and the pauses between them.
    assert!(began.elapsed() < Duration::from_secs(26), "{:?}", began.elapsed());
    assert_eq!((result.documents.len(), result.snapshot.robots_blocked), (0, 1));
    assert_eq!(
        result.snapshot.warning.as_deref(),
        Some(
            "nothing was crawled: Scrape timed out: https://a.example/robots.txt could not be read: the timeout of 5000 ms ran out"
        )
    );
    assert_eq!(web.count("https://a.example/robots.txt"), 3);
    assert_eq!(web.count("https://a.example/"), 0, "nothing is allowed that is not known to be");
}

#[tokio::test(start_paused = true)]
async fn the_time_that_one_job_has_for_a_robots_txt_is_not_that_of_another() {
    let web = Web::new([
        ("https://a.example/robots.txt", vec![Answer::Late(8, "")]),
        ("https://a.example/", vec![Answer::Ok("/one")]),
        ("https://a.example/one", vec![Answer::Ok("")]),
    ]);
    let runtime = runtime(&web);
    let begin = async |request: CrawlRequest| {
        runtime.start(request.check().unwrap(), StartOptions::default()).await.unwrap().wait().await.unwrap()
    };
    let (hasty, patient) = tokio::join!(
        begin(impatient(2_000, "https://a.example/")),
        begin(CrawlRequest::new("https://a.example/"))
    );
    assert_eq!(patient.documents.len(), 2);
    assert_eq!(hasty.documents.len(), 2, "it had come when the page was tried again: {:?}", hasty.snapshot);
    assert_eq!(web.count("https://a.example/robots.txt"), 1);
}

#[tokio::test(start_paused = true)]
async fn pages_of_a_host_whose_robots_txt_cannot_be_read_do_not_look_forbidden() {
    let web = Web::new([
        ("https://a.example/", vec![Answer::Ok("https://b.example/1\nhttps://b.example/2")]),
        ("https://b.example/robots.txt", vec![Answer::Broken]),
    ]);
    let request = CrawlRequest::new("https://a.example/").allow_external_links(true);
    let result = crawl(&web, request).await;
    assert_eq!((result.documents.len(), result.snapshot.robots_blocked), (1, 2));
    assert_eq!(
        result.snapshot.warning.as_deref(),
        Some(
            "some pages were not fetched: https://b.example/robots.txt could not be read: the connection broke"
        )
    );
}

#[tokio::test(start_paused = true)]
async fn robots_txt_is_fetched_by_the_options_of_no_job() {
    let web = Web::new([("https://a.example/", vec![Answer::Ok("")])]);
    let request = CrawlRequest::new("https://a.example/")
        .headers([("Authorization", "secret")])
        .mobile(true)
        .skip_tls_verification(false)
        .location(Location::new().country("DE").languages(["de"]))
        .proxy(Proxy::Stealth)
        .timeout(2_000);
    crawl(&web, request).await;
    crawl(&web, CrawlRequest::new("https://a.example/")).await;
    let asked = web.requests();
    let [one, other] = &asked.iter().filter(|one| one.url.ends_with("/robots.txt")).collect::<Vec<_>>()[..]
    else {
        panic!("each room reads it once: {asked:?}");
    };
    assert!(one.options.headers.is_empty() && !one.options.mobile && one.options.skip_tls_verification);
    assert_eq!(one.options.proxy, ProxyMode::Auto);
    assert_eq!(one.options.location, other.options.location);
    assert_eq!(one.options.timeout, other.options.timeout);
    let page = asked.iter().find(|one| one.url == "https://a.example/").unwrap();
    assert_eq!((page.options.proxy, page.options.location.country.as_str()), (ProxyMode::Stealth, "DE"));
}

#[tokio::test(start_paused = true)]
async fn a_site_that_one_way_alone_leads_to_is_read_by_that_way() {
    let web = Web::new([
        ("https://a.example/robots.txt", vec![Answer::ByStealth("User-agent: *\nDisallow: /hidden")]),
        ("https://a.example/", vec![Answer::ByStealth("/shown\n/hidden")]),
        ("https://a.example/shown", vec![Answer::ByStealth("")]),
        ("https://a.example/hidden", vec![Answer::ByStealth("")]),
    ]);
    let runtime = runtime(&web);
    for (proxy, shown) in [(Proxy::Auto, 0), (Proxy::Stealth, 2), (Proxy::Basic, 0), (Proxy::Stealth, 2)] {
        let request = CrawlRequest::new("https://a.example/").proxy(proxy);
        let job = runtime.start(request.check().unwrap(), StartOptions::default()).await.unwrap();
        let result = job.wait().await.unwrap();
        assert_eq!(result.documents.len(), shown, "{proxy:?}: {:?}", result.failures);
        assert_eq!(result.snapshot.robots_blocked, 1, "{proxy:?}");
    }
    let by_stealth = web
        .requests()
        .into_iter()
        .filter(|one| one.url.ends_with("/robots.txt") && one.options.proxy == ProxyMode::Stealth);
    assert_eq!(by_stealth.count(), 1, "what came is kept for who goes the same way");
}

#[tokio::test(start_paused = true)]
async fn a_job_with_a_way_of_its_own_does_not_ask_by_the_usual_way_for_each_page() {
    let web = Web::new([
        ("https://a.example/robots.txt", vec![Answer::ByStealth("")]),
        ("https://a.example/", vec![Answer::ByStealth("/1\n/2\n/3\n/4")]),
    ]);
    // The delay is so long that a failure is forgotten between two pages.
    let request = CrawlRequest::new("https://a.example/").proxy(Proxy::Stealth).delay(10.0);
    assert_eq!(crawl(&web, request).await.documents.len(), 5);
    assert_eq!(web.count("https://a.example/robots.txt"), 2, "once by each way");
}

#[tokio::test(start_paused = true)]
async fn the_delay_of_an_agent_that_one_job_chose_holds_for_that_job() {
    let pages: &'static str = (0..20).map(|page| format!("/{page}\n")).collect::<String>().leak();
    let mut answers = site_of(&Answer::Ok(pages), &Answer::Ok(""));
    answers.push(("https://a.example/robots.txt", vec![Answer::Ok("User-agent: slowbot\nCrawl-delay: 60")]));
    let web = Web::new(answers);
    let runtime = runtime(&web);
    for (agent, slow) in [(Some("slowbot"), true), (None, false)] {
        let mut request = CrawlRequest::new("https://a.example/");
        request.robots_user_agent = agent.map(str::to_owned);
        let began = Instant::now();
        let result = runtime
            .start(request.check().unwrap(), StartOptions::default())
            .await
            .unwrap()
            .wait()
            .await
            .unwrap();
        assert_eq!(result.documents.len(), 21, "{agent:?}");
        let least = Duration::from_secs(20 * 60);
        assert_eq!(began.elapsed() >= least, slow, "{agent:?}: {:?}", began.elapsed());
    }
}
