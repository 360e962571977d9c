use crate::page::Tab;
use crate::wire::CallError;
pub(crate) async fn html(tab: &Tab<'_>) -> Result<String, CallError> {
    tab.run("function html(){return document.documentElement.outerHTML}", Vec::new()).await
}
