//! Tests of actions that open dialogs, popups or another document.

use serde_json::json;

use super::{check, click, fails, passes, press, script};

#[tokio::test]
async fn dialogs_are_dismissed_and_popups_closed() {
    check(vec![
        passes(
            "dialogs",
            "<button id=a onclick=\"window.r = [confirm('?'), prompt('?'), alert(1)]\">A</button>",
            json!([click("#a")]),
            "r",
            json!([false, null, null]),
        ),
        passes(
            "dialogs of a script",
            "<p>P</p>",
            json!([script("window.r = confirm('?')")]),
            "r",
            json!(false),
        ),
        passes(
            "a page that would keep its visitor",
            "<script>addEventListener('beforeunload', event => event.preventDefault())</script>
             <a id=a href=/next>A</a>",
            json!([click("#a")]),
            "location.pathname",
            json!("/next"),
        ),
        passes(
            "a link to a new window",
            "<a id=a href=/next target=_blank>A</a>",
            json!([click("#a")]),
            "document.title",
            json!("page"),
        ),
        passes(
            "a window of a script",
            "<button id=a onclick=\"open('/next', 'x', 'width=300')\">A</button>",
            json!([click("#a")]),
            "document.title",
            json!("page"),
        ),
    ])
    .await;
}

#[tokio::test]
async fn actions_go_on_in_the_document_that_one_leads_to() {
    let form = |method: &str| {
        format!(
            "<form action=/next method={method}>
        <input id=q name=q value=cats><button id=a>A</button></form>"
        )
    };
    let place = "location.pathname + location.search";
    let next = |name, page: &str| passes(name, page, json!([click("#a")]), place, json!("/next"));
    check(vec![
        next("a link", "<a id=a href=/next>A</a>"),
        next("a script in a click", "<button id=a onclick=\"location = '/next'\">A</button>"),
        next(
            "a script soon after a click",
            "<button id=a onclick=\"setTimeout(() => location = '/next')\">A</button>",
        ),
        next("a form with a body", &form("post").replace(" name=q", "")),
        passes("a form", form("get"), json!([click("#a")]), place, json!("/next?q=cats")),
        passes(
            "a form by Enter",
            form("get"),
            json!([click("#q"), press("Enter")]),
            place,
            json!("/next?q=cats"),
        ),
        passes(
            "a form by a line break",
            form("get"),
            json!([
                { "type": "write", "text": " and dogs\n", "selector": "#q" },
            ]),
            place,
            json!("/next?q=cats+and+dogs"),
        ),
        passes("a script", "<p>P</p>", json!([script("location = '/next'")]), place, json!("/next")),
        passes(
            "a script whose promise never settles",
            "<p>P</p>",
            json!([script("location = '/next'; new Promise(() => 0)"),]),
            place,
            json!("/next"),
        ),
        passes(
            "what is there can be clicked",
            "<a id=a href=/next>A</a>",
            json!([click("#a"), click("#n")]),
            "document.title",
            json!("clicked"),
        ),
        passes(
            "a fragment stays",
            "<a id=a href=#x>A</a>",
            json!([click("#a")]),
            "location.hash",
            json!("#x"),
        ),
        passes(
            "an entry of the history stays",
            "<button id=a onclick=\"history.pushState(0, '', '/p')\">A</button>",
            json!([click("#a")]),
            place,
            json!("/p"),
        ),
        passes(
            "what a click fetches is awaited",
            "<button id=a onclick=\"fetch('/next').then(r => r.text())
            .then(text => window.t = text.length > 9)\">A</button>",
            json!([click("#a")]),
            "t",
            json!(true),
        ),
        fails(
            "nothing of the first document is left",
            "<a id=a href=/next>A</a>",
            json!([click("#a"), click("#a")]),
            "action 1 failed: click \"#a\": no element matches",
        ),
    ])
    .await;
}
