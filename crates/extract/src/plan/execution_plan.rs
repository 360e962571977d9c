use std::fmt;

use serde::{Deserialize, Serialize};

use super::cardinality::Cardinality;

/// A place where pages come from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlanSite {
    /// The address, without `/*`.
    pub url: String,
    /// Does it stand for all pages below it?
    pub wildcard: bool,
}

/// One step of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "step", rename_all = "camelCase")]
#[non_exhaustive]
pub enum Step {
    /// A model makes a schema of the prompt. It sees the prompt alone and no page.
    DraftSchema,
    /// A search engine is asked for pages.
    #[serde(rename_all = "camelCase")]
    Search {
        /// The words.
        query: String,
    },
    /// The addresses of a site are listed.
    #[serde(rename_all = "camelCase")]
    Map {
        /// The site.
        url: String,
        /// From its sitemap too?
        sitemap: bool,
        /// Those of its subdomains too?
        subdomains: bool,
    },
    /// Addresses are put into clusters and ranked by the terms; a few of each cluster are read without a model.
    #[serde(rename_all = "camelCase")]
    Probe {
        /// Pages at most.
        pages: u64,
    },
    /// Pages are read, by the cheapest proof first.
    #[serde(rename_all = "camelCase")]
    Read {
        /// Pages at most.
        pages: u64,
        /// The ways, in order.
        by: Vec<String>,
    },
    /// Links of the pages that lead to other sites are read too.
    #[serde(rename_all = "camelCase")]
    FollowExternal {
        /// Pages at most, of those of the plan.
        pages: u64,
    },
    /// Links and search forms of the pages are followed by GET, those first that are most about the terms, until nothing is missing.
    #[serde(rename_all = "camelCase")]
    Navigate {
        /// Clicks from the pages that were read first, at most.
        hops: u64,
        /// Pages at most, of those of the plan.
        pages: u64,
    },
    /// What the pages say becomes one result.
    Merge,
}

/// What a plan will use. `least` is what it uses if every page of a site is of one template or states its data for machines, `most` if a model reads
/// every page once.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Estimate {
    /// Pages that are fetched, at most.
    pub pages: u64,
    /// Calls of the model, at least.
    pub least_calls: u64,
    /// Calls of the model, at most; lists that go on may take more.
    pub most_calls: u64,
    /// Tokens, at least.
    pub least_tokens: u64,
    /// Tokens, at most.
    pub most_tokens: u64,
    /// Credits by the contract, at most.
    pub most_credits: u64,
    /// Money in millionths of a dollar, at most.
    pub most_micros: u64,
}

/// What a request will do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Plan {
    /// One thing or many?
    pub cardinality: Cardinality,
    /// Where pages come from; empty where they are searched for.
    pub sites: Vec<PlanSite>,
    /// Words that pages are ranked by, with what each is worth: of the prompt, of property names, of descriptions.
    pub terms: Vec<(String, f64)>,
    /// Pages at most.
    pub page_limit: u64,
    /// The steps in order.
    pub steps: Vec<Step>,
    /// What it will use.
    pub estimate: Estimate,
    /// Why it is as it is, a sentence each.
    pub reasons: Vec<String>,
}

impl fmt::Display for Plan {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, step) in self.steps.iter().enumerate() {
            write!(formatter, "{}. ", at + 1)?;
            match step {
                Step::DraftSchema => writeln!(formatter, "make a schema of the prompt")?,
                Step::Search { query } => writeln!(formatter, "search the web for \"{query}\"")?,
                Step::Map { url, sitemap, .. } => {
                    let from = if *sitemap { "sitemap and links" } else { "links alone" };
                    writeln!(formatter, "list the pages of {url} ({from})")?;
                }
                Step::Probe { pages } => {
                    writeln!(
                        formatter,
                        "rank them, and read up to {pages} of the best clusters without a model"
                    )?;
                }
                Step::Read { pages, by } => {
                    writeln!(formatter, "read up to {pages} pages by {}", by.join(", then "))?;
                }
                Step::FollowExternal { .. } => writeln!(formatter, "follow their links to other sites")?,
                Step::Navigate { hops, .. } => {
                    writeln!(
                        formatter,
                        "follow links and search forms, up to {hops} clicks, until nothing is missing"
                    )?;
                }
                Step::Merge => writeln!(formatter, "merge what they say")?,
            }
        }
        let estimate = &self.estimate;
        writeln!(
            formatter,
            "estimate: {} pages, {} to {} calls, {} to {} tokens, at most {} credits",
            estimate.pages,
            estimate.least_calls,
            estimate.most_calls,
            estimate.least_tokens,
            estimate.most_tokens,
            estimate.most_credits
        )?;
        if estimate.most_micros > 0 {
            let dollars = estimate.most_micros / 1_000_000;
            let cents = estimate.most_micros % 1_000_000 / 10_000;
            writeln!(formatter, "cost: at most {dollars}.{cents:02} dollars")?;
        }
        for reason in &self.reasons {
            writeln!(formatter, "because {reason}")?;
        }
        Ok(())
    }
}
