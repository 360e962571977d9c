//! Scrape options on the command line: how a page is fetched and converted.

use clap::Args;
use serde_json::{Number, Value, json};

use super::booleans::BOOLEAN;
use super::fields::Fields;
use super::value::{self, Entries};
use crate::console::Console;
use crate::failure::Failure;

/// How each page is fetched and converted: the scrape options.
#[derive(Debug, Args)]
pub(crate) struct PageArgs {
    #[command(flatten)]
    content: ContentArgs,

    #[command(flatten)]
    fetch: FetchArgs,
}

/// How a page is converted.
#[derive(Debug, Args)]
#[command(next_help_heading = "Content")]
pub(super) struct ContentArgs {
    /// Output formats: markdown, html, rawHtml, links, images, summary, branding, json (with --schema),
    /// screenshot; comma-separated or repeated; a format with options is a JSON object, as attributes always
    /// is (screenshot needs a browser, and changeTracking an earlier scrape by the same engine) [default:
    /// markdown]
    #[arg(long, value_name = "FORMATS", value_parser = value::entries)]
    formats: Vec<Entries>,

    /// What to extract from each page: a file with a JSON Schema, for the format json
    #[arg(long, value_name = "FILE", value_parser = value::schema)]
    schema: Option<Value>,

    /// Leave out headers, navigation and footers [default: true]
    #[arg(long, value_name = BOOLEAN, hide_possible_values = true)]
    only_main_content: Option<bool>,

    /// Keep only what this CSS selector matches; may be repeated
    #[arg(long, value_name = "SELECTOR")]
    include_tags: Vec<String>,

    /// Drop what this CSS selector matches; may be repeated
    #[arg(long, value_name = "SELECTOR")]
    exclude_tags: Vec<String>,

    /// Replace inline images with a placeholder [default: true]
    #[arg(long, value_name = BOOLEAN, hide_possible_values = true)]
    remove_base64_images: Option<bool>,

    /// How files are parsed: pdf, none, or a JSON object [default: pdf]
    #[arg(long, value_name = "PARSERS", value_parser = value::entries)]
    parsers: Vec<Entries>,
}

/// How a page is fetched.
#[derive(Debug, Args)]
#[command(next_help_heading = "Fetching")]
pub(super) struct FetchArgs {
    /// Send this header with each page, as 'Name: value'; may be repeated
    #[arg(long, value_name = "HEADER", value_parser = value::header)]
    header: Vec<(String, String)>,

    /// Give up on a page after this many milliseconds [default: 30000]
    #[arg(long, value_name = "MS", value_parser = value::integer, allow_negative_numbers = true)]
    timeout: Option<Number>,

    /// Render each page in the browser, and wait this many milliseconds before it is read; it has no effect
    /// without a browser [default: 0]
    #[arg(long, value_name = "MS", value_parser = value::integer, allow_negative_numbers = true)]
    wait_for: Option<Number>,

    /// Render each page in the browser, and perform the actions in this file before it is read: a JSON array
    /// such as [{"type":"click","selector":"#more"},{"type":"screenshot"}]. It needs a browser. Results of
    /// actions are in the JSON document
    #[arg(long, value_name = "FILE", value_parser = value::actions)]
    actions: Option<Value>,

    /// With --cache: use a stored copy that is younger than this many milliseconds; 0 uses none [default:
    /// 172800000, which is two days]
    #[arg(long, value_name = "MS", value_parser = value::integer, allow_negative_numbers = true)]
    max_age: Option<Number>,

    /// With --cache: keep a copy for later [default: true]
    #[arg(long, value_name = BOOLEAN, hide_possible_values = true)]
    store_in_cache: Option<bool>,

    /// Write nothing of the pages to --cache or to the engine's log (-vv) [default: false]
    #[arg(long, value_name = BOOLEAN, hide_possible_values = true)]
    zero_data_retention: Option<bool>,

    /// Render each page as on a mobile device; without a browser, send its headers only [default: false]
    #[arg(long, value_name = BOOLEAN, hide_possible_values = true)]
    mobile: Option<bool>,

    /// Drop advertisements and cookie dialogs [default: true]
    #[arg(long, value_name = BOOLEAN, hide_possible_values = true)]
    block_ads: Option<bool>,

    /// The proxy pool: basic, stealth (of --stealth-proxy-url), enhanced (the same as stealth) or auto
    /// [default: auto]
    #[arg(long, value_name = "MODE")]
    proxy: Option<String>,

    /// Appear to be in this country (two letters), by the language and the time zone of the browser; it has
    /// no effect on pages that are not rendered [default: US]
    #[arg(long, value_name = "COUNTRY")]
    location_country: Option<String>,

    /// Request these languages, the preferred one first, such as de,en
    #[arg(long, value_name = "TAGS", value_delimiter = ',')]
    location_languages: Vec<String>,
}

impl PageArgs {
    /// Adds the options to `fields` under the names of request fields.
    ///
    /// # Errors
    /// A header is given twice: an object cannot contain both.
    pub(super) fn add_to(&self, fields: &mut Fields) -> Result<(), Failure> {
        self.content.add_to(fields);
        self.fetch.add_to(fields)
    }

    /// Adds the field that is always at the top level of a request, never in `scrapeOptions`.
    pub(super) fn add_retention_to(&self, fields: &mut Fields) {
        fields.set("zeroDataRetention", self.fetch.zero_data_retention());
    }

    /// The format to print as text, if it is the only one and no action has a result.
    pub(super) fn only_text(&self) -> Option<TextFormat> {
        self.content.only_text().filter(|_| !self.fetch.actions_have_results())
    }

    /// Whether a screenshot is the only result.
    pub(super) fn only_screenshot(&self) -> bool {
        self.content.only_screenshot() && !self.fetch.actions_have_results()
    }

    /// The same as [`ContentArgs::selectors`].
    pub(super) fn selectors(&self) -> Option<&'static str> {
        self.content.selectors()
    }

    /// Reports options without effect.
    pub(super) fn remark(&self, console: &Console) {
        self.fetch.remark(console);
    }
}

impl ContentArgs {
    /// The names of the given options that select elements of the page.
    pub(super) fn selectors(&self) -> Option<&'static str> {
        match (self.include_tags.is_empty(), self.exclude_tags.is_empty()) {
            (true, true) => None,
            (false, true) => Some("the selectors of --include-tags"),
            (true, false) => Some("the selectors of --exclude-tags"),
            (false, false) => Some("--include-tags and --exclude-tags"),
        }
    }

    /// Adds the options to `fields` under the names of request fields.
    pub(super) fn add_to(&self, fields: &mut Fields) {
        fields.set_list("formats", self.formats());
        fields.set("onlyMainContent", self.only_main_content);
        fields.set_list("includeTags", self.include_tags.clone());
        fields.set_list("excludeTags", self.exclude_tags.clone());
        fields.set("removeBase64Images", self.remove_base64_images);
        fields.set("parsers", self.parsers());
    }

    /// The formats, including that of `--schema`.
    fn formats(&self) -> Vec<Value> {
        let mut formats = flattened(&self.formats);
        if let Some(schema) = &self.schema {
            formats.retain(|format| format != "json");
            formats.push(json!({ "type": "json", "schema": schema }));
        }
        formats
    }

    fn parsers(&self) -> Option<Vec<Value>> {
        let parsers = flattened(&self.parsers);
        match parsers.as_slice() {
            [] => None,
            [only] if only == "none" => Some(Vec::new()),
            _ => Some(parsers),
        }
    }

    /// Whether the only format is a screenshot.
    fn only_screenshot(&self) -> bool {
        let formats = self.formats();
        let name =
            |format: &Value| format.as_str().or_else(|| format.get("type")?.as_str()) == Some("screenshot");
        !formats.is_empty() && formats.iter().all(name)
    }

    /// The format to print as text, if it is the only one.
    pub(super) fn only_text(&self) -> Option<TextFormat> {
        let formats = self.formats();
        let mut names = formats.iter().map(Value::as_str);
        let first = match names.next() {
            None => return Some(TextFormat::Markdown),
            Some(first) => first?,
        };
        if names.any(|name| name != Some(first)) {
            return None;
        }
        match first {
            "markdown" => Some(TextFormat::Markdown),
            "html" => Some(TextFormat::Html),
            "rawHtml" => Some(TextFormat::RawHtml),
            "summary" => Some(TextFormat::Summary),
            _ => None,
        }
    }
}

/// The actions whose results are in the document.
const WITH_RESULT: [&str; 4] = ["executeJavascript", "pdf", "scrape", "screenshot"];

impl FetchArgs {
    /// Whether an action has a result of its own.
    fn actions_have_results(&self) -> bool {
        let actions = self.actions.iter().filter_map(Value::as_array).flatten();
        let mut kinds = actions.filter_map(|action| action.get("type")?.as_str());
        kinds.any(|kind| WITH_RESULT.contains(&kind))
    }

    /// The value of the field at the top level of every request.
    pub(super) const fn zero_data_retention(&self) -> Option<bool> {
        self.zero_data_retention
    }

    /// Reports options without effect.
    pub(super) fn remark(&self, console: &Console) {
        remark_on_country(self.location_country.as_deref(), console);
    }

    /// Adds the options to `fields` under the names of request fields.
    pub(super) fn add_to(&self, fields: &mut Fields) -> Result<(), Failure> {
        fields.set_object("headers", self.headers()?);
        fields.set("timeout", self.timeout.clone());
        fields.set("waitFor", self.wait_for.clone());
        fields.set("actions", self.actions.clone());
        fields.set("maxAge", self.max_age.clone());
        fields.set("storeInCache", self.store_in_cache);
        fields.set("mobile", self.mobile);
        fields.set("blockAds", self.block_ads);
        fields.set("proxy", self.proxy.clone());
        let mut location = Fields::default();
        location.set("country", self.location_country.clone());
        location.set_list("languages", self.location_languages.clone());
        fields.set_object("location", location);
        Ok(())
    }

    fn headers(&self) -> Result<Fields, Failure> {
        let mut headers = Fields::default();
        for (index, (name, value)) in self.header.iter().enumerate() {
            if self.header.iter().take(index).any(|(other, _)| other.eq_ignore_ascii_case(name)) {
                return Err(Failure::usage(format!(
                    "--header: `{name}` is given twice; give each header once"
                )));
            }
            headers.set(name, Some(value.clone()));
        }
        Ok(headers)
    }
}

/// Reports a country, which has an effect only in the browser: no option sets the country of a proxy.
pub(super) fn remark_on_country(country: Option<&str>, console: &Console) {
    if country.is_some() {
        console.note(
            "note: --location-country applies to rendered pages only: no proxy is known to be in that \
             country",
        );
    }
}

/// A format that is a text, so that it can be printed directly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextFormat {
    Markdown,
    Html,
    RawHtml,
    Summary,
}

fn flattened(lists: &[Entries]) -> Vec<Value> {
    lists.iter().flat_map(|list| list.0.iter().cloned()).collect()
}
