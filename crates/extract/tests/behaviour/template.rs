//! Pages of one template: values that a model reads on the first pages are read without it on the others.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use gleaner_extract::model::Budgeted;
use gleaner_extract::model::scripted::{ScriptedModel, block_on};
use gleaner_extract::{Budget, Extractor, Ledger, Page, Shape, Task, TemplateDrift, TemplateMemory};
use gleaner_testkit::{SHIP_FIELDS, has_motto, ship};
use serde_json::{Map, Value, json};

use crate::support::{page_text, shape};

const PAGES: usize = 50;
struct Site {
    pages: Vec<Page>,
    truth: Vec<Map<String, Value>>,
    /// The correct answer of a model to each page.
    answers: BTreeMap<String, String>,
}

fn site(html: impl Fn(usize, &[String]) -> String, with_motto: bool) -> Site {
    let mut out = Site { pages: Vec::new(), truth: Vec::new(), answers: BTreeMap::new() };
    for at in 0..PAGES {
        let mut values = Vec::from(ship(at));
        if !with_motto || !has_motto(at) {
            values.pop();
        }
        let written: Vec<String> = values.iter().map(|value| value.written.clone()).collect();
        let markdown = format!(
            "# Ship {at}\n\n{}\n\nFiller about the sea, which is wide and blue.",
            written.join("\n\n")
        );
        let url = format!("https://ships.example/ship/{at}").parse().expect("a URL");
        out.pages.push(Page::new(url, html(at, &written)).with_markdown(markdown.clone()));
        let mut truth = Map::new();
        let mut answer = Map::new();
        for (index, name) in SHIP_FIELDS.iter().enumerate() {
            let known = values.get(index);
            let value = known.map_or(Value::Null, |known| known.json.parse().expect("JSON"));
            let quote = known.map(|known| &known.written);
            answer.insert((*name).to_owned(), json!({ "value": value, "quote": quote }));
            truth.insert((*name).to_owned(), value);
        }
        out.truth.push(truth);
        out.answers.insert(markdown, Value::Object(answer).to_string());
    }
    out
}

fn ship_shape() -> Shape {
    let text = json!({ "type": ["string", "null"] });
    shape(json!({ "type": "object", "properties": {
        "yard": text, "keelLaid": { "type": ["string", "null"], "format": "date" },
        "crewSize": { "type": ["integer", "null"] },
        "draught": { "type": ["number", "null"] }, "engineMaker": text, "motto": text,
    } }))
}

fn extractor(site: &Site) -> (Extractor, Ledger) {
    let answers = site.answers.clone();
    let model = ScriptedModel::with(move |request| {
        Ok(answers.get(page_text(request)).cloned().unwrap_or_else(|| "{}".to_owned()))
    });
    let ledger = Ledger::new(Budget::default());
    (Extractor::new(Arc::new(Budgeted::new(model, ledger.clone()))), ledger)
}

struct Outcome {
    saved: f64,
    f1: f64,
    calls: u64,
    /// Pages that did not fit the learned template.
    drifts: Vec<(usize, TemplateDrift)>,
}

fn run(site: &Site) -> Outcome {
    let shape = ship_shape();
    let (baseline, baseline_ledger) = extractor(site);
    for page in &site.pages {
        block_on(baseline.page(page, Task::new(&shape)));
    }
    let (learning, ledger) = extractor(site);
    let memory = Mutex::new(TemplateMemory::new());
    let (mut correct, mut found_values, mut true_values) = (0, 0, 0);
    let mut drifts = Vec::new();
    for (at, page) in site.pages.iter().enumerate() {
        let found = block_on(learning.page_of(&memory, "ships.example/ship/*", page, Task::new(&shape)));
        drifts.extend(found.drift.map(|drift| (at, drift)));
        let truth = &site.truth[at];
        for name in SHIP_FIELDS {
            let value = &found.page.extraction.data[name];
            found_values += usize::from(!value.is_null());
            true_values += usize::from(!truth[name].is_null());
            correct += usize::from(!value.is_null() && *value == truth[name]);
        }
    }
    let spent = |ledger: &Ledger| ledger.spent().tokens as f64;
    Outcome {
        saved: 1.0 - spent(&ledger) / spent(&baseline_ledger),
        f1: 2.0 * correct as f64 / (found_values + true_values) as f64,
        calls: ledger.spent().calls,
        drifts,
    }
}

fn labelled(_: usize, values: &[String]) -> String {
    let labels =
        ["Built at", "Laid down", "Complement", "Deepest point (m)", "Machines by", "Words over the bridge"];
    let rows: Vec<String> =
        labels.iter().zip(values).map(|(label, value)| format!("<dt>{label}</dt><dd>{value}</dd>")).collect();
    format!(
        "<html><body><nav><a href=/>Home</a></nav><h1>A ship</h1><dl class=facts>{}</dl><footer>The sea</footer></body></html>",
        rows.concat()
    )
}

fn marked(at: usize, values: &[String]) -> String {
    let classes = ["s-built", "s-start", "s-men", "s-deep", "s-mach", "s-words"];
    let rows: Vec<String> = classes
        .iter()
        .zip(values)
        .map(|(class, value)| format!("<div class='box {class}'>{value}</div>"))
        .collect();
    let notes = "<p class=note>Filler</p>".repeat(at % 4);
    format!(
        "<html><body><header class=top>Ships</header><h1>A ship</h1><section class=grid>{notes}{}</section></body></html>",
        rows.concat()
    )
}

fn prose(_: usize, values: &[String]) -> String {
    let [yard, laid, crew, draught, maker] = [&values[0], &values[1], &values[2], &values[3], &values[4]];
    format!(
        "<html><body><h1>A ship</h1><article><p>The vessel came from the hands of {yard}, where her first plate was set on {laid}. \
         She carried up to {crew} souls and lay {draught} metres in the water.</p><p>Her power was the work of {maker}, as so often in those days.</p></article></body></html>"
    )
}

/// Cells without names in a fixed order; the second half of the pages has another layout.
fn positions(at: usize, values: &[String]) -> String {
    if at < PAGES / 2 {
        let cells: Vec<String> =
            values.iter().map(|value| format!("<tr><td>•</td><td>{value}</td><td>•</td></tr>")).collect();
        format!("<html><body><h1>A ship</h1><table>{}</table></body></html>", cells.concat())
    } else {
        let rows: Vec<String> =
            values.iter().map(|value| format!("<li class=row><em>{value}</em></li>")).collect();
        format!(
            "<html><body><div class=shell><div class=hero><h1>A ship</h1></div><ol class=sheet>{}</ol></div></body></html>",
            rows.concat()
        )
    }
}

#[test]
fn later_pages_of_a_template_cost_no_tokens() {
    let families: [(&str, Site); 4] = [
        ("labels, one of them optional", site(labelled, true)),
        ("marks", site(marked, false)),
        ("prose", site(prose, false)),
        ("positions, other from page 25", site(positions, false)),
    ];
    for (name, site) in &families {
        let found = run(site);
        println!(
            "template of {name}: {:.1} % fewer tokens ({} calls for {PAGES} pages), leaf F1 {:.3}, drift at {:?}",
            found.saved * 100.0,
            found.calls,
            found.f1,
            found.drifts
        );
        assert!(found.saved >= 0.9, "{name}: {}", found.saved);
        assert!(found.f1 >= 0.98, "{name}: {}", found.f1);
        if name.contains("other") {
            let (at, drift) = found.drifts[0];
            assert!((PAGES / 2..PAGES / 2 + 3).contains(&at), "noticed at {at}");
            assert_eq!(drift, TemplateDrift::Structure);
        } else {
            assert_eq!(found.drifts, [], "{name}");
        }
    }
}

#[test]
fn a_template_memory_survives_storage() {
    let site = site(labelled, false);
    let shape = ship_shape();
    let (extractor, ledger) = extractor(&site);
    let memory = Mutex::new(TemplateMemory::new());
    for page in &site.pages[..3] {
        block_on(extractor.page_of(&memory, "ships", page, Task::new(&shape)));
    }
    let calls = ledger.spent().calls;
    let stored = serde_json::to_string(&*memory.lock().unwrap()).unwrap();
    assert!(stored.len() < 40_000, "{}", stored.len());
    let back: TemplateMemory = serde_json::from_str(&stored).unwrap();
    let found = block_on(extractor.page_of(&Mutex::new(back), "ships", &site.pages[9], Task::new(&shape)));
    assert_eq!(ledger.spent().calls, calls);
    assert_eq!(found.page.extraction.data, Value::Object(site.truth[9].clone()));
    let mut proofs = found.page.extraction.leaves.iter().flat_map(|leaf| &leaf.provenance);
    let proof = proofs.find(|proof| proof.method == gleaner_extract::Method::Template).unwrap();
    assert!(site.pages[9].html.contains(&proof.quote));
}

#[test]
fn a_template_with_swapped_values_is_detected() {
    // The marks stay, but their values are swapped from page 20 on: dates in place of yards.
    let swapped = |at: usize, values: &[String]| {
        if at < 20 {
            marked(at, values)
        } else {
            marked(
                at,
                &[
                    values[3].clone(),
                    values[0].clone(),
                    values[4].clone(),
                    values[1].clone(),
                    values[2].clone(),
                ],
            )
        }
    };
    let site = site(swapped, false);
    let found = run(&site);
    let (at, drift) = found.drifts[0];
    assert!((20..23).contains(&at) && drift == TemplateDrift::Fill, "{:?}", found.drifts);
    assert!(found.saved >= 0.85, "{}", found.saved);
}

#[test]
fn hostile_pages_do_not_fill_the_memory() {
    let shape = ship_shape();
    let (extractor, _) = extractor(&site(labelled, false));
    let memory = Mutex::new(TemplateMemory::new());
    let html =
        format!("<div class='{}'>{}", "a ".repeat(20_000), "<dl><dt>x<dd>1 <p id=q class=w>7".repeat(20_000));
    for at in 0..4 {
        let page = Page::new(format!("https://x.example/{at}").parse().expect("a URL"), html.as_str())
            .with_markdown("text");
        block_on(extractor.page_of(&memory, "x", &page, Task::new(&shape)));
    }
    assert!(serde_json::to_string(&*memory.lock().unwrap()).unwrap().len() < 100_000);
}
