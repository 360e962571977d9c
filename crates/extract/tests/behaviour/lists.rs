//! Lists, with a model that leaves rows out.

use std::collections::BTreeSet;
use std::sync::Arc;

use gleaner_extract::model::scripted::{Scripted, block_on};
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

/// Reads the records it is shown as `keep` says.
fn reader(keep: impl Fn(usize, usize) -> bool + Send + Sync + 'static) -> Scripted {
    Scripted::with(move |request| {
        let lines: Vec<&str> = page_text(request).lines().filter(|line| line.starts_with("- ")).collect();
        let rows: Vec<Value> = lines
            .iter()
            .enumerate()
            .filter(|(at, _)| keep(*at, lines.len()))
            .map(|(_, line)| {
                let words: Vec<&str> = line.split(' ').collect();
                json!({
                    "person": { "value": format!("{} {}", words[1], words[2]), "quote": format!("{} {}", words[1], words[2]) },
                    "city": { "value": words[4], "quote": words[4] },
                    "badge": { "value": words[7].parse::<u64>().unwrap(), "quote": format!("badge {}", words[7]) },
                })
            })
            .collect();
        Ok(json!({ "rows": rows }).to_string())
    })
}

fn read(count: usize, model: Scripted) -> (Vec<Value>, Option<String>, usize) {
    let shape = shape(schema());
    let found = block_on(Extractor::new(Arc::new(model)).page(&page(members(count)), Task::new(&shape)));
    let rows = found.extraction.data["members"].as_array().cloned().unwrap_or_default();
    (rows, found.warning(), found.calls)
}

#[test]
fn a_lazy_model_is_asked_until_the_list_is_whole() {
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
fn what_a_list_lacks_is_stated() {
    // Every line whose badge ends in 7 is left out, however often it is asked for.
    let model = Scripted::with(|request| {
        let rows: Vec<Value> = page_text(request)
            .lines()
            .filter(|line| line.starts_with("- ") && !line.ends_with('7'))
            .map(|line| json!({ "badge": { "value": line[line.len() - 4..].parse::<u64>().unwrap(), "quote": &line[line.len() - 10..] } }))
            .collect();
        Ok(json!({ "rows": rows }).to_string())
    });
    let (rows, warning, _) = read(100, model);
    assert_eq!(rows.len(), 90);
    assert!(warning.is_some_and(|text| text.contains("members: 90 of 100 rows")));
}

#[test]
fn invented_and_repeated_rows_do_not_count() {
    let model = Scripted::with(|_| {
        let row = |person: &str, badge: u64| json!({ "person": { "value": person, "quote": person }, "badge": { "value": badge, "quote": format!("badge {badge}") } });
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
fn rows_may_hold_objects() {
    let shape = shape(
        json!({ "properties": { "members": { "type": "array", "items": { "type": "object", "properties": {
        "person": { "type": "string" }, "residence": { "type": "object", "properties": { "town": { "type": ["string", "null"] } } },
    } } } } }),
    );
    let model = Scripted::with(|request| {
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
fn a_row_gets_no_address_of_another_record() {
    let shape = shape(
        json!({ "properties": { "cups": { "type": "array", "items": { "type": "object", "properties": {
        "name": { "type": "string" }, "url": { "type": ["string", "null"], "format": "uri" },
    } } } } }),
    );
    let text: String = (0..6).map(|at| format!("- Cup number{at} [buy](/cups/{at})\n")).collect();
    // Each row is given the link of the record behind it; the last one its own.
    let model = Scripted::with(|request| {
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
fn lists_of_plain_values_are_asked_for_and_each_is_proved() {
    let shape = shape(json!({ "properties": {
        "skills": { "type": "array", "items": { "type": "string" }, "description": "what one must know" },
    } }));
    let text = "# Baker wanted\n\nYou know rye bread, ovens and early mornings.\n";
    let model = Scripted::with(|request| {
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
