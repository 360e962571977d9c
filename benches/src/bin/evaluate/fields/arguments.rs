//! The arguments after the folder.

use std::path::PathBuf;

use super::site::FOLDS;
use crate::Failure;

/// What is measured and written.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Arguments {
    /// Only the pages of the sites of this fold.
    pub(crate) fold: Option<u64>,
    /// The start of the names of two files for the options of each field, with their features and labels.
    /// Nothing is measured then.
    pub(crate) options: Option<PathBuf>,
    /// A folder with a model for each fold that was trained without the sites of the fold.
    pub(crate) models: Option<PathBuf>,
    /// Whether the names in the schema differ from page to page.
    pub(crate) has_names: bool,
    /// A file for one line of JSON per property of each case.
    pub(crate) rows: Option<PathBuf>,
    /// Other tools and the files of their data, as `NAME=FILE`.
    pub(crate) outputs: Vec<String>,
}

impl Arguments {
    pub(crate) fn parse(arguments: &[String]) -> Result<Self, Failure> {
        let mut parsed = Self::default();
        let mut rest = arguments.iter();
        while let Some(name) = rest.next() {
            if name == "--names" {
                parsed.has_names = true;
                continue;
            }
            let value = rest.next().ok_or_else(|| format!("`{name}` needs a value"))?;
            match name.as_str() {
                "--fold" => {
                    let fold = value.parse::<u64>().ok().filter(|fold| *fold < FOLDS);
                    parsed.fold =
                        Some(fold.ok_or_else(|| format!("no fold `{value}` (0 to {})", FOLDS - 1))?);
                }
                "--options" => parsed.options = Some(value.into()),
                "--models" => parsed.models = Some(value.into()),
                "--rows" => parsed.rows = Some(value.into()),
                "--outputs" => parsed.outputs.push(value.clone()),
                _ => return Err(format!("unknown option `{name}`").into()),
            }
        }
        Ok(parsed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_checked() {
        let parse = |text: &str| {
            let arguments: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
            Arguments::parse(&arguments).ok()
        };
        let judged = Arguments {
            fold: Some(2),
            models: Some("models".into()),
            has_names: true,
            rows: Some("rows.jsonl".into()),
            outputs: vec!["a=a.jsonl".to_owned()],
            ..Arguments::default()
        };
        let line = "--fold 2 --names --models models --rows rows.jsonl --outputs a=a.jsonl";
        assert_eq!(parse(line), Some(judged));
        let written = Arguments { options: Some("options/a".into()), ..Arguments::default() };
        assert_eq!(parse("--options options/a"), Some(written));
        assert_eq!(parse(""), Some(Arguments::default()));
        for wrong in ["--fold 9", "--fold", "--options", "--all yes"] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }
}
