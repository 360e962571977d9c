//! Pages that pages lead to.

use gleaner_extract::{ExecutionPlan, PlanStep, SiteUrl, rank_site};
use url::Url;

use super::reader::Reader;
use super::sources::{MAX_EXTERNAL_PAGES, Source, is_named_host};

/// Pages that are read for one click of an agent.
const PAGES_PER_HOP: usize = 4;

/// Follows links that lead away from the named sites, where the plan has it.
pub(super) async fn external(reader: &mut Reader<'_>) {
    let plan = reader.plan();
    if !plan.steps.iter().any(|step| matches!(step, PlanStep::FollowExternal { .. })) {
        return;
    }
    let request = reader.request();
    let away =
        reader.navigation_links().into_iter().filter(|origin| !is_named_host(request, &origin.url)).collect();
    let best = best(away, plan, MAX_EXTERNAL_PAGES);
    reader.read(best.into_iter().map(|url| Source::found(request, url)).collect()).await;
}

/// Goes on by links and search forms, where the plan has it, click by click until nothing is missing. It
/// stays on the named sites unless the request lets it go elsewhere. No page can name the next one but by
/// such a link, and the order is by the words of the request.
pub(super) async fn navigate(reader: &mut Reader<'_>) {
    let (request, plan) = (reader.request(), reader.plan());
    let hops = plan.steps.iter().find_map(|step| match step {
        PlanStep::Navigate { hops, .. } => Some(*hops),
        _ => None,
    });
    let mut known: Vec<SiteUrl> = Vec::new();
    for _ in 0..hops.unwrap_or_default() {
        if !reader.has_room() || !reader.lacks_something() {
            return;
        }
        // What was passed over at one page may be the best at the next.
        known.extend(reader.navigation_links());
        known.retain(|origin| {
            let stays = request.allow_external_links || is_named_host(request, &origin.url);
            stays && !reader.has_seen(&origin.url)
        });
        let best = best(known.clone(), plan, PAGES_PER_HOP);
        if best.is_empty() {
            return;
        }
        reader.read(best.into_iter().map(|url| Source::found(request, url)).collect()).await;
    }
}

/// Those addresses first that are most about what is asked for.
fn best(navigation_links: Vec<SiteUrl>, plan: &ExecutionPlan, most: usize) -> Vec<Url> {
    let ranked = rank_site(&navigation_links, plan).ranked;
    ranked.iter().filter_map(|page| page.url.parse().ok()).take(most).collect()
}
