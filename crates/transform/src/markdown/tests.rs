//! Rows of HTML and the Markdown it becomes.

use crate::html_to_markdown;

/// `(name, html, markdown)`.
type Row = (&'static str, &'static str, &'static str);

fn check(rows: &[Row]) {
    for (name, html, markdown) in rows {
        assert_eq!(html_to_markdown(html, None), *markdown, "{name}");
    }
}

#[test]
fn blocks() {
    check(&[
        ("headings", "<h1>A</h1><h2>B</h2><h6>C</h6>", "# A\n\n## B\n\n###### C"),
        ("hashes at the end", "<h2>C #</h2>", "## C \\#"),
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
        ("template", "<template><p>s</p></template>t", "t"),
    ]);
}

#[test]
fn inline() {
    check(&[
        ("emphasis", "<em>a</em> <strong>b</strong> <del>c</del>", "*a* **b** ~~c~~"),
        ("old emphasis", "<i>a</i><b>b</b>", "*a***b**"),
        ("inside a word", "un<em>frigging</em>believable", "un*frigging*believable"),
        ("space inside", "a<b> b </b>c", "a **b** c"),
        ("colon inside", "<b>a:</b>b", "<strong>a:</strong>b"),
        ("hard space inside", "<b>a:&nbsp;</b>b", "**a:**\u{a0}b"),
        ("nested", "<em>a <em>b</em></em>", "*a *b**"),
        ("both", "<strong><em>a</em></strong> <em><strong>b</strong></em>", "**_a_** ***b***"),
        ("empty", "a<b></b>b", "ab"),
        ("sub and sup", "H<sub>2</sub>O x<sup>2</sup>", "H<sub>2</sub>O x<sup>2</sup>"),
        ("keys", "<kbd>Ctrl</kbd>", "<kbd>Ctrl</kbd>"),
        ("code", "<code>a`b</code>", "``a`b``"),
        ("code at ticks", "<code>`</code>", "`` ` ``"),
        ("code is not escaped", "<code>*a* &lt;b&gt;</code>", "`*a* <b>`"),
        ("quotation", "<q>a</q>", "\"a\""),
        ("ruby", "<ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby>", "漢(kan)"),
        ("soft hyphen and zero width", "a\u{ad}b\u{200b}c\u{feff}", "abc"),
        ("control characters", "a\u{1b}[31mb", "a[31mb"),
        ("tags as text", "&lt;script>x&lt;/script>", "\\<script>x\\</script>"),
        (
            "formula",
            "<math><semantics><mi>x</mi><annotation encoding='application/x-tex'>x^2</annotation></semantics></math>",
            "$x^2$",
        ),
        ("formula in a script", "a <script type='math/tex; mode=display'>\\alpha</script>", "a $$\\alpha$$"),
    ]);
}

#[test]
fn links_and_images() {
    check(&[
        ("a backtick before an image of backticks", "<p>` <img src=i alt='``'></p>", "\\` ![\\`\\`](i)"),
        ("link", "<a href='/a b'>x</a>", "[x](</a b>)"),
        ("title", "<a href=a title='t \"q\"'>x</a>", "[x](a \"t \\\"q\\\"\")"),
        ("parentheses", "<a href='a(b'>x</a> <a href='a(b)'>y</a>", "[x](<a(b>) [y](a(b))"),
        ("brackets", "<a href=a>x]</a> <a href=a>[x]</a>", "[x\\]](a) [[x]](a)"),
        (
            "dangerous",
            "<a href='javascript:x'>a</a> <a href='data:text/html,x'>b</a> <a href=' \tvbscript:x'>c</a>",
            "a b c",
        ),
        ("mail", "<a href=mailto:a@b.example>m</a>", "[m](mailto:a@b.example)"),
        ("around blocks", "<a href=/p><h3>T</h3><p>x</p></a>", "### [T](/p)\n\nx"),
        ("bang before", "wow!<a href=a>x</a>", "wow\\![x](a)"),
        ("image", "<img src=a.png alt='an [x]' title=t>", "![an [x]](a.png \"t\")"),
        ("image in a link", "<a href=b><img src=a.png alt=x></a>", "[![x](a.png)](b)"),
        ("lazy image", "<img src='data:image/gif;base64,R0' data-src=/r.png alt=l>", "![l](/r.png)"),
        ("inline image", "<img src='data:image/png;base64,R0' alt=l>", "![l](<Base64-Image-Removed>)"),
        ("tracker", "a<img src=t.gif width=1 height=1>", "a"),
        (
            "frame",
            "<iframe src='https://v.example/1' title='A film'></iframe>",
            "[A film](https://v.example/1)",
        ),
    ]);
}

#[test]
fn lists() {
    check(&[
        ("tight", "<ul><li>a<li>b</ul>", "- a\n- b"),
        ("loose", "<ul><li><p>a</p></li><li><p>b</p></li></ul>", "- a\n\n- b"),
        ("ordered", "<ol start=9><li>a<li>b</ol>", "9. a\n10. b"),
        ("nested", "<ul><li>a<ol><li>b<li>c</ol><li>d</ul>", "- a\n  1. b\n  2. c\n- d"),
        ("list right in a list", "<ul><li>a</li><ul><li>b</li></ul></ul>", "- a\n  - b"),
        ("item without a list", "<li>a<li>b", "- a\n- b"),
        ("two lists", "<ul><li>a</ul><ul><li>b</ul>", "- a\n\n* b"),
        (
            "tasks",
            "<ul><li><input type=checkbox checked> a<li><input type=checkbox> b</ul>",
            "- [x] a\n- [ ] b",
        ),
        ("code in an item", "<ul><li>a<pre>x\ny</pre></ul>", "- a\n  ```\n  x\n  y\n  ```"),
        ("quote in an item", "<ul><li><blockquote>q</blockquote></ul>", "- > q"),
        ("paragraphs in an item", "<ol><li><p>a</p><p>b</p></ol>", "1. a\n\n   b"),
        ("empty item", "<ul><li>a<li><li>b</ul>", "- a\n-\n- b"),
        ("number as text", "<p>1. a</p>", "1\\. a"),
        ("terms", "<dl><dt>T<dd>D</dl>", "**T**\n\nD"),
    ]);
}

#[test]
fn code_blocks() {
    check(&[
        ("plain", "<pre>a\n  b\n</pre>", "```\na\n  b\n```"),
        ("class on code", "<pre><code class=language-rust>x</code></pre>", "```rust\nx\n```"),
        ("class on pre", "<pre class='brush: js;'>x</pre>", "```js\nx\n```"),
        (
            "class around",
            "<div class='highlight highlight-source-python'><pre>x</pre></div>",
            "```python\nx\n```",
        ),
        (
            "sphinx",
            "<div class='highlight-c notranslate'><div class=highlight><pre>x</pre></div></div>",
            "```c\nx\n```",
        ),
        ("fence inside", "<pre>```\nx\n```</pre>", "````\n```\nx\n```\n````"),
        ("spans and breaks", "<pre><span>a</span><br><b>b</b></pre>", "```\na\nb\n```"),
        ("line numbers", "<pre><span class=lineno>1</span>a</pre>", "```\na\n```"),
    ]);
}

#[test]
fn tables() {
    check(&[
        ("plain", "<table><tr><th>A<th>B<tr><td>1<td>2</table>", "| A | B |\n| --- | --- |\n| 1 | 2 |"),
        (
            "alignment",
            "<table><tr><th align=left>A<th align=center>B<th style='text-align: right'>C<tr><td>1<td>2<td>3</table>",
            "| A | B | C |\n| :--- | :---: | ---: |\n| 1 | 2 | 3 |",
        ),
        (
            "without a header",
            "<table><tr><td>1<td>2<tr><td>3<td>4</table>",
            "| 1 | 2 |\n| --- | --- |\n| 3 | 4 |",
        ),
        (
            "pipes and blocks",
            "<table><tr><th>a|b<tr><td><p>x</p><p>y</p></table>",
            "| a\\|b |\n| --- |\n| x<br>y |",
        ),
        (
            "spans",
            "<table><tr><th colspan=2>W<th>Z<tr><td rowspan=2>r<td>1<td>2<tr><td>3<td>4</table>",
            "| W | | Z |\n| --- | --- | --- |\n| r | 1 | 2 |\n| | 3 | 4 |",
        ),
        ("caption", "<table><caption>C</caption><tr><th>A</table>", "C\n\n| A |\n| --- |"),
        (
            "list in a cell",
            "<table><tr><th>A<tr><td><ul><li>x<li>y</ul></table>",
            "| A |\n| --- |\n| - x<br>- y |",
        ),
        ("code in a cell", "<table><tr><th>A<tr><td><code>a|b</code></table>", "| A |\n| --- |\n| `a\\|b` |"),
    ]);
}

#[test]
fn a_page_leaves_out_what_nobody_sees() {
    let rows: &[Row] = &[
        (
            "table for layout",
            "<table role=presentation><tr><td>a<td>b<tr><td><h2>c</h2></table>",
            "a b\n\n## c",
        ),
        ("empty link", "a <a href=b></a>c", "a c"),
        ("empty heading", "<h2></h2><p>a", "a"),
        ("empty quote", "<blockquote></blockquote><p>a", "a"),
    ];
    for (name, html, markdown) in rows {
        let tree = crate::tree::parse(html, crate::tree::ParseOptions::default());
        let resolver = crate::address::Resolver::without_base();
        let options = super::Options { resolver: &resolver, remove_base64_images: true, faithful: false };
        assert_eq!(super::write(&tree, &crate::view::View::whole(&tree), options), *markdown, "{name}");
    }
}

#[test]
fn addresses_are_absolute_where_there_is_a_page() {
    let url = "https://example.org/a/b".parse().unwrap();
    let html = "<base href=/docs/><a href=x>1</a> <a href='#f'>2</a> <img src=//cdn.example/i.png alt=3>";
    assert_eq!(
        html_to_markdown(html, Some(&url)),
        "[1](https://example.org/docs/x) [2](https://example.org/docs/#f) ![3](https://cdn.example/i.png)"
    );
}

/// HTML and the Markdown of it as part of a page.
fn check_page(rows: &[Row]) {
    for (name, html, markdown) in rows {
        let tree = crate::tree::parse(html, crate::tree::ParseOptions::default());
        let resolver = crate::address::Resolver::without_base();
        let options = super::Options { resolver: &resolver, remove_base64_images: true, faithful: false };
        assert_eq!(super::write(&tree, &crate::view::View::whole(&tree), options), *markdown, "{name}");
    }
}

#[test]
fn marks_end_with_their_paragraph() {
    check(&[
        ("strong", "<b>one<br><br>two</b>", "**one**\n\n**two**"),
        ("emphasis", "a <em>one<br> <br>two</em> b", "a *one*\n\n*two* b"),
        ("keys", "<kbd>one<br><br>two</kbd>", "<kbd>one</kbd>\n\n<kbd>two</kbd>"),
        ("one break", "<b>one<br>two</b>", "**one  \ntwo**"),
        ("in a link", "<b><a href=x>one<br><br>two</a></b>", "**[one  two](x)**"),
        ("a link is written once", "<b><a href=x><p>one</p><p>two</p></a></b>", "**[one](x)**\n\n**two**"),
    ]);
}

#[test]
fn equal_marks_are_one() {
    let rows: &[Row] = &[
        ("term", "<dl><dt><b>T</b></dt><dd>D</dd></dl>", "**T**\n\nD"),
        ("summary", "<details><summary><strong>S</strong></summary>x</details>", "**S**\n\nx"),
        ("two elements", "<b><strong>a</strong> b</b> c", "**a b** c"),
        ("across another", "<b><i><b>a</b></i> b</b>", "***a* b**"),
        ("struck twice", "<s><del>x</del></s>", "~~x~~"),
        ("never closed", "<p><b id=a>x<p><b id=b>y<p><b id=c>z", "**x**\n\n**y**\n\n**z**"),
        ("a power of a power", "x<sup>y<sup>2</sup></sup>", "x<sup>y<sup>2</sup></sup>"),
    ];
    check(rows);
    check_page(rows);
    check(&[("as CommonMark nests them", "<strong>a <strong>b</strong></strong>", "**a **b****")]);
    check_page(&[("on a page", "<strong>a <strong>b</strong></strong> c", "**a b** c")]);
}

#[test]
fn code_keeps_its_lines_and_links() {
    check(&[
        ("break", "<code>line1<br>line2</code>", "`line1`  \n`line2`"),
        ("link", "see <code>Vec&lt;<a href=t>T</a>></code>.", "see `Vec<`[`T`](t)`>`."),
        ("all of it a link", "<code><a href=t>T</a></code>", "[`T`](t)"),
        ("inside a link", "<a href=u><code>T</code></a>", "[`T`](u)"),
        ("spaces between links", "<code><a href=a>A</a> <a href=b>B</a></code>", "[`A`](a) [`B`](b)"),
        (
            "rows with numbers in an attribute",
            "<table><tr><td data-line-number=1></td><td>a</td></tr><tr><td data-line-number=2></td><td></td></tr>\
             <tr><td data-line-number=3></td><td> b</td></tr></table>",
            "```\na\n\n b\n```",
        ),
        (
            "rows with numbers beside code",
            "<table><tr><td>7</td><td class=line-code>a</td></tr><tr><td>8</td><td class=line-code>b</td></tr></table>",
            "```\na\nb\n```",
        ),
        (
            "numbers beside words are data",
            "<table><tr><td>1</td><td>a</td></tr><tr><td>2</td><td>b</td></tr></table>",
            "| 1 | a |\n| --- | --- |\n| 2 | b |",
        ),
        ("a number of its own", "<pre><span data-line-number=1>1</span>a</pre>", "```\na\n```"),
    ]);
    check_page(&[(
        "numbers in one cell, code in the next",
        "<table><tr><td><pre>1\n2</pre></td><td><pre>a\nb</pre></td></tr></table>",
        "```\na\nb\n```",
    )]);
}

#[test]
fn what_is_hidden_is_hidden_in_code_too() {
    let html = "<p><code>a<i>x</i>b</code></p><pre>a<i>x</i>b</pre>";
    let tree = crate::tree::parse(html, crate::tree::ParseOptions::default());
    let mut view = crate::view::View::whole(&tree);
    for node in tree.all(crate::tree::Tag::I) {
        view.hidden.insert(node);
    }
    let resolver = crate::address::Resolver::without_base();
    let options = super::Options { resolver: &resolver, remove_base64_images: true, faithful: false };
    assert_eq!(super::write(&tree, &view, options), "`ab`\n\n```\nab\n```");
}

#[test]
fn every_block_ends_a_line_of_its_cell() {
    let cell = |inner: &str| {
        let markdown = html_to_markdown(&format!("<table><tr><th>A<tr><td>{inner}</table>"), None);
        markdown.rsplit('\n').next().unwrap().to_owned()
    };
    for block in ["h3", "h6", "address", "figure", "figcaption", "details", "fieldset", "footer", "p"] {
        assert_eq!(cell(&format!("<{block}>h</{block}>z")), "| h<br>z |", "{block}");
    }
    assert_eq!(cell("<pre>h</pre>z"), "| `h`<br>z |");
}

#[test]
fn cells_beyond_the_last_column_are_joined() {
    let html = format!("<table><tr><th>A</th></tr><tr>{}</tr></table>", "<td>x</td>".repeat(300));
    let markdown = html_to_markdown(&html, None);
    assert_eq!(markdown.matches('x').count(), 300);
    assert!(markdown.ends_with(
        "| x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x |"
    ));
}

#[test]
fn hard_spaces_alone_are_nothing() {
    let rows: &[Row] = &[
        ("paragraph", "<p>a</p><p>&nbsp;</p><p>b</p>", "a\n\nb"),
        ("heading", "<h2>&nbsp;</h2><p>a", "a"),
        ("strong", "a<b>&nbsp;</b>b", "a\u{a0}b"),
        ("link", "<a href=x>&nbsp;</a>b", "\u{a0}b"),
        ("between words", "a&nbsp;b &nbsp; c", "a\u{a0}b \u{a0} c"),
        ("item", "<ul><li>a<li>&nbsp;</ul>", "- a\n-"),
    ];
    check_page(rows);
}

#[test]
fn counters_of_readers_are_left_out() {
    check(&[
        ("one pixel by style", "a<img src=t.gif style='width:1px; HEIGHT: 1px !important'>", "a"),
        ("never drawn", "a<img src=t.gif style='display:none'>", "a"),
        ("wide", "a <img src=t.gif alt=t style='width:100px;height:1px'>", "a ![t](t.gif)"),
        ("full size", "a <img src=t.gif alt=t style='width:1em;height:1em'>", "a ![t](t.gif)"),
    ]);
}

#[test]
fn prefixes_of_lines_are_bounded() {
    let html = format!("{}<pre>{}</pre>", "<ol start=999999999><li>".repeat(24), "x\n".repeat(1_000));
    let markdown = html_to_markdown(&html, None);
    let longest = markdown.lines().map(str::len).max().unwrap();
    assert!(longest <= super::block::MAX_PREFIX + 3, "{longest}");
}
