//! Blocks: headings, paragraphs, quotes, and the bounds on line prefixes.

use super::*;

#[test]
fn blocks_become_markdown() {
    check(&[
        ("headings", "<h1>A</h1><h2>B</h2><h6>C</h6>", "# A\n\n## B\n\n###### C"),
        ("hashes at the end of a heading", "<h2>C #</h2>", "## C \\#"),
        ("a break in a heading", "<h2>A<br>B</h2>", "## A B"),
        ("paragraphs", "<p>a\n  b</p><p>c</p>", "a b\n\nc"),
        ("bare text", "a<div>b</div>c", "a\n\nb\n\nc"),
        ("rule", "<p>a</p><hr><p>b</p>", "a\n\n---\n\nb"),
        ("hard break", "a<br>b", "a  \nb"),
        ("two breaks", "a<br><br>b", "a\n\nb"),
        ("break at the end", "<p>a<br></p>", "a"),
        ("quote", "<blockquote><p>a</p><p>b</p></blockquote>", "> a\n>\n> b"),
        ("quote in a quote", "<blockquote>a<blockquote>b</blockquote></blockquote>", "> a\n>\n> > b"),
        ("details", "<details><summary>S</summary><p>b</p></details>", "**S**\n\nb"),
        ("figure", "<figure><img src=a.png alt=x><figcaption>C</figcaption></figure>", "![x](a.png)\n\nC"),
        ("title is not content", "<title>T</title><p>a", "a"),
        ("shadow root", "<div><template shadowrootmode=open><p>s</p></template></div>", "s"),
        ("closed shadow root", "<div><template shadowrootmode=CLOSED><p>s</p></template></div>", "s"),
        (
            "slots of a shadow root",
            "<x-a><template shadowrootmode=open><slot name=t>no</slot><slot>no</slot></template><p>b</p><h3 slot=t>A</h3></x-a>",
            "### A\n\nb",
        ),
        ("template", "<template><p>s</p></template>t", "t"),
        ("template of no mode", "<div><template shadowrootmode=true><p>s</p></template></div>t", "t"),
    ]);
}

#[test]
fn line_prefixes_are_bounded() {
    let html = format!("{}<pre>{}</pre>", "<ol start=999999999><li>".repeat(24), "x\n".repeat(1_000));
    let markdown = html_to_markdown(&html, None);
    let longest = markdown.lines().map(str::len).max().unwrap();
    assert!(longest <= crate::markdown::lines::MAX_PREFIX + 3, "{longest}");
}
