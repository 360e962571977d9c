//! Scrolls the page, or a box in it.

use gleaner_types::plan::ScrollDirection;
use serde_json::json;

use super::failure::Failure;
use super::find::ELEMENT_LIMIT;
use super::frames::Place;
use super::query::Query;
use super::runner::Runner;

impl Runner<'_, '_> {
    /// Scrolls by the height or width of the window, or of the box that the first match is or is in. At the
    /// end it does nothing.
    pub(super) async fn scroll(
        &mut self,
        direction: ScrollDirection,
        selector: Option<&str>,
    ) -> Result<(), Failure> {
        let argument = json!({ "direction": direction });
        let query = Query { argument, ..Query::new("scroll", selector) };
        let place = if selector.is_none() { Some(&Place::Main) } else { None };
        self.find(&query, place, ELEMENT_LIMIT).await.map(drop)
    }
}
