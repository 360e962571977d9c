//! Plans an extract request: its steps, its limits, and its maximum cost.

use gleaner_types::plan::ExtractPlan;

use super::cardinality::Cardinality;
use super::execution_plan::{ExecutionPlan, PlanEstimate, PlanSource, PlanStep};
use super::rank::Query;
use super::terms::terms;
use crate::budget::{Budget, TOKENS_PER_CREDIT};
use crate::error::{Error, ErrorKind};
use crate::leaf::child_pointer;
use crate::model::{Capabilities, TokenPrice, Usage};
use crate::schema::{Shape, ShapeKind, check_schema};

/// Pages of a site to read for a single thing, if the request sets no limit.
pub const DEFAULT_SINGLE_PAGES: u64 = 8;
/// Pages of a site to read for a list of things, if the request sets no limit.
pub const DEFAULT_LIST_PAGES: u64 = 100;
/// Upper bound on the pages of one request.
pub const MAX_PLAN_PAGES: u64 = 10_000;
/// Upper bound on the clicks of an agent from its start pages.
pub const MAX_AGENT_HOPS: u64 = 3;
/// Upper bound on the pages whose controls an agent uses.
pub const MAX_ACTED_PAGES: u64 = 4;
/// Upper bound on the choices of an agent on one page.
pub const MAX_AGENT_STEPS: u64 = 6;
/// Upper bound on the visits of one page by an agent: one to look, and two for each step, because a step that
/// was repeated too often is visited again.
pub const MAX_VISITS_PER_PAGE: u64 = 1 + 2 * MAX_AGENT_STEPS;
/// Upper bound on the words that pages are ranked by.
const MAX_TERMS: usize = 64;
/// Typical tokens of a page's main content.
const PAGE_TOKENS: u64 = 3_000;
/// Tokens of the rules and the task in a call.
const FRAME_TOKENS: u64 = 350;
/// Tokens of a question about the controls of a page, with its answer.
const CHOICE_TOKENS: u64 = 5_000;
/// Tokens of one field of an answer: value, quote and their keys.
const FIELD_TOKENS: u64 = 40;
/// Pages of one pattern that a model must read before their template is learned.
const LEARNING_PAGES: u64 = 2;

/// The services and the budget that the embedder configured.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PlanningContext {
    /// The model, if there is one.
    pub model: Option<Capabilities>,
    /// Whether there is a search engine.
    pub search: bool,
    /// Whether there is a browser, which can use the controls of pages.
    pub browser: bool,
    /// The budget of the request.
    pub budget: Budget,
}

/// Turns requests into plans.
#[derive(Debug, Clone, Default)]
pub struct ExecutionPlanner {
    context: PlanningContext,
}

impl ExecutionPlanner {
    /// A planner for these services and this budget.
    #[must_use]
    pub const fn new(context: PlanningContext) -> Self {
        Self { context }
    }

    /// Plans a request. Pure: the same request and configuration give the same plan.
    ///
    /// # Errors
    /// [`ErrorKind::Schema`] if the schema cannot be used, [`ErrorKind::ModelNotConfigured`] for a prompt
    /// alone without a model, [`ErrorKind::SearchNotConfigured`] for a request without URLs and without a
    /// search engine.
    pub fn plan(&self, request: &ExtractPlan) -> Result<ExecutionPlan, Error> {
        let shape = request.schema.as_ref().map(check_schema).transpose()?;
        if shape.is_none() && self.context.model.is_none() {
            return Err(ErrorKind::ModelNotConfigured.into());
        }
        if request.sources.is_empty() && !self.context.search {
            return Err(ErrorKind::SearchNotConfigured.into());
        }
        let prompt = request.prompt.as_deref();
        let cardinality = Cardinality::of(shape.as_ref(), prompt);
        let mut reasons = vec![match (cardinality, shape.is_some()) {
            (Cardinality::One, true) => {
                "the schema has no list of objects: all pages add to one object".to_owned()
            }
            (Cardinality::One, false) => {
                "the prompt asks for one thing: all pages add to one object".to_owned()
            }
            (Cardinality::Many, true) => "the schema is a list of objects: every page adds rows".to_owned(),
            (Cardinality::Many, false) => {
                "the prompt asks for several things: every page adds rows".to_owned()
            }
            (Cardinality::OneWithLists, _) => {
                "the schema has single values beside lists: every page may add to both".to_owned()
            }
        }];
        let sites: Vec<PlanSource> = request
            .sources
            .iter()
            .map(|source| PlanSource {
                url: source.target.url.as_str().to_owned(),
                wildcard: source.wildcard,
            })
            .collect();
        let page_limit = self.page_limit(request, &sites, cardinality, &mut reasons);
        let wildcards = sites.iter().filter(|site| site.wildcard).count();
        let terms = query(shape.as_ref(), prompt);
        let mut steps = Vec::new();
        if shape.is_none() {
            steps.push(PlanStep::DraftSchema);
            reasons.push(
                "no schema is given: a model makes one of the prompt, without seeing a page".to_owned(),
            );
        }
        let searches = self.context.search && (sites.is_empty() || request.enable_web_search);
        if searches {
            let words: Vec<&str> = terms.iter().take(8).map(|(term, _)| term.as_str()).collect();
            let query = prompt
                .map_or_else(|| words.join(" "), |prompt| crate::page::truncate(prompt, 300).to_owned());
            steps.push(PlanStep::Search { query });
        }
        for site in sites.iter().filter(|site| site.wildcard) {
            steps.push(PlanStep::Map {
                url: site.url.clone(),
                sitemap: !request.ignore_sitemap,
                subdomains: request.include_subdomains,
            });
        }
        if wildcards > 0 {
            let most =
                u64::try_from(super::MAX_PROBED_CLUSTERS * super::PROBES_PER_CLUSTER).unwrap_or(u64::MAX);
            steps.push(PlanStep::Probe { pages: most.min(page_limit) });
        }
        let mut by: Vec<String> = ["template", "structured data", "binding"].map(str::to_owned).into();
        if self.context.model.is_some() {
            by.push("model".to_owned());
        } else {
            reasons.push("no model is configured: what pages do not state plainly stays empty".to_owned());
        }
        steps.push(PlanStep::Read { pages: page_limit, by });
        if request.allow_external_links || (request.enable_web_search && !searches) {
            steps.push(PlanStep::FollowExternal { pages: page_limit });
        }
        if request.agent_model.is_some() {
            steps.push(PlanStep::Navigate { hops: MAX_AGENT_HOPS, pages: page_limit });
            let then = match (self.context.browser, self.context.model.is_some()) {
                (false, _) => "; what needs a browser it leaves",
                (true, false) => "; it uses no other controls, because no model is configured to choose them",
                (true, true) => ", then the other controls of the pages in a browser, as the model chooses",
            };
            reasons.push(format!("an agent is asked for: it follows links and search forms{then}"));
            if self.context.browser && self.context.model.is_some() {
                steps.push(PlanStep::Act { steps: MAX_AGENT_STEPS, pages: MAX_ACTED_PAGES.min(page_limit) });
            }
        }
        if page_limit > 1 {
            steps.push(PlanStep::Merge);
        }
        let mut estimate =
            self.estimate(shape.as_ref(), page_limit, sites.len() - wildcards, wildcards, &mut reasons);
        // Pages that are probed but not chosen are fetched in addition to those that are read.
        // So are the pages of each visit of an agent.
        let more = steps.iter().map(|step| match step {
            PlanStep::Probe { pages } => *pages,
            PlanStep::Act { pages, .. } => pages * MAX_VISITS_PER_PAGE,
            _ => 0,
        });
        let more: u64 = more.sum();
        let most = self.context.budget.pages.unwrap_or(u64::MAX);
        estimate.pages = estimate.pages.saturating_add(more).min(most.max(page_limit));
        self.add_choices(&mut estimate, &steps);
        Ok(ExecutionPlan { cardinality, sites, terms, page_limit, steps, estimate, reasons })
    }

    fn page_limit(
        &self,
        request: &ExtractPlan,
        sites: &[PlanSource],
        cardinality: Cardinality,
        reasons: &mut Vec<String>,
    ) -> u64 {
        let named = u64::try_from(sites.iter().filter(|site| !site.wildcard).count()).unwrap_or(u64::MAX);
        let open = sites.is_empty()
            || request.enable_web_search
            || request.allow_external_links
            || request.agent_model.is_some()
            || sites.iter().any(|site| site.wildcard);
        let mut limit = if open {
            let more =
                if cardinality == Cardinality::One { DEFAULT_SINGLE_PAGES } else { DEFAULT_LIST_PAGES };
            request.limit.unwrap_or_else(|| named.saturating_add(more))
        } else {
            request.limit.map_or(named, |limit| limit.min(named))
        };
        limit = limit.min(MAX_PLAN_PAGES);
        if let Some(pages) = self.context.budget.pages.filter(|pages| *pages < limit) {
            reasons.push(format!("the budget allows {pages} of {limit} pages"));
            limit = pages;
        }
        limit
    }

    /// Adds the calls that choose controls, within the budget.
    fn add_choices(&self, estimate: &mut PlanEstimate, steps: &[PlanStep]) {
        let Some(model) = &self.context.model else { return };
        let choices: u64 = steps
            .iter()
            .map(|step| if let PlanStep::Act { steps, pages } = step { steps * pages } else { 0 })
            .sum();
        let input_tokens = choices * CHOICE_TOKENS;
        let usage = Usage { input_tokens, output_tokens: choices * FRAME_TOKENS };
        let budget = &self.context.budget;
        let within = |most: Option<u64>, value: u64| most.map_or(value, |most| value.min(most));
        estimate.most_calls = estimate.most_calls.saturating_add(choices);
        estimate.most_tokens = within(budget.tokens, estimate.most_tokens.saturating_add(usage.total()));
        estimate.most_credits = estimate.most_tokens.div_ceil(TOKENS_PER_CREDIT);
        let micros = estimate.most_micros.saturating_add(TokenPrice::cost(model.price, usage));
        estimate.most_micros = within(budget.micros, micros);
    }

    fn estimate(
        &self,
        shape: Option<&Shape>,
        pages: u64,
        named: usize,
        wildcards: usize,
        reasons: &mut Vec<String>,
    ) -> PlanEstimate {
        let Some(model) = &self.context.model else {
            return PlanEstimate { pages, ..PlanEstimate::default() };
        };
        let fields = shape.map_or(10, count_leaves).max(1);
        let draft = u64::from(shape.is_none());
        let answer = fields.saturating_mul(FIELD_TOKENS).min(model.max_output_tokens);
        let input = PAGE_TOKENS + FRAME_TOKENS + fields.saturating_mul(15);
        let call = input.saturating_add(answer);
        let sections = u64::try_from(wildcards).unwrap_or(u64::MAX);
        let named = u64::try_from(named).unwrap_or(u64::MAX);
        let least_reads = named.saturating_add(sections.saturating_mul(LEARNING_PAGES)).min(pages);
        let cost = |reads: u64| {
            let usage = Usage {
                input_tokens: input.saturating_mul(reads).saturating_add(draft * FRAME_TOKENS),
                output_tokens: answer.saturating_mul(reads).saturating_add(draft * fields * FIELD_TOKENS),
            };
            (usage.total(), TokenPrice::cost(model.price, usage))
        };
        let (mut most_tokens, mut most_micros) = cost(pages);
        if let Some(tokens) = self.context.budget.tokens.filter(|tokens| *tokens < most_tokens) {
            reasons.push(format!(
                "the budget of {tokens} tokens is enough for about {} pages by a model",
                tokens / call.max(1)
            ));
            most_tokens = tokens;
        }
        most_micros = self.context.budget.micros.map_or(most_micros, |micros| micros.min(most_micros));
        PlanEstimate {
            pages,
            least_calls: draft + if wildcards > 0 { least_reads } else { 0 },
            most_calls: draft + pages,
            least_tokens: if wildcards > 0 {
                cost(least_reads).0.min(most_tokens)
            } else {
                cost(0).0.min(most_tokens)
            },
            most_tokens,
            most_credits: most_tokens.div_ceil(TOKENS_PER_CREDIT),
            most_micros,
        }
    }
}

fn count_leaves(shape: &Shape) -> u64 {
    let mut count = 0;
    let mut waiting = vec![shape];
    while let Some(shape) = waiting.pop() {
        match &shape.kind {
            ShapeKind::Object(fields) => waiting.extend(fields.iter().map(|field| &field.shape)),
            ShapeKind::List(inner) => waiting.push(inner),
            _ => count += 1,
        }
    }
    count
}

/// The words to rank pages by: first those of the prompt, then property names, then descriptions.
fn query(shape: Option<&Shape>, prompt: Option<&str>) -> Query {
    let mut found: Query = Vec::new();
    let mut add = |text: &str, weight: f64| {
        for term in terms(text) {
            if let Some((_, known)) = found.iter_mut().find(|(known, _)| *known == term) {
                *known = f64::max(*known, weight);
            } else if found.len() < MAX_TERMS {
                found.push((term, weight));
            }
        }
    };
    add(crate::page::truncate(prompt.unwrap_or_default(), 2_000), 1.0);
    let mut waiting: Vec<(String, &Shape)> = shape.map(|shape| (String::new(), shape)).into_iter().collect();
    let mut described = Vec::new();
    while let Some((pointer, shape)) = waiting.pop() {
        described.push(shape.description.as_str());
        match &shape.kind {
            ShapeKind::Object(fields) => {
                for field in fields.iter().rev() {
                    // The name of a list names the requested things.
                    add(&field.name, if field.shape.is_branch() { 0.9 } else { 0.5 });
                    waiting.push((child_pointer(&pointer, &field.name), &field.shape));
                }
            }
            ShapeKind::List(inner) => waiting.push((pointer, inner)),
            _ => {}
        }
    }
    for text in described {
        add(crate::page::truncate(text, 500), 0.25);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn request(body: Value) -> ExtractPlan {
        ExtractPlan::from_json(&body).unwrap()
    }

    fn with_model() -> ExecutionPlanner {
        ExecutionPlanner::new(PlanningContext {
            model: Some(Capabilities::new("m", 32_000)),
            ..PlanningContext::default()
        })
    }

    #[test]
    fn a_plan_describes_its_steps_and_survives_json() {
        let plan = with_model()
            .plan(&request(json!({ "urls": ["https://x.example/*"], "prompt": "all open job positions" })))
            .unwrap();
        assert_eq!(plan.cardinality, Cardinality::Many);
        assert!(matches!(
            plan.steps.as_slice(),
            [
                PlanStep::DraftSchema,
                PlanStep::Map { .. },
                PlanStep::Probe { .. },
                PlanStep::Read { .. },
                PlanStep::Merge
            ]
        ));
        let text = plan.to_string();
        assert!(text.contains("https://x.example/") && text.contains("estimate: 116 pages"), "{text}");
        let back: ExecutionPlan = serde_json::from_value(serde_json::to_value(&plan).unwrap()).unwrap();
        assert_eq!(back, plan);
    }

    #[test]
    fn missing_services_are_reported_before_anything_is_fetched() {
        let prompt_only = request(json!({ "urls": ["https://x.example/"], "prompt": "the founder" }));
        let kind = ExecutionPlanner::default().plan(&prompt_only).unwrap_err().kind().clone();
        assert_eq!(kind, ErrorKind::ModelNotConfigured);
        let nowhere = request(json!({
            "prompt": "the founder", "schema": { "properties": { "founder": { "type": "string" } } },
        }));
        assert_eq!(
            ExecutionPlanner::default().plan(&nowhere).unwrap_err().kind(),
            &ErrorKind::SearchNotConfigured
        );
    }

    #[test]
    fn an_agent_acts_only_with_a_browser_and_a_model() {
        let body = json!({
            "urls": ["https://x.example/"], "agent": { "model": "any" },
            "schema": { "properties": { "founder": { "type": "string" } } },
        });
        let model = Some(Capabilities::new("m", 32_000));
        let rows = [
            (false, model.clone(), "; what needs a browser it leaves", None),
            (true, None, "; it uses no other controls", None),
            (true, model.clone(), ", then the other controls", Some((MAX_AGENT_STEPS, MAX_ACTED_PAGES))),
        ];
        for (browser, model, reason, expected) in rows {
            let context = PlanningContext { browser, model, ..PlanningContext::default() };
            let plan = ExecutionPlanner::new(context).plan(&request(body.clone())).unwrap();
            let acts = plan.steps.iter().find_map(|step| match step {
                PlanStep::Act { steps, pages } => Some((*steps, *pages)),
                _ => None,
            });
            assert_eq!(acts, expected, "{plan}");
            assert!(plan.reasons.iter().any(|found| found.contains(reason)), "{plan}");
            assert_eq!(plan.to_string().contains("press and fill in controls"), expected.is_some(), "{plan}");
        }
        let tight = Budget { tokens: Some(1_000), pages: Some(2), ..Budget::default() };
        let context = PlanningContext { browser: true, model, budget: tight, ..PlanningContext::default() };
        let plan = ExecutionPlanner::new(context).plan(&request(body)).unwrap();
        assert_eq!((plan.estimate.most_tokens, plan.estimate.pages), (1_000, 2));
        assert!(plan.steps.contains(&PlanStep::Act { steps: MAX_AGENT_STEPS, pages: 2 }), "{plan}");
    }

    #[test]
    fn pages_and_tokens_stay_within_the_budget() {
        let context = PlanningContext {
            model: Some(Capabilities::new("m", 32_000)),
            budget: Budget { pages: Some(5), tokens: Some(1_000), ..Budget::default() },
            ..PlanningContext::default()
        };
        let body = json!({
            "urls": ["https://x.example/*"],
            "schema": {
                "properties": { "jobs": { "type": "array", "items": { "properties": { "title": {} } } } },
            },
        });
        let plan = ExecutionPlanner::new(context).plan(&request(body)).unwrap();
        assert_eq!((plan.page_limit, plan.estimate.most_tokens), (5, 1_000));
        assert!(plan.estimate.least_tokens <= plan.estimate.most_tokens);
        let one = with_model()
            .plan(&request(
                json!({ "urls": ["https://x.example/a"], "schema": { "properties": { "name": {} } } }),
            ))
            .unwrap();
        assert_eq!((one.page_limit, one.steps.len()), (1, 1));
    }
}
