//! Values read without a model on pages whose own structured data is the truth.
//!
//! The structured data of a page (JSON-LD, microdata, RDFa) states values, and the page shows most of them to
//! its readers. These are the truth: a value that the visible text does not show is left out. The visible
//! text is that of the extractor, so a value that it never sees is left out too, not missed. Extraction
//! reads the page twice, with a schema as a user would write it for that kind of thing: without the
//! structured data and its copies in scripts, `meta` elements and attributes, and as it is.
//!
//! A given value is right if it is the same in its form: numbers by value, dates by day, codes by letters
//! and digits, names of organisations without legal form, article and top-level domain (`Acme GmbH` and
//! `acme.com` are `Acme`), texts but for case and white space, texts of more than 20 words by their words (F1
//! at least .9). If the data states several values for a property, each is accepted. A price of zero, in any
//! notation, is no truth. A list counts as one value: the share of its items that the truth has is right, the
//! rest is wrong, and the share of the truth that it has is recalled. A value in place of one that the page
//! does not show counts as wrong only if the page shows it nowhere either, its title included; else it is
//! unjudged, as is any value about which the data says nothing. Availability and images count as shown if the
//! data states them and, for images, the page has them.
//!
//! A folder has the pages as `html/ID.html.gz`, with their addresses in `ground-truth/ID.json.gz` or in
//! `ground-truth.json`; or just files `*.html` and `*.html.gz`. Labels in `ground-truth/ID.json`, such as
//! `{"url": "...", "kind": "Recipe", "fields": {"title": "...", "calories": null}}`, take the place of
//! structured data: a null says that any value is wrong.
//!
//! Every site is in one of five folds. `--models FOLDER` has a model for each fold, `fold-0.bin` to
//! `fold-4.bin`, that was trained without its sites.
//!
//! The schema of a kind has all its properties under fixed names. With `--names` it differs from page to
//! page, as the schemas of users do (`names.rs`, `asked.rs`). `--options NAME` measures nothing: it writes
//! the options of each field with their features and labels, from which models are trained
//! (`option_file.rs`). There the schemas always differ.
//!
//! `--outputs NAME=FILE` also judges the data that another tool gave for the pages (`outputs.rs`).

mod arguments;
mod asked;
mod date;
mod duration;
mod entities;
mod form;
mod kinds;
mod models;
mod names;
mod number;
mod option_file;
mod organisation;
mod outputs;
mod pages;
mod prepared;
mod report;
mod score;
mod site;
mod strip;
mod text;
mod truth;
mod visible;

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use gleaner_extract::{Shape, training};
use serde_json::{Map, Value, json};
use url::Url;

pub(super) use self::arguments::Arguments;
use self::asked::Asked;
pub(super) use self::models::Models;
use self::option_file::OptionFile;
use self::outputs::Outputs;
pub(super) use self::pages::Folder;
pub(super) use self::pages::SavedPage;
use self::prepared::PreparedPage;
use self::report::Scores;
use self::truth::{Case, Truth};
use crate::{Failure, Outcome};

/// The two ways of reading a page.
const MODES: [&str; 2] = ["stripped", "with_structured_data"];

pub(super) fn evaluate(folder: &Path, arguments: &[String]) -> Result<Outcome, Failure> {
    let arguments = Arguments::parse(arguments)?;
    let folder = Folder::open(folder)?;
    match &arguments.options {
        Some(name) => write_options(folder.pages(), arguments.fold, name),
        None => judge(folder.pages(), &arguments),
    }
}

/// Writes the options of the single values of these pages, in both modes.
pub(super) fn write_options(
    pages: impl Iterator<Item = Result<SavedPage, Failure>>,
    fold: Option<u64>,
    name: &Path,
) -> Result<Outcome, Failure> {
    let mut file = OptionFile::create(name)?;
    let mut count = 0_usize;
    for page in pages {
        let page = page?;
        if !is_in(fold, &page.url) {
            continue;
        }
        count += 1;
        let page = PreparedPage::of(page)?;
        for (mode, html) in MODES.into_iter().zip(page.pages()) {
            for case in &page.cases {
                let asked = Asked::varied(case.kind, &page.id);
                let options = training::options(&html, &Shape::from_schema(&asked.schema())?);
                file.add(&page, mode, case, &asked, &options)?;
            }
        }
    }
    file.finish()?;
    let OptionFile { fields, options, .. } = file;
    Ok(Outcome {
        table: format!("{options} options of {fields} fields on {count} pages"),
        json: json!({ "options": { "pages": count, "fields": fields, "options": options } }),
    })
}

/// Whether a page is of a site of this fold, if any.
pub(super) fn is_in(fold: Option<u64>, url: &Url) -> bool {
    fold.is_none_or(|fold| fold == site::fold(&site::site(url)))
}

/// Reads the pages, compares what is found with the truth, and reports the figures.
fn judge(
    pages: impl Iterator<Item = Result<SavedPage, Failure>>,
    arguments: &Arguments,
) -> Result<Outcome, Failure> {
    let models = Models::open(arguments.models.as_deref())?;
    let mut rows = arguments.rows.as_ref().map(File::create).transpose()?.map(BufWriter::new);
    let mut scores = [Scores::default(), Scores::default()];
    let mut tools: Vec<Outputs> =
        arguments.outputs.iter().map(|argument| Outputs::read(argument)).collect::<Result<_, _>>()?;
    let (mut count, mut cases) = (0_usize, 0_usize);
    for page in pages {
        let page = page?;
        if !is_in(arguments.fold, &page.url) {
            continue;
        }
        count += 1;
        let page = PreparedPage::of(page)?;
        let modes = page.pages();
        for case in &page.cases {
            cases += 1;
            let fixed = Asked::fixed(case.kind);
            for tool in &mut tools {
                let data = tool.data(&page.id, case.kind.name).clone();
                judged(case, &fixed, &data, &page, &mut tool.scores);
            }
            let asked = if arguments.has_names { Asked::varied(case.kind, &page.id) } else { fixed };
            let shape = Shape::from_schema(&asked.schema())?;
            for ((mode, html), scores) in MODES.into_iter().zip(&modes).zip(&mut scores) {
                let data = models.extract(html, &shape).data;
                let outcomes = judged(case, &asked, &data, &page, scores);
                if let Some(rows) = &mut rows {
                    for mut row in outcomes {
                        row.insert("mode".to_owned(), mode.into());
                        writeln!(rows, "{}", Value::Object(row))?;
                    }
                }
            }
        }
    }
    if let Some(rows) = &mut rows {
        rows.flush()?;
    }
    let mut table = format!("{cases} things on {count} pages\n");
    let mut figures = Map::new();
    figures.insert("pages".to_owned(), count.into());
    figures.insert("cases".to_owned(), cases.into());
    let own = MODES.into_iter().zip(&scores);
    for (name, scores) in own.chain(tools.iter().map(|tool| (tool.name.as_str(), &tool.scores))) {
        let (lines, json) = scores.report(name);
        table.push_str(&lines);
        figures.insert(name.to_owned(), json);
    }
    Ok(Outcome { table: table.trim_end().to_owned(), json: json!({ "fields": figures }) })
}

/// Judges the data of one extraction; returns a row for each property that the schema asks for.
fn judged(
    case: &Case,
    asked: &Asked,
    data: &Value,
    page: &PreparedPage,
    scores: &mut Scores,
) -> Vec<Map<String, Value>> {
    *scores.cases.entry(case.kind.name).or_default() += 1;
    let mut rows = Vec::new();
    for asked in asked.properties() {
        let property = asked.property;
        let truth = case.truths.get(property.name);
        let given = score::given(data, asked.name);
        let outcome = score::Outcome::of(property, truth, given.as_ref(), &page.on_page);
        scores.properties.entry((case.kind.name, property.name)).or_default().add(outcome);
        let row = json!({ "id": page.id, "site": page.site, "fold": page.fold(), "kind": case.kind.name,
            "property": property.name, "name": asked.name,
            "truth": truth.map(Truth::values).unwrap_or_default(),
            "state": truth.map_or("unknown", Truth::state), "given": given, "outcome": outcome.name() });
        if let Value::Object(row) = row {
            rows.push(row);
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_read_with_and_without_their_structured_data() {
        let folder = tempfile::tempdir().unwrap();
        let html = r#"<title>Red cup | Shop</title><script type="application/ld+json">{"@type": "Product",
            "name": "Red cup", "mpn": "MX-100", "offers": {"price": "12.50", "priceCurrency": "EUR"}}</script>
            <h1>Red cup</h1><p class="price">12,50 €</p><p>A cup of the MX-100 line</p>"#;
        std::fs::write(folder.path().join("cup.html"), html).unwrap();
        let rows = folder.path().join("rows.jsonl");
        let arguments = ["--rows".to_owned(), rows.to_string_lossy().into_owned()];
        let outcome = evaluate(folder.path(), &arguments).unwrap();
        let figure =
            |path: &str| outcome.json.pointer(&format!("/fields/{path}")).and_then(Value::as_f64).unwrap();
        assert!((figure("cases") - 1.0).abs() < 1e-9);
        assert!((figure("stripped/kinds/Product/properties/price/recall") - 1.0).abs() < 1e-9);
        assert!((figure("with_structured_data/recall") - 1.0).abs() < 1e-9);
        let rows = std::fs::read_to_string(rows).unwrap();
        let mpn = rows.lines().filter(|line| line.contains(r#""mpn""#)).collect::<Vec<_>>();
        assert_eq!(mpn.len(), 2);
        assert!(mpn[0].contains(r#""outcome":"silent""#) && mpn[1].contains(r#""outcome":"right""#));
    }
}
