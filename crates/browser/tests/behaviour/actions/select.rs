//! Tests of selectors: their forms, shadow roots, and frames.

use serde_json::{Value, json};

use super::{check, click, fails, passes, write};

/// Each element says its id to the title.
fn clicked(name: &'static str, page: &str, selector: &str, id: &str) -> super::Case {
    let page = format!(
        "{page}<script>addEventListener('click', event => {{
        document.title = event.composedPath()[0].id; }}, true)</script>"
    );
    passes(name, page, json!([click(selector)]), "document.title", json!(id))
}

#[tokio::test]
async fn selectors_have_many_forms() {
    let page =
        "<p id=p>Hello <b id=b>big  world</b></p><button id=m>Load more</button><button id=o>Other</button>
        <input id=i type=submit value='Send it'>";
    check(vec![
        clicked("css", page, "button:nth-of-type(2)", "o"),
        clicked("named css", page, "css=#o", "o"),
        clicked("the smallest element with the words", page, "text=big world", "b"),
        clicked("quoted words in any case", page, "text=\"LOAD more\"", "m"),
        clicked("the value of a button", page, "text=send it", "i"),
        clicked("has-text", page, "button:has-text(\"load MORE\")", "m"),
        clicked("contains", page, "button:contains('other')", "o"),
        clicked("text without css", page, ":text(\"Other\")", "o"),
        clicked("a path", page, "//button[2]", "o"),
        clicked("a named path", page, "xpath=//b/..//b", "b"),
        clicked("a path to a group", page, "(//button)[1]", "m"),
        fails(
            "neither css nor another form",
            page,
            json!([click("button[")]),
            "the selector cannot be read: ",
        ),
    ])
    .await;
}

#[tokio::test]
async fn names_of_fields_and_pictures_hide_nothing() {
    let names = [
        "textContent",
        "localName",
        "parentElement",
        "parentNode",
        "children",
        "checkVisibility",
        "closest",
        "matches",
        "querySelector",
        "querySelectorAll",
        "shadowRoot",
        "getAttribute",
        "isConnected",
        "ownerDocument",
        "getClientRects",
        "scrollIntoView",
        "nodeType",
        "lastChild",
    ];
    let fields: String = names.iter().map(|name| format!("<input type=hidden name={name}>")).collect();
    let pictures = ["querySelectorAll", "body", "activeElement", "elementFromPoint", "scripts", "readyState"];
    let pictures: String = pictures.iter().map(|name| format!("<img name={name}>")).collect();
    let page = format!(
        "{pictures}<form id=f onsubmit='return false'>{fields}<p id=p>Words</p><input id=i></form>
        <button id=go>Show rooms</button>"
    );
    check(vec![
        clicked("words outside of the form", &page, "text=Show rooms", "go"),
        clicked("words in the form", &page, "text=words", "p"),
        clicked("css in the form", &page, "form > p", "p"),
        clicked("the form itself", "<form id=f><input type=hidden name=closest>Text</form>", "#f", "f"),
        passes("a field", &page, json!([write("a", "#i")]), "i.value", json!("a")),
    ])
    .await;
}

#[tokio::test]
async fn selectors_reach_into_shadow_roots() {
    let page = "<x-outer></x-outer><button id=light>L</button><script>
        const define = (name, html) => customElements.define(name, class extends HTMLElement {
          connectedCallback() { this.attachShadow({ mode: 'open' }).innerHTML = html; } });
        define('x-inner', '<button id=deep>D</button>');
        define('x-outer', '<button id=in>I</button><x-inner></x-inner><slot></slot>');
        </script>";
    check(vec![
        clicked("without the root", page, "#in", "in"),
        clicked("two roots down", page, "#deep", "deep"),
        clicked("step by step", page, "x-outer >>> x-inner >>> button", "deep"),
        clicked("the document comes first", page, "button", "light"),
        clicked("by its words", page, "text=D", "deep"),
        passes(
            "what is found there is written into",
            "<x-a></x-a><script>
            customElements.define('x-a', class extends HTMLElement {
              connectedCallback() { this.attachShadow({ mode: 'open' }).innerHTML = '<input>'; }
            });</script>",
            json!([write("hey", "input")]),
            "document.querySelector('x-a').shadowRoot.querySelector('input').value",
            json!("hey"),
        ),
    ])
    .await;
}

/// A frame below the window with a border, which shows `html`.
fn frame(attributes: &str, html: &str) -> String {
    let html = html.replace('&', "&amp;").replace('"', "&quot;");
    format!(
        "<script>addEventListener('message', event => document.title = event.data)</script>
         <div style=height:1200px></div>
         <iframe {attributes} style='border:7px solid;padding:5px;width:400px;height:200px'
         srcdoc=\"{html}\"></iframe>"
    )
}

#[tokio::test]
async fn selectors_reach_into_frames() {
    let says = |event: &str, value: &str| format!("{event}=\"top.postMessage({value}, '*')\"");
    let inner = format!(
        "<div style=height:500px>tall</div><button id=b {}>B</button><input id=t {}>",
        says("onclick", "'yes'"),
        says("oninput", "this.value"),
    );
    let (own, other) = (frame("", &inner), frame("sandbox=allow-scripts", &inner));
    let title = |name, page: &str, actions: Value, value: &str| {
        passes(
            name,
            page,
            actions,
            "new Promise(r => setTimeout(r)).then(() => document.title)",
            json!(value),
        )
    };
    let covered = format!("{other}<div id=wall style='position:fixed;inset:0;background:#0008'>W</div>");
    let nested = frame("sandbox=allow-scripts", &frame("", &inner));
    check(vec![
        title("of the page's origin", &own, json!([click("#b")]), "yes"),
        title("step by step", &own, json!([click("iframe >>> button")]), "yes"),
        title("of another origin", &other, json!([click("#b")]), "yes"),
        title("in a frame of another origin", &nested, json!([click("#b")]), "yes"),
        title(
            "all matches there",
            &other,
            json!([{ "type": "click", "selector": "button", "all": true }]),
            "yes",
        ),
        title("a field there", &own, json!([write("hey", "#t")]), "hey"),
        title("a field of another origin", &other, json!([write("hey", "#t")]), "hey"),
        title(
            "the focused field of another origin",
            &other,
            json!([click("#t"), { "type": "write", "text": "hey" }]),
            "hey",
        ),
        title("by words", &other, json!([click("text=B")]), "yes"),
        fails(
            "covered in the page",
            covered,
            json!([click("#b")]),
            "click \"#b\": covered by <div id=\"wall\"",
        ),
    ])
    .await;
}
