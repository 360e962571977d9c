//! A generated site of one template with known values, and a model that reads it accurately.

use std::sync::Arc;

use gleaner::{EngineBuilder, ExtractRequest, ScrapeOptions};
use gleaner_models::Provider;
use gleaner_testkit::{SHIP_FIELDS, ship};
use gleaner_tests::fakes::{Ending, FakeResponse, FakeServer, ReceivedRequest, engine_builder, model, reply};
use serde_json::{Map, Value, json};

/// The template of the pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Template {
    /// A definition list with labels; every third ship has no motto.
    Labels,
    /// Elements with classes, and another layout from ship 25 on.
    Changing,
}

fn has_motto(template: Template, at: usize) -> bool {
    template != Template::Labels || gleaner_testkit::has_motto(at)
}

/// The correct data of a ship.
pub(crate) fn truth(template: Template, at: usize) -> Value {
    let mut row = Map::from_iter([("name".to_owned(), json!(format!("Ship {at}")))]);
    for (name, value) in SHIP_FIELDS.into_iter().zip(ship(at)) {
        let is_stated = name != "motto" || has_motto(template, at);
        row.insert(name.to_owned(), if is_stated { value.json.parse().unwrap() } else { Value::Null });
    }
    Value::Object(row)
}

/// The HTML of a ship's page; `extra` is inserted into its text.
pub(crate) fn page(template: Template, at: usize, extra: &str) -> String {
    let labels =
        ["Built at", "Laid down", "Complement", "Deepest point (m)", "Machines by", "Words over the bridge"];
    let classes = ["s-built", "s-start", "s-men", "s-deep", "s-mach", "s-words"];
    let values =
        ship(at).into_iter().map(|value| value.written).take(if has_motto(template, at) { 6 } else { 5 });
    let later = template == Template::Changing && at >= 25;
    let body: String = values
        .enumerate()
        .map(|(index, text)| match (template, later) {
            (Template::Labels, _) => format!("<dt>{}</dt><dd>{text}</dd>", labels[index]),
            (Template::Changing, false) => format!("<div class='box {}'>{text}</div>", classes[index]),
            (Template::Changing, true) => {
                format!("<tr><th>{}</th><td><b>{text}</b></td></tr>", labels[index])
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
        "<!doctype html><html><head><title>Ship {at}</title></head><body><nav><a href=/>All ships</a></nav>\
         <main><h1>Ship {at}</h1>{body}<p>She sailed the northern waters for most of her life, as so many \
         others did then, and those who knew her speak of her with warmth.</p>{extra}</main>\
         <footer>The sea is wide.</footer></body></html>"
    )
}

/// A site with a list of links and a page for each of `ships` ships.
pub(crate) fn site(template: Template, ships: usize) -> FakeServer {
    FakeServer::start(move |_, request: &ReceivedRequest| {
        let path = request.target();
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

/// A request for a fleet. The model reads whole pages, because these tests do not cover main content.
pub(crate) fn fleet(urls: &[String]) -> ExtractRequest {
    let whole = ScrapeOptions::new().only_main_content(false);
    ExtractRequest::new(urls).schema(fleet_schema()).scrape_options(whole)
}

/// A builder of an engine that may fetch from loopback and uses this service as its model.
pub(crate) fn engine(service: &FakeServer) -> EngineBuilder {
    engine_builder().model(Arc::new(model(Provider::OpenAi, service)))
}

/// The number of the ship in a request to the model.
pub(crate) fn ship_of(request: &ReceivedRequest) -> Option<usize> {
    let (_, text) = page_text(request)?;
    let digits = text.split("Ship ").nth(1)?;
    digits.split(|found: char| !found.is_ascii_digit()).next()?.parse().ok()
}

/// The instructions before the page and the text of the page, in a request of OpenAI's dialect.
pub(crate) fn page_text(request: &ReceivedRequest) -> Option<(String, String)> {
    let messages = request.body["messages"].as_array()?;
    let message = messages.last()?["content"].as_str()?;
    let (task, page) = message.split_once("\n<<<PAGE ")?;
    Some((task.to_owned(), page.to_owned()))
}

/// A reply with token counts by the length of the request and of the answer, as a provider counts.
pub(crate) fn reply_with_usage(request: &ReceivedRequest, answer: &Value) -> FakeResponse {
    let text = answer.to_string();
    let mut body = reply(Provider::OpenAi, &text, Ending::Stop);
    let input = request.body["messages"].to_string().len() / 4;
    body["usage"] = json!({ "prompt_tokens": input, "completion_tokens": text.len() / 4,
        "total_tokens": input + text.len() / 4 });
    FakeResponse::json(&body)
}

/// The claims of an accurate model about a ship.
pub(crate) fn claims(template: Template, at: usize) -> Value {
    let mut claims = Map::new();
    for (name, value) in SHIP_FIELDS.into_iter().zip(ship(at)) {
        let is_stated = name != "motto" || has_motto(template, at);
        let claim = if is_stated {
            json!({ "value": value.json.parse::<Value>().unwrap(), "quote": value.written })
        } else {
            json!({ "value": null, "quote": null })
        };
        claims.insert(name.to_owned(), claim);
    }
    Value::Object(claims)
}

/// A service with an accurate model.
pub(crate) fn accurate_model(template: Template) -> FakeServer {
    FakeServer::start(move |_, request| {
        reply_with_usage(request, &ship_of(request).map_or(json!({}), |at| claims(template, at)))
    })
}
