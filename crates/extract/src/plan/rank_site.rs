//! Clusters the URLs of a site and ranks them by relevance to a request.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};
use url::Url;

use super::cardinality::Cardinality;
use super::execution_plan::ExecutionPlan;
use super::pattern::{UrlPatterns, segments};
use super::rank::{rank, to_f64};
use super::site::SiteUrl;
use super::terms::terms;

/// Upper bound on the URLs of a site.
pub const MAX_SITE_URLS: usize = 100_000;
/// Upper bound on the clusters that are probed.
pub const MAX_PROBED_CLUSTERS: usize = 8;
/// Pages to probe per cluster.
pub const PROBES_PER_CLUSTER: usize = 2;

/// Path segments of pages that every site has and hardly any request asks for.
const BOILERPLATE_SEGMENTS: &[&str] = &[
    "login",
    "signin",
    "signup",
    "register",
    "account",
    "cart",
    "basket",
    "checkout",
    "wishlist",
    "search",
    "privacy",
    "imprint",
    "impressum",
    "term",
    "condition",
    "cookie",
    "legal",
    "feed",
    "rss",
    "tag",
    "author",
    "sitemap",
    "password",
    "logout",
    "wp",
    "amp",
    "print",
    "share",
    "disclaimer",
    "unsubscribe",
    "archive",
];

/// A page with its rank.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RankedPage {
    /// Its URL.
    pub url: String,
    /// The index of its cluster in [`SiteRanking::clusters`].
    pub cluster: usize,
    /// Its relevance to the words of the plan; 0 is none.
    pub score: f64,
}

/// Pages with similar URLs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RankedCluster {
    /// Their pattern, such as `shop.example/cups/*`.
    pub pattern: String,
    /// The number of pages.
    pub pages: usize,
    /// Their relevance to the words of the plan.
    pub score: f64,
}

/// The pages of a site in clusters, ranked by their relevance to a plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SiteRanking {
    /// The clusters, best first.
    pub clusters: Vec<RankedCluster>,
    /// Pages to read first, without a model: a few from each of the best clusters, spread over the cluster.
    pub probes: Vec<String>,
    /// All pages, best first.
    pub ranked: Vec<RankedPage>,
    /// The URL patterns, which are also the keys of learned templates.
    pub patterns: UrlPatterns,
    cardinality: Cardinality,
    page_limit: usize,
}

/// The result of probing a page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProbeResult {
    /// The page, as in [`SiteRanking::probes`].
    pub url: String,
    /// Share of the schema that the page filled without a model, 0 to 1
    /// ([`Extraction::fill_rate`](crate::Extraction::fill_rate)).
    pub fill: f64,
}

/// Ranks the pages of a site for a plan: by clusters of URL patterns and by BM25F over path, link text, title
/// and description. It is pure, uses no model, and takes time linear in the number of URLs, of which it reads
/// the first [`MAX_SITE_URLS`].
///
/// ```
/// use gleaner_extract::{PlanningContext, ExecutionPlanner, SiteUrl, rank_site};
/// use gleaner_types::plan::ExtractPlan;
/// use serde_json::json;
///
/// let request = ExtractPlan::from_json(&json!({
///     "urls": ["https://firm.example/*"],
///     "schema": { "properties": {
///         "jobs": { "type": "array", "items": { "properties": { "title": {}, "city": {} } } },
///     } },
/// }))?;
/// let plan = ExecutionPlanner::new(PlanningContext::default()).plan(&request)?;
/// let site: Vec<SiteUrl> = ["/", "/privacy", "/jobs/baker", "/jobs/miller", "/news/we-won"]
///     .iter()
///     .map(|path| Ok(SiteUrl::new(format!("https://firm.example{path}").parse()?)))
///     .collect::<Result<_, url::ParseError>>()?;
/// let found = rank_site(&site, &plan);
/// assert_eq!(found.clusters[0].pattern, "firm.example/jobs/*");
/// assert_eq!(found.pages(&[])[0].as_str(), "https://firm.example/jobs/baker");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn rank_site(site: &[SiteUrl], plan: &ExecutionPlan) -> SiteRanking {
    let site = site.get(..MAX_SITE_URLS).unwrap_or(site);
    let patterns = UrlPatterns::learn(site.iter().map(|page| &page.url));
    let mut scores = rank(site, &plan.terms);
    let wanted = |word: &str| plan.terms.iter().any(|(term, _)| term == word);
    for (page, score) in site.iter().zip(scores.iter_mut()) {
        let path = terms(page.url.path());
        if path.iter().any(|word| BOILERPLATE_SEGMENTS.contains(&word.as_str()) && !wanted(word)) {
            *score *= 0.2;
        }
        // Between equals the page nearer to the root ranks first.
        *score += 0.01 / (1.0 + to_f64(segments(&page.url).len()));
    }
    let mut index: HashMap<String, usize> = HashMap::new();
    let mut members: Vec<(String, Vec<usize>)> = Vec::new();
    for (at, page) in site.iter().enumerate() {
        let pattern = patterns.of(&page.url);
        let cluster = *index.entry(pattern.clone()).or_insert_with(|| {
            members.push((pattern, Vec::new()));
            members.len() - 1
        });
        if let Some((_, pages)) = members.get_mut(cluster) {
            pages.push(at);
        }
    }
    let mut clusters: Vec<(RankedCluster, Vec<usize>)> = members
        .into_iter()
        .map(|(pattern, pages)| {
            let own = |at: &usize| scores.get(*at).copied().unwrap_or_default();
            let sum: f64 = pages.iter().map(own).sum();
            let best = pages.iter().map(own).fold(0.0, f64::max);
            let mut score = 0.5 * best + 0.5 * sum / to_f64(pages.len().max(1));
            if plan.cardinality != Cardinality::One {
                // A list is spread over many similar pages.
                score *= 1.0 + 0.1 * to_f64(pages.len()).ln();
            }
            (RankedCluster { pattern, pages: pages.len(), score }, pages)
        })
        .collect();
    clusters.sort_by(|left, right| right.0.score.total_cmp(&left.0.score));
    let mut probes = Vec::new();
    let mut ranked = Vec::with_capacity(site.len());
    for (cluster, (_, pages)) in clusters.iter().enumerate() {
        if cluster < MAX_PROBED_CLUSTERS {
            // One page of each stratum, so that a cluster with two kinds of pages shows both.
            let strata = PROBES_PER_CLUSTER.min(pages.len());
            for stratum in 0..strata {
                let at = (2 * stratum + 1) * pages.len() / (2 * strata.max(1));
                let page = pages.get(at).and_then(|at| site.get(*at));
                probes.extend(page.map(|page| page.url.as_str().to_owned()));
            }
        }
        for at in pages {
            if let (Some(page), Some(score)) = (site.get(*at), scores.get(*at)) {
                ranked.push(RankedPage { url: page.url.as_str().to_owned(), cluster, score: *score });
            }
        }
    }
    ranked.sort_by(|left, right| right.score.total_cmp(&left.score));
    SiteRanking {
        clusters: clusters.into_iter().map(|(cluster, _)| cluster).collect(),
        probes,
        ranked,
        patterns,
        cardinality: plan.cardinality,
        page_limit: usize::try_from(plan.page_limit).unwrap_or(usize::MAX),
    }
}

impl SiteRanking {
    /// The pages to read, best first and at most as many as the plan allows, taking the probes into account.
    /// Without probes only the ranks count.
    ///
    /// For a list these are the pages of the best clusters, one cluster after the other. A cluster must reach
    /// at least a quarter of the best cluster's value. If the fullest probe fills at least half of the
    /// schema, the probes of a cluster must fill at least half as much as that one. For a single thing these
    /// are the best pages, at most half of them from one cluster.
    #[must_use]
    pub fn pages(&self, probed: &[ProbeResult]) -> Vec<Url> {
        let own: BTreeMap<&str, f64> =
            probed.iter().map(|probe| (probe.url.as_str(), probe.fill.clamp(0.0, 1.0))).collect();
        let mut fills: Vec<Option<f64>> = vec![None; self.clusters.len()];
        for page in &self.ranked {
            if let (Some(fill), Some(cluster_fill)) =
                (own.get(page.url.as_str()), fills.get_mut(page.cluster))
            {
                *cluster_fill = Some(cluster_fill.map_or(*fill, |known| f64::max(known, *fill)));
            }
        }
        let top = self.clusters.iter().map(|cluster| cluster.score).fold(f64::MIN_POSITIVE, f64::max);
        let values: Vec<f64> = self
            .clusters
            .iter()
            .zip(&fills)
            .map(|(cluster, fill)| {
                let relative_score = cluster.score / top;
                // The result of a probe outweighs the rank of the URL.
                fill.map_or(relative_score, |fill| 0.35 * relative_score + 0.65 * fill)
            })
            .collect();
        // Pages that list the requested things fill fewer fields than the pages about them.
        let fullest = fills.iter().flatten().copied().fold(0.0, f64::max);
        let is_index = |cluster: usize| {
            fills.get(cluster).copied().flatten().is_some_and(|fill| fullest >= 0.5 && fill * 2.0 < fullest)
        };
        let best = values.iter().copied().fold(0.0, f64::max);
        let value = |page: &RankedPage| values.get(page.cluster).copied().unwrap_or_default();
        let mut chosen: Vec<&RankedPage> = self.ranked.iter().collect();
        if self.cardinality == Cardinality::One {
            let top_page = self.ranked.first().map_or(1.0, |page| page.score).max(f64::MIN_POSITIVE);
            let page_value = |page: &RankedPage| 0.5 * page.score / top_page + 0.5 * value(page);
            chosen.sort_by(|left, right| page_value(right).total_cmp(&page_value(left)));
            let max_per_cluster = self.page_limit.div_ceil(2);
            let mut taken: BTreeMap<usize, usize> = BTreeMap::new();
            chosen.retain(|page| {
                let count = taken.entry(page.cluster).or_default();
                *count += 1;
                *count <= max_per_cluster
            });
        } else {
            chosen.retain(|page| value(page) >= 0.25 * best && !is_index(page.cluster));
            chosen.sort_by(|left, right| {
                value(right).total_cmp(&value(left)).then(left.cluster.cmp(&right.cluster))
            });
        }
        chosen.into_iter().take(self.page_limit).filter_map(|page| page.url.parse().ok()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{ExecutionPlanner, PlanningContext};
    use gleaner_types::plan::ExtractPlan;
    use serde_json::{Value, json};

    fn plan(schema: Value, limit: u64) -> ExecutionPlan {
        let body = json!({ "urls": ["https://x.example/*"], "schema": schema, "limit": limit });
        ExecutionPlanner::new(PlanningContext::default())
            .plan(&ExtractPlan::from_json(&body).unwrap())
            .unwrap()
    }

    fn site() -> Vec<SiteUrl> {
        let mut paths: Vec<String> =
            ["/", "/about-us", "/privacy", "/cart", "/contact"].map(str::to_owned).into();
        paths.extend((0..40).map(|at| format!("/blog/2024/post-{at}")));
        paths.extend((0..60).map(|at| format!("/products/item-{at}")));
        paths.extend((0..20).map(|at| format!("/user/login?next={at}")));
        paths.iter().map(|path| SiteUrl::new(format!("https://x.example{path}").parse().unwrap())).collect()
    }

    #[test]
    fn a_list_comes_from_the_cluster_about_it() {
        let schema = json!({
            "properties": { "products": { "type": "array", "items": { "properties": { "price": {} } } } },
        });
        let found = rank_site(&site(), &plan(schema, 30));
        assert_eq!(
            (found.clusters[0].pattern.as_str(), found.clusters[0].pages),
            ("x.example/products/*", 60)
        );
        let pages = found.pages(&[]);
        assert_eq!(pages.len(), 30);
        assert!(pages.iter().all(|url| url.path().starts_with("/products/")));
        assert!(found.probes.len() <= MAX_PROBED_CLUSTERS * PROBES_PER_CLUSTER);
        let ours: Vec<&String> = found.probes.iter().filter(|url| url.contains("/products/")).collect();
        assert_eq!(ours, ["https://x.example/products/item-15", "https://x.example/products/item-45"]);
    }

    #[test]
    fn probes_outweigh_the_ranks_of_urls() {
        let schema = json!({
            "properties": { "products": { "type": "array", "items": { "properties": { "price": {} } } } },
        });
        let found = rank_site(&site(), &plan(schema, 10));
        let probed: Vec<ProbeResult> = found
            .probes
            .iter()
            .map(|url| ProbeResult { url: url.clone(), fill: if url.contains("/blog/") { 1.0 } else { 0.0 } })
            .collect();
        assert!(found.pages(&probed).iter().all(|url| url.path().starts_with("/blog/")));
    }

    #[test]
    fn index_pages_are_not_read() {
        let schema = json!({
            "properties": { "products": { "type": "array", "items": { "properties": { "price": {} } } } },
        });
        let found = rank_site(&site(), &plan(schema, 100));
        let fill = |url: &String| if url.contains("/products/") { 0.9 } else { 0.3 };
        let probed: Vec<ProbeResult> =
            found.probes.iter().map(|url| ProbeResult { url: url.clone(), fill: fill(url) }).collect();
        assert!(found.pages(&probed).iter().all(|url| url.path().starts_with("/products/")));
    }

    #[test]
    fn a_single_thing_comes_from_pages_of_several_kinds() {
        let schema =
            json!({ "properties": { "contactEmail": { "type": "string" }, "about": { "type": "string" } } });
        let found = rank_site(&site(), &plan(schema, 4));
        let pages = found.pages(&[]);
        let paths: std::collections::BTreeSet<&str> = pages.iter().take(2).map(Url::path).collect();
        assert_eq!(paths, ["/about-us", "/contact"].into());
        assert_eq!(pages.len(), 4);
    }

    #[test]
    fn many_urls_and_no_urls_are_ranked() {
        let schema = json!({ "properties": { "name": {} } });
        let many: Vec<SiteUrl> = (0..30_000)
            .map(|at| {
                SiteUrl::new(format!("https://x.example/{}/{at}/{}", at % 97, at * 31).parse().unwrap())
            })
            .collect();
        assert_eq!(rank_site(&many, &plan(schema.clone(), 5)).pages(&[]).len(), 5);
        assert!(rank_site(&[], &plan(schema, 5)).pages(&[]).is_empty());
    }
}
