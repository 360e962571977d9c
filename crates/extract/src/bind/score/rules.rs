//! Collects the candidates of all rules, and chooses values without a model.

use crate::bind::pool::{Candidate, Choice, Pool};
use crate::bind::target::{NameIndex, TargetField};
use crate::bind::text_nodes::TextNodes;
use crate::bind::{
    MIN_CONFIDENCE, codes, displayed_price, element_names, entity, inferred_availability, labels,
    price_on_request, shop, state,
};
use crate::evidence::Evidence;
use crate::leaf::MissingReason;
use crate::normalise::{ValueForm, normalise};
use crate::page::Method;
use crate::typed::NumberStyle;

/// Bytes of HTML after the heading in which a single price belongs to the main entity.
const NEAR_HEADING_BYTES: usize = 20_000;

/// The candidates of the rules for each field.
///
/// The price is decided before the others: the currency is the sign beside it, and a thing with a price may
/// count as available.
#[derive(Debug)]
pub(crate) struct RulePools {
    pools: Vec<Pool>,
    /// The index of the price among the fields.
    pub(crate) price: Option<usize>,
    /// Whether the page says that the price is available on request. Only read if a price is asked for.
    pub(crate) is_on_request: bool,
    /// Whether the structured data says that there is no price. Only read if a price is asked for.
    pub(crate) states_no_price: bool,
}

impl RulePools {
    pub(crate) fn collect(evidence: &Evidence<'_>, targets: &[TargetField<'_>]) -> Self {
        let names = NameIndex::new(targets);
        let mut pools: Vec<Pool> = targets.iter().map(|_| Pool::default()).collect();
        entity::collect(evidence, targets, &mut pools);
        state::collect(evidence, targets, &names, &mut pools);
        labels::collect(evidence, targets, &names, &mut pools);
        let texts = TextNodes::read(evidence);
        element_names::collect(evidence, &texts, targets, &names, &mut pools);
        headline_and_url(evidence, targets, &mut pools);
        shop::described(evidence, targets, &mut pools);
        shop::availability(evidence, &texts, targets, &mut pools);
        displayed_price::collect(evidence, &texts, targets, &mut pools);
        codes::identifiers(evidence, targets, &mut pools);
        shop::brands(evidence, targets, &mut pools);
        let price = targets.iter().position(|target| target.has_concept("price"));
        let is_on_request = price.is_some() && price_on_request::is_on_request(evidence);
        let states_no_price = price.is_some() && entity::states_no_price(evidence);
        if let Some(pool) = price.and_then(|at| pools.get_mut(at))
            && (is_on_request || states_no_price)
        {
            pool.iter_mut().for_each(|candidate| candidate.score *= 0.4);
        }
        Self { pools, price, is_on_request, states_no_price }
    }

    /// The choices for a field, best first. Its pool is empty afterwards.
    pub(crate) fn take(&mut self, at: usize) -> Vec<Choice> {
        self.pools.get_mut(at).map(std::mem::take).map(Pool::choices).unwrap_or_default()
    }

    /// The best candidate for each field so far.
    pub(crate) fn best(&self) -> Vec<Option<&Candidate>> {
        self.pools.iter().map(Pool::best).collect()
    }

    /// Adds what follows from the chosen price: its currency, and that the thing is available.
    pub(crate) fn follow_price(
        &mut self,
        evidence: &Evidence<'_>,
        targets: &[TargetField<'_>],
        price: Option<&Choice>,
    ) {
        shop::currency(evidence, targets, &mut self.pools, price);
        inferred_availability::infer(evidence, targets, &mut self.pools, price);
    }

    /// The price by the rules alone.
    pub(crate) fn choose_price(&self, evidence: &Evidence<'_>, choices: Vec<Choice>) -> Option<Choice> {
        if self.is_on_request { choices.into_iter().next() } else { only_price(evidence, choices) }
    }
}

/// Chooses the best value for each field by the rules alone.
pub(crate) fn choose(
    evidence: &Evidence<'_>,
    targets: &[TargetField<'_>],
) -> Vec<Result<Choice, MissingReason>> {
    let mut rules = RulePools::collect(evidence, targets);
    let price_choices = rules.price.map(|at| rules.take(at)).unwrap_or_default();
    let has_prices = !price_choices.is_empty();
    let mut price = rules.choose_price(evidence, price_choices);
    let sure = price.as_ref().filter(|choice| choice.score >= MIN_CONFIDENCE);
    rules.follow_price(evidence, targets, sure);
    let mut chosen = Vec::with_capacity(targets.len());
    for at in 0..targets.len() {
        let (best, has_candidates) = if rules.price == Some(at) {
            (price.take(), has_prices)
        } else {
            let choices = rules.take(at);
            let has_candidates = !choices.is_empty();
            (choices.into_iter().next(), has_candidates)
        };
        chosen.push(match best {
            Some(choice) if choice.score >= MIN_CONFIDENCE => Ok(choice),
            _ if has_candidates => Err(MissingReason::Unsure),
            _ => Err(MissingReason::NotFound),
        });
    }
    chosen
}

/// The best price. A single price near the heading is taken even with a low score, as it cannot be mistaken
/// for another one.
fn only_price(evidence: &Evidence<'_>, choices: Vec<Choice>) -> Option<Choice> {
    let second = choices.get(1).map_or(0.0, |choice| choice.score);
    let mut best = choices.into_iter().next()?;
    let heading = evidence.heading.and_then(|node| evidence.html_range_of(node)).unwrap_or_default();
    let signed = best.proofs.iter().any(|proof| {
        let near = proof.html_range.as_ref().is_some_and(|html_range| {
            html_range.start >= heading.end && html_range.start - heading.end < NEAR_HEADING_BYTES
        });
        near && crate::typed::currency_sign(&proof.quote).is_some()
    });
    if best.score < MIN_CONFIDENCE && best.score > 0.1 && best.score > second * 1.15 && signed {
        best.score = MIN_CONFIDENCE;
    }
    Some(best)
}

/// Adds the page's heading and title as its name, and its URL.
fn headline_and_url(evidence: &Evidence<'_>, targets: &[TargetField<'_>], pools: &mut [Pool]) {
    for (target, pool) in targets.iter().zip(pools.iter_mut()) {
        if target.has_concept("name") && target.scope.is_empty() {
            let rows = [
                (evidence.heading.map(|_| evidence.headline()), 0.62),
                (Some(evidence.title.as_str()), 0.34),
            ];
            for (text, score) in rows {
                if let Some(value) =
                    text.and_then(|text| normalise(text, ValueForm::Text, target.shape, NumberStyle::Prose))
                {
                    let quote = text.unwrap_or_default().to_owned();
                    let html_range = evidence
                        .heading
                        .and_then(|node| evidence.html_range_of(node))
                        .filter(|_| score > 0.5);
                    pool.add(Candidate { value, quote, method: Method::Markup, score, html_range });
                }
            }
        }
        if target.has_concept("url") && target.scope.is_empty() {
            let text = evidence.url.as_str();
            if let Some(value) = normalise(text, ValueForm::Url, target.shape, NumberStyle::Data) {
                let quote = text.to_owned();
                pool.add(Candidate { value, quote, method: Method::Url, score: 0.5, html_range: None });
            }
        }
    }
}
