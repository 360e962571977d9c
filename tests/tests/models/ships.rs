//! A generated site of pages of one template, with its truth, and a model that reads it well.

use std::sync::Arc;

use gleaner::{EngineBuilder, ExtractRequest, ScrapeOptions};
use gleaner_models::Provider;
use gleaner_testkit::{SHIP_FIELDS, ship};
use gleaner_tests::fakes::{Ending, FakeResponse, FakeServer, ReceivedRequest, engine_builder, model, reply};
use serde_json::{Map, Value, json};

/// How the pages of a site are built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Template {
    /// Labels in a definition list; every third ship has no motto.
    Labels,
    /// Classes, and from the middle on another layout.
    Changing,
}

fn has_motto(template: Template, at: usize) -> bool {
    template != Template::Labels || gleaner_testkit::has_motto(at)
}

/// What a perfect extract gives for a ship.
pub(crate) fn truth(template: Template, at: usize) -> Value {
    let mut row = Map::from_iter([("name".to_owned(), json!(format!("Ship {at}")))]);
    for (name, value) in SHIP_FIELDS.into_iter().zip(ship(at)) {
        let known = name != "motto" || has_motto(template, at);
        row.insert(name.to_owned(), if known { value.json.parse().unwrap() } else { Value::Null });
    }
    Value::Object(row)
}

/// The HTML of a ship's page; `more` is put into its text.
pub(crate) fn page(template: Template, at: usize, more: &str) -> String {
    let labels =
        ["Built at", "Laid down", "Complement", "Deepest point (m)", "Machines by", "Words over the bridge"];
    let classes = ["s-built", "s-start", "s-men", "s-deep", "s-mach", "s-words"];
    let known =
        ship(at).into_iter().map(|value| value.written).take(if has_motto(template, at) { 6 } else { 5 });
    let later = template == Template::Changing && at >= 25;
    let body: String = known
        .enumerate()
        .map(|(place, text)| match (template, later) {
            (Template::Labels, _) => format!("<dt>{}</dt><dd>{text}</dd>", labels[place]),
            (Template::Changing, false) => format!("<div class='box {}'>{text}</div>", classes[place]),
            (Template::Changing, true) => {
                format!("<tr><th>{}</th><td><b>{text}</b></td></tr>", labels[place])
            }
        })
        .collect();
    let body = match (template, later) {
        (Template::Labels, _) => format!("<dl class=facts>{body}</dl>"),
        (Template::Changing, false) => format!("<section class=grid>{body}</section>"),
        (Template::Changing, true) => {
            format!("<section class=sheet><table class=data>{body}</table></section>")
        }
    };
    format!(
        "<!doctype html><html><head><title>Ship {at}</title></head><body><nav><a href=/>All ships</a></nav><main>\
         <h1>Ship {at}</h1>{body}<p>She sailed the northern waters for most of her life, as so many others did then, and \
         those who knew her speak of her with warmth.</p>{more}</main><footer>The sea is wide.</footer></body></html>"
    )
}

/// A site of so many ships: a list of links, and a page each.
pub(crate) fn site(template: Template, ships: usize) -> FakeServer {
    FakeServer::start(move |_, asked: &ReceivedRequest| {
        let path = asked.target();
        if path == "/" {
            let links: String =
                (0..ships).map(|at| format!("<li><a href=/ship/{at}>Ship {at}</a></li>")).collect();
            return FakeResponse::html(&format!(
                "<html><title>Fleet</title><main><h1>Our fleet</h1><ul>{links}</ul></main></html>"
            ));
        }
        match path.strip_prefix("/ship/").and_then(|at| at.parse().ok()).filter(|at| *at < ships) {
            Some(at) => FakeResponse::html(&page(template, at, "")),
            None => FakeResponse::not_found(),
        }
    })
}

/// The schema of one ship.
fn ship_schema() -> Value {
    let text = json!({ "type": ["string", "null"] });
    json!({ "type": "object", "properties": {
        "name": text, "yard": text, "keelLaid": { "type": ["string", "null"], "format": "date" },
        "crewSize": { "type": ["integer", "null"] }, "draught": { "type": ["number", "null"] },
        "engineMaker": text, "motto": text,
    } })
}

/// The schema of a fleet.
fn fleet_schema() -> Map<String, Value> {
    let fleet =
        json!({ "type": "object", "properties": { "ships": { "type": "array", "items": ship_schema() } } });
    fleet.as_object().unwrap().clone()
}

/// A request for a fleet. The model reads whole pages: what counts as main content is no matter of these tests.
pub(crate) fn fleet(urls: &[String]) -> ExtractRequest {
    let whole = ScrapeOptions::new().only_main_content(false);
    ExtractRequest::new(urls).schema(fleet_schema()).scrape_options(whole)
}

/// An engine that may fetch from loopback and asks this service.
pub(crate) fn engine(service: &FakeServer) -> EngineBuilder {
    engine_builder().model(Arc::new(model(Provider::OpenAi, service)))
}

/// Which ship a request to the model is about, by its page.
pub(crate) fn ship_of(asked: &ReceivedRequest) -> Option<usize> {
    let (_, text) = page_text(asked)?;
    let digits = text.split("Ship ").nth(1)?;
    digits.split(|found: char| !found.is_ascii_digit()).next()?.parse().ok()
}

/// The rules around the page and the page's text, in a request of OpenAI's dialect.
pub(crate) fn page_text(asked: &ReceivedRequest) -> Option<(String, String)> {
    let messages = asked.body["messages"].as_array()?;
    let message = messages.last()?["content"].as_str()?;
    let (task, behind) = message.split_once("\n<<<PAGE ")?;
    Some((task.to_owned(), behind.to_owned()))
}

/// A reply whose tokens are counted by its length and the request's, as a provider does.
pub(crate) fn counted(asked: &ReceivedRequest, answer: &Value) -> FakeResponse {
    let text = answer.to_string();
    let mut body = reply(Provider::OpenAi, &text, Ending::Stop);
    let input = asked.body["messages"].to_string().len() / 4;
    body["usage"] = json!({ "prompt_tokens": input, "completion_tokens": text.len() / 4,
        "total_tokens": input + text.len() / 4 });
    FakeResponse::json(&body)
}

/// What a model that reads well says about a ship.
pub(crate) fn claims(template: Template, at: usize) -> Value {
    let mut claims = Map::new();
    for (name, value) in SHIP_FIELDS.into_iter().zip(ship(at)) {
        let known = name != "motto" || has_motto(template, at);
        let claim = if known {
            json!({ "value": value.json.parse::<Value>().unwrap(), "quote": value.written })
        } else {
            json!({ "value": null, "quote": null })
        };
        claims.insert(name.to_owned(), claim);
    }
    Value::Object(claims)
}

/// A service whose model reads ships well.
pub(crate) fn reader(template: Template) -> FakeServer {
    FakeServer::start(move |_, asked| {
        counted(asked, &ship_of(asked).map_or(json!({}), |at| claims(template, at)))
    })
}
