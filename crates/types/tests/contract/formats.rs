//! Rules for formats and their options.

use gleaner_types::FaultPath;
use gleaner_types::plan::ChangeTrackingMode;
use serde_json::json;

use crate::options::run_everywhere;
use crate::row::{no, ok};

#[test]
fn formats() {
    run_everywhere(|| {
        vec![
            ok("none", json!({ "formats": [] }), |p| !p.formats.markdown),
            ok(
                "all plain names",
                json!({ "formats": ["markdown", "html", "rawHtml", "links", "images", "summary", "branding",
                    "screenshot", "changeTracking"] }),
                |p| {
                    let f = &p.formats;
                    f.markdown
                        && f.html
                        && f.raw_html
                        && f.links
                        && f.images
                        && f.summary
                        && f.branding
                        && f.screenshot.is_some()
                        && f.change_tracking.is_some()
                },
            ),
            ok(
                "all plain objects",
                json!({ "formats": [{ "type": "markdown" }, { "type": "html" }, { "type": "rawHtml" },
                    { "type": "links" }, { "type": "images" }, { "type": "summary" },
                    { "type": "branding" }] }),
                |p| {
                    let f = &p.formats;
                    f.markdown && f.html && f.raw_html && f.links && f.images && f.summary && f.branding
                },
            ),
            ok("html alone excludes markdown", json!({ "formats": ["html"] }), |p| {
                p.formats.html && !p.formats.markdown
            }),
            ok(
                "duplicates collapse",
                json!({ "formats": ["markdown", "markdown", { "type": "markdown" }] }),
                |p| p.formats.markdown,
            ),
            no(
                "not a list",
                json!({ "formats": "markdown" }),
                "formats",
                "must be an array, not \"markdown\"",
            ),
            no("an unknown name", json!({ "formats": ["pdf"] }), "formats[0]", "`markdown`"),
            no(
                "an unknown type",
                json!({ "formats": ["markdown", { "type": "pdf" }] }),
                "formats[1].type",
                "not \"pdf\"",
            ),
            no(
                "an object without type",
                json!({ "formats": [{ "schema": {} }] }),
                "formats[0].type",
                "is missing",
            ),
            no(
                "a type that is not a string",
                json!({ "formats": [{ "type": 5 }] }),
                "formats[0].type",
                "not 5",
            ),
            no("a number", json!({ "formats": [5] }), "formats[0]", "or an object with that `type`, not 5"),
            no("null", json!({ "formats": [null] }), "formats[0]", "not null"),
            no(
                "an unknown key of a plain one",
                json!({ "formats": [{ "type": "html", "clean": true }] }),
                "formats[0].clean",
                "unknown field `clean` in `",
            ),
            no(
                "v1's name of a whole screenshot",
                json!({ "formats": ["screenshot@fullPage"] }),
                "formats[0]",
                "not \"screenshot@fullPage\"",
            ),
            no(
                "too many",
                json!({ "formats": vec!["markdown"; 51] }),
                "formats",
                "at most 50 entries, not 51",
            ),
            ok(
                "json with a schema",
                json!({ "formats": [{ "type": "json", "schema": { "type": "object" } }] }),
                |p| {
                    p.formats
                        .json
                        .as_ref()
                        .is_some_and(|j| j.schema == Some(json!({ "type": "object" })) && j.prompt.is_none())
                },
            ),
            ok(
                "json with a prompt",
                json!({ "formats": [{ "type": "json", "prompt": "the price" }] }),
                |p| p.formats.json.as_ref().is_some_and(|j| j.prompt.as_deref() == Some("the price")),
            ),
            ok(
                "json with both",
                json!({ "formats": [{ "type": "json", "prompt": "p", "schema": {} }] }),
                |p| p.formats.json.is_some(),
            ),
            no(
                "json with neither",
                json!({ "formats": [{ "type": "json" }] }),
                "formats[0]",
                "needs a `schema`, a `prompt` or both",
            ),
            no(
                "json as a bare name",
                json!({ "formats": ["json"] }),
                "formats[0]",
                "needs a `schema`, a `prompt` or both",
            ),
            no(
                "json with a schema that is none",
                json!({ "formats": [{ "type": "json", "schema": { "type": "text" } }] }),
                "formats[0].schema",
                "is not a JSON Schema: /type must be one of",
            ),
            no(
                "json with a schema in text",
                json!({ "formats": [{ "type": "json", "schema": "{}" }] }),
                "formats[0].schema",
                "must be an object, not \"{}\"",
            ),
            no(
                "json with an empty prompt",
                json!({ "formats": [{ "type": "json", "prompt": "" }] }),
                "formats[0].prompt",
                "must not be empty",
            ),
            no(
                "json with a blank prompt",
                json!({ "formats": [{ "type": "json", "prompt": " " }] }),
                "formats[0].prompt",
                "must not be blank",
            ),
            no(
                "json with v1's system prompt",
                json!({ "formats": [{ "type": "json", "prompt": "p", "systemPrompt": "s" }] }),
                "formats[0].systemPrompt",
                "in v2 there is only `prompt`",
            ),
            ok(
                "the same json twice",
                json!({ "formats": [{ "type": "json", "prompt": "p" }, { "type": "json", "prompt": "p" }] }),
                |p| p.formats.json.is_some(),
            ),
            no(
                "two kinds of json",
                json!({ "formats": [{ "type": "json", "prompt": "p" }, { "type": "json", "prompt": "q" }] }),
                "formats[1]",
                "second `json` with other options",
            ),
            ok(
                "screenshot with options",
                json!({ "formats": [{ "type": "screenshot", "fullPage": true, "quality": 80,
                    "viewport": { "width": 1280, "height": 800 } }] }),
                |p| {
                    p.formats.screenshot.as_ref().is_some_and(|s| {
                        s.full_page
                            && s.quality == Some(80)
                            && s.viewport.is_some_and(|v| v.width == 1280 && v.height == 800)
                    })
                },
            ),
            ok("screenshot by name", json!({ "formats": ["screenshot"] }), |p| {
                p.formats.screenshot.as_ref().is_some_and(|s| !s.full_page && s.quality.is_none())
            }),
            ok(
                "the same screenshot twice",
                json!({ "formats": ["screenshot", { "type": "screenshot" }] }),
                |p| p.formats.screenshot.is_some(),
            ),
            no(
                "two screenshots",
                json!({ "formats": ["screenshot", { "type": "screenshot", "fullPage": true }] }),
                "formats[1]",
                "second `screenshot` with other options: at most one is allowed",
            ),
            no(
                "quality of 0",
                json!({ "formats": [{ "type": "screenshot", "quality": 0 }] }),
                "formats[0].quality",
                "from 1 to 100, not 0",
            ),
            no(
                "quality of 101",
                json!({ "formats": [{ "type": "screenshot", "quality": 101 }] }),
                "formats[0].quality",
                "from 1 to 100, not 101",
            ),
            no(
                "viewport without height",
                json!({ "formats": [{ "type": "screenshot", "viewport": { "width": 5 } }] }),
                "formats[0].viewport.height",
                "is missing",
            ),
            no(
                "viewport of width 0",
                json!({ "formats": [{ "type": "screenshot", "viewport": { "width": 0, "height": 5 } }] }),
                "formats[0].viewport.width",
                "from 1 to 8192, not 0",
            ),
            ok(
                "change tracking beside markdown",
                json!({ "formats": ["changeTracking", "markdown"] }),
                |p| p.formats.change_tracking.as_ref().is_some_and(|c| c.modes.is_empty()),
            ),
            ok(
                "change tracking with options",
                json!({ "formats": ["markdown",
                    { "type": "changeTracking", "modes": ["git-diff", "json", "json"], "schema": {},
                    "prompt": "p", "tag": "t" }] }),
                |p| {
                    p.formats.change_tracking.as_ref().is_some_and(|c| {
                        c.modes == [ChangeTrackingMode::GitDiff, ChangeTrackingMode::Json]
                            && c.tag.as_deref() == Some("t")
                    })
                },
            ),
            ok(
                "change tracking without a tag",
                json!({ "formats": ["markdown", { "type": "changeTracking", "tag": null }] }),
                |p| p.formats.change_tracking.as_ref().is_some_and(|c| c.tag.is_none()),
            ),
            no(
                "change tracking without markdown",
                json!({ "formats": ["changeTracking"] }),
                "formats",
                "also needs `markdown`",
            ),
            no(
                "change tracking of another mode",
                json!({ "formats": ["markdown", { "type": "changeTracking", "modes": ["diff"] }] }),
                "formats[1].modes[0]",
                "one of `git-diff` or `json`, not \"diff\"",
            ),
            ok(
                "attributes",
                json!({ "formats": [{ "type": "attributes",
                    "selectors": [{ "selector": "a", "attribute": "data-id" }] }] }),
                |p| p.formats.attributes.len() == 1 && p.formats.attributes[0].attribute == "data-id",
            ),
            ok(
                "attributes from two entries",
                json!({ "formats": [{ "type": "attributes",
                    "selectors": [{ "selector": "a", "attribute": "b" }] },
                    { "type": "attributes",
                    "selectors": [{ "selector": "a", "attribute": "b" },
                    { "selector": "c", "attribute": "d" }] }] }),
                |p| {
                    let places: Vec<String> =
                        p.formats.places.attributes.iter().map(FaultPath::to_string).collect();
                    p.formats.attributes.len() == 2
                        && places[0].ends_with("formats[0].selectors[0].selector")
                        && places[1].ends_with("formats[1].selectors[1].selector")
                },
            ),
            no(
                "attributes as a bare name",
                json!({ "formats": ["attributes"] }),
                "formats[0]",
                "must be an object with `type` \"attributes\" and `selectors`",
            ),
            no(
                "attributes with too many selectors in total",
                json!({ "formats": (0..3).map(|entry| {
                    let selectors = (0..50).map(|at| json!({ "selector": format!("a{entry}b{at}"),
                        "attribute": "id" }));
                    json!({ "type": "attributes", "selectors": selectors.collect::<Vec<_>>() })
                }).collect::<Vec<_>>() }),
                "formats[2]",
                "at most 100 different selectors",
            ),
            ok(
                "formats are equal in any position",
                json!({ "formats": ["markdown", { "type": "json", "prompt": "p" },
                    { "type": "json", "prompt": "p" }] }),
                |p| {
                    let mut moved = p.formats.clone();
                    moved.places.json = FaultPath::default();
                    moved == p.formats && p.formats.places.json.to_string().ends_with("formats[1].schema")
                },
            ),
            no(
                "attributes without selectors",
                json!({ "formats": [{ "type": "attributes" }] }),
                "formats[0].selectors",
                "is missing",
            ),
            no(
                "attributes of nothing",
                json!({ "formats": [{ "type": "attributes", "selectors": [] }] }),
                "formats[0].selectors",
                "must not be empty",
            ),
            no(
                "attributes without an attribute",
                json!({ "formats": [{ "type": "attributes", "selectors": [{ "selector": "a" }] }] }),
                "formats[0].selectors[0].attribute",
                "is missing",
            ),
        ]
    });
}
