//! Follows links from pages that were read.

use gleaner_extract::{ExecutionPlan, PlanStep, SiteUrl, rank_site};
use url::Url;

use super::reader::Reader;
use super::sources::{MAX_EXTERNAL_PAGES, Source, is_named_host};

/// Maximum pages that are read per hop of an agent.
const PAGES_PER_HOP: usize = 4;

/// Follows links to other sites than the named ones, if the plan has this step.
pub(super) async fn external(reader: &mut Reader<'_>) {
    let plan = reader.plan();
    if !plan.steps.iter().any(|step| matches!(step, PlanStep::FollowExternal { .. })) {
        return;
    }
    let request = reader.request();
    let links = reader.take_navigation_links().into_iter();
    let external = links.filter(|link| !is_named_host(request, &link.url)).collect();
    let best = best(external, plan, MAX_EXTERNAL_PAGES);
    reader.read(best.into_iter().map(|url| Source::found(request, url)).collect()).await;
}

/// Follows links and search forms hop by hop until nothing is missing, if the plan has this step. It stays on
/// the named sites unless the request allows others. The words of the request decide the order; a page only
/// contributes links. Half of the pages that are left are kept for controls, if the plan uses them.
pub(super) async fn navigate(reader: &mut Reader<'_>) {
    let (request, plan) = (reader.request(), reader.plan());
    let hops = plan.steps.iter().find_map(|step| match step {
        PlanStep::Navigate { hops, .. } => Some(*hops),
        _ => None,
    });
    let acts = plan.steps.iter().any(|step| matches!(step, PlanStep::Act { .. }));
    let kept = if acts { reader.capacity().div_ceil(2) } else { 0 };
    let mut candidates: Vec<SiteUrl> = Vec::new();
    for _ in 0..hops.unwrap_or_default() {
        if reader.capacity() <= kept || !reader.is_incomplete() {
            return;
        }
        let pages = if acts { PAGES_PER_HOP.min(reader.capacity() - kept) } else { PAGES_PER_HOP };
        // A link that was not followed in one hop may be the best of the next.
        candidates.extend(reader.take_navigation_links());
        candidates.retain(|link| {
            let is_allowed = request.allow_external_links || is_named_host(request, &link.url);
            is_allowed && !reader.was_tried(&link.url)
        });
        let best = best(candidates.clone(), plan, pages);
        if best.is_empty() {
            return;
        }
        reader.read(best.into_iter().map(|url| Source::found(request, url)).collect()).await;
    }
}

/// The `count` links that match the request best.
fn best(links: Vec<SiteUrl>, plan: &ExecutionPlan, count: usize) -> Vec<Url> {
    let ranked = rank_site(&links, plan).ranked;
    ranked.iter().filter_map(|page| page.url.parse().ok()).take(count).collect()
}
