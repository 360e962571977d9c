//! The planner: what an extract request will do and cost, before anything is fetched.
//!
//! A plan is data: it can be printed, stored and reviewed. No model creates it and no page can change it, so
//! the text of a page cannot make the engine fetch or ask for something that the request did not mean. In the
//! step [`Act`](PlanStep::Act) a model chooses among the controls of a page; the plan bounds how often.
//! Everything here is a pure function. The caller fetches the site map, passes it to [`rank_site`], fetches
//! the pages that the result names, and so on.

mod cardinality;
mod execution_plan;
mod navigation_links;
mod pattern;
mod planner;
mod rank;
mod rank_site;
mod site;
mod terms;

pub use cardinality::Cardinality;
pub use execution_plan::{ExecutionPlan, PlanEstimate, PlanSource, PlanStep};
pub use navigation_links::{MAX_NAVIGATION_LINKS, navigation_links};
pub use pattern::{MAX_PATTERN_URLS, UrlPatterns};
pub use planner::{
    DEFAULT_LIST_PAGES, DEFAULT_SINGLE_PAGES, ExecutionPlanner, MAX_ACTED_PAGES, MAX_AGENT_HOPS,
    MAX_AGENT_STEPS, MAX_PLAN_PAGES, MAX_VISITS_PER_PAGE, PlanningContext,
};
pub use rank_site::{
    MAX_PROBED_CLUSTERS, MAX_SITE_URLS, PROBES_PER_CLUSTER, ProbeResult, RankedCluster, RankedPage,
    SiteRanking, rank_site,
};
pub use site::SiteUrl;

pub(crate) use pattern::segments;
pub(crate) use rank::to_f64;
pub(crate) use terms::{stem, terms};
