//! The command that started the job of a file, so that another one is refused.
//!
//! A file has a label with the name of the command and a digest of each option. The options themselves stay
//! beside the file, because headers and webhooks may contain secrets.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use ipnet::IpNet;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use crate::args::{LinkRules, flag_of};
use crate::failure::Failure;
use crate::printable::printable_target;

/// Objects of a request whose fields are options of their own.
const GROUPS: [&str; 3] = ["location", "scrapeOptions", "webhook"];

/// The targets of a job. If they differ, that is reported before other differences.
const TARGETS: [&str; 2] = ["url", "urls"];

/// A command with the options that determine its job.
#[derive(Debug)]
pub(crate) struct JobCommand {
    name: &'static str,
    /// The options by the path of their request field.
    options: BTreeMap<String, Value>,
    links: LinkRules,
    private: Vec<IpNet>,
}

/// What a file says about the command that started its job.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct JobLabel {
    command: String,
    /// Makes the digests of different files different.
    salt: Uuid,
    options: BTreeMap<String, String>,
    /// The rules for links, with which `gleaner resume` goes on.
    pub(crate) links: LinkRules,
    /// The ranges of `--allow-private`. Files of earlier versions have none.
    #[serde(default)]
    private: Vec<String>,
}

/// The first difference between two commands.
#[derive(Debug, PartialEq, Eq)]
enum Difference {
    /// The file was started by a command of this name.
    Command(String),
    /// The file was started with this option.
    Missing(String),
    /// The file was started without this option.
    Added(String),
    /// The file was started with another value of this option.
    Changed(String),
}

impl JobCommand {
    /// The command with this request. A crawl also has rules for links.
    pub(crate) fn new(name: &'static str, request: &impl Serialize, links: LinkRules) -> Self {
        let mut options = BTreeMap::new();
        flatten("", serde_json::to_value(request).unwrap_or_default(), &mut options);
        Self { name, options, links, private: Vec::new() }
    }

    /// Sets the ranges of `--allow-private`.
    pub(crate) fn allowing(mut self, private: &[IpNet]) -> Self {
        private.clone_into(&mut self.private);
        self
    }

    /// Whether nothing about its pages may be written.
    pub(crate) fn retains_nothing(&self) -> bool {
        self.options.get("zeroDataRetention") == Some(&Value::Bool(true))
    }

    /// The label for a file of this command.
    pub(crate) fn label(&self) -> String {
        let salt = Uuid::now_v7();
        let digests = self.options.iter().map(|(name, value)| (name.clone(), digest(salt, name, value)));
        let label = JobLabel {
            command: self.name.to_owned(),
            salt,
            options: digests.collect(),
            links: self.links,
            private: self.private.iter().map(IpNet::to_string).collect(),
        };
        // Texts and truth values can always be written.
        serde_json::to_string(&label).unwrap_or_default()
    }

    /// Whether a file with this label is for this command.
    ///
    /// # Errors
    /// Wrong usage: it names the first difference. `url` is the start of the job of the file.
    pub(crate) fn check(&self, label: &JobLabel, file: &Path, url: Option<&str>) -> Result<(), Failure> {
        let Some(difference) = self.difference(label) else { return Ok(()) };
        let file = file.display();
        let text = match difference {
            Difference::Command(name) => {
                format!("--job: {file} has a job of gleaner {name}; name another file")
            }
            Difference::Missing(path) => format!(
                "{}: the job in {file} was started with it; give it again, or name another file with --job",
                self.option(&path)
            ),
            Difference::Added(path) => format!(
                "{}: the job in {file} was started without it; leave it out, or name another file with --job",
                self.option(&path)
            ),
            Difference::Changed(path) => {
                let other = match url.filter(|_| path == "url") {
                    Some(url) => printable_target(url),
                    None => "another value".to_owned(),
                };
                let option = self.option(&path);
                format!(
                    "{option}: the job in {file} was started with {other}; repeat that command, or name \
                     another file with --job"
                )
            }
        };
        Err(Failure::usage(format!(
            "{text} (gleaner resume {file} goes on with the options of its start; give only those of the \
             network again, such as --allow-private)"
        )))
    }

    fn difference(&self, label: &JobLabel) -> Option<Difference> {
        if self.name != label.command {
            return Some(Difference::Command(label.command.clone()));
        }
        let names: BTreeSet<&String> = self.options.keys().chain(label.options.keys()).collect();
        let mut names: Vec<&String> = names.into_iter().collect();
        names.sort_by_key(|name| !TARGETS.contains(&name.as_str()));
        let of = |name: &String| match (self.options.get(name), label.options.get(name)) {
            (Some(value), Some(known)) => {
                (digest(label.salt, name, value) != *known).then(|| Difference::Changed(name.clone()))
            }
            (Some(_), None) => Some(Difference::Added(name.clone())),
            (None, _) => Some(Difference::Missing(name.clone())),
        };
        let rules = |name: &str, given: bool, known: bool| match (given, known) {
            (true, false) => Some(Difference::Added(name.to_owned())),
            (false, true) => Some(Difference::Missing(name.to_owned())),
            _ => None,
        };
        names
            .into_iter()
            .find_map(of)
            .or_else(|| rules("nofollow", self.links.nofollow, label.links.nofollow))
            .or_else(|| rules("iframes", self.links.iframes, label.links.iframes))
    }

    /// The option of a field.
    fn option(&self, path: &str) -> String {
        if path == "urls" && self.name == "extract" { "[URLS]".to_owned() } else { flag_of(path) }
    }
}

impl JobLabel {
    /// Reads the label of a file; `None` if another program wrote it.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    /// The first range of private addresses of the start that is in none of the `given` ones.
    pub(crate) fn lacking(&self, given: &[IpNet]) -> Option<IpNet> {
        let mut ranges = self.private.iter().filter_map(|range| range.parse::<IpNet>().ok());
        ranges.find(|range| !given.iter().any(|other| other.contains(range)))
    }
}

/// Adds the fields of a request, with those of its groups.
fn flatten(path: &str, value: Value, options: &mut BTreeMap<String, Value>) {
    let name = path.rsplit('.').next().unwrap_or_default();
    match value {
        Value::Object(fields) if path.is_empty() || GROUPS.contains(&name) => {
            for (field, value) in fields {
                let path = if path.is_empty() { field } else { format!("{path}.{field}") };
                flatten(&path, value, options);
            }
        }
        value => drop(options.insert(path.to_owned(), value)),
    }
}

/// A digest of the value of an option. It is short: it tells two values apart, but identifies none of them.
fn digest(salt: Uuid, name: &str, value: &Value) -> String {
    let (first, ..) = Uuid::new_v5(&salt, format!("{name}={value}").as_bytes()).as_fields();
    format!("{first:08x}")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn crawl(request: Value) -> JobCommand {
        JobCommand::new("crawl", &request, LinkRules::default())
    }

    fn difference(first: &JobCommand, second: &JobCommand) -> Option<Difference> {
        second.difference(&JobLabel::parse(&first.label()).unwrap())
    }

    #[test]
    fn the_first_difference_is_found() {
        let request = json!({"url": "a.example", "limit": 5, "scrapeOptions": {"headers": {"X": "1"},
            "location": {"country": "de"}}});
        let changed = |name: &str| Some(Difference::Changed(name.to_owned()));
        for (name, other, expected) in [
            ("nothing", request.clone(), None),
            (
                "the limit",
                json!({"url": "a.example", "limit": 6, "scrapeOptions": {"headers": {"X": "1"},
                "location": {"country": "de"}}}),
                changed("limit"),
            ),
            (
                "a header",
                json!({"url": "a.example", "limit": 5, "scrapeOptions": {"headers": {"X": "2"},
                "location": {"country": "de"}}}),
                changed("scrapeOptions.headers"),
            ),
            (
                "a country",
                json!({"url": "a.example", "limit": 5, "scrapeOptions": {"headers": {"X": "1"},
                "location": {"country": "fr"}}}),
                changed("scrapeOptions.location.country"),
            ),
            ("the target comes first", json!({"url": "b.example", "delay": 1}), changed("url")),
            (
                "an option less",
                json!({"url": "a.example", "scrapeOptions": {"headers": {"X": "1"},
                    "location": {"country": "de"}}}),
                Some(Difference::Missing("limit".to_owned())),
            ),
            (
                "an option more",
                json!({"url": "a.example", "limit": 5, "delay": 2, "scrapeOptions": {"headers": {"X": "1"},
                    "location": {"country": "de"}}}),
                Some(Difference::Added("delay".to_owned())),
            ),
        ] {
            assert_eq!(difference(&crawl(request.clone()), &crawl(other)), expected, "{name}");
        }
    }

    #[test]
    fn another_command_and_other_rules_for_links_differ() {
        let request = json!({"url": "a.example"});
        let batch = JobCommand::new("batch", &request, LinkRules::default());
        let first = crawl(request.clone());
        assert_eq!(difference(&first, &batch), Some(Difference::Command("crawl".to_owned())));
        let links = LinkRules { nofollow: true, iframes: false };
        let other = JobCommand::new("crawl", &request, links);
        assert_eq!(difference(&first, &other), Some(Difference::Added("nofollow".to_owned())));
        assert_eq!(difference(&other, &first), Some(Difference::Missing("nofollow".to_owned())));
        assert_eq!(JobLabel::parse(&other.label()).unwrap().links, links);
    }

    #[test]
    fn messages_name_options_and_the_remedy() {
        let first = crawl(json!({"url": "a.example", "scrapeOptions": {"waitFor": 5}}));
        let label = JobLabel::parse(&first.label()).unwrap();
        let message = |command: &JobCommand| match command.check(&label, Path::new("a.db"), Some("a.example"))
        {
            Err(Failure::Usage(lines)) => lines.join("\n"),
            other => panic!("{other:?}"),
        };
        for (request, expected) in [
            (json!({"url": "a.example"}), "--wait-for: the job in a.db was started with it; give it again"),
            (json!({"url": "b.example"}), "<URL>: the job in a.db was started with a.example; repeat"),
            (
                json!({"url": "a.example", "scrapeOptions": {"waitFor": 6}}),
                "--wait-for: the job in a.db was started with another value",
            ),
            (
                json!({"url": "a.example", "scrapeOptions": {"waitFor": 5, "mobile": true}}),
                "--mobile: the job in a.db was started without it; leave it out",
            ),
        ] {
            let text = message(&crawl(request));
            assert!(text.starts_with(expected) && text.contains("gleaner resume a.db"), "{text}");
        }
        first.check(&label, Path::new("a.db"), None).unwrap();
    }

    #[test]
    fn a_range_of_the_start_that_is_not_given_again_is_found() {
        let ranges = |texts: &[&str]| texts.iter().map(|text| text.parse().unwrap()).collect::<Vec<IpNet>>();
        let start = ranges(&["127.0.0.0/8", "10.1.0.0/16"]);
        let label = crawl(json!({"url": "a.example"})).allowing(&start).label();
        let label = JobLabel::parse(&label).unwrap();
        for (given, expected) in [
            (&["127.0.0.0/8", "10.1.0.0/16"][..], None),
            (&["0.0.0.0/0"], None),
            (&["127.0.0.0/8"], Some("10.1.0.0/16")),
            (&["127.0.0.0/8", "10.1.2.0/24"], Some("10.1.0.0/16")),
            (&[], Some("127.0.0.0/8")),
        ] {
            let found = label.lacking(&ranges(given)).map(|range| range.to_string());
            assert_eq!(found.as_deref(), expected, "{given:?}");
        }
    }

    #[test]
    fn a_label_contains_no_value() {
        let command = crawl(json!({"url": "a.example", "scrapeOptions": {"headers": {"Cookie": "hush"}}}));
        let label = command.label();
        assert!(
            !label.contains("hush") && !label.contains("Cookie") && !label.contains("a.example"),
            "{label}"
        );
        assert_ne!(label, command.label(), "two files have different digests");
        assert!(JobLabel::parse("{}").is_none());
    }

    #[test]
    fn a_job_without_retention_is_recognised() {
        for (value, expected) in [(json!(true), true), (json!(false), false)] {
            assert_eq!(crawl(json!({"zeroDataRetention": value})).retains_nothing(), expected);
        }
    }
}
