//! Values read without a model on pages whose own structured data is the truth.
//!
//! The structured data of a page (JSON-LD, microdata, RDFa) states values, and the page shows most of them to
//! its readers. These are the truth: a value that the visible text does not show is left out. The visible
//! text is that of the extractor, so a value that it never sees is left out too, not missed. Extraction
//! reads the page twice, with a schema as a user would write it for that kind of thing: without the
//! structured data and its copies in scripts, `meta` elements and attributes, and as it is.
//!
//! A given value is right if it is the same in its form: numbers by value, dates by day, codes by letters
//! and digits, texts but for case and white space, texts of more than 20 words by their words (F1 at least
//! .9). If the data states several values for a property, each is accepted. A list counts as one value: the
//! share of its items that the truth has is right, the rest is wrong, and the share of the truth that it has
//! is recalled. A value in place of one that the page does not show counts as wrong only if the page shows
//! it nowhere either, its title included; else it is unjudged, as is any value about which the data says
//! nothing. Availability and images count as shown if the data states them and, for images, the page has
//! them.
//!
//! A folder has the pages as `html/ID.html.gz`, with their addresses in `ground-truth/ID.json.gz` or in
//! `ground-truth.json`; or just files `*.html` and `*.html.gz`. Labels in `ground-truth/ID.json`, such as
//! `{"url": "...", "kind": "Recipe", "fields": {"title": "...", "calories": null}}`, take the place of
//! structured data: a null says that any value is wrong.
//!
//! Every site is in one of five folds, for models that are trained without it.

mod date;
mod duration;
mod entities;
mod form;
mod kinds;
mod number;
mod options;
mod pages;
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

use gleaner_extract::{Page, Shape, extract};
use scraper::Html;
use serde_json::{Map, Value, json};

use self::options::Options;
use self::pages::{Folder, SavedPage};
use self::report::Scores;
use self::truth::{Case, Truth};
use self::visible::Visible;
use crate::{Failure, Outcome};

/// The two ways of reading a page.
const MODES: [&str; 2] = ["stripped", "with_structured_data"];

pub(super) fn evaluate(folder: &Path, arguments: &[String]) -> Result<Outcome, Failure> {
    let options = Options::parse(arguments)?;
    let mut rows = options.rows.as_ref().map(File::create).transpose()?.map(BufWriter::new);
    let mut scores = [Scores::default(), Scores::default()];
    let (mut pages, mut cases) = (0_usize, 0_usize);
    for page in Folder::open(folder)?.pages() {
        let page = page?;
        let site = site::site(&page.url);
        if options.fold.is_some_and(|fold| fold != site::fold(&site)) {
            continue;
        }
        pages += 1;
        let stripped =
            strip::without_structured_data(&page.html).map_err(|error| format!("{}: {error}", page.id))?;
        let tree = Html::parse_document(&page.html);
        let readable = Readable::of(&page, &tree, &stripped);
        let found = match truth::labelled(&page.labels)? {
            Some(case) => vec![case],
            None => truth::cases(&tree, &readable.shown),
        };
        for case in found {
            cases += 1;
            let shape = Shape::from_schema(&case.kind.schema())?;
            for ((mode, html), scores) in MODES.into_iter().zip([&stripped, &page.html]).zip(&mut scores) {
                let data = extract(&Page::new(page.url.clone(), html.as_str()), &shape).data;
                let outcomes = judged(&case, &data, &readable.on_page, scores);
                if let Some(rows) = &mut rows {
                    for mut row in outcomes {
                        row.insert("id".to_owned(), page.id.clone().into());
                        row.insert("site".to_owned(), site.clone().into());
                        row.insert("fold".to_owned(), site::fold(&site).into());
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
    let mut table = format!("{cases} things on {pages} pages\n");
    let mut figures = Map::new();
    figures.insert("pages".to_owned(), pages.into());
    figures.insert("cases".to_owned(), cases.into());
    for (mode, scores) in MODES.into_iter().zip(&scores) {
        let (lines, json) = scores.report(mode);
        table.push_str(&lines);
        figures.insert(mode.to_owned(), json);
    }
    Ok(Outcome { table: table.trim_end().to_owned(), json: json!({ "fields": figures }) })
}

/// What a page without its structured data shows.
struct Readable {
    /// Its visible text.
    shown: Visible,
    /// Its visible text and its title.
    on_page: Visible,
}

impl Readable {
    fn of(page: &SavedPage, tree: &Html, stripped: &str) -> Self {
        let text = Page::new(page.url.clone(), stripped).visible_text();
        let title =
            tree.root_element().descendent_elements().find(|element| element.value().name() == "title");
        let title = title.map(|element| element.text().collect::<String>()).unwrap_or_default();
        let on_page = Visible::new(&format!("{title}\n{text}"), stripped);
        Self { shown: Visible::new(&text, stripped), on_page }
    }
}

/// Judges the data of one extraction; returns a row for each property.
fn judged(case: &Case, data: &Value, on_page: &Visible, scores: &mut Scores) -> Vec<Map<String, Value>> {
    *scores.cases.entry(case.kind.name).or_default() += 1;
    let mut rows = Vec::new();
    for property in case.kind.properties {
        let truth = case.truths.get(property.name);
        let given = score::given(data, property);
        let outcome = score::Outcome::of(property, truth, given.as_ref(), on_page);
        scores.properties.entry((case.kind.name, property.name)).or_default().add(outcome);
        let (state, values) = match truth {
            Some(Truth::Values(values)) => ("shown", values.as_slice()),
            Some(Truth::List(values)) => ("list", values.as_slice()),
            Some(Truth::Hidden(values)) => ("hidden", values.as_slice()),
            Some(Truth::Absent) => ("absent", &[][..]),
            None => ("unknown", &[][..]),
        };
        let row = json!({ "kind": case.kind.name, "property": property.name, "truth": values, "state": state,
            "given": given, "outcome": outcome.name() });
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
