//! An interrupt ends every pass over a page soon after it is raised.

use gleaner_transform::{ErrorKind, Input, Selection, transform, transform_within};
use gleaner_types::request::{Format, ScrapeOptions};
use gleaner_types::{ErrorCode, Interrupt};

use super::options;

/// Inputs whose cost is in different passes: name, media type, body.
fn costly() -> Vec<(&'static str, &'static str, String)> {
    let sentence = "Every word of this sentence is read by one pass after the other, and so is *this* one. ";
    let entry =
        "<item><title>One</title><description><![CDATA[<p>a<b>b</b> <a href=/x>c</a>]]></description></item>";
    vec![
        ("line ends", "text/html", "a<br>".repeat(20_000)),
        ("marks around blocks", "text/html", format!("{}{}", "<b><i>".repeat(32), "<p>x".repeat(5_000))),
        ("classes", "text/html", "<p class=a>x".repeat(15_000)),
        (
            "depth",
            "text/html",
            format!("{}{}", "<div>".repeat(500), "<p>word word, and more.</p>".repeat(4_000)),
        ),
        ("links", "text/html", (0..7_000).map(|at| format!("<a href=/{at}>x</a> ")).collect()),
        ("one text", "text/html", sentence.repeat(20_000)),
        ("one paragraph", "text/html", format!("<p>{}", "<b>*a_</b> `[x](y)` ".repeat(10_000))),
        ("a table", "text/html", format!("<table>{}", "<tr><td>a<td>b<td>c".repeat(5_000))),
        ("many tables", "text/html", "<table><tr><td>a<tr><td>b</table>".repeat(3_000)),
        ("code", "text/html", format!("<pre>{}</pre>", "let x = 1;\n<i>y</i>".repeat(10_000))),
        ("attributes", "text/html", "<p a=1 b=2 c=3 d=4 e=5 f=6 title=x>".repeat(5_000)),
        ("comments", "text/html", "<!-- x --><!--- y --->".repeat(20_000)),
        ("an open comment", "text/html", format!("<p>x<!--{}", "-".repeat(300_000))),
        ("a script", "text/html", format!("<p>x<script>{}", "<!-- <script> -".repeat(20_000))),
        ("stray signs", "text/html", "< <1 & &x; ".repeat(30_000)),
        ("lists", "text/html", format!("<ul>{}", "<li>a<ul><li>b</ul>".repeat(5_000))),
        ("formulas", "text/html", "<p>$a$ and <math><mi>x</mi><mo>+</mo><mi>y</mi></math>".repeat(3_000)),
        (
            "notes",
            "text/html",
            (0..3_000).map(|at| format!("<sup><a href='#n{at}'>1</a></sup><p id=n{at}>x")).collect(),
        ),
        ("a feed", "application/rss+xml", format!("<rss><channel>{}</channel></rss>", entry.repeat(2_000))),
        ("rows", "text/csv", "a,b,*c*\n".repeat(20_000)),
        ("Markdown", "text/markdown", sentence.repeat(3_000)),
    ]
}

#[test]
fn an_interrupt_ends_every_pass_over_a_page() {
    let options = options();
    let selection = Selection::of(&options).unwrap();
    let url = "https://example.org/a/".parse().unwrap();
    for (name, content_type, body) in costly() {
        let input = Input::new(&url, Some(content_type), body.as_bytes());
        let run =
            |interrupt: &Interrupt| transform_within(input, &options, &selection, usize::MAX, interrupt);
        let armed = Interrupt::armed();
        assert_eq!(
            run(&armed),
            transform(input, &options),
            "{name}: an interrupt that is not raised changes nothing"
        );
        let all = armed.spent();
        assert!(all >= body.len() as u64 / 64, "{name}: {all} units for {} bytes", body.len());
        for percent in [0, 1, 30, 60, 90, 99] {
            let interrupt = Interrupt::after(all * percent / 100);
            let error = run(&interrupt).unwrap_err();
            assert_eq!(
                (error.kind(), error.code()),
                (&ErrorKind::Interrupted, ErrorCode::ScrapeTimeout),
                "{name}"
            );
            let late = interrupt.spent() - all * percent / 100;
            assert!(late <= all / 2 + 50_000, "{name}: {late} units after {percent} % of {all}");
        }
    }
}

#[test]
fn a_heading_of_many_blocks_is_read_once() {
    let html = format!(
        "<title>One</title><h1>{}{}</h1><p>needle",
        "<span></span>".repeat(20_000),
        "<p>word word word</p>".repeat(5_000)
    );
    let (options, url) = (options(), "https://example.org/a/".parse().unwrap());
    let input = Input::new(&url, Some("text/html"), html.as_bytes());
    let armed = Interrupt::armed();
    transform_within(input, &options, &Selection::of(&options).unwrap(), usize::MAX, &armed).unwrap();
    assert!(armed.spent() < 100 * html.len() as u64, "{} units for {} bytes", armed.spent(), html.len());
}

#[test]
fn an_interrupt_ends_the_collection_of_links() {
    let request = ScrapeOptions::new().formats([Format::Links]);
    let (options, selection) = (request.check().unwrap(), Selection::default());
    let url = "https://example.org/a/".parse().unwrap();
    let body: String = (0..20_000).map(|at| format!("<a href=/{at}>x</a>")).collect();
    let input = Input::new(&url, Some("text/html"), body.as_bytes());
    for units in [0, 1_000, 50_000] {
        let interrupt = Interrupt::after(units);
        let error = transform_within(input, &options, &selection, usize::MAX, &interrupt).unwrap_err();
        assert!(error.is_interrupted() && interrupt.spent() <= units + 1_000, "{}", interrupt.spent());
    }
}
