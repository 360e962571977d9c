//! The main content depends on the page alone: not on the address that it was read from, on what follows it,
//! or on names that say nothing.

#![expect(clippy::unwrap_used, reason = "code of tests: a broken assumption ends the test")]

use gleaner_transform::{Input, transform};
use gleaner_types::request::ScrapeOptions;

/// The number of parts of a page.
const PARTS: usize = 6;

const TEXT: &str = "The kiln is heated in three steps, each of which takes about an hour. Between two steps \
    the door stays closed, and the potter notes the colour of the glaze.";

const MORE: &str = "One paragraph more, which says that all of this is true of each sample.";

const ADDRESSES: [&str; 7] = [
    "https://pots.example/",
    "https://pots.example/guides/fire-a-sample",
    "https://pots.example/2024/05/firing-of-samples-in-three-steps",
    "https://pots.example/item/1234567?colour=red&size=2",
    "https://www.firing-of-samples.example/firing-of-samples",
    "http://localhost:8080/x",
    "https://cache.example/a/b/c/d/e/f/g",
];

fn markdown(html: &str, address: &str) -> String {
    let url = address.parse().unwrap();
    let options = ScrapeOptions::default().check().unwrap();
    let input = Input::new(&url, Some("text/html; charset=utf-8"), html.as_bytes());
    transform(input, &options).unwrap().document.markdown.unwrap()
}

fn page(text: &str) -> String {
    format!(
        "<!doctype html><title>Firing of samples</title><body data-theme=light><header><ul>\
         <li><a href=/>Home</a><li><a href=/a>All</a></ul></header><main class=x1><h1>Firing of samples</h1>{text}</main>\
         <footer><p>Copyright 2024 The pottery</p></footer>"
    )
}

fn paragraph(number: usize) -> String {
    format!("<p data-part=p{number}>Sample {number} was fired at the usual heat. {TEXT}</p>")
}

/// Pages of parts that are nearly the same, and a text of the last part.
fn pages() -> Vec<(&'static str, String, &'static str)> {
    let repeated = |part: &dyn Fn(usize) -> String| page(&(0..PARTS).map(part).collect::<String>());
    vec![
        ("paragraphs", repeated(&paragraph), "Sample 5"),
        (
            "formulas",
            repeated(&|number| {
                format!("{}<div class=math>\\[ T_{number} = {number}00 + c \\]</div>", paragraph(number))
            }),
            "T_5 = 500",
        ),
        (
            "short lists",
            repeated(&|number| {
                format!("{}<ul data-kind=l><li>short {number}<li>tiny</ul>", paragraph(number))
            }),
            "short 5",
        ),
        (
            "sections with code",
            repeated(&|number| {
                let text = paragraph(number);
                format!(
                    "<section data-id=s{number}><h2>Sample {number}</h2>{text}<pre>fire {number}</pre>\
                     </section>"
                )
            }),
            "fire 5",
        ),
        (
            "records",
            repeated(&|number| {
                format!(
                    "<div class=row data-row=r{number}><h3>Sample {number}</h3><p>Fired and sold.</p></div>"
                )
            }),
            "Sample 5",
        ),
    ]
}

#[test]
fn a_page_has_the_same_content_at_each_address() {
    for (name, html, last) in pages() {
        for html in [
            html.clone(),
            html.replace("</title>", "</title><link rel=canonical href=https://pots.example/a>"),
        ] {
            let [first, others @ ..] = ADDRESSES;
            let expected = markdown(&html, first);
            assert!(expected.contains(last), "{name}: {expected}");
            for address in others {
                assert_eq!(markdown(&html, address), expected, "{name} at {address}");
            }
        }
    }
}

#[test]
fn one_paragraph_more_changes_nothing_else() {
    for (name, html, _) in pages() {
        let longer = html.replace("</main>", &format!("<p>{MORE}</p></main>"));
        let [address, ..] = ADDRESSES;
        let (before, after) = (markdown(&html, address), markdown(&longer, address));
        assert_eq!(after.replace(MORE, "").trim_end(), before.trim_end(), "{name}");
    }
}

#[test]
fn other_names_that_say_nothing_change_nothing() {
    let renamed = |html: &str| {
        html.replace(" data-", " data-renamed-")
            .replace("class=x1", "class=y7")
            .replace("class=row", "class=z3")
    };
    for (name, html, _) in pages() {
        let [address, ..] = ADDRESSES;
        assert_eq!(markdown(&renamed(&html), address), markdown(&html, address), "{name}");
    }
}
