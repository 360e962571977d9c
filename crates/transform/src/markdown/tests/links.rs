//! Links, images and embedded content.

use super::*;

#[test]
fn links_and_images_become_markdown() {
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
fn addresses_are_absolute_if_the_page_has_an_address() {
    let url = "https://example.org/a/b".parse().unwrap();
    let html = "<base href=/docs/><a href=x>1</a> <a href='#f'>2</a> <img src=//cdn.example/i.png alt=3>";
    assert_eq!(
        html_to_markdown(html, Some(&url)),
        "[1](https://example.org/docs/x) [2](https://example.org/docs/#f) ![3](https://cdn.example/i.png)"
    );
}

#[test]
fn tracking_pixels_are_left_out() {
    check(&[
        ("one pixel by style", "a<img src=t.gif style='width:1px; HEIGHT: 1px !important'>", "a"),
        ("hidden by style", "a<img src=t.gif style='display:none'>", "a"),
        ("wide", "a <img src=t.gif alt=t style='width:100px;height:1px'>", "a ![t](t.gif)"),
        ("full size", "a <img src=t.gif alt=t style='width:1em;height:1em'>", "a ![t](t.gif)"),
    ]);
}

#[test]
fn embedded_content_becomes_a_named_link() {
    check_page(&[
        (
            "video",
            "<video src='https://e.example/films/The%20kiln.mp4?x=1'></video>",
            "[The kiln.mp4](https://e.example/films/The%20kiln.mp4?x=1)",
        ),
        (
            "source element",
            "<audio><source src='https://e.example/a.ogg'></audio>",
            "[a.ogg](https://e.example/a.ogg)",
        ),
        (
            "by its title",
            "<embed title='A map' src='https://e.example/m.swf'>",
            "[A map](https://e.example/m.swf)",
        ),
        (
            "by its label",
            "<video title='' aria-label='A film' src='https://e.example/1.mp4'></video>",
            "[A film](https://e.example/1.mp4)",
        ),
        (
            "an address without a file name",
            "<iframe src='https://e.example/embed/42'></iframe>",
            "[e.example](https://e.example/embed/42)",
        ),
        (
            "a page",
            "<iframe src='https://e.example/player.html'></iframe>",
            "[e.example](https://e.example/player.html)",
        ),
        (
            "a link behind it",
            "<iframe src='https://e.example/1'></iframe><div><p><a href='https://e.example/1'>A map</a></p>\
             </div>",
            "[A map](https://e.example/1)",
        ),
        (
            "another link behind it",
            "<iframe src='https://e.example/1'></iframe><p><a href='https://e.example/2'>Next</a></p>",
            "[e.example](https://e.example/1)\n\n[Next](https://e.example/2)",
        ),
        (
            "separated from its neighbours",
            "a<video src='https://e.example/v.mp4'></video><object data='https://e.example/o.pdf'></object>b",
            "a [v.mp4](https://e.example/v.mp4) [o.pdf](https://e.example/o.pdf) b",
        ),
    ]);
}
