//! Marks, characters and spaces in a paragraph.

use super::*;

#[test]
fn inline_content_becomes_markdown() {
    check(&[
        ("emphasis", "<em>a</em> <strong>b</strong> <del>c</del>", "*a* **b** ~~c~~"),
        ("`i` and `b`", "<i>a</i><b>b</b>", "*a***b**"),
        ("inside a word", "un<em>frigging</em>believable", "un*frigging*believable"),
        ("space inside", "a<b> b </b>c", "a **b** c"),
        ("colon inside", "<b>a:</b>b", "<strong>a:</strong>b"),
        ("hard space inside", "<b>a:&nbsp;</b>b", "**a:**\u{a0}b"),
        ("nested", "<em>a <em>b</em></em>", "*a *b**"),
        ("both", "<strong><em>a</em></strong> <em><strong>b</strong></em>", "**_a_** ***b***"),
        ("empty", "a<b></b>b", "ab"),
        ("sub and sup", "H<sub>2</sub>O x<sup>2</sup>", "H<sub>2</sub>O x<sup>2</sup>"),
        ("keyboard input", "<kbd>Ctrl</kbd>", "<kbd>Ctrl</kbd>"),
        ("code", "<code>a`b</code>", "``a`b``"),
        ("code of a backtick", "<code>`</code>", "`` ` ``"),
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
fn marks_end_with_their_paragraph() {
    check(&[
        ("strong", "<b>one<br><br>two</b>", "**one**\n\n**two**"),
        ("emphasis", "a <em>one<br> <br>two</em> b", "a *one*\n\n*two* b"),
        ("keyboard input", "<kbd>one<br><br>two</kbd>", "<kbd>one</kbd>\n\n<kbd>two</kbd>"),
        ("one break", "<b>one<br>two</b>", "**one  \ntwo**"),
        ("in a link", "<b><a href=x>one<br><br>two</a></b>", "**[one  two](x)**"),
        ("a link is written once", "<b><a href=x><p>one</p><p>two</p></a></b>", "**[one](x)**\n\n**two**"),
    ]);
}

#[test]
fn nested_marks_of_one_kind_are_merged() {
    let rows: &[Row] = &[
        ("term", "<dl><dt><b>T</b></dt><dd>D</dd></dl>", "**T**\n\nD"),
        ("summary", "<details><summary><strong>S</strong></summary>x</details>", "**S**\n\nx"),
        ("two elements", "<b><strong>a</strong> b</b> c", "**a b** c"),
        ("across another", "<b><i><b>a</b></i> b</b>", "***a* b**"),
        ("strikethrough twice", "<s><del>x</del></s>", "~~x~~"),
        ("never closed", "<p><b id=a>x<p><b id=b>y<p><b id=c>z", "**x**\n\n**y**\n\n**z**"),
        ("the exponent of an exponent", "x<sup>y<sup>2</sup></sup>", "x<sup>y<sup>2</sup></sup>"),
    ];
    check(rows);
    check_page(rows);
    check(&[("as CommonMark nests them", "<strong>a <strong>b</strong></strong>", "**a **b****")]);
    check_page(&[("on a page", "<strong>a <strong>b</strong></strong> c", "**a b** c")]);
}

#[test]
fn blocks_of_hard_spaces_are_empty() {
    let rows: &[Row] = &[
        ("paragraph", "<p>a</p><p>&nbsp;</p><p>b</p>", "a\n\nb"),
        ("heading", "<h2>&nbsp;</h2><p>a", "a"),
        ("strong", "a<b>&nbsp;</b>b", "a\u{a0}b"),
        ("link", "<a href=x>&nbsp;</a>b", "b"),
        ("between words", "a&nbsp;b &nbsp; c", "a\u{a0}b \u{a0} c"),
        ("item", "<ul><li>a<li>&nbsp;</ul>", "- a"),
    ];
    check_page(rows);
}

#[test]
fn spaces_are_moved_out_of_marks() {
    let rows: &[Row] = &[
        ("at the end", "<b>CEO:&nbsp;</b>Ann", "**CEO:**\u{a0}Ann"),
        ("at the start", "a<i>&nbsp;b</i>", "a\u{a0}*b*"),
        ("of two marks", "<b><i>x&nbsp;</i></b>y", "**_x_**\u{a0}y"),
        ("between two ends", "<b><i>x</i>&nbsp;</b>y", "**_x_**\u{a0}y"),
        ("between two starts", "a<b>&nbsp;<i>x</i></b>", "a\u{a0}**_x_**"),
        ("both kinds", "<b>x &nbsp;</b>y", "**x** \u{a0}y"),
        ("a wide space", "<b>x\u{3000}</b>y", "**x**\u{3000}y"),
        ("a break", "a<b><br>x<br></b>y", "a  \n**x**  \ny"),
        ("strikethrough", "<del>x&nbsp;</del>y", "~~x~~\u{a0}y"),
        ("unchanged in an HTML tag", "<kbd>x&nbsp;</kbd>y", "<kbd>x\u{a0}</kbd>y"),
    ];
    check(rows);
    check_page(rows);
}

#[test]
fn bold_around_a_heading_is_dropped() {
    check_page(&[
        ("inside the heading", "<h2><strong>9. A title&nbsp;</strong></h2>", "## 9. A title"),
        ("around the heading", "<b><h2>A</h2>b</b>", "## A\n\n**b**"),
        ("in parts", "<h2><b>A</b> <b>b</b></h2>", "## A b"),
        ("with a link", "<h2><b><a href=x>A</a></b></h2>", "## [A](x)"),
        ("with an image", "<h2><img src=i alt=p> <b>A</b></h2>", "## ![p](i) A"),
        ("one word of it", "<h2><b>A</b> b</h2>", "## **A** b"),
        ("emphasis is kept", "<h2><i>A</i></h2>", "## *A*"),
    ]);
    check(&[("kept in a fragment", "<h2><b>A</b></h2>", "## **A**")]);
}
