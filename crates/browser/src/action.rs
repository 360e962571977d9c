use crate::page::Tab;
use gleaner_fetch::ActionResult;
use gleaner_fetch::Error;
use gleaner_types::plan::PlannedAction;
pub(crate) async fn run(
    _tab: &Tab<'_>,
    _actions: &[PlannedAction],
    _results: &mut Vec<ActionResult>,
) -> Result<(), Error> {
    Ok(())
}
