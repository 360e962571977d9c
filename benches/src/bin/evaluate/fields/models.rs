//! The models of the folds.

use std::fs;
use std::path::Path;

use gleaner_extract::training::{Scorer, extract_with};
use gleaner_extract::{Extraction, Page, Shape, extract};

use super::site::{self, FOLDS};
use crate::Failure;

/// One model for each fold, trained without the sites of the fold; or none, for the model of the extractor.
#[derive(Default)]
pub(crate) struct Models(Vec<Scorer>);

impl Models {
    /// Reads `fold-0.bin` and so on. Without a folder the extractor uses its own model.
    pub(crate) fn open(folder: Option<&Path>) -> Result<Self, Failure> {
        let Some(folder) = folder else { return Ok(Self::default()) };
        let read = |fold: u64| -> Result<Scorer, Failure> {
            let file = folder.join(format!("fold-{fold}.bin"));
            let bytes = fs::read(&file).map_err(|error| format!("{}: {error}", file.display()))?;
            let wrong = || format!("{} is no model for the features of this program", file.display());
            Ok(Scorer::read(&bytes).ok_or_else(wrong)?)
        };
        Ok(Self((0..FOLDS).map(read).collect::<Result<_, _>>()?))
    }

    /// Reads a page with the model that was trained without its site.
    pub(crate) fn extract(&self, page: &Page, shape: &Shape) -> Extraction {
        let fold = site::fold(&site::site(&page.url));
        match usize::try_from(fold).ok().and_then(|fold| self.0.get(fold)) {
            Some(scorer) => extract_with(page, shape, scorer),
            None => extract(page, shape),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_needed_for_every_fold() {
        assert!(Models::open(None).is_ok());
        let folder = tempfile::tempdir().unwrap();
        let error = Models::open(Some(folder.path())).err().unwrap().to_string();
        assert!(error.contains("fold-0.bin"), "{error}");
        fs::write(folder.path().join("fold-0.bin"), "no model").unwrap();
        let error = Models::open(Some(folder.path())).err().unwrap().to_string();
        assert!(error.contains("is no model"), "{error}");
    }
}
