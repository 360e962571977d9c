//! The options of each field with their features and labels, from which a model is trained.
//!
//! `NAME.meta.jsonl` starts with a line of the names of the features and of the groups of fields. Then comes
//! one line for each single value that a schema asks for and about which something is known:
//!
//! | key | is |
//! |---|---|
//! | `id`, `site`, `fold`, `mode`, `kind` | the page and what it is about |
//! | `property`, `name` | the property, and its name in the schema |
//! | `group` | the group of the field; null if it has no option |
//! | `state` | what is known: `shown`, `hidden` or `absent` |
//! | `options` | the number of options |
//! | `outcomes` | a letter for each option: right, wrong or unjudged |
//! | `values`, `scores` | the start of each value, and its score by the rules |
//!
//! `NAME.f32` has the features of these options, row by row, as little-endian `f32`.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use gleaner_extract::training::{FieldOption, FieldOptions, feature_names, group_names};
use serde_json::{Value, json};

use super::asked::{Asked, AskedProperty};
use super::prepared::PreparedPage;
use super::score::Outcome;
use super::truth::{Case, Truth};
use crate::Failure;

/// Upper bound on the characters of a value that are written.
const VALUE_CHARS: usize = 80;

/// The two files.
#[derive(Debug)]
pub(super) struct OptionFile {
    meta: BufWriter<File>,
    features: BufWriter<File>,
    /// The features of an option.
    width: usize,
    pub(super) fields: usize,
    pub(super) options: usize,
}

impl OptionFile {
    /// Creates `NAME.meta.jsonl` and `NAME.f32`.
    pub(super) fn create(name: &Path) -> Result<Self, Failure> {
        let create = |suffix: &str| -> Result<BufWriter<File>, Failure> {
            let mut file = name.as_os_str().to_owned();
            file.push(suffix);
            let file = PathBuf::from(file);
            let created = File::create(&file).map_err(|error| format!("{}: {error}", file.display()))?;
            Ok(BufWriter::new(created))
        };
        let names = feature_names();
        let (mut meta, features) = (create(".meta.jsonl")?, create(".f32")?);
        writeln!(meta, "{}", json!({ "features": names, "groups": group_names() }))?;
        Ok(Self { meta, features, width: names.len(), fields: 0, options: 0 })
    }

    /// Adds the fields of a case, read in one mode.
    pub(super) fn add(
        &mut self,
        page: &PreparedPage,
        mode: &str,
        case: &Case,
        asked: &Asked,
        found: &[FieldOptions],
    ) -> Result<(), Failure> {
        for asked in asked.properties() {
            let truth = case.truths.get(asked.property.name);
            let (Some(truth), false) = (truth, asked.property.is_list) else { continue };
            let own = found.iter().find(|field| field.pointer.strip_prefix('/') == Some(asked.name));
            let options = own.map(|field| field.options.as_slice()).unwrap_or_default();
            for option in options {
                self.add_features(option)?;
            }
            let outcomes: String =
                options.iter().map(|option| letter(asked, truth, &option.value, page)).collect();
            let values: Vec<String> = options.iter().map(|option| start(&option.value)).collect();
            let scores: Vec<f64> = options.iter().map(|option| option.rule_score).collect();
            let row = json!({ "id": page.id, "site": page.site, "fold": page.fold(), "mode": mode,
                "kind": case.kind.name, "property": asked.property.name, "name": asked.name,
                "group": own.map(|field| field.group), "state": truth.state(), "options": options.len(),
                "outcomes": outcomes, "values": values, "scores": scores });
            writeln!(self.meta, "{row}")?;
            self.fields += 1;
            self.options += options.len();
        }
        Ok(())
    }

    fn add_features(&mut self, option: &FieldOption) -> Result<(), Failure> {
        if option.features.len() != self.width {
            return Err(format!("{} features of {}", option.features.len(), self.width).into());
        }
        for feature in &option.features {
            self.features.write_all(&feature.to_le_bytes())?;
        }
        Ok(())
    }

    pub(super) fn finish(&mut self) -> Result<(), Failure> {
        self.meta.flush()?;
        Ok(self.features.flush()?)
    }
}

/// The outcome of giving a value, as one letter.
fn letter(asked: &AskedProperty, truth: &Truth, value: &Value, page: &PreparedPage) -> char {
    let outcome = Outcome::of(asked.property, Some(truth), Some(value), &page.on_page);
    if outcome.right >= 1.0 {
        'r'
    } else if outcome.wrong > 0.0 {
        'w'
    } else {
        'u'
    }
}

/// The start of a value.
fn start(value: &Value) -> String {
    match value {
        Value::String(text) => text.chars().take(VALUE_CHARS).collect(),
        other => other.to_string().chars().take(VALUE_CHARS).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fields::pages::SavedPage;

    #[test]
    fn options_are_written_with_their_outcomes() {
        let labels = json!({ "kind": "Product", "fields": { "price": "12.50", "brand": null } });
        let saved = SavedPage {
            id: "cup".to_owned(),
            url: "https://shop.example/cup".parse().unwrap(),
            html: "<h1>Cup</h1><p>12,50 €</p><p>by Acme</p>".to_owned(),
            labels,
        };
        let page = PreparedPage::of(saved).unwrap();
        let case = page.cases.first().unwrap();
        let width = feature_names().len();
        let option = |value: Value| FieldOption { value, features: vec![0.5; width], rule_score: 0.25 };
        let field = |pointer: &str, values: Vec<Value>| FieldOptions {
            pointer: pointer.to_owned(),
            group: 0,
            options: values.into_iter().map(option).collect(),
        };
        let found = [
            field("/price", vec![json!(12.5), json!(9)]),
            field("/brand", vec![json!("Acme")]),
            field("/title", vec![json!("Cup")]),
        ];
        let folder = tempfile::tempdir().unwrap();
        let name = folder.path().join("cups");
        let mut file = OptionFile::create(&name).unwrap();
        file.add(&page, "stripped", case, &Asked::fixed(case.kind), &found).unwrap();
        file.finish().unwrap();
        assert_eq!((file.fields, file.options), (2, 3));
        let features = std::fs::read(folder.path().join("cups.f32")).unwrap();
        assert_eq!(features.len(), 3 * width * 4);
        let meta = std::fs::read_to_string(folder.path().join("cups.meta.jsonl")).unwrap();
        let rows: Vec<Value> = meta.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(rows[0]["features"].as_array().unwrap().len(), width);
        assert_eq!((&rows[1]["outcomes"], &rows[1]["state"]), (&json!("rw"), &json!("shown")));
        assert_eq!((&rows[2]["outcomes"], &rows[2]["state"]), (&json!("w"), &json!("absent")));
    }
}
