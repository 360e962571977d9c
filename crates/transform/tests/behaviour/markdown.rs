//! Markdown output: a page with every feature is compared with its snapshot, and a property test checks that
//! Markdown does not change when it is rendered and written again.

use gleaner_transform::{Input, html_to_markdown, transform};
use gleaner_types::request::ScrapeOptions;
use proptest::prelude::*;

/// The output is left in the target folder. If it differs from the snapshot, review the difference before you
/// update the snapshot.
#[test]
fn every_feature_matches_the_snapshot() {
    let url = "https://docs.example/guide/kiln.html".parse().unwrap();
    let options = ScrapeOptions::new().only_main_content(false).check().unwrap();
    let body = include_bytes!("../fixtures/features.html");
    let page = transform(Input::new(&url, Some("text/html"), body), &options).unwrap();
    let markdown = page.document.markdown.unwrap() + "\n";
    std::fs::write(concat!(env!("CARGO_TARGET_TMPDIR"), "/features.md"), &markdown).unwrap();
    let expected = include_str!("../fixtures/features.md");
    for (line, (actual, expected)) in markdown.lines().zip(expected.lines()).enumerate() {
        assert_eq!(actual, expected, "line {}", line + 1);
    }
    assert_eq!(markdown, expected);
}

fn render(markdown: &str) -> String {
    let mut options = comrak::Options::default();
    options.extension.table = true;
    options.extension.strikethrough = true;
    options.extension.tasklist = true;
    options.render.r#unsafe = true;
    // With a line end at the end, as in every file.
    comrak::markdown_to_html(&format!("{markdown}\n"), &options)
}

fn word() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => "[a-z]{1,6}",
        1 => "[A-Z0-9äß中é]{1,4}",
        2 => "[*_`~\\[\\]()<>#+.!|\\\\&;:=-]{1,3}",
    ]
}

fn words() -> impl Strategy<Value = String> {
    prop::collection::vec(word(), 1..6).prop_map(|words| words.join(" "))
}

fn inline() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        6 => words(),
        1 => words().prop_map(|text| format!("*{text}*")),
        1 => words().prop_map(|text| format!("**{text}**")),
        1 => words().prop_map(|text| format!("~~{text}~~")),
        1 => words().prop_map(|text| format!("`` {text} ``")),
        1 => words().prop_map(|text| format!("[{text}](https://e.example/a)")),
        1 => words().prop_map(|text| format!("![{text}](i.png \"t\")")),
        1 => Just("  \n".to_owned()),
    ];
    prop::collection::vec(piece, 1..5).prop_map(|pieces| pieces.join(" "))
}

fn block() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        6 => inline(),
        2 => (1..=6_usize, words()).prop_map(|(level, text)| format!("{} {text}", "#".repeat(level))),
        1 => words().prop_map(|text| format!("```rust\n{text}\n```")),
        1 => words().prop_map(|text| format!("    {text}")),
        1 => Just("---".to_owned()),
        1 => (words(), words()).prop_map(|(a, b)| format!("| {a} | b |\n| :-- | --: |\n| {b} | c |")),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        let indent = |text: &str, first: &str, rest: &str| {
            let mut lines = text.lines();
            let mut out = format!("{first}{}", lines.next().unwrap_or_default());
            for line in lines {
                out.push('\n');
                if !line.is_empty() {
                    out.push_str(rest);
                    out.push_str(line);
                }
            }
            out
        };
        let gap = prop_oneof![Just("\n"), Just("\n\n")];
        let list = (prop::collection::vec(inner.clone(), 1..4), prop_oneof![Just("- "), Just("1. ")], gap)
            .prop_map(move |(items, marker, gap)| {
                let width = " ".repeat(marker.len());
                items.iter().map(|item| indent(item, marker, &width)).collect::<Vec<_>>().join(gap)
            });
        let quote = prop::collection::vec(inner, 1..3)
            .prop_map(move |blocks| indent(&blocks.join("\n\n"), "> ", "> "));
        prop_oneof![2 => list, 1 => quote]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    /// Markdown that is rendered and written again keeps its text and its meaning. The first time may make a
    /// list loose: after an empty quote inside an item, text needs a blank line, and any blank line makes its
    /// list loose.
    #[test]
    fn markdown_is_stable(blocks in prop::collection::vec(block(), 1..6)) {
        let lines = |text: &str| -> Vec<String> {
            text.lines().filter(|line| !line.trim_matches(['>', ' ']).is_empty()).map(str::to_owned).collect()
        };
        let once = html_to_markdown(&render(&blocks.join("\n\n")), None);
        let twice = html_to_markdown(&render(&once), None);
        prop_assert_eq!(lines(&twice), lines(&once), "Markdown changes when it is read and written again");
        let rendered = render(&twice);
        let thrice = html_to_markdown(&rendered, None);
        prop_assert_eq!(&thrice, &twice, "Markdown never becomes stable");
        prop_assert_eq!(render(&thrice), rendered);
    }
}
