//! robots.txt: its rules, its failures, and its route.

use std::time::Duration;

use gleaner_runtime::StartOptions;
use gleaner_types::ErrorCode;
use gleaner_types::plan::ProxyMode;
use gleaner_types::request::{CrawlRequest, Location, ProxyChoice};
use tokio::time::Instant;

use crate::support::{Answer, Web, crawl, paths, runtime, site_of};

#[tokio::test(start_paused = true)]
async fn a_crawl_delay_applies_from_the_first_request_on() {
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
async fn pages_that_robots_txt_forbids_cause_no_delay() {
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

/// Failures of robots.txt, a part of the error, and whether the failure closes the site.
fn robots_failures() -> [(&'static str, Answer, &'static str, bool); 6] {
    [
        ("its server fails", Answer::status(500), "status 500", true),
        ("its server is busy", Answer::status(503), "status 503", true),
        ("the connection breaks", Answer::Broken, "the connection broke", true),
        (
            "its host name does not resolve",
            Answer::Refused(ErrorCode::ScrapeDnsResolutionError, false),
            "the connection was refused",
            true,
        ),
        ("its redirects do not end", Answer::status(302), "", false),
        ("its status is 403", Answer::status(403), "", false),
    ]
}

#[tokio::test(start_paused = true)]
async fn failures_of_robots_txt_have_the_same_outcome_on_pages_and_at_redirects() {
    for (name, failure, expected_cause, closed) in robots_failures() {
        let web = Web::new([
            ("https://a.example/robots.txt", vec![failure.clone()]),
            ("https://a.example/", vec![Answer::Ok("/one")]),
            ("https://a.example/one", vec![Answer::Ok("")]),
            ("https://b.example/", vec![Answer::Redirect("https://www.b.example/")]),
            ("https://www.b.example/robots.txt", vec![failure]),
            ("https://www.b.example/", vec![Answer::Ok("")]),
        ]);
        for (case, start, documents) in
            [("start page", "https://a.example/", 2), ("redirect", "https://b.example/", 1)]
        {
            let name = format!("{name}, {case}");
            let result = crawl(&web, CrawlRequest::new(start)).await;
            assert_eq!(result.documents.len(), if closed { 0 } else { documents }, "{name}");
            // No rule forbids the page: it fails with the cause.
            assert_eq!(result.robots_blocked.len(), 0, "{name}");
            assert_eq!(result.failures.len(), usize::from(closed), "{name}");
            let told = result.failures.first().map(|page| page.error.message.clone()).unwrap_or_default();
            assert!(told.contains(expected_cause), "{name}: {told}");
            assert_eq!(told.contains("robots.txt could not be read"), closed, "{name}: {told}");
            let warning = result.snapshot.warning().unwrap_or_default();
            let answered = closed && name.contains("server");
            assert_eq!(
                warning.contains(&format!("nothing was crawled: {told}")),
                answered,
                "{name}: {warning}"
            );
        }
        let requests = web.requests();
        let pages = requests.iter().filter(|request| !request.url.ends_with("/robots.txt"));
        let allowed = |url: &str| url == "https://b.example/" || url.ends_with("sitemap.xml");
        assert!(!closed || pages.clone().all(|request| allowed(&request.url)), "{name}: {requests:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_forbidden_page_is_listed_with_the_line_that_forbids_it() {
    let web = Web::new([
        ("https://a.example/robots.txt", vec![Answer::Ok("User-agent: *\nDisallow: /no # shut")]),
        ("https://a.example/", vec![Answer::Ok("/no/1\n/moved")]),
        ("https://a.example/moved", vec![Answer::Redirect("https://a.example/no/2")]),
    ]);
    let result = crawl(&web, CrawlRequest::new("https://a.example/")).await;
    let mut listed: Vec<(&str, String)> = result
        .robots_blocked
        .iter()
        .map(|page| (page.url.path(), page.rule.as_ref().map(ToString::to_string).unwrap_or_default()))
        .collect();
    listed.sort();
    let line = || "line 2: Disallow: /no".to_owned();
    assert_eq!(listed, [("/moved", line()), ("/no/1", line())]);
    assert!(result.failures.is_empty(), "{:?}", result.failures);
}

#[tokio::test(start_paused = true)]
async fn a_url_that_the_engine_refuses_fails_with_that_error() {
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
    assert_eq!((result.snapshot.failed, result.snapshot.robots_blocked), (1, 0), "at a redirect");
    assert_eq!(web.count("https://www.b.example/robots.txt"), 1);
}

#[tokio::test(start_paused = true)]
async fn a_robots_txt_that_recovers_is_read_by_a_retry() {
    let fails = || [Answer::status(503), Answer::Broken];
    for (name, first, second) in fails().into_iter().flat_map(|first| {
        [Answer::Ok(""), Answer::Ok("User-agent: *\nDisallow: /")]
            .map(|second| (format!("{first:?}, {second:?}"), first.clone(), second))
    }) {
        let allowed = matches!(second, Answer::Ok(""));
        let web = Web::new([
            ("https://a.example/", vec![Answer::Redirect("https://www.a.example/")]),
            ("https://a.example/robots.txt", vec![first.clone(), first.clone(), Answer::status(404)]),
            ("https://www.a.example/", vec![Answer::Ok("")]),
            ("https://www.a.example/robots.txt", vec![first, second]),
        ]);
        for start in ["https://www.a.example/", "https://a.example/"] {
            let result = crawl(&web, CrawlRequest::new(start)).await;
            assert_eq!(result.documents.len(), usize::from(allowed), "{name}");
            assert_eq!(result.robots_blocked.len(), usize::from(!allowed), "{name}");
            assert_eq!(result.snapshot.warning().is_some(), !allowed, "{name}: an empty crawl has a warning");
        }
    }
}

fn crawl_with_timeout(milliseconds: u64, url: &str) -> CrawlRequest {
    CrawlRequest::new(url).timeout(milliseconds)
}

#[tokio::test(start_paused = true)]
async fn a_robots_txt_that_hangs_delays_a_crawl_for_its_timeout_only() {
    let web = Web::new([
        ("https://a.example/robots.txt", vec![Answer::Silent]),
        ("https://a.example/", vec![Answer::Ok("/one")]),
    ]);
    let began = Instant::now();
    let result = crawl(&web, crawl_with_timeout(5_000, "https://a.example/")).await;
    // Three attempts of five seconds, and the pauses between them.
    assert!(began.elapsed() < Duration::from_secs(26), "{:?}", began.elapsed());
    assert_eq!((result.documents.len(), result.snapshot.robots_blocked), (0, 0));
    assert_eq!(
        result.failures[0].error.message,
        "Scrape timed out: https://a.example/robots.txt could not be read: the timeout of 5000 ms ran out"
    );
    assert_eq!(web.count("https://a.example/robots.txt"), 3);
    assert_eq!(web.count("https://a.example/"), 0, "an unreadable robots.txt allows nothing");
}

#[tokio::test(start_paused = true)]
async fn the_timeout_of_one_job_does_not_end_the_robots_fetch_for_another() {
    let web = Web::new([
        ("https://a.example/robots.txt", vec![Answer::Late(8, "")]),
        ("https://a.example/", vec![Answer::Ok("/one")]),
        ("https://a.example/one", vec![Answer::Ok("")]),
    ]);
    let runtime = runtime(&web);
    let run = async |request: CrawlRequest| {
        runtime.start(request.check().unwrap(), StartOptions::default()).await.unwrap().wait().await.unwrap()
    };
    let (hasty, patient) = tokio::join!(
        run(crawl_with_timeout(2_000, "https://a.example/")),
        run(CrawlRequest::new("https://a.example/"))
    );
    assert_eq!(patient.documents.len(), 2);
    assert_eq!(hasty.documents.len(), 2, "it was read before the retry of the page: {:?}", hasty.snapshot);
    assert_eq!(web.count("https://a.example/robots.txt"), 1);
}

#[tokio::test(start_paused = true)]
async fn pages_with_an_unreadable_robots_txt_cause_a_warning() {
    let web = Web::new([
        ("https://a.example/", vec![Answer::Ok("https://b.example/1\nhttps://b.example/2")]),
        ("https://b.example/robots.txt", vec![Answer::status(503)]),
    ]);
    let request = CrawlRequest::new("https://a.example/").allow_external_links(true);
    let result = crawl(&web, request).await;
    assert_eq!((result.documents.len(), result.snapshot.failed, result.snapshot.robots_blocked), (1, 2, 0));
    assert_eq!(
        result.snapshot.warning().as_deref(),
        Some(
            "some pages were not fetched: https://b.example/robots.txt could not be read: \
             its server answered with status 503"
        )
    );
}

#[tokio::test(start_paused = true)]
async fn the_options_of_a_job_do_not_apply_to_robots_txt() {
    let web = Web::new([("https://a.example/", vec![Answer::Ok("")])]);
    let request = CrawlRequest::new("https://a.example/")
        .headers([("Authorization", "secret")])
        .mobile(true)
        .skip_tls_verification(false)
        .location(Location::new().country("DE").languages(["de"]))
        .proxy(ProxyChoice::Stealth)
        .timeout(2_000);
    crawl(&web, request).await;
    crawl(&web, CrawlRequest::new("https://a.example/")).await;
    let requests = web.requests();
    let [one, other] =
        &requests.iter().filter(|one| one.url.ends_with("/robots.txt")).collect::<Vec<_>>()[..]
    else {
        panic!("each runtime reads it once: {requests:?}");
    };
    assert!(one.options.headers.is_empty() && !one.options.mobile && one.options.skip_tls_verification);
    assert_eq!(one.options.proxy, ProxyMode::Auto);
    assert_eq!(one.options.location, other.options.location);
    assert_eq!(one.options.timeout, other.options.timeout);
    let page = requests.iter().find(|one| one.url == "https://a.example/").unwrap();
    assert_eq!((page.options.proxy, page.options.location.country.as_str()), (ProxyMode::Stealth, "DE"));
}

#[tokio::test(start_paused = true)]
async fn a_site_that_one_route_reaches_is_read_over_that_route() {
    let web = Web::new([
        ("https://a.example/robots.txt", vec![Answer::ByStealth("User-agent: *\nDisallow: /hidden")]),
        ("https://a.example/", vec![Answer::ByStealth("/shown\n/hidden")]),
        ("https://a.example/shown", vec![Answer::ByStealth("")]),
        ("https://a.example/hidden", vec![Answer::ByStealth("")]),
    ]);
    let runtime = runtime(&web);
    for (proxy, shown) in [
        (ProxyChoice::Auto, 0),
        (ProxyChoice::Stealth, 2),
        (ProxyChoice::Basic, 0),
        (ProxyChoice::Stealth, 2),
    ] {
        let request = CrawlRequest::new("https://a.example/").proxy(proxy);
        let mut job = runtime.start(request.check().unwrap(), StartOptions::default()).await.unwrap();
        let result = job.wait().await.unwrap();
        assert_eq!(result.documents.len(), shown, "{proxy:?}: {:?}", result.failures);
        assert_eq!(result.snapshot.robots_blocked, u64::from(shown > 0), "{proxy:?}");
    }
    let by_stealth = web
        .requests()
        .into_iter()
        .filter(|one| one.url.ends_with("/robots.txt") && one.options.proxy == ProxyMode::Stealth);
    assert_eq!(by_stealth.count(), 1, "jobs with the same route share the result");
}

#[tokio::test(start_paused = true)]
async fn a_job_with_its_own_route_tries_the_default_route_once() {
    let web = Web::new([
        ("https://a.example/robots.txt", vec![Answer::ByStealth("")]),
        ("https://a.example/", vec![Answer::ByStealth("/1\n/2\n/3\n/4")]),
    ]);
    // The delay is longer than the lifetime of a cached failure.
    let request = CrawlRequest::new("https://a.example/").proxy(ProxyChoice::Stealth).delay(10.0);
    assert_eq!(crawl(&web, request).await.documents.len(), 5);
    assert_eq!(web.count("https://a.example/robots.txt"), 2, "once over each route");
}

#[tokio::test(start_paused = true)]
async fn the_crawl_delay_of_a_custom_agent_applies_to_its_job_only() {
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
        let with_delay = Duration::from_secs(20 * 60);
        assert_eq!(began.elapsed() >= with_delay, slow, "{agent:?}: {:?}", began.elapsed());
    }
}
