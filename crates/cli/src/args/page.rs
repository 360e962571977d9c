use clap::Args;
use serde_json::{Number, Value, json};

use super::booleans::BOOLEAN;
use super::fields::Fields;
use super::value::{self, Kinds};
use crate::console::Console;
use crate::failure::Failure;

/// How each page is fetched and what becomes of it: the scrape options of the contract.
#[derive(Debug, Args)]
pub(crate) struct PageArgs {
    #[command(flatten)]
    content: ContentArgs,

    #[command(flatten)]
    fetch: FetchArgs,
}

/// What becomes of a page.
#[derive(Debug, Args)]
#[command(next_help_heading = "Content")]
pub(super) struct ContentArgs {
    /// What to give: markdown, html, rawHtml, links, images, summary, branding, json (by --schema); commas between, or
    /// repeated; one with options of its own as a JSON object, as attributes always is (screenshot needs a browser, which
    /// this command does not have, and changeTracking an earlier scrape by the same engine) [default: markdown]
    #[arg(long, value_name = "FORMATS", value_parser = value::kinds)]
    formats: Vec<Kinds>,

    /// What to read off each page: a file with a JSON Schema, for the format json
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

    /// Replace images that are written into the page by a placeholder [default: true]
    #[arg(long, value_name = BOOLEAN, hide_possible_values = true)]
    remove_base64_images: Option<bool>,

    /// How files are parsed: pdf, none, or a JSON object [default: pdf]
    #[arg(long, value_name = "PARSERS", value_parser = value::kinds)]
    parsers: Vec<Kinds>,
}

/// How a page is fetched.
#[derive(Debug, Args)]
#[command(next_help_heading = "Fetching")]
pub(super) struct FetchArgs {
    /// Send this header with each page, as 'Name: value'; may be repeated
    #[arg(long, value_name = "HEADER", value_parser = value::header)]
    header: Vec<(String, String)>,

    /// Give a page up after this many milliseconds [default: 30000]
    #[arg(long, value_name = "MS", value_parser = value::whole, allow_negative_numbers = true)]
    timeout: Option<Number>,

    /// Wait this many milliseconds before a page is read: without a browser this has no effect [default: 0]
    #[arg(long, value_name = "MS", value_parser = value::whole, allow_negative_numbers = true)]
    wait_for: Option<Number>,

    /// With --cache: take a stored copy that is younger than this many milliseconds [default: 172800000]
    #[arg(long, value_name = "MS", value_parser = value::whole, allow_negative_numbers = true)]
    max_age: Option<Number>,

    /// With --cache: keep a copy for later [default: true]
    #[arg(long, value_name = BOOLEAN, hide_possible_values = true)]
    store_in_cache: Option<bool>,

    /// Keep nothing of the pages beyond the answer, neither in --cache nor in the engine's log (-vv) [default: false]
    #[arg(long, value_name = BOOLEAN, hide_possible_values = true)]
    zero_data_retention: Option<bool>,

    /// Ask as a mobile device does [default: false]
    #[arg(long, value_name = BOOLEAN, hide_possible_values = true)]
    mobile: Option<bool>,

    /// Drop advertisements and cookie dialogs [default: true]
    #[arg(long, value_name = BOOLEAN, hide_possible_values = true)]
    block_ads: Option<bool>,

    /// How requests leave: basic, enhanced (the same as stealth), stealth (by --stealth-proxy-url) or auto [default: auto]
    #[arg(long, value_name = "MODE")]
    proxy: Option<String>,

    /// Ask as from this country, two letters: without proxies of known countries this has no effect [default: US]
    #[arg(long, value_name = "COUNTRY")]
    location_country: Option<String>,

    /// Ask for these languages, most wanted first, such as de,en
    #[arg(long, value_name = "TAGS", value_delimiter = ',')]
    location_languages: Vec<String>,
}

impl PageArgs {
    /// Adds the options to `fields` under the contract's names.
    ///
    /// # Errors
    /// A header that is named twice: an object of headers cannot hold both.
    pub(super) fn add_to(&self, fields: &mut Fields) -> Result<(), Failure> {
        self.content.add_to(fields);
        self.fetch.add_to(fields)
    }

    /// What stands at the top of a request, also where the other options stand in `scrapeOptions`.
    pub(super) fn add_retention_to(&self, fields: &mut Fields) {
        fields.set("zeroDataRetention", self.fetch.zero_data_retention());
    }

    /// The one format whose text is all that was asked for, if so.
    pub(super) fn only_text(&self) -> Option<TextFormat> {
        self.content.only_text()
    }

    /// As that of [`ContentArgs`].
    pub(super) fn selectors(&self) -> Option<&'static str> {
        self.content.selectors()
    }

    /// Says which options will have no effect.
    pub(super) fn remark(&self, console: &Console) {
        self.fetch.remark(console);
    }
}

impl ContentArgs {
    /// The options given that choose elements of the page, by their names.
    pub(super) fn selectors(&self) -> Option<&'static str> {
        match (self.include_tags.is_empty(), self.exclude_tags.is_empty()) {
            (true, true) => None,
            (false, true) => Some("the selectors of --include-tags"),
            (true, false) => Some("the selectors of --exclude-tags"),
            (false, false) => Some("--include-tags and --exclude-tags"),
        }
    }

    /// Adds the options to `fields` under the contract's names.
    pub(super) fn add_to(&self, fields: &mut Fields) {
        fields.set_list("formats", self.formats());
        fields.set("onlyMainContent", self.only_main_content);
        fields.set_list("includeTags", self.include_tags.clone());
        fields.set_list("excludeTags", self.exclude_tags.clone());
        fields.set("removeBase64Images", self.remove_base64_images);
        fields.set("parsers", self.parsers());
    }

    /// The formats, that of the schema among them.
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

    /// The one format whose text is all that was asked for, if so.
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

impl FetchArgs {
    /// What stands at the top of every request.
    pub(super) const fn zero_data_retention(&self) -> Option<bool> {
        self.zero_data_retention
    }

    /// Says which options will have no effect.
    pub(super) fn remark(&self, console: &Console) {
        remark_on_country(self.location_country.as_deref(), console);
    }

    /// Adds the options to `fields` under the contract's names.
    pub(super) fn add_to(&self, fields: &mut Fields) -> Result<(), Failure> {
        fields.set_object("headers", self.headers()?);
        fields.set("timeout", self.timeout.clone());
        fields.set("waitFor", self.wait_for.clone());
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

/// A country takes proxies whose countries are known, which no option names.
pub(super) fn remark_on_country(country: Option<&str>, console: &Console) {
    if country.is_some() {
        console.note("note: --location-country has no effect: no proxy is known to be in that country");
    }
}

/// A format that is one text, and so can be printed as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextFormat {
    Markdown,
    Html,
    RawHtml,
    Summary,
}

fn flattened(kinds: &[Kinds]) -> Vec<Value> {
    kinds.iter().flat_map(|kinds| kinds.0.iter().cloned()).collect()
}
