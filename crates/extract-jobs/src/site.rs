//! Which pages of a site are read for a wildcard.

use std::collections::{HashMap, HashSet};

use gleaner_extract::{ExecutionPlan, PlanStep, ProbeResult, SiteRanking, SiteUrl, rank_site};
use gleaner_types::plan::{CrawlRules, ExtractPlan, ExtractSource, MapPlan, SitemapMode};
use gleaner_types::{Interrupt, PageError, SafeUrl};
use url::Url;

use super::blocking::blocking;
use super::reader::Reader;
use super::sources::{Source, is_below};
use super::visit::{alone, failure};

/// Most addresses of a site that the pages of a wildcard are chosen from.
pub const MAX_SITE_PAGES: u64 = 20_000;
/// Words that the addresses of a larger site are sorted by, before all but the first are dropped.
const MAX_MAP_WORDS: usize = 16;
/// Pages that must be allowed to be looked at for the start page to be one of them.
const LEAST_PROBES: usize = 4;
/// Pages of a site below which the links of those that are looked at are followed.
const FEW_PAGES: usize = 200;
/// Pages that are found so at most.
const MAX_DEEPER: usize = 5_000;
/// Pages from which on a cluster counts as pages that are alike.
const ALIKE: usize = 3;

/// Lists a site, ranks its clusters, looks at a few pages of the best, and chooses. Of a small site the links
/// of those pages count too.
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
    let mut site: Vec<SiteUrl> = pages.into_iter().map(SiteUrl::new).collect();
    // The start page first: the texts of its links say more than their addresses.
    let most = probes(plan);
    let start = Source::found(request, source.target.url.clone());
    let looks = most >= LEAST_PROBES && site.iter().any(|page| page.url == start.target.url);
    let (mut probed, links) = reader.probe(if looks { vec![start] } else { Vec::new() }).await;
    name(&mut site, &links);
    let mut found;
    (site, found) = ranked(reader, site).await?;
    let (more, further) = probe(reader, &found, &site, most.saturating_sub(probed.len()), true).await;
    probed.extend(more);
    let links = links.into_iter().chain(further).collect();
    // What the start page alone does not show may be linked from the pages below it.
    let (more, leading) = deeper(reader, source, &site, links).await;
    if !more.is_empty() {
        let hubs = alike(&found, &site, &leading, reader).into_iter().take(most.saturating_sub(probed.len()));
        site.extend(more);
        let (more, links) = reader.probe(hubs.map(|url| member(request, &found, url)).collect()).await;
        probed.extend(more);
        let (more, _) = deeper(reader, source, &site, links).await;
        site.extend(more);
        (site, found) = ranked(reader, site).await?;
        let (more, _) = probe(reader, &found, &site, most.saturating_sub(probed.len()), false).await;
        probed.extend(more);
    }
    let shows_any = probed.iter().any(|probe| probe.fill > 0.0);
    let chosen = found.pages(if shows_any { &probed } else { &[] });
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
    let kinds = kinds_alike(&found);
    let sources = chosen.into_iter().map(|url| {
        let cluster = found.patterns.of(&url);
        let alike = kinds.contains(cluster.as_str());
        Source { cluster, alike, ..Source::found(request, url) }
    });
    Ok(sources.collect())
}

/// Addresses from which on they are ranked on a thread for blocking work.
const MANY_PAGES: usize = 1_000;

/// The addresses of a site, ranked.
async fn ranked(reader: &Reader<'_>, site: Vec<SiteUrl>) -> Result<(Vec<SiteUrl>, SiteRanking), PageError> {
    if site.len() < MANY_PAGES {
        let found = rank_site(&site, reader.plan());
        return Ok((site, found));
    }
    let plan = reader.plan().clone();
    let ranking = async move {
        let found = rank_site(&site, &plan);
        (site, found)
    };
    blocking(reader.places(), &Interrupt::never(), ranking).await
}

/// The patterns of clusters whose pages count as alike.
fn kinds_alike(found: &SiteRanking) -> HashSet<&str> {
    let clusters = found.clusters.iter().filter(|cluster| cluster.pages >= ALIKE);
    clusters.map(|cluster| cluster.pattern.as_str()).collect()
}

/// The addresses of a map that are below that of the wildcard.
async fn map(reader: &mut Reader<'_>, asked: MapPlan, source: &ExtractSource) -> Result<Vec<Url>, PageError> {
    let mapping = async {
        let _permit = match reader.job().owner() {
            Some(owner) => Some(owner.lookup().await),
            None => None,
        };
        reader.runtime().map(asked).await
    };
    let Some(mapped) = reader.job().in_time(mapping).await else { return Ok(Vec::new()) };
    let mapped = mapped.map_err(|error| failure(&error))?;
    reader.notes.extend(mapped.warning);
    Ok(mapped.links.into_iter().filter(|url| is_below(source, url)).collect())
}

/// Pages that a plan allows to be looked at before any is chosen.
fn probes(plan: &ExecutionPlan) -> usize {
    let most = plan.steps.iter().find_map(|step| match step {
        PlanStep::Probe { pages } => usize::try_from(*pages).ok(),
        _ => None,
    });
    most.unwrap_or_default()
}

/// Notes by which words pages are linked.
fn name(site: &mut [SiteUrl], links: &[(Url, Vec<SiteUrl>)]) {
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

/// What at most so many pages show, a few of each cluster, and their links. Where there is nothing to choose
/// between and the site is known well enough, none is looked at; `first` tells that none was before.
async fn probe(
    reader: &mut Reader<'_>,
    found: &SiteRanking,
    site: &[SiteUrl],
    most: usize,
    first: bool,
) -> (Vec<ProbeResult>, Vec<(Url, Vec<SiteUrl>)>) {
    if found.clusters.len() < 2 && (site.len() >= FEW_PAGES || !first) {
        return (Vec::new(), Vec::new());
    }
    let urls = found.probes.iter().filter_map(|url| Url::parse(url).ok()).filter(|url| !reader.knows(url));
    let urls: Vec<Url> = urls.take(most).collect();
    let sources = urls.into_iter().map(|url| member(reader.request(), found, url)).collect();
    reader.probe(sources).await
}

/// Links of pages of a small site that are pages of it and were not known, and the pages that have some.
async fn deeper(
    reader: &Reader<'_>,
    source: &ExtractSource,
    site: &[SiteUrl],
    links: Vec<(Url, Vec<SiteUrl>)>,
) -> (Vec<SiteUrl>, Vec<Url>) {
    let (mut more, mut leading) = (Vec::new(), Vec::new());
    if site.len() >= FEW_PAGES {
        return (more, leading);
    }
    let (mut pages, mut below) = (Vec::new(), Vec::new());
    for (page, links) in links {
        let links = links.into_iter().filter(|link| is_below(source, &link.url));
        below.extend(links.map(|link| (pages.len(), link)));
        pages.push(page);
    }
    let rules = CrawlRules { allow_subdomains: reader.request().include_subdomains, ..alone() };
    let start = source.target.url.clone();
    let Ok(inside) = reader.runtime().inside(start, rules, below, linked).await else {
        return (more, leading);
    };
    let mut known: HashSet<String> = site.iter().map(|page| page.url.as_str().to_owned()).collect();
    let mut inside = inside.into_iter().peekable();
    for (at, page) in pages.into_iter().enumerate() {
        let before = more.len();
        while let Some((_, link)) = inside.next_if(|(of, _)| *of == at) {
            if known.insert(link.url.as_str().to_owned()) {
                more.push(link);
            }
        }
        more.truncate(MAX_DEEPER);
        if more.len() > before {
            leading.push(page);
        }
    }
    (more, leading)
}

/// The address of a link of the page with this number.
fn linked(link: &(usize, SiteUrl)) -> &Url {
    &link.1.url
}

/// The other pages of the clusters of these, as far as they are known and were not looked at.
fn alike(found: &SiteRanking, site: &[SiteUrl], pages: &[Url], reader: &Reader<'_>) -> Vec<Url> {
    let clusters: HashSet<String> = pages.iter().map(|page| found.patterns.of(page)).collect();
    let others = site.iter().map(|page| &page.url);
    let others = others.filter(|url| clusters.contains(&found.patterns.of(url)) && !reader.knows(url));
    others.cloned().collect()
}

/// A page of the site, with the cluster that it belongs to.
fn member(request: &ExtractPlan, found: &SiteRanking, url: Url) -> Source {
    let cluster = found.patterns.of(&url);
    let alike = found.clusters.iter().any(|known| known.pattern == cluster && known.pages >= ALIKE);
    Source { cluster, alike, ..Source::found(request, url) }
}

fn map_plan(request: &ExtractPlan, plan: &ExecutionPlan, source: &ExtractSource) -> MapPlan {
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
