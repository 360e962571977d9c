//! Lists and definition lists.

use super::*;

#[test]
fn lists_become_markdown() {
    check(&[
        ("tight", "<ul><li>a<li>b</ul>", "- a\n- b"),
        ("loose", "<ul><li><p>a</p></li><li><p>b</p></li></ul>", "- a\n\n- b"),
        ("ordered", "<ol start=9><li>a<li>b</ol>", "9. a\n10. b"),
        ("nested", "<ul><li>a<ol><li>b<li>c</ol><li>d</ul>", "- a\n  1. b\n  2. c\n- d"),
        ("list directly in a list", "<ul><li>a</li><ul><li>b</li></ul></ul>", "- a\n  - b"),
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
        ("bullets do not become a thematic break", "<ul><li><ul><li><ul><li></ul></ul></ul>", "- - *"),
        (
            "task markers as text",
            "<ul><li>[ ] a<li>[x]<b>b</b><li>[x], c</ul>",
            "- \\[ ] a\n- \\[x]**b**\n- [x], c",
        ),
        ("number as text", "<p>1. a</p>", "1\\. a"),
        ("definition list", "<dl><dt>T<dd>D</dl>", "**T**\n\nD"),
    ]);
}

#[test]
fn numbers_of_items_are_those_that_a_reader_sees() {
    check_page(&[
        ("letters", "<ol type=a><li>x<li>y</ol>", "- a. x\n- b. y"),
        ("by style", "<ol style='list-style-type: upper-roman' start=4><li>x<li>y</ol>", "- IV. x\n- V. y"),
        ("paragraphs", "<ol type=A><li><p>x</p><p>y</p></ol>", "- A. x\n\n  y"),
        ("a value", "<ol type=a><li>x<li value=4>y</ol>", "- a. x\n- d. y"),
        ("in a list", "<ol><li>x<ol type=a><li>y</ol></ol>", "1. x\n   - a. y"),
        ("reversed", "<ol reversed><li>x<li>y<li>z</ol>", "3. x\n2. y\n1. z"),
        ("reversed from a number", "<ol reversed start=10><li>x<li>y</ol>", "10. x\n9. y"),
        ("decimals", "<ol type=1 style='list-style: decimal'><li>x</ol>", "1. x"),
    ]);
}

#[test]
fn a_number_beside_a_paragraph_is_on_its_line() {
    check_page(&[
        ("before it", "<div><span>1.</span><div>x</div></div>", "1\\. x"),
        ("in a column", "<div><div><span>(a)</span></div><div><p>x</p><p>y</p></div></div>", "(a) x\n\ny"),
        ("with space", "<div> <div> § 3 </div> <p>x</p> </div>", "§ 3 x"),
        ("before a list", "<div>1.</div><ul><li>x</ul>", "1\\.\n\n- x"),
        ("before a heading", "<div>(b)</div><h2>x</h2>", "(b)\n\n## x"),
        ("alone", "<div>1.</div>", "1\\."),
        ("text", "<div>One.</div><div>x</div>", "One.\n\nx"),
    ]);
}
