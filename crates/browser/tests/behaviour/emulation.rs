//! What scripts of a page see of the browser.

use gleaner_fetch::FollowAll;
use gleaner_testkit::{HostilePage, RawServer, Step};
use serde_json::{Value, json};
use url::Url;

use crate::support::{browser, fetcher, render_pages, request};

const PAGE: &str = "<!doctype html><meta name=viewport content='width=device-width'>\
    <pre id=seen></pre><script>\
    const format = Intl.DateTimeFormat().resolvedOptions(), data = navigator.userAgentData;\
    seen.textContent = JSON.stringify({\
        window: [innerWidth, innerHeight], screen: [screen.width, screen.height],\
        ratio: devicePixelRatio, orientation: screen.orientation.type,\
        touch: navigator.maxTouchPoints, coarse: matchMedia('(pointer: coarse)').matches,\
        dark: matchMedia('(prefers-color-scheme: dark)').matches,\
        languages: navigator.languages, zone: format.timeZone, locale: format.locale,\
        number: (1234.5).toLocaleString(), focus: document.hasFocus(), visible: document.visibilityState,\
        agent: navigator.userAgent, mobile: data.mobile, platform: data.platform, brands: data.brands });\
    </script>";

async fn seen(options: Value) -> Option<Value> {
    let browser = browser()?;
    let rendered = render_pages(&browser, vec![HostilePage::html("/", PAGE)], options).await.unwrap();
    browser.close().await;
    let html = &rendered.page.html;
    let (_, rest) = html.split_once("<pre id=\"seen\">").unwrap();
    let (text, _) = rest.split_once("</pre>").unwrap();
    Some(serde_json::from_str(text).unwrap())
}

#[tokio::test]
async fn a_page_sees_the_device_language_and_place_of_its_request() {
    let viewport = json!([{ "type": "screenshot", "viewport": { "width": 700, "height": 500 } }]);
    for (options, expected) in [
        (
            json!({}),
            json!({
                "window": [1280, 800],
                "screen": [1920, 1080],
                "ratio": 1,
                "orientation": "landscape-primary",
                "touch": 0,
                "coarse": false,
                "dark": false,
                "mobile": false,
                "languages": ["en-US", "en"],
                "zone": "America/New_York",
                "locale": "en-US",
                "number": "1,234.5",
                "focus": true,
                "visible": "visible",
            }),
        ),
        (
            json!({ "mobile": true }),
            json!({
                "window": [412, 915],
                "screen": [412, 915],
                "ratio": 2,
                "orientation": "portrait-primary",
                "touch": 5,
                "coarse": true,
                "mobile": true,
                "platform": "Android",
            }),
        ),
        (json!({ "formats": viewport }), json!({ "window": [700, 500], "screen": [1920, 1080] })),
        (
            json!({ "formats": viewport, "mobile": true }),
            json!({ "window": [700, 500], "screen": [700, 500], "orientation": "landscape-primary" }),
        ),
        (
            json!({ "location": { "country": "DE" } }),
            json!({
                "languages": ["de-DE", "de", "en"],
                "zone": "Europe/Berlin",
                "locale": "de-DE",
                "number": "1.234,5",
            }),
        ),
        (
            json!({ "location": { "country": "JP", "languages": ["fr-FR", "fr"] } }),
            json!({ "languages": ["fr-FR", "fr"], "zone": "Asia/Tokyo", "locale": "fr-FR" }),
        ),
    ] {
        let Some(seen) = seen(options.clone()).await else { return };
        for (name, value) in expected.as_object().unwrap() {
            assert_eq!(&seen[name], value, "{name} with {options}: {seen}");
        }
    }
}

#[tokio::test]
async fn user_agent_and_client_hints_name_the_same_browser() {
    for mobile in [false, true] {
        let Some(seen) = seen(json!({ "mobile": mobile })).await else { return };
        assert!(!seen.to_string().contains("Headless"), "{seen}");
        let agent = seen["agent"].as_str().unwrap();
        assert_eq!(agent.contains("Mobile") && agent.contains("Android"), mobile, "{agent}");
        let brands = seen["brands"].as_array().unwrap();
        let chromium = brands.iter().find(|brand| brand["brand"] == "Chromium").unwrap();
        let major = chromium["version"].as_str().unwrap();
        assert!(agent.contains(&format!("Chrome/{major}.")), "{seen}");
    }
}

#[tokio::test]
async fn pages_at_the_same_time_have_their_own_place() {
    let Some(browser) = browser() else { return };
    let page = |country: &str| {
        let options = json!({ "location": { "country": country } });
        render_pages(&browser, vec![HostilePage::html("/", PAGE)], options)
    };
    let (germany, japan) = tokio::join!(page("DE"), page("JP"));
    assert!(germany.unwrap().page.html.contains("\"zone\":\"Europe/Berlin\""));
    assert!(japan.unwrap().page.html.contains("\"zone\":\"Asia/Tokyo\""));
    browser.close().await;
}

/// The page shows the user agent that it and its worker see. The workers load files.
const AGENTS: &str = "<!doctype html><pre id=seen></pre><script>\
    const seen = document.querySelector('#seen'), add = text => seen.append(text + ';');\
    const script = text => URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));\
    add(navigator.userAgent); add(JSON.stringify(navigator.userAgentData.brands));\
    const load = name => `fetch('${location.origin}/${name}')`;\
    new Worker(script(`${load('from-worker')}.finally(() => postMessage(navigator.userAgent))`))\
        .onmessage = event => add(event.data);\
    new SharedWorker(script(load('from-shared-worker')));\
    </script><img src=/picture>";

#[tokio::test]
async fn a_given_user_agent_is_seen_and_sent_everywhere() {
    let Some(browser) = browser() else { return };
    let head = [("Content-Type", "text/html")];
    let server =
        RawServer::start([Step::ReadRequest, Step::respond("200 OK", &head, AGENTS), Step::Repeat]).unwrap();
    let url = Url::parse(&server.base_url()).unwrap();
    let given = "example-bot/1.0 (+https://example.com/)";
    let options = json!({ "headers": { "User-Agent": given }, "waitFor": 1_000 });
    let rendered = fetcher().render(&browser, &request(url, options), &FollowAll).await.unwrap();
    browser.close().await;
    let html = &rendered.page.html;
    assert_eq!(html.matches(given).count(), 2, "{html}");
    assert!(html.contains("[];"), "{html}");
    let requests = server.requests();
    for target in ["/", "/picture", "/from-worker", "/from-shared-worker"] {
        let start = format!("GET {target} ");
        let mut sent = requests.iter().map(|sent| String::from_utf8_lossy(sent));
        let sent = sent.find(|sent| sent.starts_with(&start)).unwrap_or_else(|| panic!("no {target}"));
        assert!(sent.contains(given) && !sent.to_lowercase().contains("sec-ch-ua"), "{sent}");
    }
}
