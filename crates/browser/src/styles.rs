use crate::page::Tab;
pub(crate) async fn read(_tab: &Tab<'_>) -> Option<serde_json::Value> {
    None
}
