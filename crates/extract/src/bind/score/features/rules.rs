//! Features of the rules: which rules propose the value, with which score and rank.

use super::super::options::ValueOption;
use super::{Named, count, flag, narrow};
use crate::page::Method;

/// The methods of the rules, with the names of their features.
const METHODS: [(Method, &str); 12] = [
    (Method::JsonLd, "json_ld"),
    (Method::Microdata, "microdata"),
    (Method::Rdfa, "rdfa"),
    (Method::Meta, "meta"),
    (Method::EmbeddedState, "state"),
    (Method::Table, "table"),
    (Method::DefinitionList, "definition_list"),
    (Method::Label, "label"),
    (Method::Markup, "markup"),
    (Method::Text, "text"),
    (Method::Url, "url"),
    (Method::Inferred, "inferred"),
];

/// The number of features of this part.
pub(super) const WIDTH: usize = METHODS.len() + 10;

/// The rank of a value that the rules do not know.
const NO_RANK: f32 = 30.0;

/// The rules' choices for a field, seen together.
#[derive(Debug, Default)]
pub(super) struct RuleOverview {
    best: f64,
    second: f64,
    choices: usize,
    structured: usize,
}

impl RuleOverview {
    /// Reads options of which the rules' come first, best first.
    pub(super) fn read(options: &[ValueOption]) -> Self {
        let mut scores = options.iter().map(ValueOption::rule_score);
        Self {
            best: scores.next().unwrap_or_default(),
            second: scores.next().unwrap_or_default(),
            choices: options.iter().filter(|option| option.choice.is_some()).count(),
            structured: options.iter().filter(|option| option.is_structured()).count(),
        }
    }
}

/// What the rules say of an option.
#[derive(Debug, Default)]
pub(super) struct RuleFacts {
    score: f32,
    rank: f32,
    best_other: f32,
    lead: f32,
    choices: f32,
    methods: f32,
    by_method: [f32; METHODS.len()],
    is_known: f32,
    is_structured: f32,
    structured_others: f32,
    only_structured: f32,
}

impl RuleFacts {
    pub(super) fn read(overview: &RuleOverview, option: &ValueOption, at: usize) -> Self {
        let score = option.rule_score();
        let is_structured = option.is_structured();
        let best_other = if at == 0 { overview.second } else { overview.best };
        let mut facts = Self {
            score: narrow(score),
            rank: if option.choice.is_some() { count(at) } else { NO_RANK },
            best_other: narrow(best_other),
            lead: narrow(score - best_other),
            choices: count(overview.choices),
            is_known: flag(option.choice.is_some()),
            is_structured: flag(is_structured),
            structured_others: count(overview.structured - usize::from(is_structured)),
            only_structured: flag(is_structured && option.segments.is_empty()),
            ..Self::default()
        };
        let Some(choice) = &option.choice else { return facts };
        facts.methods = count(choice.proofs.len());
        for proof in &choice.proofs {
            let method = METHODS.iter().position(|(method, _)| *method == proof.method);
            if let Some(slot) = method.and_then(|at| facts.by_method.get_mut(at)) {
                *slot = f32::max(*slot, narrow(proof.score));
            }
        }
        facts
    }

    pub(super) fn named(&self) -> Named<WIDTH> {
        let [
            json_ld,
            microdata,
            rdfa,
            meta,
            state,
            table,
            definition_list,
            label,
            markup,
            text,
            url,
            inferred,
        ] = self.by_method;
        let named = |at: usize, value: f32| (METHODS.get(at).map_or("", |(_, name)| *name), value);
        [
            ("score", self.score),
            ("rank", self.rank),
            ("best_other", self.best_other),
            ("lead", self.lead),
            ("choices", self.choices),
            ("methods", self.methods),
            ("is_known", self.is_known),
            ("is_structured", self.is_structured),
            ("structured_others", self.structured_others),
            ("only_structured", self.only_structured),
            named(0, json_ld),
            named(1, microdata),
            named(2, rdfa),
            named(3, meta),
            named(4, state),
            named(5, table),
            named(6, definition_list),
            named(7, label),
            named(8, markup),
            named(9, text),
            named(10, url),
            named(11, inferred),
        ]
    }
}
