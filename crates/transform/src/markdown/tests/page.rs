//! Parts of a page that readers of Markdown do not need.

use super::*;

#[test]
fn invisible_parts_of_a_page_are_left_out() {
    check_page(&[
        (
            "table for layout",
            "<table role=presentation><tr><td>a<td>b<tr><td><h2>c</h2></table>",
            "a b\n\n## c",
        ),
        ("empty link", "a <a href=b></a>c", "a c"),
        ("empty heading", "<h2></h2><p>a", "a"),
        ("empty quote", "<blockquote></blockquote><p>a", "a"),
        ("spaces that indent", "<p>&nbsp;&nbsp;a&nbsp;</p><h2>&nbsp;b</h2>", "a\n\n## b"),
    ]);
}

#[test]
fn empty_items_are_not_written() {
    check_page(&[
        ("between others", "<ul><li>a<li><li>b</ul>", "- a\n- b"),
        ("first", "<ul><li> <li>b</ul>", "- b"),
        ("a button", "<ul><li><button></button><li><svg></svg></ul><p>x", "x"),
        ("a list of empty items", "<p>x</p><ul><li></li></ul><p>y", "x\n\ny"),
        ("numbers are kept", "<ol><li>a<li><li>c</ol>", "1. a\n3. c"),
        ("a list of empty items inside", "<ul><li><ul><li></ul><li>b</ul>", "- b"),
        ("a list below an empty item", "<ul><li><ul><li>b</ul></ul>", "- - b"),
        ("a list directly in a list", "<ul><li></li><ul><li>b</li></ul></ul>", "- b"),
        ("between two lists", "<ul><li>a</ul><ul><li></ul><ul><li>b</ul>", "- a\n\n* b"),
        ("items without a list", "<li><li>b", "- b"),
        ("after a paragraph in an item", "<ul><li>a<ul><li><li>b</ul></ul>", "- a\n  - b"),
        ("a checkbox only", "<ul><li><input type=checkbox><li>b</ul>", "- [ ]\n- b"),
        ("an image", "<ul><li><img src=a.png alt=x></ul>", "- ![x](a.png)"),
    ]);
    check(&[("kept in a fragment", "<ul><li>a<li><li>b</ul>", "- a\n-\n- b")]);
}

#[test]
fn permalinks_are_left_out() {
    check_page(&[
        (
            "of a definition",
            "<dl><dt><code>foo.bar(x)</code><a class=headerlink href='#f' title=Permalink>¶</a><dd>D</dl>",
            "**`foo.bar(x)`**\n\nD",
        ),
        ("of a heading", "<h2>A<a href='#a'>#</a></h2>", "## A"),
        ("of a paragraph", "<p>A <a href='#a'>§</a></p>", "A"),
        (
            "of a caption",
            "<table><caption>C<a href='#c'>🔗\u{fe0f}</a></caption><tr><th>A</table>",
            "C\n\n| A |\n| --- |",
        ),
        ("by its class", "<p>A<a class='x hash-link' href='#a'>\u{200b}∞</a></p>", "A"),
        (
            "a column of numbers",
            "<table><tr><th><a href='#n'>#</a><th>A</table>",
            "| [#](#n) | A |\n| --- | --- |",
        ),
        ("to another page", "<p><a href=x>#</a></p>", "[#](x)"),
        ("without a fragment", "<p><a href='#'>#</a></p>", "[#](#)"),
        ("a section by number", "<p><a href='#s'>§ 5</a></p>", "[§ 5](#s)"),
        ("a heading that links to itself", "<h2><a href='#link'>Link</a></h2>", "## Link"),
        ("a heading of symbols that links to itself", "<h2><span></span><a href='#q'>???</a></h2>", "## ???"),
        ("beside a heading", "<h2>Kilns <span><a href='#k'>Link</a></span></h2>", "## Kilns"),
        ("in running text", "<p>by <a href='#p5'>§</a> 5</p>", "by [§](#p5) 5"),
        ("to another page's section", "<p>by 5 <a href='/law#p5'>§</a></p>", "by 5 [§](/law#p5)"),
        ("by its class, but with words", "<p><a class=permalink href='#s'>Monday</a></p>", "[Monday](#s)"),
    ]);
    check(&[("kept in a fragment", "<p>A <a href='#a'>¶</a></p>", "A [¶](#a)")]);
}

#[test]
fn links_and_buttons_of_headings_are_left_out() {
    check_page(&[
        (
            "an edit link beside a heading",
            "<div><h2 id=a>A</h2><span class=mw-editsection>[<a href='/w?action=edit'>edit</a>]</span></div><p>b",
            "## A\n\nb",
        ),
        ("an edit link in a heading", "<h2>A <a href='/w?title=A&amp;action=edit'>rediger</a></h2>", "## A"),
        (
            "an edit button of a wiki",
            "<h2>A</h2><div class='secedit x'><form><button>Edit</button></form></div>b",
            "## A\n\nb",
        ),
        (
            "an edit link in a text",
            "<p>You can <a href='/w?action=edit'>edit</a> it.",
            "You can [edit](/w?action=edit) it.",
        ),
        (
            "a link to the heading beside it",
            "<div><h2 id=a>A</h2><a href='#a'><span>Section titled “A”</span></a></div>",
            "## A",
        ),
        ("an escaped link to it", "<h2 id='ä'>A</h2><a href='#%C3%A4'>x</a>", "## A"),
        ("a link to another heading", "<h2 id=a>A</h2><a href='#b'>B</a>", "## A\n\n[B](#b)"),
        (
            "words only for screen readers",
            "<h2>A <a href='#x'><svg></svg><span class=sr-only>Til avsnitt</span></a></h2>",
            "## A",
        ),
        ("a sentence", "<h2>A <a href='#x'>Permalink to “A”</a></h2>", "## A"),
        (
            "a number that links to the section",
            "<h2><a href='#x'>1.</a> <a href='#y'>Ice</a></h2>",
            "## 1. Ice",
        ),
        (
            "a button that copies",
            "<h1>Module <span>vec</span> <button>Copy item path</button></h1>",
            "# Module vec",
        ),
        ("a button by its role", "<h2>A <span role=button>Share</span></h2>", "## A"),
        ("a button as the heading", "<h3><button>May I?</button></h3><p>Yes", "### May I?\n\nYes"),
        (
            "a button of a fold beside its number",
            "<h3>Part 1 <button aria-expanded=false>May I?</button></h3>",
            "### Part 1 May I?",
        ),
        ("a button beside a symbol", "<h3><button>May I?</button> <span>+</span></h3>", "### May I? +"),
    ]);
}

#[test]
fn separate_elements_do_not_run_together() {
    check_page(&[
        (
            "cells by role",
            "<div role=row><span role=columnheader>H1</span><span role=columnheader>H2</span></div>\
             <div role=row><span role=cell>a</span><span role=cell>b</span></div>",
            "H1 H2\n\na b",
        ),
        (
            "blocks as cells by role",
            "<div role=row><div role=rowheader>H</div><div role=gridcell>a</div></div><div role=row><div role=cell>b</div></div>",
            "H a\n\nb",
        ),
        (
            "rows of custom elements",
            "<x-row role=row><x-cell role=cell>a</x-cell><x-cell role=cell>b</x-cell></x-row><x-row role=row>c</x-row>",
            "a b\n\nc",
        ),
        ("items by role", "<span role=listitem>a</span><span role=listitem>b</span>", "a b"),
        (
            "blocks by style in a link",
            "<a href=x><span style='display:block'>a</span><span style='color:red; DISPLAY: flex !important'>b</span></a>",
            "[a b](x)",
        ),
        (
            "a title and its text in a link",
            "<a href=x><span>AI and automation</span><span>Solve issues faster</span></a>",
            "[AI and automation Solve issues faster](x)",
        ),
        ("buttons", "<p><button>A</button><button>B</button>, <button>C</button>.", "A B, C."),
        ("labels of fields", "<p><input><label>A</label><input><label>B</label>", "A B"),
        ("a field that is not shown", "<p>a<input type=hidden>b", "ab"),
        ("a list of choices", "<p>a<select><option>x</select>b", "a b"),
        (
            "a text for screen readers",
            "<p>Read more<span class=sr-only>about A</span>.",
            "Read more about A.",
        ),
        (
            "before a price",
            "<p>(<span class='x visually-hidden'>Price</span>$5)<span class=screen-reader-text>now</span>",
            "(Price $5) now",
        ),
        ("out of the flow", "<p>a<span style='position: absolute; left: -999px'>b</span>c", "a b c"),
        ("words in colours", "<a href=x><span>Java</span><span>Script</span></a>", "[JavaScript](x)"),
        (
            "a sentence in two elements",
            "<a href=x><span>of all the sun</span><span>flowers in it</span></a>",
            "[of all the sunflowers in it](x)",
        ),
    ]);
}

#[test]
fn dollars_are_escaped_beside_formulas() {
    let rows: &[Row] = &[
        ("without formulas", "Costs $5 and $6", "Costs $5 and $6"),
        ("with one", "<p>Costs $5 and $6; <math><mi>x</mi></math></p>", "Costs \\$5 and \\$6; $x$"),
        ("a formula further down", "<p>$5<p>\\(x_{1}\\)", "\\$5\n\n$x_{1}$"),
        ("in code", "<p><code>$a</code> $b <math><mi>x</mi></math></p>", "`$a` \\$b $x$"),
        ("in the text of an image", "<img src=i alt='$5'> <math><mi>x</mi></math>", "![\\$5](i) $x$"),
        (
            "in a cell",
            "<table><tr><th>$5<tr><td><math><mi>x</mi></math></table>",
            "| \\$5 |\n| --- |\n| $x$ |",
        ),
        ("formulas between single dollars", "<p>$A$ is in $B_{1}$</p>", "$A$ is in $B_{1}$"),
        ("emphasis beside", "<p>$<b>5</b> <math><mi>x</mi></math></p>", "\\$**5** $x$"),
    ];
    check(rows);
    check_page(rows);
}

#[test]
fn backlinks_are_left_out_without_notes() {
    check_page(&[
        ("by its target", "<ol><li>One <a href='#fnref1'>↩</a></ol>", "1. One"),
        ("before the text", "<ol><li><b><a href='#cite_ref-1'>^</a></b> One</ol>", "1. One"),
        (
            "several",
            "<ol><li><span class=mw-cite-backlink>^ <a href='#x'>a</a> <a href='#y'>b</a></span> One</ol>",
            "1. One",
        ),
        ("by its role", "<ol><li>One <a role=doc-backlink href='#x'>↑</a></ol>", "1. One"),
        ("the number of a note", "<p><a href='#_ftnref1'>[1]</a> One", "[[1]](#_ftnref1) One"),
        (
            "with words",
            "<ol><li>One <a href='#fnref'>Back to the text</a></ol>",
            "1. One [Back to the text](#fnref)",
        ),
    ]);
}

#[test]
fn images_that_scripts_load_are_written_once() {
    check_page(&[
        (
            "after an image without a source",
            "<figure><div><img alt=x><noscript><img src=a.png></noscript></div></figure>",
            "![x](a.png)",
        ),
        (
            "in a figure without another image",
            "<figure><div></div><noscript><img src=a.png alt=x></noscript><figcaption>b</figcaption></figure>",
            "![x](a.png)\n\nb",
        ),
        (
            "after a preview",
            "<figure><div><img src=/60/a.png?q=1 alt=x></div><img><noscript><img src=/900/a.png></noscript></figure>",
            "![x](/900/a.png)",
        ),
        (
            "in a figure with its image",
            "<figure><img src=a.png alt=x><noscript><img src=a.png></noscript></figure>",
            "![x](a.png)",
        ),
        ("outside a figure", "<p>a<noscript><img src=a.png></noscript>", "a"),
    ]);
}

#[test]
fn the_source_of_a_quote_stands_apart() {
    check_page(&[
        ("right after it", "<blockquote>Text.<cite>A</cite></blockquote>", "> Text.\n>\n> *A*"),
        (
            "in a footer",
            "<blockquote><p>Text</p><footer>— A, <cite>B</cite></footer></blockquote>",
            "> Text\n>\n> — A, *B*",
        ),
        ("after a paragraph", "<blockquote><p>Text</p> <cite>A</cite></blockquote>", "> Text\n>\n> *A*"),
        ("after a dash", "<blockquote>“Text.” — <cite>A</cite></blockquote>", "> “Text.” — *A*"),
        ("a book in a sentence", "<blockquote>So says <cite>A</cite></blockquote>", "> So says *A*"),
        (
            "a book at the end of one",
            "<blockquote>Read this. <cite>A</cite> says so.</blockquote>",
            "> Read this. *A* says so.",
        ),
    ]);
}
