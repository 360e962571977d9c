//! Budgets: what a job may spend, and the ledger of what it spent.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::model::{TokenPrice, Usage};

/// Tokens per credit of an extract.
pub(crate) const TOKENS_PER_CREDIT: u64 = 15;
/// Upper bound on the entries of a ledger; later calls count without an entry.
pub const MAX_LEDGER_ENTRIES: usize = 10_000;

/// What a job may spend. `None` means no limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Budget {
    /// Tokens of all calls, requests and answers together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// Money, in millionths of a dollar.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub micros: Option<u64>,
    /// Pages to fetch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pages: Option<u64>,
    /// Time since the job's start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<Duration>,
}

impl Budget {
    /// Limits the tokens of all calls.
    #[must_use]
    pub fn tokens(mut self, tokens: u64) -> Self {
        self.tokens = Some(tokens);
        self
    }

    /// Limits the money, in millionths of a dollar.
    #[must_use]
    pub fn micros(mut self, micros: u64) -> Self {
        self.micros = Some(micros);
        self
    }

    /// Limits the pages to fetch.
    #[must_use]
    pub fn pages(mut self, pages: u64) -> Self {
        self.pages = Some(pages);
        self
    }

    /// Limits the time since the job's start.
    #[must_use]
    pub fn time(mut self, time: Duration) -> Self {
        self.time = Some(time);
        self
    }
}

/// The part of the budget that stopped a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Stop {
    /// The tokens do not cover another call.
    Tokens,
    /// The money does not cover another call.
    Money,
    /// No further pages are allowed.
    Pages,
    /// The time has run out.
    Time,
    /// The payer has no credits left.
    Credits,
}

impl fmt::Display for Stop {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Tokens => "the token budget does not allow another call",
            Self::Money => "the money budget does not allow another call",
            Self::Pages => "the page budget allows no more pages",
            Self::Time => "the time budget has run out",
            Self::Credits => "insufficient credits",
        })
    }
}

/// What a job has spent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Spent {
    /// Calls to the model.
    pub calls: u64,
    /// Tokens, requests and answers together.
    pub tokens: u64,
    /// Money, in millionths of a dollar.
    pub micros: u64,
    /// Pages fetched.
    pub pages: u64,
    /// Tokens that a provider billed beyond the reservation.
    pub overrun_tokens: u64,
}

/// One call in the ledger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct LedgerEntry {
    /// The reservation.
    pub reserved: Usage,
    /// The usage; the whole reservation if the provider did not report it.
    pub used: Usage,
    /// Whether the provider reported the usage.
    pub stated: bool,
}

#[derive(Debug, Default)]
struct State {
    spent: Spent,
    reserved_tokens: u64,
    reserved_micros: u64,
    now: Duration,
    entries: Vec<LedgerEntry>,
    stopped: Option<Stop>,
}

/// The account of a job; clones share it.
///
/// `spent + reserved` never exceeds the budget, in whatever order calls end: a call is refused before it is
/// made.
#[derive(Debug, Clone)]
pub struct Ledger {
    budget: Budget,
    state: Arc<Mutex<State>>,
}

impl Ledger {
    /// An empty account with this budget.
    #[must_use]
    pub fn new(budget: Budget) -> Self {
        Self { budget, state: Arc::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the time since the job's start. Time never goes back.
    pub fn set_elapsed(&self, elapsed: Duration) {
        let mut state = self.state();
        state.now = state.now.max(elapsed);
    }

    /// Reserves the highest possible cost of a call.
    ///
    /// # Errors
    /// The part of the budget that does not allow it.
    pub fn reserve_call(&self, max: Usage, price: TokenPrice) -> Result<Reservation, Stop> {
        let mut state = self.state();
        let micros = price.cost(max);
        let tokens_after =
            state.spent.tokens.saturating_add(state.reserved_tokens).saturating_add(max.total());
        let micros_after = state.spent.micros.saturating_add(state.reserved_micros).saturating_add(micros);
        let stop = if self.budget.time.is_some_and(|time| state.now >= time) {
            Some(Stop::Time)
        } else if self.budget.tokens.is_some_and(|tokens| tokens_after > tokens) {
            Some(Stop::Tokens)
        } else if self.budget.micros.is_some_and(|bound| micros_after > bound) {
            Some(Stop::Money)
        } else {
            None
        };
        if let Some(stop) = stop {
            state.stopped.get_or_insert(stop);
            return Err(stop);
        }
        state.reserved_tokens += max.total();
        state.reserved_micros += micros;
        Ok(Reservation { ledger: self.clone(), max, price, open: true })
    }

    /// Counts a page.
    ///
    /// # Errors
    /// If no more pages are allowed or the time has run out. The page is not counted then.
    pub fn take_page(&self) -> Result<(), Stop> {
        let mut state = self.state();
        let stop = if self.budget.time.is_some_and(|time| state.now >= time) {
            Some(Stop::Time)
        } else if self.budget.pages.is_some_and(|pages| state.spent.pages >= pages) {
            Some(Stop::Pages)
        } else {
            None
        };
        if let Some(stop) = stop {
            state.stopped.get_or_insert(stop);
            return Err(stop);
        }
        state.spent.pages += 1;
        Ok(())
    }

    /// Records that something ended early for this reason, such as a call that ran into the time limit. The
    /// first reason stays.
    pub fn stop(&self, stop: Stop) {
        self.state().stopped.get_or_insert(stop);
    }

    /// What was spent so far, without open calls.
    #[must_use]
    pub fn spent(&self) -> Spent {
        self.state().spent
    }

    /// The tokens spent plus those that open calls may use.
    #[must_use]
    pub fn committed_tokens(&self) -> u64 {
        let state = self.state();
        state.spent.tokens.saturating_add(state.reserved_tokens)
    }

    /// The first reason why something did not fit the budget, if any.
    #[must_use]
    pub fn stopped(&self) -> Option<Stop> {
        self.state().stopped
    }

    /// The calls, at most [`MAX_LEDGER_ENTRIES`].
    #[must_use]
    pub fn entries(&self) -> Vec<LedgerEntry> {
        self.state().entries.clone()
    }
}

/// The reservation for one call. If it is dropped without being settled, it counts in full.
#[derive(Debug)]
#[must_use = "a reservation that is dropped counts in full"]
pub struct Reservation {
    ledger: Ledger,
    max: Usage,
    price: TokenPrice,
    open: bool,
}

impl Reservation {
    /// Ends the call with the usage that the provider reports; `None` counts the whole reservation.
    pub fn settle(mut self, used: Option<Usage>) {
        self.close(used);
    }

    /// Returns the whole reservation: the call was not made.
    pub fn release(mut self) {
        self.open = false;
        let mut state = self.ledger.state();
        state.reserved_tokens = state.reserved_tokens.saturating_sub(self.max.total());
        state.reserved_micros = state.reserved_micros.saturating_sub(self.price.cost(self.max));
    }

    fn close(&mut self, used: Option<Usage>) {
        if !std::mem::take(&mut self.open) {
            return;
        }
        let mut state = self.ledger.state();
        let counted = used.unwrap_or(self.max);
        state.reserved_tokens = state.reserved_tokens.saturating_sub(self.max.total());
        state.reserved_micros = state.reserved_micros.saturating_sub(self.price.cost(self.max));
        state.spent.calls += 1;
        state.spent.tokens = state.spent.tokens.saturating_add(counted.total());
        state.spent.micros = state.spent.micros.saturating_add(self.price.cost(counted));
        let overrun = counted.total().saturating_sub(self.max.total());
        state.spent.overrun_tokens = state.spent.overrun_tokens.saturating_add(overrun);
        if state.entries.len() < MAX_LEDGER_ENTRIES {
            state.entries.push(LedgerEntry { reserved: self.max, used: counted, stated: used.is_some() });
        }
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.close(None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn each_part_of_the_budget_has_its_limit() {
        let one = Usage { input_tokens: 50, output_tokens: 50 };
        let price = TokenPrice { input_micros: 1_000_000, output_micros: 1_000_000 };
        let ledger = |budget| Ledger::new(budget);
        let tokens = ledger(Budget { tokens: Some(199), ..Budget::default() });
        let held = tokens.reserve_call(one, price).unwrap();
        assert_eq!(tokens.reserve_call(one, price).map(drop), Err(Stop::Tokens));
        held.settle(Some(Usage { input_tokens: 50, output_tokens: 9 }));
        assert!(tokens.reserve_call(one, price).is_ok());
        let money = ledger(Budget { micros: Some(99), ..Budget::default() });
        assert_eq!(money.reserve_call(one, price).map(drop), Err(Stop::Money));
        let pages = ledger(Budget { pages: Some(1), ..Budget::default() });
        assert_eq!((pages.take_page(), pages.take_page()), (Ok(()), Err(Stop::Pages)));
        let time = ledger(Budget { time: Some(Duration::from_secs(5)), ..Budget::default() });
        time.set_elapsed(Duration::from_secs(5));
        assert_eq!(time.take_page(), Err(Stop::Time));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]
        #[test]
        fn no_sequence_of_calls_exceeds_the_budget(
            bound in 0_u64..5_000,
            micros in 0_u64..5_000,
            calls in prop::collection::vec((0_u64..800, 0_u64..400, 0_u8..4, 0_u64..400), 0..60),
        ) {
            let budget = Budget { tokens: Some(bound), micros: Some(micros), ..Budget::default() };
            let ledger = Ledger::new(budget);
            let price = TokenPrice { input_micros: 700_000, output_micros: 2_000_000 };
            let mut open = Vec::new();
            for (input, output, fate, used) in calls {
                let max = Usage { input_tokens: input, output_tokens: output };
                let Ok(held) = ledger.reserve_call(max, price) else { continue };
                match fate {
                    // Answered; failed without a usage report; abandoned; still running.
                    0 => held.settle(Some(Usage { input_tokens: input, output_tokens: used.min(output) })),
                    1 => held.settle(None),
                    2 => drop(held),
                    _ => open.push(held),
                }
                let spent = ledger.spent();
                prop_assert!(spent.tokens <= bound && spent.micros <= micros);
            }
            drop(open);
            prop_assert!(ledger.spent().tokens <= bound && ledger.spent().micros <= micros);
        }
    }
}
