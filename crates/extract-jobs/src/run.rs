//! The stages of an extract job, from the plan to the merged result.

use std::sync::Arc;

use gleaner_extract::{ExecutionPlan, PlanStep, Shape, empty_answer};
use gleaner_runtime::JobOwner;
use gleaner_types::PageError;
use gleaner_types::plan::ExtractPlan;

use super::reader::Reader;
use super::result::ExtractResult;
use super::runner::ExtractRunner;
use super::watch::ExtractWatch;
use super::{act, answer, fetching, follow, site, sources};

/// Runs an extract job.
///
/// The plan comes first, because it finds missing parts before anything is fetched. Then it reads pages:
/// those that the request names, those that the search finds, those that are selected from each site, and
/// those that links lead to, if the request allows it; then it uses the controls of pages, if the request has
/// an agent. The values become one result. If something ends the
/// work early, the result is what was found before. Dropping the future ends all work.
pub(super) async fn run(
    runner: &ExtractRunner,
    mut request: ExtractPlan,
    owner: Option<Arc<dyn JobOwner>>,
    watch: Option<&ExtractWatch>,
) -> Result<ExtractResult, PageError> {
    let runtime = runner.runtime()?;
    if let Some((data, note)) = request.schema.as_ref().and_then(empty_answer) {
        if request.prompt.is_none() || !runner.has_model() {
            return Ok(ExtractResult { data, warning: Some(note), ..ExtractResult::default() });
        }
        // A schema without properties adds nothing to a prompt: the model derives one from the prompt.
        request.schema = None;
    }
    let mut plan = runner.plan(&request)?;
    let job = runner.job(owner);
    if let Some(watch) = watch {
        watch.start(&job.ledger);
    }
    let named = sources::named(&request);
    let mut prefetched = Vec::new();
    if request.schema.is_none() {
        // A prompt costs tokens before the first page is read, so check first that there is a page.
        let limit = usize::try_from(plan.page_limit).unwrap_or(usize::MAX);
        let first = named.iter().take(limit).cloned().collect();
        prefetched = fetching::prefetch(&runtime, &request, &job, first).await;
        let all_failed = !finds_pages(&request, &plan) && prefetched.iter().all(|(_, page)| page.is_err());
        if all_failed
            && !prefetched.is_empty()
            && let (_, Err(error)) = prefetched.swap_remove(0)
        {
            return Err(error);
        }
        let prompt = request.prompt.clone().unwrap_or_default();
        request.schema = Some(job.draft_schema(&prompt).await?);
        plan = runner.plan(&request)?;
    }
    let shape: Shape = job.shape(request.schema.as_ref(), None).await?;

    let mut reader = Reader::new(&runtime, &request, &plan, &shape, &job, runner.slots());
    reader.add_prefetched(prefetched);
    reader.read(named).await;
    match sources::searched(&request, &plan, runner.search()).await {
        Ok(pages) => reader.read(pages).await,
        Err(note) => reader.notes.push(note),
    }
    for source in request.sources.iter().filter(|source| source.wildcard) {
        if !reader.has_capacity() {
            break;
        }
        match site::select(&mut reader, source).await {
            Ok(pages) => reader.read(pages).await,
            Err(error) => reader.failed.push(((&source.target.url).into(), error)),
        }
    }
    follow::external(&mut reader).await;
    follow::navigate(&mut reader).await;
    act::act(&mut reader).await;
    answer::assemble(reader, &shape).await
}

/// Whether there are other pages than those that the request names.
fn finds_pages(request: &ExtractPlan, plan: &ExecutionPlan) -> bool {
    let searches = plan.steps.iter().any(|step| matches!(step, PlanStep::Search { .. }));
    searches || request.sources.iter().any(|source| source.wildcard)
}
