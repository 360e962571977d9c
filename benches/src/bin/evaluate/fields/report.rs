//! The figures as a table and as JSON.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde_json::{Map, Value, json};

use super::kinds::KINDS;
use super::score::Count;

/// The counts of one mode: by kind and property, and the cases of each kind.
#[derive(Debug, Default)]
pub(super) struct Scores {
    pub(super) properties: BTreeMap<(&'static str, &'static str), Count>,
    pub(super) cases: BTreeMap<&'static str, usize>,
}

impl Scores {
    /// The table of one mode, and its figures.
    pub(super) fn report(&self, mode: &str) -> (String, Value) {
        let mut table = format!(
            "{mode}\n  {:14}{:18}{:>7}{:>9}{:>9}{:>8}{:>10}{:>11}{:>8}\n",
            "kind", "property", "truths", "right", "wrong", "silent", "unjudged", "precision", "recall"
        );
        let mut kinds = Map::new();
        let mut all = Count::default();
        let (mut singles, mut lists) = (Count::default(), Count::default());
        let mut each: Vec<Count> = Vec::new();
        for kind in &KINDS {
            let mut sum = Count::default();
            let mut properties = Map::new();
            for property in kind.properties {
                let Some(count) = self.properties.get(&(kind.name, property.name)) else { continue };
                sum.merge(count);
                let apart = if property.is_list { &mut lists } else { &mut singles };
                apart.merge(count);
                if !count.is_empty() {
                    line(&mut table, kind.name, property.name, count);
                    properties.insert(property.name.to_owned(), figures(count));
                }
            }
            if sum.is_empty() {
                continue;
            }
            line(&mut table, kind.name, "all", &sum);
            let mut json = figures(&sum);
            if let Value::Object(json) = &mut json {
                json.insert(
                    "cases".to_owned(),
                    self.cases.get(kind.name).copied().unwrap_or_default().into(),
                );
                json.insert("properties".to_owned(), properties.into());
            }
            kinds.insert(kind.name.to_owned(), json);
            all.merge(&sum);
            each.push(sum);
        }
        line(&mut table, "single values", "", &singles);
        line(&mut table, "lists", "", &lists);
        line(&mut table, "all", "", &all);
        let mean =
            |figure: fn(&Count) -> f64| each.iter().map(figure).sum::<f64>() / (each.len().max(1) as f64);
        let (precision, recall) = (mean(Count::precision), mean(Count::recall));
        let _ = writeln!(table, "  {:75}{precision:11.3}{recall:8.3}", "mean over kinds");
        let mut json = figures(&all);
        if let Value::Object(json) = &mut json {
            json.insert("mean".to_owned(), json!({ "precision": precision, "recall": recall }));
            json.insert("single_values".to_owned(), figures(&singles));
            json.insert("lists".to_owned(), figures(&lists));
            json.insert("kinds".to_owned(), kinds.into());
        }
        (table, json)
    }
}

fn line(table: &mut String, kind: &str, property: &str, count: &Count) {
    let Count { truths, right, wrong, silent, unjudged, .. } = *count;
    let (precision, recall) = (count.precision(), count.recall());
    let _ = writeln!(
        table,
        "  {kind:14}{property:18}{truths:7}{right:9.1}{wrong:9.1}{silent:8}{unjudged:10}\
         {precision:11.3}{recall:8.3}"
    );
}

fn figures(count: &Count) -> Value {
    json!({ "truths": count.truths, "right": count.right, "wrong": count.wrong, "silent": count.silent,
        "unjudged": count.unjudged, "precision": count.precision(), "recall": count.recall() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_summed_and_averaged() {
        let mut scores = Scores::default();
        let count = |right: f64, wrong: f64, truths: usize| Count {
            truths,
            right,
            wrong,
            recalled: right,
            ..Count::default()
        };
        scores.properties.insert(("Recipe", "title"), count(3.0, 1.0, 6));
        scores.properties.insert(("Event", "title"), count(2.0, 0.0, 2));
        scores.properties.insert(("Event", "performers"), count(0.5, 0.5, 1));
        let (table, json) = scores.report("stripped");
        let figure = |path: &str| json.pointer(path).and_then(Value::as_f64).unwrap();
        assert!((figure("/precision") - 5.5 / 7.0).abs() < 1e-9);
        assert!((figure("/recall") - 5.5 / 9.0).abs() < 1e-9);
        assert!((figure("/single_values/precision") - 5.0 / 6.0).abs() < 1e-9);
        assert!((figure("/lists/recall") - 0.5).abs() < 1e-9);
        assert!((figure("/mean/precision") - (3.0 / 4.0 + 2.5 / 3.0) / 2.0).abs() < 1e-9);
        assert!((figure("/kinds/Recipe/properties/title/recall") - 0.5).abs() < 1e-9);
        assert_eq!(table.lines().filter(|line| line.contains("title")).count(), 2);
    }
}
