//! The agent uses controls of pages in a browser: in Chromium on small sites, and in a fake browser that
//! counts presses.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use gleaner::extraction::{PlanStep, Stop};
use gleaner::{Budget, Engine, ExtractRequest, ExtractResult, Limits, Pages, RenderPolicy};
use gleaner_browser::Browser;
use gleaner_extract::model::ModelRequest;
use gleaner_extract::model::scripted::ScriptedModel;
use gleaner_extract::{Page, controls};
use gleaner_fetch::{
    ActionResult, Error, Load, LoadKind, Render, RenderProxy, RenderRequest, Rendered, Request,
};
use gleaner_testkit::{ACTING_SITES, ActingAnswer, ActingSite, ActingStep, CUPS, FOUNDER};
use gleaner_tests::fakes::{FakeResponse, FakeServer, engine_builder, schema};
use gleaner_types::BoxFuture;
use gleaner_types::plan::Action;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::installed;

/// The texts of the controls on every site that nobody must use.
const FORBIDDEN: [&str; 3] = ["Add to cart", "Log out", "Go on"];

/// Whether a request asks which controls to use. Other requests ask for values.
fn asks_for_controls(request: &ModelRequest) -> bool {
    request.messages[0].content.contains("You operate a web page")
}

/// A model that takes these steps in order, and then no more. It reads no values.
fn visitor(steps: &'static [ActingStep]) -> ScriptedModel {
    let asked = AtomicUsize::new(0);
    ScriptedModel::with(move |request| {
        if !asks_for_controls(request) {
            return Ok("{}".to_owned());
        }
        let step = steps.get(asked.fetch_add(1, Ordering::Relaxed));
        Ok(choice(&request.messages[1].content, step).to_string())
    })
}

/// The choice that takes a step, by the ids of the controls with its texts.
fn choice(question: &str, step: Option<&ActingStep>) -> Value {
    let Some(step) = step else { return json!({ "moves": [], "times": 1, "why": "the script is over" }) };
    let id_of = |label: &str| {
        let text = format!(" \"{label}\"");
        let line = question.lines().find(|line| line.starts_with('C') && line.contains(&text))?;
        line.split(' ').next()
    };
    let moves =
        step.moves.iter().map(|&(label, text)| Some(json!({ "control": id_of(label)?, "text": text })));
    match moves.collect::<Option<Vec<Value>>>() {
        Some(moves) => json!({ "moves": moves, "times": step.times, "why": "a step of the script" }),
        None => {
            let why = format!("a control of the step is not offered: {step:?}");
            json!({ "moves": [], "times": 1, "why": why })
        }
    }
}

/// The questions about controls that a model got.
fn questions(model: &ScriptedModel) -> Vec<String> {
    let asked = model.asked().into_iter().filter(asks_for_controls);
    asked.map(|request| request.messages[1].content.clone()).collect()
}

/// What the agent did, as the plan of the result records it.
fn record(found: &ExtractResult) -> Vec<String> {
    let plan = found.plan.as_ref().unwrap();
    plan.reasons.iter().filter(|reason| reason.starts_with("on http")).cloned().collect()
}

fn request(url: String, fields: Value) -> ExtractRequest {
    let body = json!({ "urls": [url], "schema": schema(fields), "agent": { "model": "any" } });
    serde_json::from_value(body).unwrap()
}

fn founder() -> Value {
    json!({ "founder": { "type": ["string", "null"] } })
}

/// Serves a site and records the requests.
fn serve(site: ActingSite) -> FakeServer {
    let pages = site.pages();
    FakeServer::start(move |_, request| {
        let page = pages.iter().find(|page| page.target() == request.target());
        page.map_or_else(FakeResponse::not_found, |page| {
            FakeResponse::new(200, page.body().to_vec()).with("content-type", page.content_type())
        })
    })
}

#[test]
fn the_controls_of_each_site_are_offered_except_those_that_nobody_must_use() {
    for site in ACTING_SITES {
        let html = String::from_utf8(site.pages()[0].body().to_vec()).unwrap();
        let offered = controls(&Page::new("https://yard.example/".parse().unwrap(), html));
        let labels: Vec<&str> = offered.iter().map(|control| control.label.as_str()).collect();
        for (label, _) in site.steps[0].moves {
            assert!(labels.contains(label), "{}: {label} in {labels:?}", site.name);
        }
        for label in FORBIDDEN {
            assert!(!labels.contains(&label), "{}: {label}", site.name);
        }
    }
}

/// Lets an agent find the answer of a site. Returns what it spent.
async fn solve(site: ActingSite, browser: Browser) -> String {
    let (server, model) = (serve(site), visitor(site.steps));
    let budget = Budget::default().tokens(100_000).pages(12);
    let engine = engine_builder()
        .renderer(Arc::new(browser))
        .model(Arc::new(model.clone()))
        .limits(Limits::new().extract_budget(budget))
        .build()
        .unwrap();
    let text = json!({ "type": ["string", "null"] });
    let cup = json!({ "type": "object", "properties": { "name": text, "colour": text } });
    let fields = match site.answer {
        ActingAnswer::Founder => founder(),
        ActingAnswer::Cups => json!({ "cups": { "type": "array", "items": cup } }),
    };
    let found = engine.extract(request(server.url(&site.start()), fields)).await.unwrap();
    let (name, record) = (site.name, record(&found));
    match site.answer {
        ActingAnswer::Founder => assert_eq!(found.data["founder"], FOUNDER, "{name}: {record:#?}"),
        ActingAnswer::Cups => {
            let rows = found.data["cups"].as_array().unwrap();
            for (cup, colour) in CUPS {
                let is_there = rows.iter().any(|row| row["name"] == cup && row["colour"] == colour);
                assert!(is_there, "{name}: {cup} is missing in {rows:?}: {record:#?}");
            }
        }
    }
    // Each step is recorded with its reason.
    let steps = record.iter().filter(|step| step.ends_with("because: a step of the script")).count();
    assert_eq!(steps, site.steps.len(), "{name}: {record:#?}");
    let spent = found.spent;
    assert!(spent.pages <= 12 && spent.tokens <= 100_000, "{name}: {spent:?}");
    assert!(found.stopped.is_none(), "{name}: {:?}", found.stopped);
    // Nothing is sent, bought or left.
    let lines: Vec<String> = server.requests().into_iter().map(|request| request.line).collect();
    assert!(
        lines.iter().all(|line| line.starts_with("GET ") && !line.contains("/order")),
        "{name}: {lines:?}"
    );
    for question in questions(&model) {
        for label in FORBIDDEN {
            assert!(!question.contains(&format!("button \"{label}\"")), "{name}: {question}");
        }
    }
    format!("{name}: {} pages, {} tokens", spent.pages, spent.tokens)
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_that_need_acting_are_found_in_chromium() {
    let Some(browser) = installed::open() else { return };
    let mut solving = JoinSet::new();
    for site in ACTING_SITES {
        solving.spawn(solve(*site, browser.clone()));
        if solving.len() == 2 {
            println!("{}", solving.join_next().await.unwrap().unwrap());
        }
    }
    while let Some(solved) = solving.join_next().await {
        println!("{}", solved.unwrap());
    }
}

/// A page whose founder appears after two presses.
fn pressed(times: usize) -> String {
    let founder = if times == 2 { "<dl><dt>Founder</dt><dd>Ada Quill</dd></dl>" } else { "" };
    format!(
        "<html><body><main><h1>Firm</h1><p>Part {times} of the history of the firm.</p>{founder}</main>\
         <button id=more>Load more</button></body></html>"
    )
}

/// A browser that counts presses. A press above the limit fails, as on a button that is disabled then.
#[derive(Debug)]
struct CountingBrowser {
    limit: usize,
    visits: Arc<Mutex<Vec<Vec<Action>>>>,
}

impl Render for CountingBrowser {
    fn render<'a>(
        &'a self,
        request: &'a RenderRequest,
        proxy: &'a RenderProxy<'a>,
    ) -> BoxFuture<'a, Result<Rendered, Error>> {
        Box::pin(async move {
            let load = Load::new(Request::get(request.url.clone()), LoadKind::Navigation);
            let url = proxy.fetch(load).await?.url;
            let actions = request.actions.iter().map(|planned| planned.action.clone()).collect();
            self.visits.lock().unwrap().push(actions);
            let (mut presses, mut results) = (0, Vec::new());
            for planned in &request.actions {
                match &planned.action {
                    Action::Click { selector, .. } => {
                        assert_eq!(selector, "#more");
                        if presses == self.limit {
                            return Err(Error::action(&url, planned.index, "it is disabled"));
                        }
                        presses += 1;
                    }
                    Action::Scrape => {
                        results.push(ActionResult::Scrape { url: url.clone(), html: pressed(presses) });
                    }
                    _ => {}
                }
            }
            let mut page = Rendered::new(url, pressed(presses));
            page.results = results;
            Ok(page)
        })
    }
}

/// What an agent did with a [`CountingBrowser`].
struct Outcome {
    found: ExtractResult,
    /// The number of actions of each visit.
    visits: Vec<usize>,
    questions: Vec<String>,
}

impl Outcome {
    fn record(&self) -> Vec<String> {
        record(&self.found)
    }
}

async fn run(limit: usize, steps: &'static [ActingStep], budget: Budget, options: Value) -> Outcome {
    let (visits, model) = (Arc::<Mutex<Vec<Vec<Action>>>>::default(), visitor(steps));
    let browser = CountingBrowser { limit, visits: Arc::clone(&visits) };
    let site = FakeServer::always(FakeResponse::html(&pressed(0)));
    let engine = engine_builder()
        .renderer(Arc::new(browser))
        .model(Arc::new(model.clone()))
        .limits(Limits::new().extract_budget(budget))
        .build()
        .unwrap();
    let mut body =
        json!({ "urls": [site.url("/")], "schema": schema(founder()), "agent": { "model": "any" } });
    body["scrapeOptions"] = options;
    let found = engine.extract(serde_json::from_value(body).unwrap()).await.unwrap();
    let visits = visits.lock().unwrap().iter().map(Vec::len).collect();
    Outcome { found, visits, questions: questions(&model) }
}

const fn load_more(times: u64) -> ActingStep {
    ActingStep { moves: &[("Load more", None)], times }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_step_that_cannot_be_repeated_so_often_is_done_as_often_as_it_can_be() {
    const STEPS: &[ActingStep] = &[load_more(9)];
    let outcome = run(2, STEPS, Budget::default(), json!({})).await;
    assert_eq!(outcome.found.data["founder"], FOUNDER, "{:#?}", outcome.record());
    // To look: a wait and a scrape. Nine times: a click, a wait and a scrape each. Then two times.
    assert_eq!(outcome.visits, [2, 27, 6]);
    assert_eq!(outcome.questions.len(), 1, "nothing is missing after the step");
    assert!(outcome.questions[0].contains("Missing: founder"), "{}", outcome.questions[0]);
    let [step] = &outcome.record()[..] else { panic!("{:#?}", outcome.record()) };
    assert!(step.ends_with(": pressed \"Load more\", 2 times, because: a step of the script"), "{step}");
}

#[tokio::test(flavor = "multi_thread")]
async fn each_visit_repeats_the_actions_of_the_request_and_of_earlier_steps() {
    const STEPS: &[ActingStep] = &[load_more(1), load_more(1)];
    let own = json!({ "actions": [{ "type": "wait", "milliseconds": 10 }, { "type": "scrape" }] });
    let outcome = run(9, STEPS, Budget::default(), own).await;
    assert_eq!(outcome.found.data["founder"], FOUNDER, "{:#?}", outcome.record());
    // The request's own actions; then without its scrape: to look, the first step, both steps.
    assert_eq!(outcome.visits, [2, 3, 4, 6]);
    assert!(outcome.questions[1].contains("Done: pressed \"Load more\""), "{}", outcome.questions[1]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_control_that_cannot_be_used_is_reported_to_the_model() {
    const STEPS: &[ActingStep] = &[load_more(3)];
    let outcome = run(0, STEPS, Budget::default(), json!({})).await;
    assert_eq!(outcome.found.data["founder"], Value::Null);
    assert_eq!((outcome.visits.len(), outcome.questions.len()), (2, 2), "{:#?}", outcome.record());
    assert!(outcome.questions[1].contains("it could not be used"), "{}", outcome.questions[1]);
    assert!(!outcome.questions[1].contains("it is disabled"), "texts of a failure can come from the page");
    let record = outcome.record();
    assert!(record[0].contains("which failed") && record[0].contains("it is disabled"), "{record:#?}");
    assert!(record[1].contains("no control is used, because: the script is over"), "{record:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn visits_and_states_count_against_the_budget_of_pages() {
    const STEPS: &[ActingStep] = &[load_more(5)];
    for (pages, visits, found) in [(2, 1, Value::Null), (3, 2, Value::Null), (4, 2, json!(FOUNDER))] {
        let budget = Budget::default().pages(pages);
        let outcome = run(9, STEPS, budget, json!({})).await;
        assert_eq!(outcome.visits.len(), visits, "{pages}: {:#?}", outcome.record());
        assert_eq!(outcome.found.data["founder"], found, "{pages}: {:#?}", outcome.record());
        assert!(outcome.found.spent.pages <= pages, "{pages}: {:?}", outcome.found.spent);
        assert_eq!(outcome.found.stopped, Some(Stop::Pages), "{pages}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_pressed_without_a_browser_or_without_an_agent() {
    let model = visitor(const { &[load_more(9)] });
    let site = FakeServer::always(FakeResponse::html(&pressed(0)));
    let builder = || engine_builder().model(Arc::new(model.clone()));
    let browser = || Arc::new(CountingBrowser { limit: 9, visits: Arc::default() });
    let with_agent = request(site.url("/"), founder());
    let without_agent = ExtractRequest::new([site.url("/")]).schema(schema(founder()));
    let acts = |engine: &Engine, request: &ExtractRequest| {
        let plan = engine.plan_extract(request.clone()).unwrap();
        let leaves = plan.to_string().contains("what needs a browser it leaves");
        (plan.steps.iter().any(|step| matches!(step, PlanStep::Act { .. })), leaves)
    };
    let rows = [
        ("no browser", builder().build().unwrap(), &with_agent, (false, true)),
        (
            "never rendered",
            builder()
                .renderer(browser())
                .pages(Pages::new().render_policy(RenderPolicy::Never))
                .build()
                .unwrap(),
            &with_agent,
            (false, true),
        ),
        ("no agent", builder().renderer(browser()).build().unwrap(), &without_agent, (false, false)),
    ];
    for (name, engine, request, expected) in rows {
        assert_eq!(acts(&engine, request), expected, "{name}");
        let found = engine.extract(request.clone()).await.unwrap();
        assert_eq!((found.data["founder"].clone(), questions(&model).len()), (Value::Null, 0), "{name}");
    }
    let engine = builder().renderer(browser()).build().unwrap();
    assert_eq!(acts(&engine, &with_agent), (true, false));
}
