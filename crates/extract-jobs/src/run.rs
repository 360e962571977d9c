use std::sync::Arc;

use gleaner_extract::{ExecutionPlan, PlanStep, Shape, empty_answer};
use gleaner_runtime::JobOwner;
use gleaner_types::PageError;
use gleaner_types::plan::ExtractPlan;

use super::reader::{self, Reader};
use super::result::ExtractResult;
use super::runner::ExtractRunner;
use super::watch::ExtractWatch;
use super::{answer, follow, shape, site, sources};

/// An extract job from its request to its answer.
///
/// The plan first, as it says what is missing before anything is fetched. Then the pages: those that are
/// named, those that a search finds, those that are chosen of each site, and links that lead on where the
/// request allows it. What they say becomes one result. Whatever ends the work early, the answer is what
/// there is until then; dropping the future ends everything.
pub(super) async fn run(
    runner: &ExtractRunner,
    mut request: ExtractPlan,
    owner: Option<Arc<dyn JobOwner>>,
    watch: Option<&ExtractWatch>,
) -> Result<ExtractResult, PageError> {
    let runtime = runner.runtime()?;
    if let Some((data, remark)) = request.schema.as_ref().and_then(empty_answer) {
        if request.prompt.is_none() || !runner.has_model() {
            return Ok(ExtractResult { data, warning: Some(remark), ..ExtractResult::default() });
        }
        // Such a schema says nothing beside words: the model makes one of these.
        request.schema = None;
    }
    let mut plan = runner.plan(&request).map_err(|error| shape::refusal(&error))?;
    let job = runner.job(owner);
    if let Some(watch) = watch {
        watch.begin(&job.ledger);
    }
    let named = sources::named(&request);
    let mut known = Vec::new();
    if request.schema.is_none() {
        // Words have their price before the first page is read, so it is seen first whether there is one.
        let most = usize::try_from(plan.page_limit).unwrap_or(usize::MAX);
        known = reader::ahead(&runtime, &request, &job, named.iter().take(most).cloned().collect()).await;
        let is_vain = !finds_pages(&request, &plan) && known.iter().all(|(_, page)| page.is_err());
        if is_vain
            && !known.is_empty()
            && let (_, Err(error)) = known.swap_remove(0)
        {
            return Err(error);
        }
        let prompt = request.prompt.clone().unwrap_or_default();
        request.schema = Some(job.draft_schema(&prompt).await?);
        plan = runner.plan(&request).map_err(|error| shape::refusal(&error))?;
    }
    let shape: Shape = job.shape(request.schema.as_ref(), None).await?;

    let mut reader = Reader::new(&runtime, &request, &plan, &shape, &job, runner.places());
    reader.know(known);
    reader.read(named).await;
    match sources::searched(&request, &plan, runner.search()).await {
        Ok(pages) => reader.read(pages).await,
        Err(note) => reader.notes.push(note),
    }
    for source in request.sources.iter().filter(|source| source.wildcard) {
        if !reader.has_room() {
            break;
        }
        match site::choose(&mut reader, source).await {
            Ok(pages) => reader.read(pages).await,
            Err(error) => reader.failed.push(((&source.target.url).into(), error)),
        }
    }
    follow::external(&mut reader).await;
    follow::navigate(&mut reader).await;
    answer::of_pages(reader, &shape).await
}

/// Are there pages beside those that the request names?
fn finds_pages(request: &ExtractPlan, plan: &ExecutionPlan) -> bool {
    let searches = plan.steps.iter().any(|step| matches!(step, PlanStep::Search { .. }));
    searches || request.sources.iter().any(|source| source.wildcard)
}
