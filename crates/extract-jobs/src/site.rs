//! Selects the pages of a site for a wildcard.

use std::collections::{HashMap, HashSet};

use gleaner_extract::{ExecutionPlan, PlanStep, ProbeResult, SiteRanking, SiteUrl, rank_site};
use gleaner_types::plan::{CrawlRules, ExtractPlan, ExtractSource, MapPlan, SitemapMode};
use gleaner_types::{Interrupt, PageError, SafeUrl};
use url::Url;

use super::blocking::blocking;
use super::reader::Reader;
use super::sources::{Source, is_below};
use super::visit::{page_error, single_page_rules};

/// Maximum URLs of a site that pages are selected from.
const MAX_SITE_PAGES: u64 = 20_000;
/// Maximum words by which the map sorts the URLs of a site.
const MAX_MAP_WORDS: usize = 16;
/// The start page is probed only if the plan allows at least this many probes.
const MIN_PROBES: usize = 4;
/// The links of probed pages count on sites with fewer pages.
const FEW_PAGES: usize = 200;
/// Maximum pages that are found by these links.
const MAX_LINKED_PAGES: usize = 5_000;
/// Minimum pages of a cluster whose pages count as alike.
const MIN_ALIKE: usize = 3;

/// Maps a site, ranks its clusters, probes a few pages of the best ones, and selects pages. On a small site
/// the links of the probed pages count too.
pub(super) async fn select(
    reader: &mut Reader<'_>,
    source: &ExtractSource,
) -> Result<Vec<Source>, PageError> {
    let (request, plan) = (reader.request(), reader.plan());
    let mut pages = map(reader, map_plan(request, plan, source), source).await?;
    let folder = source.target.url.path().trim_end_matches('/');
    let is_inside = |url: &Url| url.path().trim_end_matches('/') != folder;
    if !folder.is_empty() && !pages.iter().any(is_inside) {
        // Many folders have no page of their own, and only other pages of the site link into them.
        let mut whole_site = map_plan(request, plan, source);
        whole_site.target.url.set_path("/");
        let all = map(reader, whole_site, source).await?;
        if all.iter().any(is_inside) {
            pages = all;
        }
    }
    let mut site: Vec<SiteUrl> = pages.into_iter().map(SiteUrl::new).collect();
    // The start page comes first: the texts of its links say more than their URLs.
    let max_probes = max_probes(plan);
    let start = Source::found(request, source.target.url.clone());
    let probes_start = max_probes >= MIN_PROBES && site.iter().any(|page| page.url == start.target.url);
    let (mut probed, links) = reader.probe(if probes_start { vec![start] } else { Vec::new() }).await;
    add_anchors(&mut site, &links);
    let mut ranking;
    (site, ranking) = rank(reader, site).await?;
    let left = max_probes.saturating_sub(probed.len());
    let (more, more_links) = probe(reader, &ranking, &site, left, true).await;
    probed.extend(more);
    let links = links.into_iter().chain(more_links).collect();
    // Pages that the start page does not link may be linked from the pages below it.
    let (more, hubs) = linked_pages(reader, source, &site, links).await;
    if !more.is_empty() {
        let left = max_probes.saturating_sub(probed.len());
        let similar = pages_like(&ranking, &site, &hubs, reader).into_iter().take(left);
        site.extend(more);
        let (more, links) = reader.probe(similar.map(|url| member(request, &ranking, url)).collect()).await;
        probed.extend(more);
        let (more, _) = linked_pages(reader, source, &site, links).await;
        site.extend(more);
        (site, ranking) = rank(reader, site).await?;
        let left = max_probes.saturating_sub(probed.len());
        let (more, _) = probe(reader, &ranking, &site, left, false).await;
        probed.extend(more);
    }
    let has_values = probed.iter().any(|probe| probe.fill > 0.0);
    let selected = ranking.pages(if has_values { &probed } else { &[] });
    tracing::debug!(
        site = %SafeUrl::from(&source.target.url),
        pages = site.len(),
        clusters = ranking.clusters.len(),
        probed = probed.len(),
        selected = selected.len(),
        "the pages of a site were selected"
    );
    let is_limited = u64::try_from(selected.len()).is_ok_and(|pages| pages >= plan.page_limit);
    if is_limited && site.len() > selected.len() {
        let host = source.target.url.host_str().unwrap_or_default();
        let (selected, known) = (selected.len(), site.len());
        reader.notes.push(format!("the {selected} best of {known} pages of {host} were selected"));
    }
    let large_clusters = large_clusters(&ranking);
    let sources = selected.into_iter().map(|url| {
        let cluster = ranking.patterns.of(&url);
        let alike = large_clusters.contains(cluster.as_str());
        Source { cluster, alike, ..Source::found(request, url) }
    });
    Ok(sources.collect())
}

/// At least this many URLs are ranked on a blocking thread.
const MANY_PAGES: usize = 1_000;

/// Ranks the URLs of a site.
async fn rank(reader: &Reader<'_>, site: Vec<SiteUrl>) -> Result<(Vec<SiteUrl>, SiteRanking), PageError> {
    if site.len() < MANY_PAGES {
        let ranking = rank_site(&site, reader.plan());
        return Ok((site, ranking));
    }
    let plan = reader.plan().clone();
    let work = async move {
        let ranking = rank_site(&site, &plan);
        (site, ranking)
    };
    blocking(reader.slots(), &Interrupt::never(), work).await
}

/// The patterns of clusters whose pages count as alike.
fn large_clusters(ranking: &SiteRanking) -> HashSet<&str> {
    let clusters = ranking.clusters.iter().filter(|cluster| cluster.pages >= MIN_ALIKE);
    clusters.map(|cluster| cluster.pattern.as_str()).collect()
}

/// The mapped URLs below that of the wildcard.
async fn map(reader: &mut Reader<'_>, plan: MapPlan, source: &ExtractSource) -> Result<Vec<Url>, PageError> {
    let mapping = async {
        let _permit = match reader.job().owner() {
            Some(owner) => Some(owner.lookup_permit().await),
            None => None,
        };
        reader.runtime().map(plan).await
    };
    let Some(map) = reader.job().in_time(mapping).await else { return Ok(Vec::new()) };
    let map = map.map_err(|error| page_error(&error))?;
    reader.notes.extend(map.warning);
    Ok(map.links.into_iter().filter(|url| is_below(source, url)).collect())
}

/// The number of pages that the plan allows to probe.
fn max_probes(plan: &ExecutionPlan) -> usize {
    let pages = plan.steps.iter().find_map(|step| match step {
        PlanStep::Probe { pages } => usize::try_from(*pages).ok(),
        _ => None,
    });
    pages.unwrap_or_default()
}

/// Sets the anchors of pages from the texts of links.
fn add_anchors(site: &mut [SiteUrl], links: &[(Url, Vec<SiteUrl>)]) {
    let mut anchors: HashMap<&str, &String> = HashMap::new();
    for link in links.iter().flat_map(|(_, links)| links) {
        if let Some(anchor) = &link.anchor {
            anchors.entry(link.url.as_str()).or_insert(anchor);
        }
    }
    for page in site.iter_mut().filter(|page| page.anchor.is_none()) {
        page.anchor = anchors.get(page.url.as_str()).map(|anchor| (*anchor).clone());
    }
}

/// Probes at most `count` pages, a few of each cluster, and returns their results and links. A site with a
/// single cluster is probed only if it is small and `is_first`: there is nothing to choose, but links may be
/// missing.
async fn probe(
    reader: &mut Reader<'_>,
    ranking: &SiteRanking,
    site: &[SiteUrl],
    count: usize,
    is_first: bool,
) -> (Vec<ProbeResult>, Vec<(Url, Vec<SiteUrl>)>) {
    if ranking.clusters.len() < 2 && (site.len() >= FEW_PAGES || !is_first) {
        return (Vec::new(), Vec::new());
    }
    let urls = ranking.probes.iter().filter_map(|url| Url::parse(url).ok());
    let urls: Vec<Url> = urls.filter(|url| !reader.was_fetched(url)).take(count).collect();
    let sources = urls.into_iter().map(|url| member(reader.request(), ranking, url)).collect();
    reader.probe(sources).await
}

/// The unknown pages of a small site that its probed pages link to, and the probed pages that link to them.
async fn linked_pages(
    reader: &Reader<'_>,
    source: &ExtractSource,
    site: &[SiteUrl],
    links: Vec<(Url, Vec<SiteUrl>)>,
) -> (Vec<SiteUrl>, Vec<Url>) {
    let (mut more, mut hubs) = (Vec::new(), Vec::new());
    if site.len() >= FEW_PAGES {
        return (more, hubs);
    }
    let (mut pages, mut below) = (Vec::new(), Vec::new());
    for (page, links) in links {
        let links = links.into_iter().filter(|link| is_below(source, &link.url));
        below.extend(links.map(|link| (pages.len(), link)));
        pages.push(page);
    }
    let rules = CrawlRules { allow_subdomains: reader.request().include_subdomains, ..single_page_rules() };
    let start = source.target.url.clone();
    let Ok(inside) = reader.runtime().filter_in_scope(start, rules, below, link_url).await else {
        return (more, hubs);
    };
    let mut known: HashSet<String> = site.iter().map(|page| page.url.as_str().to_owned()).collect();
    let mut inside = inside.into_iter().peekable();
    for (index, page) in pages.into_iter().enumerate() {
        let before = more.len();
        while let Some((_, link)) = inside.next_if(|(page, _)| *page == index) {
            if known.insert(link.url.as_str().to_owned()) {
                more.push(link);
            }
        }
        more.truncate(MAX_LINKED_PAGES);
        if more.len() > before {
            hubs.push(page);
        }
    }
    (more, hubs)
}

/// The URL of a link that is stored with the index of its page.
fn link_url(link: &(usize, SiteUrl)) -> &Url {
    &link.1.url
}

/// The other known pages in the clusters of `pages` that were not fetched.
fn pages_like(ranking: &SiteRanking, site: &[SiteUrl], pages: &[Url], reader: &Reader<'_>) -> Vec<Url> {
    let clusters: HashSet<String> = pages.iter().map(|page| ranking.patterns.of(page)).collect();
    let others = site.iter().map(|page| &page.url);
    let others =
        others.filter(|url| clusters.contains(&ranking.patterns.of(url)) && !reader.was_fetched(url));
    others.cloned().collect()
}

/// A page of the site with its cluster.
fn member(request: &ExtractPlan, ranking: &SiteRanking, url: Url) -> Source {
    let cluster = ranking.patterns.of(&url);
    let alike = ranking.clusters.iter().any(|known| known.pattern == cluster && known.pages >= MIN_ALIKE);
    Source { cluster, alike, ..Source::found(request, url) }
}

fn map_plan(request: &ExtractPlan, plan: &ExecutionPlan, source: &ExtractSource) -> MapPlan {
    let words: Vec<&str> = plan.terms.iter().take(MAX_MAP_WORDS).map(|(word, _)| word.as_str()).collect();
    let mut target = source.target.clone();
    // `/shop/*` means the folder `/shop/`, and some sites have it only under that name.
    if !target.url.path().ends_with('/') {
        let folder = format!("{}/", target.url.path());
        target.url.set_path(&folder);
    }
    MapPlan {
        target,
        search: (!words.is_empty()).then(|| words.join(" ")),
        sitemap: if request.ignore_sitemap { SitemapMode::Skip } else { SitemapMode::Include },
        include_subdomains: request.include_subdomains,
        // `/view?id=7` and `/view?id=8` are different pages.
        ignore_query_parameters: false,
        limit: MAX_SITE_PAGES,
        timeout: None,
        location: request.options.location.clone(),
        max_age: request.options.max_age,
        skip_tls_verification: request.options.skip_tls_verification,
    }
}
