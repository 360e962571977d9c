//! Lists, with a model that omits rows.

use std::collections::BTreeSet;
use std::sync::Arc;

use gleaner_extract::model::scripted::{ScriptedModel, block_on};
use gleaner_extract::{Extractor, Task};
use serde_json::{Value, json};

use crate::support::{page, page_text, shape};

fn schema() -> Value {
    json!({ "properties": { "members": { "type": "array", "items": { "type": "object", "properties": {
        "person": { "type": "string" }, "badge": { "type": "integer" }, "city": { "type": "string" },
    } } } } })
}

const CITIES: [&str; 4] = ["Oslo", "Lyon", "Porto", "Brno"];

fn members(count: usize) -> String {
    let rows: Vec<String> = (0..count)
        .map(|at| format!("- Person{at} Berg of {} wears badge {}", CITIES[at % 4], 5_000 + at))
        .collect();
    format!("# Members\n\n{}\n\nThat is all.\n", rows.join("\n"))
}

/// A model that reads the records selected by `keep`.
fn reader(keep: impl Fn(usize, usize) -> bool + Send + Sync + 'static) -> ScriptedModel {
    ScriptedModel::with(move |request| {
        let lines: Vec<&str> = page_text(request).lines().filter(|line| line.starts_with("- ")).collect();
        let rows: Vec<Value> = lines
            .iter()
            .enumerate()
            .filter(|(at, _)| keep(*at, lines.len()))
            .map(|(_, line)| {
                let words: Vec<&str> = line.split(' ').collect();
                json!({
                    "person": {
                        "value": format!("{} {}", words[1], words[2]),
                        "quote": format!("{} {}", words[1], words[2]),
                    },
                    "city": { "value": words[4], "quote": words[4] },
                    "badge": {
                        "value": words[7].parse::<u64>().unwrap(), "quote": format!("badge {}", words[7]),
                    },
                })
            })
            .collect();
        Ok(json!({ "rows": rows }).to_string())
    })
}

fn read(count: usize, model: ScriptedModel) -> (Vec<Value>, Option<String>, usize) {
    let shape = shape(schema());
    let found = block_on(Extractor::new(Arc::new(model)).page(&page(members(count)), Task::new(&shape)));
    let rows = found.extraction.data["members"].as_array().cloned().unwrap_or_default();
    (rows, found.warning(), found.calls)
}

#[test]
fn a_lazy_model_is_called_until_the_list_is_complete() {
    for count in [10, 100, 1_000] {
        let lazy = reader(|at, shown| at < shown.div_ceil(3) || at % 2 == 0);
        let (rows, warning, calls) = read(count, lazy);
        let badges: BTreeSet<u64> = rows.iter().filter_map(|row| row["badge"].as_u64()).collect();
        println!(
            "lazy model, {count} rows: {} found, {} twice, {calls} calls",
            badges.len(),
            rows.len() - badges.len()
        );
        assert!(badges.len() * 100 >= count * 99, "{count}: {}", badges.len());
        assert_eq!(rows.len(), badges.len(), "a row came twice");
        assert!(
            rows.iter().zip(1..).all(|(row, next)| row["badge"] == 5_000 + next - 1),
            "rows are out of order"
        );
        assert_eq!(warning, None);
    }
}

#[test]
fn missing_rows_are_reported() {
    // The model never reads a line whose badge ends in 7.
    let model = ScriptedModel::with(|request| {
        let rows: Vec<Value> = page_text(request)
            .lines()
            .filter(|line| line.starts_with("- ") && !line.ends_with('7'))
            .map(|line| {
                json!({
                    "badge": {
                        "value": line[line.len() - 4..].parse::<u64>().unwrap(),
                        "quote": &line[line.len() - 10..],
                    },
                })
            })
            .collect();
        Ok(json!({ "rows": rows }).to_string())
    });
    let (rows, warning, _) = read(100, model);
    assert_eq!(rows.len(), 90);
    assert!(warning.is_some_and(|text| text.contains("members: 90 of 100 rows")));
}

#[test]
fn invented_and_repeated_rows_do_not_count() {
    let model = ScriptedModel::with(|_| {
        let row = |person: &str, badge: u64| {
            json!({
                "person": { "value": person, "quote": person },
                "badge": { "value": badge, "quote": format!("badge {badge}") },
            })
        };
        let rows = [
            row("Person3 Berg", 5_003),
            row("Person3 Berg", 5_003),
            row("Nobody Real", 77),
            row("Person4 Berg", 5_001),
        ];
        Ok(json!({ "rows": rows }).to_string())
    });
    let (rows, _, _) = read(10, model);
    assert_eq!(rows, [json!({ "person": "Person3 Berg", "badge": 5_003 })]);
}

#[test]
fn rows_may_contain_objects() {
    let shape = shape(
        json!({ "properties": { "members": { "type": "array", "items": { "type": "object", "properties": {
        "person": { "type": "string" },
        "residence": { "type": "object", "properties": { "town": { "type": ["string", "null"] } } },
    } } } } }),
    );
    let model = ScriptedModel::with(|request| {
        let rows: Vec<Value> = page_text(request)
            .lines()
            .filter(|line| line.starts_with("- "))
            .map(|line| {
                let words: Vec<&str> = line.split(' ').collect();
                let town = json!({ "value": words[4], "quote": words[4] });
                json!({ "person": { "value": words[1], "quote": words[1] }, "residence": { "town": town } })
            })
            .collect();
        Ok(json!({ "rows": rows }).to_string())
    });
    let found = block_on(Extractor::new(Arc::new(model)).page(&page(members(3)), Task::new(&shape)));
    let expected = json!({ "person": "Person1", "residence": { "town": "Lyon" } });
    assert_eq!(found.extraction.data["members"][1], expected);
    assert!(found.extraction.leaves.iter().any(|leaf| leaf.pointer == "/members/1/residence/town"));
}

#[test]
fn a_row_gets_no_url_of_another_record() {
    let shape = shape(
        json!({ "properties": { "cups": { "type": "array", "items": { "type": "object", "properties": {
        "name": { "type": "string" }, "url": { "type": ["string", "null"], "format": "uri" },
    } } } } }),
    );
    let text: String = (0..6).map(|at| format!("- Cup number{at} [buy](/cups/{at})\n")).collect();
    // The model gives each row the link of the next record, and the last row its own link.
    let model = ScriptedModel::with(|request| {
        let ids: Vec<String> = page_text(request)
            .lines()
            .filter_map(|line| Some(line.split_once("](")?.1.trim_end_matches(')').to_owned()))
            .collect();
        let names = page_text(request).lines().filter_map(|line| line.split(' ').nth(2));
        let rows: Vec<Value> = names
            .enumerate()
            .map(|(at, name)| {
                let id = ids.get(at + 1).or(ids.last());
                json!({ "name": { "value": name, "quote": name }, "url": { "value": id, "quote": null } })
            })
            .collect();
        Ok(json!({ "rows": rows }).to_string())
    });
    let found = block_on(Extractor::new(Arc::new(model)).page(&page(text), Task::new(&shape)));
    let rows = found.extraction.data["cups"].as_array().cloned().unwrap_or_default();
    for row in &rows {
        let own = row["name"].as_str().unwrap().replace("number", "https://example.com/cups/");
        assert!(row["url"].is_null() || row["url"] == own.as_str(), "{row}");
    }
    let last = json!({ "name": "number5", "url": "https://example.com/cups/5" });
    assert_eq!(rows.last(), Some(&last), "{rows:?}");
}

#[test]
fn plain_values_are_asked_for_and_verified() {
    let shape = shape(json!({ "properties": {
        "skills": { "type": "array", "items": { "type": "string" }, "description": "what one must know" },
    } }));
    let text = "# Baker wanted\n\nYou know rye bread, ovens and early mornings.\n";
    let model = ScriptedModel::with(|request| {
        assert!(request.messages[1].content.contains("- skills: text: what one must know"));
        let rows: Vec<Value> = ["rye bread", "ovens", "Rust", "ovens"]
            .iter()
            .map(|skill| json!({ "skills": { "value": skill, "quote": skill } }))
            .collect();
        Ok(json!({ "rows": rows }).to_string())
    });
    let found = block_on(Extractor::new(Arc::new(model)).page(&page(text), Task::new(&shape)));
    assert_eq!(found.extraction.data["skills"], json!(["rye bread", "ovens"]));
    assert_eq!(found.warning(), None);
    let second = found.extraction.leaves.iter().find(|leaf| leaf.pointer == "/skills/1").unwrap();
    let span = second.provenance[0].span.as_ref().unwrap();
    assert_eq!(&text[span.start..span.end], "ovens");
}

#[test]
fn a_list_from_markup_is_completed_and_counted() {
    let marked: Vec<Value> = [2_usize, 3, 7]
        .iter()
        .map(|at| {
            json!({
                "@type": "Person", "person": format!("Person{at} Berg"), "badge": 5_000 + at,
                "city": CITIES[at % 4],
            })
        })
        .collect();
    let html = format!(r#"<script type="application/ld+json">{}</script><h1>Members</h1>"#, json!(marked));
    let shape = shape(schema());
    let url = "https://example.com/page".parse().unwrap();
    let page = gleaner_extract::Page::new(url, html).with_markdown(members(12));

    // Without a model, the warning says how many rows are missing.
    let free = block_on(Extractor::model_free().page(&page, Task::new(&shape)));
    assert_eq!(free.extraction.data["members"].as_array().map(Vec::len), Some(3));
    assert!(
        free.warning().is_some_and(|warning| warning.contains("members: 3 of 12 rows")),
        "{:?}",
        free.warning()
    );

    // With a model, only the nine other records are asked for, and no row appears twice.
    let model = reader(|_, _| true);
    let found = block_on(Extractor::new(Arc::new(model.clone())).page(&page, Task::new(&shape)));
    let asked = page_text(&model.asked()[0]).lines().filter(|line| line.starts_with("- ")).count();
    assert_eq!((asked, found.calls), (9, 1));
    let rows = found.extraction.data["members"].as_array().unwrap();
    let badges: BTreeSet<u64> = rows.iter().filter_map(|row| row["badge"].as_u64()).collect();
    assert_eq!((rows.len(), badges.len()), (12, 12));
    assert_eq!(found.warning(), None);
    for leaf in &found.extraction.leaves {
        assert_eq!(found.extraction.data.pointer(&leaf.pointer), Some(&leaf.value), "{}", leaf.pointer);
    }
}

#[test]
fn a_field_that_no_row_states_is_reported() {
    let html = "<table><tr><th>Person</th><th>Badge</th></tr><tr><td>Ada Berg</td><td>5001</td></tr>\
                <tr><td>Ole Lund</td><td>5002</td></tr></table>";
    let page = gleaner_extract::Page::new("https://example.com/page".parse().unwrap(), html);
    let found = gleaner_extract::extract(&page, &shape(schema()));
    let missing: Vec<&str> = found.missing.iter().map(|missing| missing.pointer.as_str()).collect();
    assert_eq!((found.data["members"].as_array().map(Vec::len), missing), (Some(2), vec!["/members/*/city"]));
}
