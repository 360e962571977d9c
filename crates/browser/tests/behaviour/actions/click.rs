//! Tests of clicks: which elements can be reached, and the messages for those that cannot.

use serde_json::json;

use super::{LOG, check, click, fails, passes};

const YES: &str = "onclick=\"document.title = 'yes'\"";

#[tokio::test]
async fn clicks_reach_what_a_visitor_could_click() {
    let title = "document.title";
    let button = |style: &str| format!("<button id=a style=\"{style}\" {YES}>A</button>");
    let yes = |name, page: String| passes(name, page, json!([click("#a")]), title, json!("yes"));
    let gap = "<div style=height:3000px></div>";
    let header =
        "<header style='position:fixed;top:0;left:0;right:0;height:450px;background:#eee'>H</header>";
    let late = "<script>setTimeout(() => a.style.display = '', 300)</script>";
    let moving = "<style>@keyframes m { from { margin-left: 0 } to { margin-left: 500px } }
        #a { animation: m 1s linear }</style>";
    check(vec![
        yes("a button", button("")),
        yes("shown later", format!("{}{late}", button("display:none"))),
        yes("far below the window", format!("{gap}{}", button(""))),
        yes("far to the right", format!("<div style=width:4000px></div>{}", button("margin-left:3500px"))),
        yes("under a high header", format!("{header}{gap}{}{gap}", button(""))),
        yes("moving until its animation ends", format!("{moving}{}", button(""))),
        yes("enabled later", format!(
            "<button id=a disabled {YES}>A</button><script>setTimeout(() => a.disabled = false, 300)</script>"
        )),
        yes("a link over two lines", format!(
            "<p style=width:9em>Some words <a id=a href=#x {YES}>and a link here</a></p>"
        )),
        yes("a link without a box", format!(
            "<a id=a href=#x style='display:inline-block;width:0;height:0' {YES}><b>A</b></a>"
        )),
        yes("an element in a button", format!("<button {YES}>Press <span id=a>here</span></button>")),
        yes("covered by what lets clicks through", format!(
            "{}<div style='position:fixed;inset:0;pointer-events:none'></div>",
            button("")
        )),
        yes("rotated and scaled", button("transform:rotate(30deg) scale(2);margin:100px")),
        passes(
            "the events are those of a visitor",
            format!("{LOG}<button id=a>A</button>"),
            json!([click("#a")]),
            "log.join()",
            json!("pointerdown,mousedown,pointerup,mouseup,click"),
        ),
        passes(
            "a box behind its label",
            "<label style='position:relative;display:inline-block'><input id=a type=checkbox>
             <span style='position:absolute;inset:0;background:#eee'></span></label>",
            json!([click("#a")]),
            "a.checked",
            json!(true),
        ),
        passes("a summary", "<details><summary id=a>A</summary>B</details>", json!([click("#a")]),
            "document.querySelector('details').open", json!(true)),
        passes("a link that runs a script", "<a id=a href=\"javascript:document.title='yes';void 0\">A</a>",
            json!([click("#a")]), title, json!("yes")),
        passes("an option", format!("{LOG}<select id=s><option value=1>One<option value=2>Two</select>"),
            json!([click("#s option[value='2']")]), "[s.value, log.join()]", json!(["2", "input!,change!"])),
        passes("a field for files opens no chooser", "<input id=f type=file><p id=p>P</p>",
            json!([click("#f"), click("#p")]), "f.files.length", json!(0)),
    ])
    .await;
}

#[tokio::test]
async fn all_matches_are_clicked() {
    let all = |selector: &str| json!([{ "type": "click", "selector": selector, "all": true }]);
    let rows: String = (0..5).map(|_| "<div class=r onclick=this.remove()>row</div>").collect();
    let count = "window.n = (window.n || 0) + 1";
    check(vec![
        passes(
            "rows that remove themselves",
            rows,
            all(".r"),
            "document.querySelectorAll('.r').length",
            json!(0),
        ),
        passes(
            "hidden ones are left out",
            format!("<i onclick='{count}'>A</i><i hidden onclick='{count}'>B</i><i onclick='{count}'>C</i>"),
            all("i"),
            "n",
            json!(2),
        ),
        passes(
            "options of a list",
            "<select id=s multiple size=3><option>A<option>B<option>C</select>",
            all("option"),
            "s.selectedOptions.length",
            json!(3),
        ),
        passes(
            "until one leads to another document",
            "<a href=/next>A</a><br><a href=/other>B</a>",
            all("a"),
            "location.pathname",
            json!("/next"),
        ),
        fails(
            "none can be clicked",
            "<i hidden>A</i><i hidden>B</i>",
            all("i"),
            "click all \"i\": hidden: <i>",
        ),
    ])
    .await;
}

#[tokio::test]
async fn a_click_that_cannot_be_made_says_what_is_there_instead() {
    let fail = |name, page: &str, text: &str| {
        fails(name, page, json!([click("#a")]), format!("click \"#a\": {text}"))
    };
    check(vec![
        fail("nothing", "<p>P</p>", "no element matches"),
        fail("no box", "<button id=a hidden>A</button>", "hidden: <button id=\"a\"> \"a\""),
        fail("invisible", "<button id=a style=visibility:hidden>A</button>", "hidden: <button id=\"a\""),
        fail("disabled", "<button id=a disabled>A</button>", "disabled or read-only: <button id=\"a\">"),
        fail(
            "in a disabled group",
            "<fieldset disabled><input id=a></fieldset>",
            "disabled or read-only: <input",
        ),
        fail(
            "disabled for readers of screens",
            "<a id=a aria-disabled=true>A</a>",
            "disabled or read-only: <a",
        ),
        fail("inert", "<div inert><button id=a>A</button></div>", "disabled or read-only: <button"),
        fail(
            "covered",
            "<button id=a style=margin:50px>A</button>
             <div id=wall class=w style='position:fixed;inset:0;background:#0008'>We use cookies</div>",
            "covered by <div id=\"wall\" class=\"w\"> \"we use cookies\"",
        ),
        fail("not for clicks", "<button id=a style=pointer-events:none>A</button>", "covered by <"),
        fail(
            "out of reach",
            "<button id=a style='position:fixed;left:-500px'>A</button>",
            "it cannot be scrolled into the window: <button",
        ),
        fail(
            "never at rest",
            "<style>@keyframes m { to { margin-left: 900px } }
             #a { animation: m 1s linear infinite }</style><button id=a>A</button>",
            "it does not stop moving: <button",
        ),
    ])
    .await;
}
