//! The options after the folder.

use std::path::PathBuf;

use super::site::FOLDS;
use crate::Failure;

/// What is measured and written.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Options {
    /// Only the pages of the sites of this fold.
    pub(super) fold: Option<u64>,
    /// A file for one line of JSON per property of each case.
    pub(super) rows: Option<PathBuf>,
}

impl Options {
    pub(super) fn parse(arguments: &[String]) -> Result<Self, Failure> {
        let mut options = Self::default();
        let mut rest = arguments.iter();
        while let Some(name) = rest.next() {
            let value = rest.next().ok_or_else(|| format!("`{name}` needs a value"))?;
            match name.as_str() {
                "--fold" => {
                    let fold = value.parse::<u64>().ok().filter(|fold| *fold < FOLDS);
                    options.fold =
                        Some(fold.ok_or_else(|| format!("no fold `{value}` (0 to {})", FOLDS - 1))?);
                }
                "--rows" => options.rows = Some(value.into()),
                _ => return Err(format!("unknown option `{name}`").into()),
            }
        }
        Ok(options)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_checked() {
        let parse = |text: &str| {
            let arguments: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
            Options::parse(&arguments).ok()
        };
        let all = Options { fold: Some(2), rows: Some("rows.jsonl".into()) };
        assert_eq!(parse("--fold 2 --rows rows.jsonl"), Some(all));
        assert_eq!(parse(""), Some(Options::default()));
        for wrong in ["--fold 9", "--fold", "--all yes"] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }
}
