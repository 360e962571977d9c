//! The planner: what an extract request will do and cost, before anything is fetched.
//!
//! A plan is data: it can be printed, stored and argued with. No model makes it and no page can change it, so that the text of a
//! page cannot make the engine fetch or ask what the request did not mean. Everything here is a pure function; who drives it fetches the map, hands it to
//! [`discover`], fetches what that names, and so on.

mod cardinality;
mod discover;
mod execution_plan;
mod navigation_links;
mod pattern;
mod planner;
mod rank;
mod site;
mod terms;

pub use cardinality::Cardinality;
pub use discover::{
    Discovery, MAX_PROBED_CLUSTERS, MAX_SITE_URLS, PROBES_PER_CLUSTER, Probed, RankedCluster, RankedPage,
    discover,
};
pub use execution_plan::{Estimate, Plan, PlanSite, Step};
pub use navigation_links::{MAX_WAYS, ways};
pub use pattern::{MAX_PATTERN_URLS, UrlPatterns};
pub use planner::{DEFAULT_LIST_PAGES, DEFAULT_SINGLE_PAGES, MAX_AGENT_HOPS, MAX_PLAN_PAGES, Means, Planner};
pub use site::SiteUrl;

pub(crate) use pattern::segments;
pub(crate) use rank::to_f64;
pub(crate) use terms::{stem, terms};
