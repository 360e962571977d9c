//! Lists on pages with several lists or with lists in running text, with a model that answers correctly.

use std::sync::Arc;

use gleaner_extract::model::scripted::{ScriptedModel, block_on};
use gleaner_extract::{Extractor, Page, PageExtraction, SitePosition, Task};
use serde_json::{Value, json};

use crate::support::{page, page_text, shape};

const THINGS: [(&str, u64); 4] =
    [("Oak table", 240), ("Ash chair", 85), ("Pine shelf", 60), ("Elm stool", 45)];

fn schema() -> Value {
    let row = json!({ "thing": { "type": "string" }, "coins": { "type": ["integer", "null"] } });
    json!({
        "type": "object",
        "properties": { "things": { "type": "array", "items": { "type": "object", "properties": row } } },
    })
}

/// A model that gives a row for each thing whose name and price are in the text.
fn reader() -> ScriptedModel {
    ScriptedModel::with(|request| {
        let text = page_text(request);
        let seen =
            THINGS.iter().filter(|(name, coins)| text.contains(name) && text.contains(&coins.to_string()));
        let rows: Vec<Value> = seen
            .map(|(name, coins)| {
                json!({
                    "thing": { "value": name, "quote": name },
                    "coins": { "value": coins, "quote": coins.to_string() },
                })
            })
            .collect();
        Ok(json!({ "rows": rows }).to_string())
    })
}

fn expected() -> Value {
    THINGS.iter().map(|(name, coins)| json!({ "thing": name, "coins": coins })).collect()
}

fn read(page: &Page, model: ScriptedModel) -> PageExtraction {
    let shape = shape(schema());
    block_on(Extractor::new(Arc::new(model)).page(page, Task::new(&shape)))
}

#[test]
fn the_search_continues_after_an_unrelated_list() {
    let each = |form: fn(&str, u64) -> String| -> String {
        THINGS.iter().map(|(name, coins)| form(name, *coins)).collect()
    };
    let guides: String = (0..9).map(|at| format!("- Guide {at} to living with wood\n")).collect();
    let bullets = each(|name, coins| {
        let bullets = "- Made by hand\n- Solid wood\n- Oiled\n- Ships flat\n- Ten years of warranty\n";
        format!("## {name}\n\nYours for {coins} coins.\n\n{bullets}\n")
    });
    let table = each(|name, coins| format!("| {name} | {coins} |\n"));
    let cards = each(|name, coins| format!("**{name}** - {coins} coins\n\n"));
    let before = each(|name, coins| format!("{coins} coins\n\n{name}\n\nAdd to cart\n\n"));
    let prose = "We make an Oak table for 240 coins, an Ash chair for 85 coins, a Pine shelf at 60 and an \
        Elm stool at 45.";
    let rows = [
        ("bullets below headings", bullets),
        ("a named table beside a longer list", format!("{guides}\n| Thing | Coins |\n|---|---|\n{table}")),
        ("a table beside a longer list", format!("{guides}\n| What | Now |\n|---|---|\n{table}")),
        ("cards", cards),
        (
            "cards beside a list",
            format!("{guides}\nAnd these:\n\n{}", each(|name, coins| format!("{name}\n\n{coins} coins\n\n"))),
        ),
        ("values before names", before),
        ("running text", format!("{prose}\n")),
    ];
    for (name, text) in rows {
        let found = read(
            &page(format!("# The workshop\n\n{text}\nThat is all that we have to offer this year.\n")),
            reader(),
        );
        assert_eq!(found.extraction.data["things"], expected(), "{name}");
        assert_eq!(found.warning(), None, "{name}");
        for leaf in &found.extraction.leaves {
            assert_eq!(
                found.extraction.data.pointer(&leaf.pointer),
                Some(&leaf.value),
                "{name}: {}",
                leaf.pointer
            );
        }
    }
}

#[test]
fn a_row_of_running_text_takes_no_value_of_another_row() {
    // The model gives each row the price of the next one.
    let model = ScriptedModel::with(|_| {
        let rows: Vec<Value> = (0..THINGS.len())
            .map(|at| {
                let (name, coins) = (THINGS[at].0, THINGS[(at + 1) % THINGS.len()].1);
                json!({
                    "thing": { "value": name, "quote": name },
                    "coins": { "value": coins, "quote": coins.to_string() },
                })
            })
            .collect();
        Ok(json!({ "rows": rows }).to_string())
    });
    let cards: String =
        THINGS.iter().map(|(name, coins)| format!("**{name}** - {coins} coins\n\n")).collect();
    let found = read(&page(cards), model);
    let rows = found.extraction.data["things"].as_array().cloned().unwrap_or_default();
    assert!(rows.iter().all(|row| row["coins"].is_null()), "{rows:?}");
}

#[test]
fn reading_continues_after_the_last_row() {
    // A model that gives two rows per call.
    let full = reader();
    let lazy = ScriptedModel::with(move |request| {
        let answer = block_on(gleaner_extract::model::LanguageModel::complete(&full, request))?.text;
        let mut answer: Value = serde_json::from_str(&answer).unwrap();
        if let Some(rows) = answer["rows"].as_array_mut() {
            rows.truncate(2);
        }
        Ok(answer.to_string())
    });
    let cards: String = THINGS
        .iter()
        .map(|(name, coins)| format!("**{name}** - {coins} coins, made in the old way by one of us.\n\n"))
        .collect();
    let found = read(&page(cards), lazy.clone());
    assert_eq!((found.extraction.data["things"].clone(), lazy.calls()), (expected(), 2));
}

#[test]
fn a_heading_alone_is_not_a_row() {
    let shape = shape(schema());
    let page = Page::new(
        "https://example.com/things".parse().unwrap(),
        "<title>Things of the shop</title><h1>Things of the shop</h1><p>We sell things.</p>",
    )
    .with_markdown("# Things of the shop\n\nWe sell things, and we have sold things for a long time now.\n");
    let heading = ScriptedModel::with(|request| {
        let claim = json!({ "value": "Things of the shop", "quote": "Things of the shop" });
        let rows = page_text(request).contains("Things of the shop");
        let rows = if rows {
            vec![json!({ "thing": claim, "coins": { "value": null, "quote": null } })]
        } else {
            vec![]
        };
        Ok(json!({ "rows": rows }).to_string())
    });
    let position = SitePosition { cluster: "example.com/*", alike: false, texts: None };
    for extractor in [Extractor::model_free(), Extractor::new(Arc::new(heading))] {
        let found = block_on(extractor.page_among(None, position, &page, Task::new(&shape))).page;
        assert_eq!(found.extraction.data["things"], json!([]));
        assert!(found.warning().is_some_and(|warning| warning.contains("things")), "{:?}", found.warning());
    }
}

#[test]
fn a_template_without_the_list_costs_no_further_calls() {
    let shape = shape(json!({ "properties": {
        "motto": { "type": ["string", "null"] }, "things": schema()["properties"]["things"],
    } }));
    let model = ScriptedModel::with(|_| Ok(json!({ "rows": [] }).to_string()));
    let extractor = Extractor::new(Arc::new(model.clone()));
    let memory = std::sync::Mutex::new(gleaner_extract::TemplateMemory::new());
    let mut calls = Vec::new();
    for at in 0..6 {
        let motto = ["Rest well", "Eat well", "Sleep well", "Sing well", "Read well", "Walk well"][at];
        let html = format!(
            "<h1>House {at}</h1><p class=motto>{motto}</p><p>A house by the sea with a garden and a view.</p>"
        );
        let page = Page::new(format!("https://example.com/house/{at}").parse().unwrap(), html).with_markdown(
            format!("# House {at}\n\n{motto}\n\nA house by the sea with a garden and a view.\n"),
        );
        let found = block_on(extractor.page_of(&memory, "example.com/house/*", &page, Task::new(&shape)));
        assert_eq!(found.page.extraction.data["motto"], motto);
        assert!(found.page.extraction.missing.iter().any(|missing| missing.pointer == "/things"));
        calls.push(found.page.calls);
    }
    assert_eq!(calls[2..], [0, 0, 0, 0], "{calls:?}");
}

#[test]
fn rows_may_contain_lists() {
    let shape = shape(
        json!({ "properties": { "people": { "type": "array", "items": { "type": "object", "properties": {
        "person": { "type": "string" }, "skills": { "type": "array", "items": { "type": "string" } },
        "posts": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": { "firm": { "type": "string" }, "years": { "type": ["integer", "null"] } },
            },
        },
    } } } } }),
    );
    let text =
        "- Ada Berg knows rye and ovens; 3 years at Nordbrod\n- Ole Lund knows ovens; 5 years at Sydbrod\n";
    let claim = |text: &str| json!({ "value": text, "quote": text });
    let post = |firm: &str, years: u64| {
        json!({
            "firm": claim(firm), "years": { "value": years, "quote": format!("{years} years") },
        })
    };
    let rows = json!({ "rows": [
        {
            "person": claim("Ada Berg"),
            "skills": [claim("rye"), claim("ovens"), claim("ovens"), claim("Rust")],
            "posts": [post("Nordbrod", 3), post("Sydbrod", 5)],
        },
        { "person": claim("Ole Lund"), "skills": [claim("ovens")], "posts": [post("Sydbrod", 5)] },
    ] });
    let model = ScriptedModel::with(move |_| Ok(rows.to_string()));
    let found = block_on(Extractor::new(Arc::new(model)).page(&page(text), Task::new(&shape)));
    let expected = json!({ "people": [
        { "person": "Ada Berg", "skills": ["rye", "ovens"], "posts": [{ "firm": "Nordbrod", "years": 3 }] },
        { "person": "Ole Lund", "skills": ["ovens"], "posts": [{ "firm": "Sydbrod", "years": 5 }] },
    ] });
    assert_eq!(found.extraction.data, expected);
    for leaf in &found.extraction.leaves {
        assert_eq!(found.extraction.data.pointer(&leaf.pointer), Some(&leaf.value), "{}", leaf.pointer);
        let span = leaf.provenance[0].span.as_ref().unwrap();
        assert_eq!(text[span.start..span.end], leaf.provenance[0].quote);
    }
    // A merge keeps them.
    let merged = gleaner_extract::merge(vec![found.extraction.clone(), found.extraction], &shape);
    assert_eq!(merged.data, expected);
}

#[test]
fn lists_within_entities_are_read() {
    let shape = shape(
        json!({ "properties": { "articles": { "type": "array", "items": { "type": "object", "properties": {
        "headline": { "type": "string" }, "keywords": { "type": "array", "items": { "type": "string" } },
        "citation": {
            "type": "array", "items": { "type": "object", "properties": { "name": { "type": "string" } } },
        },
    } } } } }),
    );
    let article = |at: usize, words: &[&str]| {
        json!({
            "@type": "Article", "headline": format!("Rye {at}"), "keywords": words,
            "citation": [{ "name": format!("Source {at}") }],
        })
    };
    let many: Vec<String> = (0..12).map(|at| format!("word {at}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let html = format!(
        r#"<script type="application/ld+json">{}</script>"#,
        json!([article(0, &many), article(1, &["rye", "oven"])])
    );
    let page = Page::new("https://example.com/".parse().unwrap(), html);
    let found = gleaner_extract::extract(&page, &shape);
    let expected = json!({ "articles": [
        { "headline": "Rye 0", "keywords": many, "citation": [{ "name": "Source 0" }] },
        { "headline": "Rye 1", "keywords": ["rye", "oven"], "citation": [{ "name": "Source 1" }] },
    ] });
    assert_eq!(found.data, expected);
    assert_eq!(gleaner_extract::merge(vec![found], &shape).data, expected);
}
