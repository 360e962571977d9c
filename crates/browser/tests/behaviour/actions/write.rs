//! Tests of typing into fields and of sending a form.

use serde_json::{Value, json};

use super::{LOG, check, click, fails, passes, press, script, write};

#[tokio::test]
async fn text_is_typed_into_fields() {
    let value = |name, field: &str, text: &str, expected: &str| {
        passes(
            name,
            field,
            json!([write(text, "#t")]),
            "(self.t.value ?? self.t.textContent)",
            json!(expected),
        )
    };
    let long = "a word ".repeat(300) + "end";
    let foreign = "\u{e9}\u{1f600} \u{4f60}\u{597d}";
    let letters = "<input id=t onkeydown='/[0-9]/.test(event.key) && event.preventDefault()'>";
    let signs = "~!@#$%^&*()_+{}|:\"<>?";
    let rich = "<div contenteditable><p id=t>xy</p></div>";
    let made = "<div id=d onclick=\"this.outerHTML = '<input id=d>';
        document.getElementById('d').focus()\">Edit</div>";
    check(vec![
        value("after what is there", "<input id=t value=ab>", "Cd!", "abCd!"),
        value("letters that no key types", "<input id=t>", foreign, foreign),
        value("lines", "<textarea id=t>x</textarea>", "y\nz", "xy\nz"),
        value("lines that end as on Windows", "<textarea id=t></textarea>", "y\r\nz", "y\nz"),
        value("a number", "<input id=t type=number>", "-12.5", "-12.5"),
        value("a mail address", "<input id=t type=email>", "a+b@example.com", "a+b@example.com"),
        value("a password", "<input id=t type=password>", signs, signs),
        value("a long text", "<textarea id=t></textarea>", &long, &long),
        value("no longer than the field permits", "<input id=t maxlength=3>", "abcd", "abc"),
        value("keys that the page refuses", letters, "a1b2", "ab"),
        value("text that can be edited", "<div id=t contenteditable>xy</div>", "Q", "xyQ"),
        passes("a paragraph of it", rich, json!([write("Q", "#t")]), "t.textContent", json!("xyQ")),
        passes(
            "the field in an element",
            "<div id=w><b>Name</b><input id=t></div>",
            json!([write("x", "#w")]),
            "t.value",
            json!("x"),
        ),
        passes(
            "the field of a label",
            "<label id=l for=t>Name</label><input id=t>",
            json!([write("x", "#l")]),
            "t.value",
            json!("x"),
        ),
        passes("a field that a click makes", made, json!([write("x", "#d")]), "d.value", json!("x")),
        passes(
            "the focused field",
            "<input id=t>",
            json!([click("#t"), { "type": "write", "text": "x" }]),
            "t.value",
            json!("x"),
        ),
        passes(
            "a field that appears later",
            "<script>later = () => setTimeout(() => {
            document.body.innerHTML = '<input id=t>'; }, 300)</script>",
            json!([script("later()"), write("x", "#t")]),
            "t.value",
            json!("x"),
        ),
        passes(
            "the events are those of a visitor",
            format!("{LOG}<input id=t>"),
            json!([write("x", "#t")]),
            "log.slice(log.indexOf('keydown')).join()",
            json!("keydown,keypress,beforeinput,input,keyup"),
        ),
    ])
    .await;
}

#[tokio::test]
async fn values_that_are_not_typed_are_set() {
    let value = |name, field: &str, text: &str, expected: Value| {
        passes(name, field, json!([write(text, "#t")]), "t.value", expected)
    };
    let options = "<select id=t><option value=1>One<option value=2>Number  two</select>";
    check(vec![
        value("a date", "<input id=t type=date>", "2026-11-22", json!("2026-11-22")),
        value("a time", "<input id=t type=time>", "10:30", json!("10:30")),
        value("a colour", "<input id=t type=color>", "#ff8000", json!("#ff8000")),
        value("a place of a range", "<input id=t type=range max=10>", "7", json!("7")),
        value("an option by its value", options, "2", json!("2")),
        value("an option by its label", options, "number two", json!("2")),
        passes(
            "the page hears of it",
            format!("{LOG}{options}"),
            json!([write("2", "#t")]),
            "log.join()",
            json!("input!,change!"),
        ),
        passes(
            "a framework that watches the property sees a visitor's change",
            "<input id=t type=date><script>window.sets = 0;
             const own = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value');
             Object.defineProperty(t, 'value', { get() { return own.get.call(this); },
                 set(value) { sets++; own.set.call(this, value); } });</script>",
            json!([write("2026-11-22", "#t")]),
            "[t.value, sets]",
            json!(["2026-11-22", 0]),
        ),
    ])
    .await;
}

#[tokio::test]
async fn what_cannot_be_written_into_is_named() {
    let fail = |name, page: &str, text: &str, reason: &str| {
        fails(name, page, json!([write(text, "#t")]), format!("write \"#t\": {reason}"))
    };
    let focused = json!([{ "type": "write", "text": "x" }]);
    check(vec![
        fail("no field", "<p id=t>P</p>", "x", "not a field to write into: <p id=\"t\">"),
        fail(
            "a box to tick",
            "<input id=t type=checkbox>",
            "x",
            "not a field to write into: <input id=\"t\">",
        ),
        fail("read-only", "<input id=t readonly>", "x", "disabled or read-only: <input id=\"t\">"),
        fail(
            "no such option",
            "<select id=t><option>One</select>",
            "hunter2",
            "there is no option with this value or label in <select id=\"t\">",
        ),
        fail(
            "no date",
            "<input id=t type=date>",
            "tomorrow",
            "it does not take this value: <input id=\"t\">",
        ),
        fails("nothing has the focus", "<p>P</p>", focused, "write: not a field to write into: <body>"),
    ])
    .await;
}

#[tokio::test]
async fn a_form_is_filled_in_and_sent() {
    check(vec![passes(
        "search",
        "<form action=/next><input id=q name=q><select id=s name=s><option>a<option>b</select>
         <input id=d name=d type=date><label><input id=c name=c type=checkbox value=1>C</label></form>",
        json!([
            write("b", "#s"),
            write("2026-01-02", "#d"),
            click("#c"),
            write("cats", "#q"),
            press("Enter"),
        ]),
        "location.search",
        json!("?q=cats&s=b&d=2026-01-02&c=1"),
    )])
    .await;
}
