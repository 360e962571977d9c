//! Pages that try to inject active content into their output: code in addresses, raw HTML, code spans that
//! end early, control characters, formulas, titles.

use gleaner_transform::{Input, html_to_markdown, transform};
use gleaner_types::request::{Format, ScrapeOptions};

/// Parts of a page. Each tries to inject active content into the rendered output.
const ATTEMPTS: &[(&str, &str)] = &[
    ("script address", "<a href='javascript:alert(1)'>x</a>"),
    ("mixed case and white space", "<a href=' jAvA\tscr\nipt:alert(1)'>x</a>"),
    ("control before the scheme", "<a href='\u{1}javascript:alert(1)'>x</a>"),
    (
        "entity in the scheme",
        "<a href='java&#115;cript:alert(1)'>x</a> <a href='javascript&colon;alert(1)'>x</a>",
    ),
    ("data address", "<a href='data:text/html;base64,PHNjcmlwdD4='>x</a>"),
    ("other schemes", "<a href=vbscript:x>x</a> <a href=file:///etc/passwd>y</a> <a href=blob:x>z</a>"),
    (
        "image address",
        "<img src='javascript:alert(1)' alt=x><img src='data:image/svg+xml,<svg onload=x>' alt=y>",
    ),
    ("frame address", "<iframe src='javascript:alert(1)'></iframe><embed src='data:text/html,x'>"),
    ("object address", "<object data='javascript:alert(1)'></object>"),
    ("base address", "<base href='javascript:/'><a href='alert(1)'>x</a>"),
    ("tag as text", "&lt;script&gt;alert(1)&lt;/script&gt; &lt;img src=x onerror=alert(1)&gt;"),
    ("tag as text at a line start", "<p>&lt;script&gt;</p><p>&lt;!-- --&gt;<p>&lt;?x?&gt;<p>&lt;![CDATA["),
    ("link as text", "<p>[x](javascript:alert(1)) ![x](javascript:alert(1)) &lt;javascript:alert(1)&gt;</p>"),
    ("reference as text", "<p>[x]</p><p>[x]: javascript:alert(1)</p>"),
    ("backslash before a bracket", "<p>\\[x](javascript:alert(1)) \\\\[x](javascript:alert(1))</p>"),
    ("text of a link", "<a href=/y>a](javascript:alert(1)) [b</a>"),
    (
        "title of a link",
        "<a href=/y title='\" onclick=\"alert(1)'>x</a> <a href=/y title='a\")<script>alert(1)</script>'>x</a>",
    ),
    ("address ends the link", "<a href='/y) <script>alert(1)</script>'>x</a> <a href='/y>)<script>'>x</a>"),
    (
        "alternative text",
        "<img src=/a.png alt='](javascript:alert(1))'><img src=/a.png alt='<script>alert(1)</script>'>",
    ),
    (
        "code span ends early",
        "<code>` <script>alert(1)</script> `</code> <code>``</code><code>&lt;script></code>",
    ),
    ("fence ends early", "<pre>```\n&lt;script>alert(1)&lt;/script>\n~~~</pre>"),
    (
        "language of a fence",
        "<pre class='language-x`<script>'>y</pre><pre data-lang='a\n&lt;script>'>y</pre>",
    ),
    ("code in a list", "<ul><li><pre>```\n&lt;script>\n```</pre></ul>"),
    ("cell ends early", "<table><tr><th>a<tr><td>| &lt;script> | <code>| &lt;script></code></table>"),
    ("formula", "<math alttext='` [x](javascript:alert(1)) &lt;script>'><mi>x</mi></math>"),
    (
        "formula in a script",
        "<script type='math/tex'>[x](javascript:alert(1))<img src=x onerror=alert(1)></script>",
    ),
    ("formula of text", "<math><mtext>[x](javascript:alert(1))&lt;script></mtext></math>"),
    (
        "note",
        "<sup><a href='#a](javascript:x)'>[^1]: &lt;script></a></sup><p id='a](javascript:x)'>&lt;script></p>",
    ),
    (
        "raw text elements",
        "<xmp><script>alert(1)</script></xmp><noembed><script></noembed><textarea><script></textarea>",
    ),
    ("noscript", "<noscript><p title='</noscript><img src=x onerror=alert(1)>'></noscript>"),
    ("svg", "<svg onload=alert(1)><script>alert(1)</script><a xlink:href='javascript:alert(1)'>x</a></svg>"),
    ("handlers", "<p onclick=alert(1) style='background:url(javascript:x)'>x</p><body onload=alert(1)>"),
    ("form", "<form action='javascript:alert(1)'><button formaction='javascript:alert(1)'>x</button></form>"),
    (
        "shadow root",
        "<div><template shadowrootmode=open><script>alert(1)</script><img src=x onerror=alert(1)></template></div>",
    ),
    (
        "tag after an address",
        "<p>https://e.example/&lt;script&gt;alert(1)&lt;/script&gt; www.e.example&lt;img src=x onerror=alert(1)&gt;</p>",
    ),
    (
        "tag after an address in several elements",
        "<p>www<b></b>.e.example/<i>x</i>&lt;script&gt; htt<i></i>ps://e.example&lt;svg&gt;</p>",
    ),
    ("terminal", "<p>\u{1b}[2J\u{1b}]0;x\u{7} \u{9b}31m</p><pre>\u{1b}[31m</pre>"),
];

/// The active content of HTML, if there is any outside text.
fn active_content(html: &str) -> Option<&'static str> {
    let lower = html.to_lowercase();
    if html.contains(|c: char| c.is_control() && !matches!(c, '\n' | '\t')) {
        return Some("a control character");
    }
    for tag in
        ["<script", "<svg", "<iframe", "<object", "<embed", "<base", "<style", "<form action", "<noscript"]
    {
        if lower.contains(tag) {
            return Some(tag);
        }
    }
    // Only addresses and handlers in tags: text is inert.
    for tag in lower.split('<').skip(1).filter_map(|rest| rest.split_once('>')).map(|(tag, _)| tag) {
        let plain: String = tag.chars().filter(|c| !c.is_whitespace()).collect();
        for bad in ["=\"javascript:", "=\"vbscript:", "=\"data:", "=\"file:", "=\"blob:"] {
            if plain.contains(bad) {
                return Some(bad);
            }
        }
        let outside: String = tag.split('"').step_by(2).collect();
        if outside.split_whitespace().any(|word| word.starts_with("on") && word.ends_with('=')) {
            return Some("a handler");
        }
    }
    None
}

fn rendered(markdown: &str) -> String {
    let mut options = comrak::Options::default();
    options.extension.table = true;
    options.extension.strikethrough = true;
    options.extension.autolink = true;
    options.extension.footnotes = true;
    options.render.r#unsafe = true;
    comrak::markdown_to_html(markdown, &options)
}

/// Bodies of other media types that contain an attempt.
fn bodies(attempt: &str) -> [(&'static str, String); 12] {
    let quoted = attempt.replace('"', "\"\"");
    let data = attempt.replace("]]>", "");
    [
        ("text/markdown", attempt.to_owned()),
        (
            "text/markdown",
            format!("[a]: javascript:alert(1)\n\n[a] ![a] <javascript:alert(1)> {attempt}\n\n- {attempt}"),
        ),
        ("text/csv", format!("a,\"{quoted}\"\n{attempt},https://e.example/<script>")),
        (
            "application/rss+xml",
            format!(
                "<rss><channel><title><![CDATA[{data}]]></title><item><title><![CDATA[{data}]]></title><link>javascript:alert(1)</link><description><![CDATA[{data}]]></description></item></channel></rss>"
            ),
        ),
        ("text/plain", attempt.to_owned()),
        ("text/xml", format!("<a>{attempt}</a>")),
        ("application/json", serde_json::json!({ "a": attempt }).to_string()),
        ("text/markdown", format!("---\ntitle: {attempt}\nauthor: {attempt}\n---\n{attempt}")),
        ("application/rtf", format!("{{\\rtf1{{\\info{{\\title {attempt}}}}}{{\\listtext {attempt}}}{attempt}}}")),
        ("application/xhtml+xml", format!("<p><![CDATA[{data}]]><b/>{attempt}</p>")),
        (
            "application/feed+json",
            serde_json::json!({
                "version": "https://jsonfeed.org/version/1",
                "title": attempt,
                "items": [{ "title": attempt, "url": attempt, "content_html": attempt }, { "content_text": attempt }],
            })
            .to_string(),
        ),
        (
            "application/x-ipynb+json",
            serde_json::json!({
                "nbformat": 4,
                "metadata": { "title": attempt, "language_info": { "name": attempt } },
                "cells": [
                    { "cell_type": "markdown", "source": attempt },
                    { "cell_type": "code", "source": attempt, "outputs": [{ "data": { "text/html": attempt } }] },
                ],
            })
            .to_string(),
        ),
    ]
}

#[test]
fn other_media_types_give_no_active_content() {
    let url = "https://example.org/a/".parse().unwrap();
    let formats = [Format::Markdown, Format::Html, Format::Links, Format::Summary];
    let options = ScrapeOptions::new().formats(formats).check().unwrap();
    for (name, attempt) in ATTEMPTS {
        for (content_type, body) in bodies(attempt) {
            let input = Input::new(&url, Some(content_type), body.as_bytes());
            let document = transform(input, &options).unwrap().document;
            let outputs = [
                ("html", document.html.unwrap()),
                ("markdown", rendered(&document.markdown.unwrap())),
                ("summary", rendered(&document.summary.unwrap())),
            ];
            for (output, text) in outputs {
                assert_eq!(active_content(&text), None, "{name} in {content_type} as {output}: {text}");
            }
            for link in document.links.unwrap() {
                assert!(link.starts_with("http"), "{name} in {content_type}: {link}");
            }
        }
    }
}

#[test]
fn html_gives_no_active_content() {
    let url = "https://example.org/a/".parse().unwrap();
    let options = ScrapeOptions::new()
        .formats([Format::Markdown, Format::Html, Format::Summary])
        .only_main_content(false);
    let options = options.check().unwrap();
    let mut emitted = Vec::new();
    for (name, html) in ATTEMPTS {
        // Alone, and in contexts with rules of their own.
        let contexts = [
            (*html).to_owned(),
            format!("<ul><li>{html}</ul>"),
            format!("<table><tr><th>h<tr><td>{html}</table>"),
            format!("<h2>{html}</h2><blockquote>{html}</blockquote>"),
            format!("<p>`{html}` *{html}* [{html}]({html})</p>"),
        ];
        for context in &contexts {
            let input = Input::new(&url, Some("text/html; charset=utf-8"), context.as_bytes());
            let document = transform(input, &options).unwrap().document;
            let outputs = [
                ("html", document.html.unwrap()),
                ("markdown", rendered(&document.markdown.unwrap())),
                ("fragment", rendered(&html_to_markdown(context, None))),
                ("summary", rendered(&document.summary.unwrap())),
            ];
            for (output, text) in outputs {
                if let Some(bad) = active_content(&text) {
                    emitted.push(format!("{name} as {output} has {bad}: {text}"));
                }
            }
        }
    }
    println!("emitted {}/{}", emitted.len(), ATTEMPTS.len() * 5 * 4);
    assert!(emitted.is_empty(), "{}", emitted.join("\n"));
}
