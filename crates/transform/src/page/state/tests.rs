//! Texts in the states of many frameworks and editors, and states without a text of the page.

use gleaner_types::Interrupt;
use serde_json::{Value, json};
use url::Url;

use super::{Found, Origin, read};
use crate::tree::{ParseOptions, parse};

const SENTENCE: &str = "The kiln is heated slowly, with the door ajar, so that the water can leave as steam.";

/// About 1,500 letters of HTML.
fn article() -> String {
    format!("<p>{SENTENCE}</p>").repeat(22)
}

fn found(html: &str) -> Option<Found> {
    let page = format!("<title>Heating a kiln | Pots</title>{html}");
    let tree = parse(&page, ParseOptions::default());
    read(&tree, &page, &Url::parse("https://pots.example/guides/heat-a-kiln").unwrap(), &Interrupt::never())
}

fn data(state: &Value) -> String {
    format!("<script type=application/json>{state}</script>")
}

/// The HTML found in a state.
fn html_of(state: &Value) -> String {
    found(&data(state)).unwrap_or_else(|| panic!("nothing found in {state:.300}")).html
}

fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap().replace("</", "<\\/")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('"', "&quot;")
}

#[test]
fn states_of_frameworks_are_read() {
    let article = article();
    let json =
        json!({ "props": { "page": [1, { "title": "Heating a kiln", "body": article }] } }).to_string();
    let flat = json!([["Reactive", 1], { "data": 2, "once": 6 }, { "post": 3 }, { "title": 4, "body": 5 },
        "Heating a kiln", article, ["Set"]]);
    let named =
        json!([{ "_1": 2 }, "post", { "_3": 4, "_5": 6 }, "title", "Heating a kiln", "body", article]);
    let pairs = json!({ "post": [0, { "title": [0, "Heating a kiln"], "body": [0, article], "tags": [1, [[0,
        "a"]]] }] });
    let rows = format!(
        "1:I[4,[],\"\"]\n2:T{:x},{article}3:{{\"title\":\"Heating a kiln\",\"body\":\"$2\"}}\n\
        0:{{\"f\":[[\"$\",\"$L1\",null,{{\"post\":\"$3\"}}]]}}\n",
        article.len()
    );
    let (first, second) = rows.split_at(40);
    let nuxt = format!(
        "(function(a,b){{return {{data:[{{post:{{title:a,body:{},x:b}}}}]}}}}(\"Heating a kiln\",null))",
        quoted(&article)
    );
    let literal = format!(
        "{{type:'data',data:{{post:{{title:\"Heating a kiln\",body:{}}}}},uses:{{}}}}",
        quoted(&article)
    );
    for (html, origin) in [
        (format!("<script id=__NEXT_DATA__ type=application/json>{json}</script>"), Origin::Data),
        (format!("<script type='application/json'><!--{json}--></script>"), Origin::Data),
        (
            format!("<script id=ng-state type=application/json>{}</script>", json.replace('"', "&q;")),
            Origin::Data,
        ),
        (
            format!("<script type=application/json>{}</script>", json!({ "status": 200, "body": json })),
            Origin::Data,
        ),
        (format!("<script type='application/json' id='__NUXT_DATA__'>{flat}</script>"), Origin::Data),
        (format!("<script>window.__NUXT__={json};</script>"), Origin::Program),
        (format!("<script>window.__NUXT__={nuxt};</script>"), Origin::Program),
        (
            format!("<script>window.__INITIAL_STATE__ = {json};(function(){{start()}})()</script>"),
            Origin::Program,
        ),
        (format!("<script>\n window[\"__PRELOADED_STATE__\"] = {json}</script>"), Origin::Program),
        (format!("<script>var mine = {{config: location.href, page: {json}}}</script>"), Origin::Program),
        (format!("<script>window.__STATE__ = JSON.parse({});</script>", quoted(&json)), Origin::Program),
        (
            format!("<script>const data = [null,{literal}];kit.start(app, element, {{ data }})</script>"),
            Origin::Program,
        ),
        (format!("<script>c.enqueue({})</script>", quoted(&named.to_string())), Origin::Program),
        (
            format!(
                "<script>self.__next_f.push([1,{}])</script><script>self.__next_f.push([1,{}])</script>",
                quoted(first),
                quoted(second)
            ),
            Origin::Stream,
        ),
        (format!("<div id=app data-page=\"{}\"></div>", escaped(&json)), Origin::Attribute),
        (format!("<div data-react-props=\"{}\"></div>", escaped(&json)), Origin::Attribute),
        (
            format!("<astro-island props=\"{}\"></astro-island>", escaped(&pairs.to_string())),
            Origin::Attribute,
        ),
    ] {
        let found = found(&html).unwrap_or_else(|| panic!("nothing found in {html:.200}"));
        assert_eq!(found.html, format!("<h1>Heating a kiln</h1><div>{article}</div>"), "{html:.120}");
        assert_eq!((found.origin, found.is_named, found.is_page), (origin, true, false), "{html:.120}");
        assert!(found.is_long() && found.json_ld.contains("Heating a kiln"), "{html:.120}");
    }
}

#[test]
fn a_text_that_does_not_dominate_or_no_text_is_left_alone() {
    let article = article();
    let (other, third) = (article.replace("kiln", "oven"), article.replace("kiln", "stove"));
    let short: String = article.chars().take(800).collect();
    let record =
        |title: &str, text: &str| json!({ "title": title, "slug": title.to_lowercase(), "text": text });
    let translations: serde_json::Map<String, Value> =
        (0..60).map(|n| (format!("message.{n}"), json!(format!("{SENTENCE} {n}")))).collect();
    for state in [
        json!({}),
        json!({ "body": short }),
        json!({ "a": article, "b": other, "c": third }),
        json!({ "posts": [record("A", &article), record("B", &other), record("C", &third)] }),
        json!({ "menu": "menu item ".repeat(300) }),
        json!({ "code": "if(a.b){c.d(e);}".repeat(200) }),
        json!({ "key": "a".repeat(5_000) }),
        json!({ "translations": { "terms": article } }),
        json!(translations),
    ] {
        assert_eq!(found(&data(&state)), None, "{state:.200}");
    }
    for html in [
        format!("<script type=application/json>{{\"body\":{}</script>", quoted(&article)),
        format!(
            "<script type=application/json>{}{}{}</script>",
            "[".repeat(10_000),
            quoted(&article),
            "]".repeat(10_000)
        ),
        format!("<script type=text/template>{{\"body\":{}}}</script>", quoted(&article)),
        format!("<script type=application/ld+json>{{\"body\":{}}}</script>", quoted(&article)),
        format!("<script>window.f = function(){{return x + {}}}</script>", quoted(&article)),
    ] {
        assert_eq!(found(&html), None, "{html:.120}");
    }
    // A copy of the text is not another text.
    let copies = json!({ "a": { "body": article }, "b": { "body": article }, "c": { "body": article } });
    assert!(found(&data(&copies)).is_some_and(|found| !found.is_named && found.json_ld.is_empty()));
}

#[test]
fn the_record_with_the_name_of_the_page_is_preferred() {
    let long = format!("<p>{}</p>", SENTENCE.replace("kiln", "wheel")).repeat(60);
    let own = article();
    for (name, record) in [
        ("by its title", json!({ "headline": "Heating a kiln", "content": own })),
        ("by its slug", json!({ "title": "A title", "slug": "heat-a-kiln", "content": own })),
        (
            "by its address",
            json!({ "title": "A title", "url": "https://www.pots.example/guides/heat-a-kiln/",
                "content": own }),
        ),
    ] {
        let related = json!([{ "title": "Wheels", "slug": "wheels", "content": long, "date": "2024-01-02" }]);
        let html = html_of(&json!({ "latestPosts": related, "entries": related, "page": record }));
        assert!(html.contains("The kiln") && !html.contains("The wheel"), "{name}: {html:.300}");
    }
}

#[test]
fn only_the_texts_of_a_record_are_written() {
    let state = json!({ "post": {
        "id": 7,
        "title": "Heating a <kiln> & more",
        "slug": "heat-a-kiln",
        "excerpt": SENTENCE,
        "subtitle": "What the door is for",
        "bodyPlain": article().replace("<p>", "").replace("</p>", "\n"),
        "body": article(),
        "author": { "name": "Ann", "bio": SENTENCE.replace("kiln", "potter") },
        "publishedAt": "2024-05-01T08:00:00Z",
        "tags": ["clay and fire", "fire and clay"],
        "seo": { "description": SENTENCE.replace("kiln", "robot") },
        "related": [{ "title": "Other", "text": SENTENCE.replace("kiln", "shelf").repeat(20) }],
        "cards": [{ "title": "Glazes", "url": "/glazes", "text": SENTENCE.replace("kiln", "glaze") }],
        "steps": ["Open the door", "Light the fire", "Close the door"],
        "sections": [{ "heading": "Afterwards", "text": SENTENCE.replace("kiln", "stove") },
            { "heading": "Cleaning", "text": "Use a soft brush." }],
    } });
    let found = found(&data(&state)).unwrap();
    let html = &found.html;
    assert!(
        html.starts_with("<h1>Heating a &lt;kiln&gt; &amp; more</h1><p>What the door is for</p>"),
        "{html:.300}"
    );
    assert_eq!(html.matches("The kiln is heated").count(), 22, "one version of the text");
    assert!(
        html.contains("<ul><li>Open the door</li><li>Light the fire</li><li>Close the door</li></ul>"),
        "{html}"
    );
    assert!(html.contains("<h2>Cleaning</h2><p>Use a soft brush.</p>"), "{html}");
    assert!(html.contains("<h2>Afterwards</h2>") && html.contains("The stove is heated"), "{html}");
    for word in ["potter", "robot", "shelf", "glaze", "clay and fire"] {
        assert!(!html.contains(word), "{word}: {html}");
    }
    let linked: Value = serde_json::from_str(&found.json_ld).unwrap();
    assert_eq!(linked["author"][0]["name"], "Ann");
    assert_eq!(linked["datePublished"], "2024-05-01T08:00:00Z");
    assert_eq!(linked["headline"], "Heating a <kiln> & more");
    assert!(!found.json_ld.contains('<'), "{}", found.json_ld);
}

#[test]
fn records_are_joined_by_their_keys() {
    let paragraphs: Vec<Value> = (0..20).map(|n| json!({ "__ref": format!("Paragraph:{n}") })).collect();
    let mut cache = json!({
        "ROOT_QUERY": { "post": { "__ref": "Post:1" } },
        "Post:1": { "__typename": "Post", "title": "Heating a kiln", "slug": "heat-a-kiln",
            "content": { "paragraphs": paragraphs }, "author": { "__ref": "User:1" } },
        "User:1": { "name": "Ann", "posts": [{ "__ref": "Post:1" }] },
    });
    for n in 0..20 {
        cache[format!("Paragraph:{n}")] = json!({ "__typename": "Paragraph", "type": "P",
            "text": format!("{n}. {SENTENCE}"),
            "markups": [{ "type": "STRONG", "start": 0, "end": 1 }] });
    }
    let html = html_of(&cache);
    assert!(
        html.starts_with("<h1>Heating a kiln</h1>") && html.contains("<p><strong>7</strong>. The kiln"),
        "{html:.500}"
    );
    assert_eq!(html.matches("<p>").count(), 20, "{html:.500}");
}

/// The same text as six editors store it.
#[test]
fn formatted_texts_become_html() {
    let many = |block: Value| vec![block; 16];
    let rows = [
        (
            "ProseMirror",
            json!({ "type": "doc", "content": [
                { "type": "heading", "attrs": { "level": 2 }, "content": [{ "type": "text",
                    "text": "Fire" }] },
                { "type": "bulletList", "content": [{ "type": "listItem", "content": [
                    { "type": "paragraph", "content": [{ "type": "text", "text": "dry wood" }] }] }] },
                { "type": "codeBlock", "attrs": { "language": "rust" }, "content": [{ "type": "text",
                    "text": "a < b" }] },
                { "type": "doc", "content": many(json!({ "type": "paragraph", "content": [
                    { "type": "text", "text": SENTENCE },
                    { "type": "text", "text": "bold", "marks": [{ "type": "bold" }] },
                    { "type": "text", "text": "link", "marks": [{ "type": "link",
                        "attrs": { "href": "/x" } }] }] })) },
            ] }),
            vec![
                "<h2>Fire</h2>",
                "<ul><li><p>dry wood</p></li></ul>",
                "<pre><code class=\"language-rust\">a &lt; b</code></pre>",
                "<strong>bold</strong><a href=\"/x\">link</a></p>",
            ],
        ),
        (
            "Lexical",
            json!({ "root": { "type": "root", "children": [
                { "type": "heading", "tag": "h3", "children": [{ "type": "text", "text": "Fire",
                    "format": 0 }] },
                { "type": "list", "listType": "number", "children": [{ "type": "listitem", "children": [
                    { "type": "text", "text": "dry wood", "format": 2 }] }] },
                { "type": "root", "children": many(json!({ "type": "paragraph", "children": [
                    { "type": "text", "text": SENTENCE, "format": 0 },
                    { "type": "link", "url": "/x", "children": [{ "type": "text", "text": "link",
                        "format": 1 }] }] })) },
            ] } }),
            vec![
                "<h3>Fire</h3>",
                "<ol><li><em>dry wood</em></li></ol>",
                "<a href=\"/x\"><strong>link</strong></a></p>",
            ],
        ),
        (
            "Portable Text",
            json!([
                { "_type": "block", "style": "h2", "children": [{ "_type": "span", "text": "Fire" }] },
                { "_type": "block", "style": "normal", "listItem": "bullet", "children": [{ "_type": "span",
                    "text": "dry wood" }] },
                { "_type": "block", "style": "normal", "listItem": "bullet", "children": [{ "_type": "span",
                    "text": "no coal" }] },
                { "_type": "block", "style": "normal", "markDefs": [{ "_key": "k", "_type": "link",
                    "href": "/x" }],
                    "children": [{ "_type": "span", "text": SENTENCE.repeat(16), "marks": [] },
                        { "_type": "span", "text": "link", "marks": ["strong", "k"] }] },
            ]),
            vec![
                "<h2>Fire</h2>",
                "<ul><li>dry wood</li><li>no coal</li></ul>",
                "<a href=\"/x\"><strong>link</strong></a></p>",
            ],
        ),
        (
            "EditorJS",
            json!({ "time": 1, "version": "2", "blocks": [
                { "id": "a", "type": "header", "data": { "text": "Fire", "level": 4 } },
                { "id": "b", "type": "list", "data": { "style": "unordered", "items": ["dry wood",
                    { "content": "no coal", "items": [] }] } },
                { "id": "c", "type": "table", "data": { "content": [["a", "b"], ["c", "d"]] } },
                { "id": "d", "type": "delimiter", "data": {} },
                { "id": "e", "type": "paragraph", "data": { "text": format!("{} <b>bold</b>",
                    SENTENCE.repeat(16)) } },
            ] }),
            vec![
                "<h4>Fire</h4>",
                "<ul><li>dry wood</li><li>no coal",
                "<tr><td>a</td><td>b</td></tr><tr><td>c</td><td>d</td></tr>",
                "<hr>",
                "steam. <b>bold</b></p>",
            ],
        ),
        (
            "Draft.js",
            json!({ "blocks": [
                { "key": "a", "type": "header-two", "text": "Fire", "inlineStyleRanges": [],
                    "entityRanges": [] },
                { "key": "b", "type": "ordered-list-item", "text": "dry wood",
                    "inlineStyleRanges": [{ "offset": 0, "length": 3, "style": "BOLD" }] },
                { "key": "c", "type": "unstyled", "text": SENTENCE.repeat(16),
                    "entityRanges": [{ "offset": 4, "length": 4, "key": 0 }] },
            ], "entityMap": { "0": { "type": "LINK", "data": { "url": "/x" } } } }),
            vec![
                "<h2>Fire</h2>",
                "<ol><li><strong>dry</strong> wood</li></ol>",
                "<p>The <a href=\"/x\">kiln</a> is",
            ],
        ),
        (
            "Contentful",
            json!({ "nodeType": "document", "data": {}, "content": [
                { "nodeType": "heading-2", "data": {}, "content": [{ "nodeType": "text", "value": "Fire",
                    "marks": [], "data": {} }] },
                { "nodeType": "unordered-list", "data": {}, "content": [{ "nodeType": "list-item",
                    "data": {}, "content": [
                    { "nodeType": "paragraph", "data": {}, "content": [{ "nodeType": "text",
                        "value": "dry wood", "marks": [{ "type": "italic" }], "data": {} }] }] }] },
                { "nodeType": "paragraph", "data": {}, "content": [
                    { "nodeType": "text", "value": SENTENCE.repeat(16), "marks": [], "data": {} },
                    { "nodeType": "hyperlink", "data": { "uri": "/x" }, "content": [{ "nodeType": "text",
                        "value": "link", "marks": [], "data": {} }] }] },
            ] }),
            vec![
                "<h2>Fire</h2>",
                "<ul><li><p><em>dry wood</em></p></li></ul>",
                "<a href=\"/x\">link</a></p>",
            ],
        ),
        (
            "hast",
            json!({ "type": "root", "children": [
                { "type": "element", "tagName": "h2", "properties": { "id": "f" },
                    "children": [{ "type": "text", "value": "Fire" }] },
                { "type": "element", "tagName": "script", "children": [{ "type": "text",
                    "value": "alert(1)" }] },
                { "type": "element", "tagName": "p", "children": [{ "type": "text",
                    "value": SENTENCE.repeat(16) },
                    { "type": "element", "tagName": "a", "properties": { "href": "/x" },
                        "children": [{ "type": "text", "value": "link" }] }] },
            ] }),
            vec!["<h2 id=\"f\">Fire</h2>", "<a href=\"/x\">link</a></p>"],
        ),
        (
            "lists of tags",
            json!({ "type": "minimal", "value": [["h2", { "id": "f" }, "Fire"], ["p", {},
                SENTENCE.repeat(16), ["strong", {}, "bold"]]] }),
            vec!["<h2 id=\"f\">Fire</h2>", "steam.<strong>bold</strong></p>"],
        ),
        (
            "Markdown",
            json!(format!("## Fire\n\n- dry wood\n- no coal\n\n{} [link](/x)\n", SENTENCE.repeat(16))),
            vec!["<h2>Fire</h2>", "<li>dry wood</li>", "<a href=\"/x\">link</a>"],
        ),
        (
            "lines of text",
            json!(format!("{}\n\n{}", SENTENCE.repeat(8), SENTENCE.repeat(9))),
            vec!["</p><p>The kiln"],
        ),
        (
            "JSON in a string",
            json!(
                json!([{ "type": "paragraph", "children": [{ "text": SENTENCE.repeat(16) },
                { "text": "bold", "bold": true }] }])
                .to_string()
            ),
            vec!["<strong>bold</strong></p>"],
        ),
    ];
    for (name, body, expected) in rows {
        let html = html_of(&json!({ "post": { "title": "Heating a kiln", "body": body } }));
        assert!(html.starts_with("<h1>Heating a kiln</h1>"), "{name}: {html:.300}");
        for piece in expected {
            assert!(html.contains(piece), "{name}: {piece} in {html}");
        }
        assert!(
            html.matches("The kiln is").count() + html.matches("kiln</a> is").count() >= 16,
            "{name}: {html}"
        );
        assert!(!html.contains("alert"), "{name}: {html}");
    }
}

#[test]
fn server_components_become_a_page() {
    let paragraph = json!(["$", "p", null, { "className": "text", "children": [SENTENCE, " ", ["$", "b",
        null, { "children": "bold" }]] }]);
    let page = json!(["$", "html", null, { "children": ["$", "body", null, { "children": [
        ["$", "nav", null, { "children": ["$", "a", null, { "href": "/", "children": "Home" }] }],
        ["$", "$Sreact.suspense", null, { "fallback": "Loading", "children": "$L5" }],
        ["$", "script", null, { "children": "alert(1)" }],
        ["$", "$L2", null, { "notFound": ["$", "p", null, { "children": "404 nothing" }] }],
    ] }] }]);
    let main = json!(["$", "main", null, { "children": [["$", "h1", null, { "children": "$$5 fire" }],
        vec![paragraph; 20]] }]);
    let rows = format!("2:I[9,[],\"\"]\n5:{main}\n0:{{\"f\":[{page}]}}\n");
    let found = found(&format!("<script>self.__next_f.push([1,{}])</script>", quoted(&rows))).unwrap();
    assert!(found.is_page && found.origin == Origin::Stream);
    let html = &found.html;
    assert!(html.contains("<nav><a href=\"/\">Home</a></nav>"), "{html:.400}");
    assert!(html.contains("<main><h1>$5 fire</h1>"), "{html:.400}");
    assert_eq!(html.matches("<p class=\"text\">The kiln").count(), 20, "{html:.400}");
    for word in ["alert", "404", "Loading", "$L"] {
        assert!(!html.contains(word), "{word}: {html:.400}");
    }
}

#[test]
fn references_in_circles_and_repeated_values_stay_within_their_bounds() {
    let article = article();
    // Each entry of the table refers twice to the next one.
    let mut table: Vec<Value> = vec![json!({ "data": 1 })];
    table.extend((2..60).map(|next| json!([next, next])));
    table.push(json!({ "title": 60, "body": 61, "self": 59 }));
    table.extend([json!("Heating a kiln"), json!(article)]);
    assert_eq!(html_of(&json!(table)).matches(SENTENCE).count(), 22);
    let circle = json!([{ "post": 1 }, { "title": 2, "body": 3, "parent": 0 }, "Heating a kiln", article]);
    assert_eq!(html_of(&circle).matches(SENTENCE).count(), 22);
    let keyed = json!({ "A:1": { "title": "Heating a kiln", "b": { "__ref": "B:1" }, "text": article },
        "B:1": { "a": { "__ref": "A:1" }, "b": { "__ref": "B:1" } } });
    assert_eq!(html_of(&keyed).matches(SENTENCE).count(), 22);
}

#[test]
fn short_answers_stay_with_their_questions() {
    let questions = json!([{ "question": "How long does it take?", "answer": "Two hours." },
        { "question": "Is it hot to the touch?", "answer": "Yes." }, { "label": "id", "value": "x7f3" },
        { "answer": "Nowhere.", "question": "Where is it made?" }]);
    let html = html_of(&json!({ "title": "Heating a kiln", "body": article(), "faq": questions }));
    for part in ["How long does it take?", "Two hours.", "Is it hot to the touch?", "Yes.", "Nowhere."] {
        assert!(html.contains(part), "{part}: {html}");
    }
    assert!(!html.contains("x7f3"), "{html}");
}
