//! Rules for browser actions.

use std::time::Duration;

use gleaner_types::limits;
use gleaner_types::plan::{Action, PlannedAction, ScrapeOptionsPlan, ScrollDirection, WaitFor};
use serde_json::json;

use crate::options::run_everywhere;
use crate::row::{no, ok};

/// The actions of the plan.
fn planned(plan: &ScrapeOptionsPlan) -> Vec<&Action> {
    plan.actions.iter().map(|planned| &planned.action).collect()
}

#[test]
fn actions() {
    run_everywhere(|| {
        vec![
            ok("wait for a time", json!({ "actions": [{ "type": "wait", "milliseconds": 2 }] }), |p| {
                planned(p) == [&Action::Wait(WaitFor::Time(Duration::from_millis(2)))]
            }),
            ok("wait for an element", json!({ "actions": [{ "type": "wait", "selector": "#a" }] }), |p| {
                planned(p) == [&Action::Wait(WaitFor::Selector("#a".to_owned()))]
            }),
            ok(
                "wait for both is two waits",
                json!({ "actions": [{ "type": "wait", "milliseconds": 2, "selector": "#a" }] }),
                |p| {
                    let time = Action::Wait(WaitFor::Time(Duration::from_millis(2)));
                    let element = Action::Wait(WaitFor::Selector("#a".to_owned()));
                    planned(p) == [&time, &element]
                },
            ),
            ok(
                "both waits have the index of the request",
                json!({ "actions": [{ "type": "wait", "milliseconds": 2, "selector": "#a" },
                    { "type": "scrape" }] }),
                |p| {
                    p.actions.iter().map(|planned| planned.index).collect::<Vec<_>>() == [0, 0, 1]
                        && p.actions.last() == Some(&PlannedAction { index: 1, action: Action::Scrape })
                },
            ),
            no(
                "wait for nothing",
                json!({ "actions": [{ "type": "wait" }] }),
                "actions[0]",
                "needs `milliseconds`, a `selector` or both",
            ),
            no(
                "wait for no time",
                json!({ "actions": [{ "type": "wait", "milliseconds": 0 }] }),
                "actions[0].milliseconds",
                "from 1 to 60000, not 0",
            ),
            ok(
                "waits of a minute together",
                json!({ "actions": [{ "type": "wait", "milliseconds": 30_000 },
                    { "type": "wait", "milliseconds": 30_000 }] }),
                |p| p.actions.len() == 2,
            ),
            no(
                "waits of more than a minute together",
                json!({ "actions": [{ "type": "wait", "milliseconds": 30_000 },
                    { "type": "wait", "milliseconds": 30_001 }] }),
                "actions",
                "wait at most 60000 milliseconds together, not 60001",
            ),
            ok("click", json!({ "actions": [{ "type": "click", "selector": "a" }] }), |p| {
                planned(p) == [&Action::Click { selector: "a".to_owned(), all: false }]
            }),
            ok("click all", json!({ "actions": [{ "type": "click", "selector": "a", "all": true }] }), |p| {
                planned(p) == [&Action::Click { selector: "a".to_owned(), all: true }]
            }),
            no(
                "click nothing",
                json!({ "actions": [{ "type": "click" }] }),
                "actions[0].selector",
                "is missing",
            ),
            no(
                "click an empty selector",
                json!({ "actions": [{ "type": "click", "selector": "" }] }),
                "actions[0].selector",
                "must not be empty",
            ),
            ok("write", json!({ "actions": [{ "type": "write", "text": "hello" }] }), |p| {
                planned(p) == [&Action::Write { text: "hello".to_owned(), selector: None }]
            }),
            ok(
                "write into",
                json!({ "actions": [{ "type": "write", "text": "", "selector": "input" }] }),
                |p| p.actions.len() == 1,
            ),
            no("write nothing", json!({ "actions": [{ "type": "write" }] }), "actions[0].text", "is missing"),
            ok("press", json!({ "actions": [{ "type": "press", "key": "Enter" }] }), |p| {
                planned(p) == [&Action::Press { key: "Enter".to_owned() }]
            }),
            no("press nothing", json!({ "actions": [{ "type": "press" }] }), "actions[0].key", "is missing"),
            ok("scroll goes down", json!({ "actions": [{ "type": "scroll" }] }), |p| {
                planned(p) == [&Action::Scroll { direction: ScrollDirection::Down, selector: None }]
            }),
            ok(
                "scroll up in an element",
                json!({ "actions": [{ "type": "scroll", "direction": "up", "selector": "div" }] }),
                |p| {
                    planned(p)
                        == [&Action::Scroll {
                            direction: ScrollDirection::Up,
                            selector: Some("div".to_owned()),
                        }]
                },
            ),
            no(
                "scroll sideways",
                json!({ "actions": [{ "type": "scroll", "direction": "sideways" }] }),
                "actions[0].direction",
                "one of `up`, `down`, `left` or `right`",
            ),
            ok(
                "screenshot",
                json!({ "actions": [{ "type": "screenshot", "fullPage": true, "quality": 1 }] }),
                |p| matches!(&planned(p)[..], [Action::Screenshot(s)] if s.full_page && s.quality == Some(1)),
            ),
            no(
                "screenshot of quality 0",
                json!({ "actions": [{ "type": "screenshot", "quality": 0 }] }),
                "actions[0].quality",
                "from 1 to 100",
            ),
            ok("scrape", json!({ "actions": [{ "type": "scrape" }] }), |p| planned(p) == [&Action::Scrape]),
            ok("run a script", json!({ "actions": [{ "type": "executeJavascript", "script": "1" }] }), |p| {
                planned(p) == [&Action::ExecuteJavascript { script: "1".to_owned() }]
            }),
            no(
                "run an empty script",
                json!({ "actions": [{ "type": "executeJavascript", "script": "" }] }),
                "actions[0].script",
                "must not be empty",
            ),
            ok("pdf", json!({ "actions": [{ "type": "pdf" }] }), |p| match &planned(p)[..] {
                [Action::Pdf { landscape, format, .. }] => !landscape && format == "Letter",
                _ => false,
            }),
            ok(
                "pdf with options",
                json!({ "actions": [{ "type": "pdf", "landscape": true, "scale": 0.5, "format": "A4" }] }),
                |p| match &planned(p)[..] {
                    [Action::Pdf { landscape, format, scale }] => {
                        *landscape && format == "A4" && *scale < 0.6
                    }
                    _ => false,
                },
            ),
            no(
                "pdf too small",
                json!({ "actions": [{ "type": "pdf", "scale": 0 }] }),
                "actions[0].scale",
                "a number from 0.1 to 2, not 0",
            ),
            no(
                "pdf on other paper",
                json!({ "actions": [{ "type": "pdf", "format": "B5" }] }),
                "actions[0].format",
                "one of `A0`",
            ),
            no(
                "an unknown action",
                json!({ "actions": [{ "type": "hover", "selector": "a" }] }),
                "actions[0].type",
                "`wait` or `write`, not \"hover\"",
            ),
            no(
                "a bare name",
                json!({ "actions": ["scrape"] }),
                "actions[0]",
                "must be an object with `type`",
            ),
            no(
                "an unknown key",
                json!({ "actions": [{ "type": "click", "selector": "a", "button": 2 }] }),
                "actions[0].button",
                "unknown field `button` in `",
            ),
            ok("fifty", json!({ "actions": vec![json!({ "type": "scrape" }); 50] }), |p| {
                p.actions.len() == limits::MAX_ACTIONS
            }),
            no(
                "fifty-one",
                json!({ "actions": vec![json!({ "type": "scrape" }); 51] }),
                "actions",
                "at most 50 entries, not 51",
            ),
        ]
    });
}
