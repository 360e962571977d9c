//! Which pages of a site are read for a wildcard.

use gleaner_extract::{Discovery, Plan, Probed, SiteUrl, Step, discover};
use gleaner_types::plan::{ExtractPlan, ExtractSource, MapPlan, SitemapMode};
use gleaner_types::{PageError, SafeUrl};
use url::Url;

use super::reader::Reader;
use super::sources::{Source, is_below};
use super::visit::failure;

/// Most addresses of a site that the pages of a wildcard are chosen from.
pub const MAX_SITE_PAGES: u64 = 20_000;
/// Words that the addresses of a larger site are sorted by, before all but the first are dropped.
const MAX_MAP_WORDS: usize = 16;
/// Pages from which on a cluster counts as pages that are alike.
const ALIKE: usize = 3;

/// Lists a site, ranks its clusters, looks at a few pages of the best, and chooses.
pub(super) async fn choose(
    reader: &mut Reader<'_>,
    source: &ExtractSource,
) -> Result<Vec<Source>, PageError> {
    let (request, plan) = (reader.request(), reader.plan());
    let mut pages = map(reader, map_plan(request, plan, source), source).await?;
    let folder = source.target.url.path().trim_end_matches('/');
    let is_inside = |url: &Url| url.path().trim_end_matches('/') != folder;
    if !folder.is_empty() && !pages.iter().any(is_inside) {
        // Many folders are no page themselves: what is in them is linked from elsewhere on the site.
        let mut whole = map_plan(request, plan, source);
        whole.target.url.set_path("/");
        let elsewhere = map(reader, whole, source).await?;
        if elsewhere.iter().any(is_inside) {
            pages = elsewhere;
        }
    }
    let site: Vec<SiteUrl> = pages.into_iter().map(SiteUrl::new).collect();
    let found = discover(&site, plan);
    let probed = probe(reader, &found, plan).await;
    let chosen = found.pages(&probed);
    tracing::debug!(
        site = %SafeUrl::from(&source.target.url),
        pages = site.len(),
        clusters = found.clusters.len(),
        probed = probed.len(),
        chosen = chosen.len(),
        "the pages of a site were chosen"
    );
    if site.len() > chosen.len() && u64::try_from(chosen.len()).is_ok_and(|pages| pages >= plan.page_limit) {
        let host = source.target.url.host_str().unwrap_or_default();
        let (chosen, known) = (chosen.len(), site.len());
        reader.notes.push(format!(
            "of {known} pages of {host} the {chosen} were chosen that seem to be most about it"
        ));
    }
    Ok(chosen.into_iter().map(|url| member(request, &found, url)).collect())
}

/// The addresses of a map that are below that of the wildcard.
async fn map(reader: &mut Reader<'_>, asked: MapPlan, source: &ExtractSource) -> Result<Vec<Url>, PageError> {
    let mapping = reader.room().map(asked);
    let Some(mapped) = reader.job().in_time(mapping).await else { return Ok(Vec::new()) };
    let mapped = mapped.map_err(|error| failure(&error))?;
    reader.notes.extend(mapped.warning);
    Ok(mapped.links.into_iter().filter(|url| is_below(source, url)).collect())
}

/// What a few pages of each cluster show. Where there is nothing to choose between, or none of them shows anything
/// without a model, the ranks alone decide.
async fn probe(reader: &mut Reader<'_>, found: &Discovery, plan: &Plan) -> Vec<Probed> {
    let most = plan.steps.iter().find_map(|step| match step {
        Step::Probe { pages } => usize::try_from(*pages).ok(),
        _ => None,
    });
    if found.clusters.len() < 2 {
        return Vec::new();
    }
    let urls = found.probes.iter().take(most.unwrap_or_default()).filter_map(|url| Url::parse(url).ok());
    let sources = urls.map(|url| member(reader.request(), found, url)).collect();
    let probed = reader.probe(sources).await;
    if probed.iter().any(|probe| probe.fill > 0.0) { probed } else { Vec::new() }
}

/// A page of the site, with the cluster that it belongs to.
fn member(request: &ExtractPlan, found: &Discovery, url: Url) -> Source {
    let cluster = found.patterns.of(&url);
    let alike = found.clusters.iter().any(|known| known.pattern == cluster && known.pages >= ALIKE);
    Source { cluster, alike, ..Source::found(request, url) }
}

fn map_plan(request: &ExtractPlan, plan: &Plan, source: &ExtractSource) -> MapPlan {
    let words: Vec<&str> = plan.terms.iter().take(MAX_MAP_WORDS).map(|(word, _)| word.as_str()).collect();
    let mut target = source.target.clone();
    // `/shop/*` is what is in the folder `/shop/`; some sites know it by that name alone.
    if !target.url.path().ends_with('/') {
        let folder = format!("{}/", target.url.path());
        target.url.set_path(&folder);
    }
    MapPlan {
        target,
        search: (!words.is_empty()).then(|| words.join(" ")),
        sitemap: if request.ignore_sitemap { SitemapMode::Skip } else { SitemapMode::Include },
        include_subdomains: request.include_subdomains,
        // `/view?id=7` is a page of its own.
        ignore_query_parameters: false,
        limit: MAX_SITE_PAGES,
        timeout: None,
        location: request.options.location.clone(),
    }
}
