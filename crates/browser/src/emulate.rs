use crate::page::Tab;
use crate::wire::{CallError, SessionId};
pub(crate) async fn apply(_tab: &Tab<'_>, _session: &SessionId) -> Result<(), CallError> {
    Ok(())
}
