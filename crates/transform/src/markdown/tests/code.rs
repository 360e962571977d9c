//! Code blocks and inline code.

use super::*;

#[test]
fn code_blocks() {
    check(&[
        ("plain", "<pre>a\n  b\n</pre>", "```\na\n  b\n```"),
        ("class on code", "<pre><code class=language-rust>x</code></pre>", "```rust\nx\n```"),
        ("an invalid language name", "<pre><code class='language-\\~'>x</code></pre>", "```\nx\n```"),
        ("class on pre", "<pre class='brush: js;'>x</pre>", "```js\nx\n```"),
        (
            "class on a container",
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
fn code_keeps_its_lines_and_links() {
    check(&[
        ("break", "<code>line1<br>line2</code>", "`line1`  \n`line2`"),
        ("link", "see <code>Vec&lt;<a href=t>T</a>></code>.", "see `Vec<`[`T`](t)`>`."),
        ("a link around all of it", "<code><a href=t>T</a></code>", "[`T`](t)"),
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
            "numbers beside text are data",
            "<table><tr><td>1</td><td>a</td></tr><tr><td>2</td><td>b</td></tr></table>",
            "| 1 | a |\n| --- | --- |\n| 2 | b |",
        ),
        ("a number in an element of its own", "<pre><span data-line-number=1>1</span>a</pre>", "```\na\n```"),
    ]);
    check_page(&[(
        "numbers in one cell, code in the next",
        "<table><tr><td><pre>1\n2</pre></td><td><pre>a\nb</pre></td></tr></table>",
        "```\na\nb\n```",
    )]);
}

#[test]
fn hidden_elements_are_left_out_of_code() {
    let html = "<p><code>a<i>x</i>b</code></p><pre>a<i>x</i>b</pre>";
    let tree = parse(html, ParseOptions::default());
    let mut view = View::whole(&tree);
    for node in tree.elements_with_tag(crate::tree::Tag::I) {
        view.hidden.insert(node);
    }
    assert_eq!(page(&tree, &view), "`ab`\n\n```\nab\n```");
}

#[test]
fn code_of_a_page_may_be_a_block_without_a_pre() {
    check_page(&[
        ("a code around it", "<code class=x><pre><code>a\nb</code></pre></code>", "```\na\nb\n```"),
        ("several lines", "<p>x<div>\n <code>\n  a\n  b\n </code></div>", "x\n\n```\na\n  b\n```"),
        ("by its class", "<p>x<p><code class='hl block'>a <a href=b>b</a></code>", "x\n\n```\na b\n```"),
        ("by its style", "<div><code style='white-space: pre'>a</code></div>", "```\na\n```"),
        ("in a text", "<p>x <code style='display:block'>a\nb</code>", "x `a b`"),
        ("one line", "<p><code>a</code>", "`a`"),
        ("text with a language", "<div class=code-block data-lang=c>a\n\n  b</div>", "```c\na\n\n  b\n```"),
    ]);
    check(&[("in a fragment", "<p><code>a\nb</code></p>", "`a b`")]);
}

#[test]
fn line_numbers_are_left_out_of_code() {
    check_page(&[
        (
            "at the start of each line",
            "<pre><code><span><span> 1</span><span>a\n</span></span><span><span> 2</span><span>b</span></span></code></pre>",
            "```\na\nb\n```",
        ),
        (
            "lines as blocks",
            "<pre><div><span>9</span><div>a</div></div><div><span>10</span><div>b</div></div></pre>",
            "```\na\nb\n```",
        ),
        (
            "numbers that are not in order",
            "<pre><div><span>1</span><b>a</b></div><div><span>1</span><b>b</b></div></pre>",
            "```\n1a\n1b\n```",
        ),
        (
            "numbers of the code",
            "<pre><div><span>1</span>st</div><div><span>2</span>nd</div></pre>",
            "```\n1st\n2nd\n```",
        ),
        (
            "operands",
            "<pre><code><span><span>1</span> <b>+</b> 1\n</span><span><span>2</span> <b>+</b> 2</span></code></pre>",
            "```\n1 + 1\n2 + 2\n```",
        ),
        (
            "literals that are highlighted",
            "<pre><div><b class=mi>1</b><b>+</b></div><div><b class=mi>2</b><b>+</b></div></pre>",
            "```\n1+\n2+\n```",
        ),
        (
            "numbers with a name, before text",
            "<pre><div><b class=line-no>1</b>a</div><div><b class=line-no>2</b>b</div></pre>",
            "```\na\nb\n```",
        ),
        (
            "not selected",
            "<pre><span style='user-select: none'>7</span>a\n<span style='user-select:none'>8</span>b</pre>",
            "```\na\nb\n```",
        ),
    ]);
}

#[test]
fn popups_and_templates_are_no_part_of_code() {
    check_page(&[
        (
            "the type of a name",
            "<pre><code><span class=line>const <span class=twoslash-hover><span class=twoslash-popup-container>\
             <code class=twoslash-popup-code>const a: number</code><div><p>Docs</div></span>a</span> = 3</span></code></pre>",
            "```\nconst a = 3\n```",
        ),
        ("by its role", "<pre>a<span role=tooltip>b</span> = 1</pre>", "```\na = 1\n```"),
        (
            "in an element that has it",
            "<pre><span class=has-popover>a<span class=popover-body>b</span></span> = 1</pre>",
            "```\na = 1\n```",
        ),
        ("a link to notes", "<pre>fn a() <a class=tooltip href='#'>ⓘ</a></pre>", "```\nfn a()\n```"),
        (
            "the text of a tooltip",
            "<pre><b class=tooltip>a<i class=tooltip__content>b</i></b></pre>",
            "```\na\n```",
        ),
        ("in a code span", "<p><code>a<span class=code-popup>b</span>c</code>", "`ac`"),
        ("a template", "<pre><code>a <template>b</template>c</code></pre>", "```\na c\n```"),
        ("a template in a code span", "<p><code>a<template>b</template>c</code>", "`ac`"),
        ("a template in a text", "<p>a<template><p>b</template>c", "ac"),
        ("a class with a similar name", "<pre><span class=populate>a</span></pre>", "```\na\n```"),
    ]);
}

#[test]
fn the_title_of_a_listing_stands_before_it() {
    check_page(&[
        (
            "a title over two columns",
            "<div class='language-python highlight'><table class=highlighttable><tr><th colspan=2 class=filename><span>ice.py</span></th></tr>\
             <tr><td class=linenos><div class=linenodiv><pre>1\n2</pre></div></td>\
             <td class=code><div><pre><code>if a:\n    b</code></pre></div></td></tr></table></div>",
            "ice.py\n\n```python\nif a:\n    b\n```",
        ),
        (
            "a title over rows with numbers",
            "<table><tr><th colspan=2>a.c</th></tr><tr><td data-line-number=1></td><td>a</td></tr>\
             <tr><td data-line-number=2></td><td> b</td></tr></table>",
            "a.c\n\n```\na\n b\n```",
        ),
        (
            "a caption",
            "<table><caption>a.c</caption><tr><td>1</td><td class=code>a</td></tr><tr><td>2</td><td class=code>b</td></tr></table>",
            "a.c\n\n```\na\nb\n```",
        ),
        (
            "numbers as headers of rows",
            "<table><tr><th>1</th><td class=code>a</td></tr><tr><th>2</th><td class=code>b</td></tr></table>",
            "```\na\nb\n```",
        ),
        (
            "a highlighter without a pre",
            "<div class='syntaxhighlighter js'><div class=toolbar>?</div><table><caption>a.js</caption><tr>\
             <td class=gutter><div class=line>1</div><div class=line>2</div></td>\
             <td class=code><div><div class=line>a</div><div class=line>b</div></div></td></tr></table></div>",
            "a.js\n\n```js\na\nb\n```",
        ),
        (
            "a table with headers and code",
            "<table><tr><th>A<th>B<tr><td>1<td><pre>x</pre></table>",
            "| A | B |\n| --- | --- |\n| 1 | `x` |",
        ),
    ]);
}

#[test]
fn the_language_of_code_is_found_in_every_form() {
    let rows = [
        ("<pre lang=python><code>x</code></pre>", "python"),
        ("<pre lang=en>x</pre>", ""),
        ("<pre><code lang=Rust>x</code></pre>", "Rust"),
        ("<pre data-enlighter-language=java class=EnlighterJSRAW>x</pre>", "java"),
        ("<pre data-code-block-lang=go>x</pre>", "go"),
        ("<pre data-code-language=c>x</pre>", "c"),
        ("<pre><code data-highlight-language=sql>x</code></pre>", "sql"),
        ("<pre data-syntaxhighlighter-params='brush: java; gutter: false'>x</pre>", "java"),
        ("<pre class='brush:js;toolbar:false'>x</pre>", "js"),
        ("<pre class='brush: js; toolbar: false'>x</pre>", "js"),
        ("<pre class='lang:yaml decode:true'>x</pre>", "yaml"),
        ("<div class='highlight python'><pre>x</pre></div>", "python"),
        ("<div class='python codehilite'><pre>x</pre></div>", "python"),
        ("<div class='highlight wide'><pre>x</pre></div>", ""),
        ("<figure class='highlight js'><pre>x</pre></figure>", "js"),
        ("<pre class='src src-emacs-lisp'>x</pre>", ""),
        ("<pre class='src src-sh'>x</pre>", "sh"),
        ("<pre class='programlisting ruby'>x</pre>", "ruby"),
        ("<pre class='code-python'>x</pre>", "python"),
        ("<div class='highlight hl-ipython3'><pre>x</pre></div>", "ipython3"),
        ("<pre class='code-wrapper'>x</pre>", ""),
        ("<pre class='prettyprint prettyprinted'>x</pre>", ""),
        ("<div class=prose><p class=c>y</p><pre>x</pre></div>", ""),
    ];
    for (html, language) in rows {
        let markdown = html_to_markdown(html, None);
        let block = format!("```{language}\nx\n```");
        assert!(markdown.ends_with(&block), "{html}: {markdown}");
    }
}

#[test]
fn diagrams_are_code() {
    check_page(&[
        ("in a pre", "<pre class=mermaid>graph TD\n  A-->B</pre>", "```mermaid\ngraph TD\n  A-->B\n```"),
        (
            "in a div",
            "<p>a<div class=mermaid>\n  graph TD\n    A[x<br>y] --&gt; B\n</div><p>b",
            "a\n\n```mermaid\n  graph TD\n    A[x<br/>y] --> B\n```\n\nb",
        ),
        ("in a code", "<pre><code class=language-mermaid>graph TD</code></pre>", "```mermaid\ngraph TD\n```"),
        ("drawn", "<div class=mermaid><svg><text>a</text></svg></div><p>b", "b"),
        ("around a pre", "<div class=mermaid><pre>graph TD</pre></div>", "```mermaid\ngraph TD\n```"),
    ]);
}
