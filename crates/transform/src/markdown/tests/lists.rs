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
