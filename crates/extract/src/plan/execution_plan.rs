//! The steps of an extract job, as data that can be printed and reviewed.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::cardinality::Cardinality;

/// A source of pages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PlanSource {
    /// The URL, without `/*`.
    pub url: String,
    /// Whether it stands for all pages below it.
    pub wildcard: bool,
}

/// One step of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "step", rename_all = "camelCase")]
#[non_exhaustive]
pub enum PlanStep {
    /// A model drafts a schema from the prompt. It sees only the prompt and no page.
    DraftSchema,
    /// A search engine finds pages.
    #[serde(rename_all = "camelCase")]
    Search {
        /// The search terms.
        query: String,
    },
    /// The URLs of a site are listed.
    #[serde(rename_all = "camelCase")]
    Map {
        /// The site.
        url: String,
        /// Whether to use its sitemap.
        sitemap: bool,
        /// Whether to include its subdomains.
        subdomains: bool,
    },
    /// URLs are clustered and ranked by the terms; a few of each cluster are read without a model.
    #[serde(rename_all = "camelCase")]
    Probe {
        /// Pages at most.
        pages: u64,
    },
    /// Pages are read, cheapest proof first.
    #[serde(rename_all = "camelCase")]
    Read {
        /// Pages at most.
        pages: u64,
        /// The methods, in order.
        by: Vec<String>,
    },
    /// Links from the pages to other sites are followed.
    #[serde(rename_all = "camelCase")]
    FollowExternal {
        /// Pages at most, of those of the plan.
        pages: u64,
    },
    /// Links and search forms of the pages are followed by GET, the most relevant to the terms first, until
    /// no field is missing.
    #[serde(rename_all = "camelCase")]
    Navigate {
        /// Upper bound on the clicks from the start pages.
        hops: u64,
        /// Pages at most, of those of the plan.
        pages: u64,
    },
    /// Controls of the pages are pressed and filled in by a browser, as the model chooses among them, until
    /// no field is missing. Each step is recorded with its reason in [`ExecutionPlan::reasons`].
    #[serde(rename_all = "camelCase")]
    Act {
        /// Choices of the model per page, at most.
        steps: u64,
        /// Pages on which it acts, at most.
        pages: u64,
    },
    /// The results of the pages are merged.
    Merge,
}

/// What a plan will use. The `least` values hold if every page of a site shares one template or states its
/// data for machines, the `most` values if a model reads every page once.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PlanEstimate {
    /// Upper bound on the pages fetched.
    pub pages: u64,
    /// Lower bound on the calls to the model.
    pub least_calls: u64,
    /// Upper bound on the calls to the model; long lists may take more.
    pub most_calls: u64,
    /// Lower bound on the tokens.
    pub least_tokens: u64,
    /// Upper bound on the tokens.
    pub most_tokens: u64,
    /// Upper bound on the credits by the contract.
    pub most_credits: u64,
    /// Upper bound on the cost, in millionths of a dollar.
    pub most_micros: u64,
}

/// What a request will do and cost.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ExecutionPlan {
    /// Whether the request asks for one thing or many.
    pub cardinality: Cardinality,
    /// The sources of pages; empty if pages are searched for.
    pub sites: Vec<PlanSource>,
    /// Words that pages are ranked by, with their weights: from the prompt, property names and descriptions.
    pub terms: Vec<(String, f64)>,
    /// Upper bound on the pages to read.
    pub page_limit: u64,
    /// The steps in order.
    pub steps: Vec<PlanStep>,
    /// The estimated usage.
    pub estimate: PlanEstimate,
    /// The reasons for the plan, one sentence each. The plan of a result also has each step that was taken on
    /// a page, with its reason.
    pub reasons: Vec<String>,
}

impl fmt::Display for ExecutionPlan {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, step) in self.steps.iter().enumerate() {
            write!(formatter, "{}. ", at + 1)?;
            match step {
                PlanStep::DraftSchema => writeln!(formatter, "make a schema of the prompt")?,
                PlanStep::Search { query } => writeln!(formatter, "search the web for \"{query}\"")?,
                PlanStep::Map { url, sitemap, .. } => {
                    let from = if *sitemap { "sitemap and links" } else { "links alone" };
                    writeln!(formatter, "list the pages of {url} ({from})")?;
                }
                PlanStep::Probe { pages } => {
                    writeln!(
                        formatter,
                        "rank them, and read up to {pages} of the best clusters without a model"
                    )?;
                }
                PlanStep::Read { pages, by } => {
                    writeln!(formatter, "read up to {pages} pages by {}", by.join(", then "))?;
                }
                PlanStep::FollowExternal { .. } => writeln!(formatter, "follow their links to other sites")?,
                PlanStep::Navigate { hops, .. } => {
                    writeln!(
                        formatter,
                        "follow links and search forms, up to {hops} clicks, until nothing is missing"
                    )?;
                }
                PlanStep::Act { steps, pages } => {
                    writeln!(
                        formatter,
                        "press and fill in controls of up to {pages} pages, up to {steps} steps each, until \
                         nothing is missing"
                    )?;
                }
                PlanStep::Merge => writeln!(formatter, "merge what they say")?,
            }
        }
        let estimate = &self.estimate;
        write!(formatter, "estimate: {} pages, ", estimate.pages)?;
        if estimate.most_calls == 0 {
            write!(formatter, "without a model")?;
        } else {
            let PlanEstimate { least_calls, most_calls, least_tokens, most_tokens, .. } = estimate;
            write!(formatter, "{least_calls} to {most_calls} calls, {least_tokens} to {most_tokens} tokens")?;
        }
        writeln!(formatter, ", at most {} credits", estimate.most_credits)?;
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
