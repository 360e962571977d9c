use crate::page::Tab;
pub(crate) async fn hide(_tab: &Tab<'_>) {}
