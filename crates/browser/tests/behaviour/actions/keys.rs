//! Tests of key presses: their effects, and the events that a page sees.

use serde_json::{Value, json};

use super::{check, click, fails, passes, press, write};

#[tokio::test]
async fn keys_do_what_they_do_for_a_visitor() {
    let field = |name, actions: Value, expected: &str| {
        passes(name, "<input id=t value=ab>", actions, "t.value", json!(expected))
    };
    let focus = "document.activeElement.id";
    let fields = "<input id=a><input id=b><input id=c>";
    check(vec![
        field("a letter", json!([click("#t"), press("x")]), "abx"),
        field("a letter with Shift", json!([click("#t"), press("Shift+x")]), "abX"),
        field("a digit with Shift", json!([click("#t"), press("Shift+1")]), "ab!"),
        field("the plus key", json!([click("#t"), press("+")]), "ab+"),
        field("a letter that the keyboard lacks", json!([click("#t"), press("\u{e9}")]), "ab\u{e9}"),
        field("select all and delete", json!([click("#t"), press("Control+A"), press("Backspace")]), ""),
        field(
            "select all and replace",
            json!([click("#t"), press("ctrl+a"), { "type": "write", "text": "z" }]),
            "z",
        ),
        field("caret and delete", json!([click("#t"), press("Home"), press("Delete")]), "b"),
        passes("the next field", fields, json!([click("#a"), press("Tab")]), focus, json!("b")),
        passes("the field before", fields, json!([click("#b"), press("Shift+Tab")]), focus, json!("a")),
        passes(
            "a tick",
            "<input id=t type=checkbox onfocus='document.title = 1'>",
            json!([press("Tab"), press("Space")]),
            "t.checked",
            json!(true),
        ),
        passes(
            "a step of a range",
            "<input id=t type=range max=10 value=5>",
            json!([press("Tab"), press("ArrowRight")]),
            "t.value",
            json!("6"),
        ),
        passes(
            "a button",
            "<button id=t onclick=\"document.title = 'yes'\">T</button>",
            json!([press("Tab"), press("Enter")]),
            "document.title",
            json!("yes"),
        ),
        passes(
            "lines",
            "<textarea id=t></textarea>",
            json!([write("a", "#t"), press("Enter"), press("b")]),
            "t.value",
            json!("a\nb"),
        ),
    ])
    .await;
}

#[tokio::test]
async fn pages_see_names_codes_and_modifiers() {
    let page = "<script>window.log = []; const record = event => {
        const held = ['ctrlKey', 'altKey', 'shiftKey', 'metaKey'].filter(key => event[key]).join('+');
        const { type, key, code, keyCode, location, isTrusted } = event;
        log.push([type, key, code, keyCode, location, held, isTrusted].join(' '));
        event.preventDefault(); };
        addEventListener('keydown', record); addEventListener('keyup', record);</script>";
    let sees =
        |name, key: &str, events: &[&str]| passes(name, page, json!([press(key)]), "log", json!(events));
    check(vec![
        sees("a named key", "esc", &["keydown Escape Escape 27 0  true", "keyup Escape Escape 27 0  true"]),
        sees("a letter", "a", &["keydown a KeyA 65 0  true", "keyup a KeyA 65 0  true"]),
        sees("a sign", "?", &["keydown ? Slash 191 0 shiftKey true", "keyup ? Slash 191 0 shiftKey true"]),
        sees(
            "a key with modifiers",
            "Control+Alt+k",
            &[
                "keydown Control ControlLeft 17 1 ctrlKey true",
                "keydown Alt AltLeft 18 1 ctrlKey+altKey true",
                "keydown k KeyK 75 0 ctrlKey+altKey true",
                "keyup k KeyK 75 0 ctrlKey+altKey true",
                "keyup Alt AltLeft 18 1 ctrlKey true",
                "keyup Control ControlLeft 17 1  true",
            ],
        ),
    ])
    .await;
}

#[tokio::test]
async fn unknown_keys_are_named() {
    check(vec![
        fails("a key", "<p>P</p>", json!([press("Nope")]), "press: there is no key `Nope`"),
        fails("a modifier", "<p>P</p>", json!([press("Hyper+a")]), "press: there is no key `Hyper`"),
    ])
    .await;
}
