//! Forms in which pages write what a reader sees: what each becomes in the Markdown of a whole article.

#![expect(clippy::unwrap_used, reason = "code of tests: a broken assumption ends the test")]

use gleaner_transform::{Input, transform};
use gleaner_types::request::ScrapeOptions;

const BEFORE: &str = "<p>The harbour froze early that winter, and the ferries stayed at their moorings for six weeks. \
    The keeper of the light wrote down the thickness of the ice every morning, together with the direction of the \
    wind and the number of gulls on the roof.</p><p>His notebooks were found a century later in the attic of the \
    customs house, wrapped in oilcloth and perfectly dry. They are the longest record of ice on that coast.</p><p>Historians \
    found the books useful at once, because shipowners had every reason to lie about dates and the keeper had none. \
    Climate research came to them late: a student copied the columns by hand onto cards, and the cards went through \
    a machine that took a week and printed a curve. The curve surprised everybody who saw it, because it showed that \
    the bay had frozen later in each decade, not evenly but in steps.</p>";

const AFTER: &str = "<p>Nobody knows why he stopped in the spring of the seventh year. The last entry mentions a new \
    barometer, a visit by his sister, and rain that began before dawn and did not end until the evening.</p><p>The \
    light itself was switched off much later. Its lamp stands in the hall of the harbour office, polished, next to \
    a screen that shows the temperature of the water every ten minutes.</p><p>If you visit, ask for the key to the \
    upper room. The view is worth the stairs, and the table at which he wrote still stands at the window, with a \
    dark ring where the cup stood. There is talk of a new light, smaller and driven by the sun, for the boats of the \
    summer guests, and the council will decide in autumn, after the budget and after the guests have gone home.</p>";

fn article(part: &str) -> String {
    let url = "https://example.org/dir/page".parse().unwrap();
    let options = ScrapeOptions::default().check().unwrap();
    let html = format!(
        "<!doctype html><html lang=en><head><title>Ice records</title></head><body><header><a href=/>Home</a> \
         <a href=/about>About</a></header><main><article><h1>Ice records</h1>{BEFORE}{part}{AFTER}</article></main>\
         <footer>Copyright 2026 Foo</footer></body></html>"
    );
    let input = Input::new(&url, Some("text/html; charset=utf-8"), html.as_bytes());
    transform(input, &options).unwrap().document.markdown.unwrap()
}

/// Checks rows of a name, a part of an article, texts that its Markdown has, and texts that it has not.
fn check(rows: &[(&str, &str, &[&str], &[&str])]) {
    for (name, part, present, absent) in rows {
        let markdown = article(part);
        for text in *present {
            assert!(markdown.contains(text), "{name}: {text:?} is missing in\n{markdown}");
        }
        for text in *absent {
            assert!(!markdown.contains(text), "{name}: {text:?} is in\n{markdown}");
        }
    }
}

#[test]
fn headings_have_no_links_and_buttons_for_their_section() {
    check(&[
        (
            "an edit link of a wiki",
            "<div class=mw-heading><h2 id=h>History</h2><span class=mw-editsection><span>[</span>\
             <a href='/w?title=I&amp;action=edit'>edit</a><span>]</span></span></div><p>In this part the history of \
             the light is told from its first keeper to its last, as far as it is known.</p>",
            &["## History\n"],
            &["edit", "[["],
        ),
        (
            "a button",
            "<h2>The light <button title=Copy>Copy path</button></h2><p>In this part the history of the light is \
             told from its first keeper to its last, as far as it is known.</p>",
            &["## The light\n"],
            &["Copy path"],
        ),
    ]);
}

#[test]
fn code_is_the_program_and_nothing_else() {
    check(&[
        (
            "a title and line numbers",
            "<div class='language-python highlight'><table class=highlighttable><tbody><tr><th colspan=2 class=filename>\
             <span class=filename>ice.py</span></th></tr><tr><td class=linenos><div class=linenodiv><pre>\
             <span>1</span>\n<span>2</span>\n<span>3</span></pre></div></td><td class=code><div><pre><span></span>\
             <code>def f(x):\n    if x:\n        return 1\n</code></pre></div></td></tr></tbody></table></div>",
            &["```python\ndef f(x):\n    if x:\n        return 1\n```"],
            &["| "],
        ),
        (
            "a popup and a label",
            "<p>Then write this into your program:</p><div class=language-ts><button title='Copy Code' class=copy></button>\
             <span class=lang>ts</span><pre><code><span class=line>const <span class=twoslash-hover>\
             <span class=twoslash-popup-container><code>const ice: number</code><div><p>The ice</p></div></span>ice</span> = 3\
             </span></code></pre></div>",
            &["```ts\nconst ice = 3\n```"],
            &["\nts\n", ": number", "The ice"],
        ),
    ]);
}

#[test]
fn formulas_render_the_same() {
    check(&[
        (
            "MathJax 4",
            "<p>The rate is <mjx-container class=MathJax data-latex='\\frac{a}{b}'><mjx-math data-latex='\\frac{a}{b}'>\
             <mjx-mfrac></mjx-mfrac></mjx-math></mjx-container> per day in every winter of which there is a record.</p>",
            &["The rate is $\\frac{a}{b}$ per day"],
            &[],
        ),
        (
            "comments of TeX",
            "<p>In short, for all of the winters:</p><script type='math/tex; mode=display'>% <![CDATA[\n\
             \\begin{align*} a &= b \\end{align*} %]]></script>",
            &["$$\\begin{align*} a &= b \\end{align*}$$"],
            &["CDATA", "%"],
        ),
        (
            "fences of MathML",
            "<p>The thickness lies in <math><mfenced open='[' close=')'><mi>a</mi><mi>b</mi></mfenced></math> in every \
             winter of which there is a record.</p>",
            &["$\\left[a, b\\right)$"],
            &[],
        ),
    ]);
}

#[test]
fn what_is_drawn_is_said() {
    check(&[
        (
            "icons in a table",
            "<table><thead><tr><th>Feature</th><th>Free</th><th>Pro</th></tr></thead><tbody><tr><td>Export</td><td>\
             <svg role=img aria-label='Not included'><path/></svg></td><td><svg><title>Included</title></svg></td></tr>\
             <tr><td>Rating</td><td><span role=img aria-label='2 out of 5 stars'></span></td><td>5</td></tr></tbody></table>",
            &["| Export | Not included | Included |", "| Rating | 2 out of 5 stars | 5 |"],
            &[],
        ),
        (
            "pictures of characters",
            "<p>Good morning <img class=emoji alt='❓' src=/72x72/2753.png> friends of the ice and of the keeper.</p>",
            &["Good morning ❓ friends"],
            &["2753"],
        ),
        (
            "steps in a cell",
            "<table><thead><tr><th>Mode</th><th>Steps</th></tr></thead><tbody><tr><td>Normal</td><td><ol><li>Turn the key\
             </li><li>Open the door</li></ol></td></tr><tr><td>Cold</td><td>Wait for the sun</td></tr></tbody></table>",
            &["| Normal | 1. Turn the key<br>2. Open the door |"],
            &[],
        ),
        (
            "a poem",
            "<div style='white-space: pre-wrap'>First line of the poem\nSecond line of the poem\n\nThird line after a gap</div>",
            &["First line of the poem  \nSecond line of the poem\n\nThird line"],
            &[],
        ),
        (
            "a note beside the text",
            "<p>The third winter<label for=s class=margin-toggle></label><input type=checkbox id=s><span class=sidenote>Told \
             by the pilots.</span> was the longest of all, and nobody who saw it has forgotten it.</p>",
            &["The third winter (Told by the pilots.) was"],
            &[],
        ),
        (
            "a lazy picture",
            "<p><img class=lazyload src=/lqip-20.jpg data-srcset='/real-400.jpg 400w, /real-1200.jpg 1200w' alt='The pier'></p>",
            &["![The pier](https://example.org/real-1200.jpg)"],
            &["lqip"],
        ),
        (
            "slots",
            "<x-card><template shadowrootmode=open><header><slot name=title>No title</slot></header><div><slot>Nothing here</slot>\
             </div></template><p>The light content of the card, which is shown in the slot that has no name.</p>\
             <h3 slot=title>Light title</h3></x-card>",
            &["The light content of the card"],
            &["No title", "Nothing here"],
        ),
    ]);
}
