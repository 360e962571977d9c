//! A matcher whose steps are counted and bounded.
//!
//! The patterns are one nondeterministic automaton (NFA). A set of its states that is met is kept as one state of a
//! deterministic automaton, with what each class of bytes leads to, so a text like one before it costs one look into a
//! table for each byte. A set that is not known yet costs a step for each of its states. That is linear in states times
//! bytes at worst, whatever the patterns, and at that worst it is still too much for thousands of addresses.
//!
//! The `regex` crate works alike inside. But it neither counts its steps nor ends before it is done, so a hostile set of
//! patterns holds its thread for as long as it likes.
//!
//! Why this and not `regex_automata::hybrid`: it does not tell how many states it visits to work out a transition, and if
//! each one were charged with the whole NFA, a list of 20,000 states, which is allowed, would reject a new URL after 25 bytes.
//! It also stops at every byte beyond ASCII where a pattern holds `\b`, so URLs in most alphabets would have no table at all.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use regex_automata::nfa::thompson::{NFA, State};
use regex_automata::util::primitives::StateID;

/// Most steps that matching one URL may take; a step takes some nanoseconds, so this is two or three milliseconds. Even a
/// thousand patterns take less for an address that is like none before it.
pub(super) const MAX_STEPS: u64 = 500_000;

/// Most memory of the deterministic automaton, in bytes. When it is full, it begins anew.
const MAX_TABLE_BYTES: usize = 1 << 20;

/// Tables that are kept for further texts. Matching on more threads than these at once begins with empty ones.
const MAX_TABLES: usize = 2;

/// What is not known yet leads here.
const UNKNOWN: u32 = u32::MAX;
/// A pattern has matched.
const FOUND: u32 = u32::MAX - 1;
/// Nothing can match any more.
const DEAD: u32 = u32::MAX - 2;

/// First in a set: nothing came before.
const AT_START: u32 = 0;

/// Matching stopped, because it takes more than [`MAX_STEPS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TooCostly;

/// Tells whether a pattern is found in a text.
pub(super) struct Automaton {
    nfa: NFA,
    /// Classes of bytes, and one more for the end of the text.
    classes: usize,
    /// Some pattern looks at the byte before it.
    looks_back: bool,
    /// Some pattern looks for letters of any alphabet around it, which a byte alone does not tell.
    looks_at_letters: bool,
    tables: Mutex<Vec<Table>>,
}

impl fmt::Debug for Automaton {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Automaton").field("states", &self.nfa.states().len()).finish_non_exhaustive()
    }
}

impl Automaton {
    pub(super) fn new(nfa: NFA) -> Self {
        let looks = nfa.look_set_any();
        Self {
            classes: nfa.byte_classes().alphabet_len(),
            looks_back: looks.contains_anchor_line() || looks.contains_word(),
            looks_at_letters: looks.contains_word_unicode(),
            tables: Mutex::default(),
            nfa,
        }
    }

    /// Is a pattern found in `text`? `steps` counts up.
    pub(super) fn finds(&self, text: &str, steps: &mut u64) -> Result<bool, TooCostly> {
        let kept = self.tables.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut table = kept.unwrap_or_else(|| Table::new(self));
        let found = self.search(&mut table, text.as_bytes(), steps);
        let mut tables = self.tables.lock().unwrap_or_else(PoisonError::into_inner);
        if tables.len() < MAX_TABLES {
            tables.push(table);
        }
        found
    }

    fn search(&self, table: &mut Table, text: &[u8], steps: &mut u64) -> Result<bool, TooCostly> {
        let mut state = table.start;
        for at in 0..=text.len() {
            *steps += 1;
            let slot = self.slot(state, text.get(at).copied());
            let mut next = table.next.get(slot).copied().unwrap_or(UNKNOWN);
            if next == UNKNOWN {
                if *steps > MAX_STEPS {
                    return Err(TooCostly);
                }
                next = self.step(table, state, text, at, steps);
            }
            match next {
                FOUND => return Ok(true),
                DEAD => return Ok(false),
                next => state = next,
            }
        }
        Ok(false)
    }

    /// Where the table says what `byte`, or the end of the text, leads to from `state`.
    fn slot(&self, state: u32, byte: Option<u8>) -> usize {
        let class = byte.map_or(self.classes - 1, |byte| usize::from(self.nfa.byte_classes().get(byte)));
        state as usize * self.classes + class
    }

    /// Works out what the byte at `at` leads to from `state`, and keeps it.
    fn step(&self, table: &mut Table, state: u32, text: &[u8], at: usize, steps: &mut u64) -> u32 {
        let Some(set) = table.sets.get(state as usize).map(Arc::clone) else { return DEAD };
        let ahead = text.get(at).copied();
        let beginnings = table.beginnings;
        let next = if self.follow(&mut table.scratch, &set, text, at, steps) {
            FOUND
        } else if table.scratch.reached.is_empty() {
            DEAD
        } else {
            let mut reached = std::mem::take(&mut table.scratch.reached);
            // Sorting and comparing.
            *steps += 4 * reached.len() as u64;
            reached.sort_unstable();
            let before = if self.looks_back {
                ahead.map_or(AT_START, |byte| 2 + u32::from(self.nfa.byte_classes().get(byte)))
            } else {
                AT_START + 1
            };
            reached.insert(0, before);
            let next = table.state_of(&reached, self.classes);
            table.scratch.reached = reached;
            next
        };
        let is_foreign = |byte: Option<u8>| byte.is_some_and(|byte| !byte.is_ascii());
        let behind = at.checked_sub(1).and_then(|at| text.get(at).copied());
        let depends_on_more = self.looks_at_letters && (is_foreign(behind) || is_foreign(ahead));
        // A table that was begun anew has another state of this number.
        if !depends_on_more
            && table.beginnings == beginnings
            && let Some(known) = table.next.get_mut(self.slot(state, ahead))
        {
            *known = next;
        }
        next
    }

    /// Goes from a set of states to those that the byte at `at` leads to. True where a pattern has matched.
    fn follow(&self, scratch: &mut Scratch, set: &[u32], text: &[u8], at: usize, steps: &mut u64) -> bool {
        let states = self.nfa.states();
        let ahead = text.get(at).copied();
        scratch.begin(states.len());
        // Behind what came before.
        for &from in set.iter().skip(1) {
            scratch.stack.push(from);
            while let Some(id) = scratch.stack.pop() {
                *steps += 1;
                if !mark(&mut scratch.visited, id, scratch.round) {
                    continue;
                }
                let next = match states.get(id as usize) {
                    Some(State::ByteRange { trans }) => {
                        ahead.filter(|byte| trans.matches_byte(*byte)).map(|_| trans.next)
                    }
                    Some(State::Sparse(sparse)) => {
                        *steps += sparse.transitions.len() as u64 / 4;
                        ahead.and_then(|byte| sparse.matches_byte(byte))
                    }
                    Some(State::Dense(dense)) => ahead.and_then(|byte| dense.matches_byte(byte)),
                    Some(State::Look { look, next }) => {
                        if self.nfa.look_matcher().matches(*look, text, at) {
                            scratch.stack.push(next.as_u32());
                        }
                        None
                    }
                    Some(State::Union { alternates }) => {
                        scratch.stack.extend(alternates.iter().map(StateID::as_u32));
                        None
                    }
                    Some(State::BinaryUnion { alt1, alt2 }) => {
                        scratch.stack.extend([alt1.as_u32(), alt2.as_u32()]);
                        None
                    }
                    Some(State::Capture { next, .. }) => {
                        scratch.stack.push(next.as_u32());
                        None
                    }
                    Some(State::Match { .. }) => return true,
                    Some(State::Fail) | None => None,
                };
                if let Some(next) = next.map(|next| next.as_u32())
                    && mark(&mut scratch.entered, next, scratch.round)
                {
                    scratch.reached.push(next);
                }
            }
        }
        false
    }
}

/// The deterministic automaton as far as it is known.
struct Table {
    start: u32,
    /// What each class of bytes leads to, for one state after the other.
    next: Vec<u32>,
    /// The states as sets: what came before, then states of the NFA, sorted.
    sets: Vec<Arc<[u32]>>,
    states: HashMap<Arc<[u32]>, u32>,
    bytes: usize,
    /// How often it was full and began anew.
    beginnings: u64,
    start_set: [u32; 2],
    scratch: Scratch,
}

impl Table {
    fn new(automaton: &Automaton) -> Self {
        let start_set = [AT_START, automaton.nfa.start_unanchored().as_u32()];
        let mut table = Self {
            start: 0,
            next: Vec::new(),
            sets: Vec::new(),
            states: HashMap::new(),
            bytes: 0,
            beginnings: 0,
            start_set,
            scratch: Scratch::default(),
        };
        table.start = table.state_of(&start_set, automaton.classes);
        table
    }

    /// The number of a state, which is new where its set is.
    fn state_of(&mut self, set: &[u32], classes: usize) -> u32 {
        if let Some(state) = self.states.get(set) {
            return *state;
        }
        let bytes = size_of::<u32>() * (set.len() + classes) + 2 * size_of::<Arc<[u32]>>();
        if self.bytes + bytes > MAX_TABLE_BYTES {
            self.next.clear();
            self.sets.clear();
            self.states.clear();
            self.bytes = 0;
            self.beginnings += 1;
            let start_set = self.start_set;
            self.start = self.add(&start_set, classes);
            if set == start_set {
                return self.start;
            }
        }
        self.bytes += bytes;
        self.add(set, classes)
    }

    fn add(&mut self, set: &[u32], classes: usize) -> u32 {
        // Far below the numbers that mean something else: the table would be full long before.
        let state = u32::try_from(self.sets.len()).unwrap_or(DEAD);
        let set: Arc<[u32]> = set.into();
        self.sets.push(Arc::clone(&set));
        self.states.insert(set, state);
        self.next.resize(self.next.len() + classes, UNKNOWN);
        state
    }
}

/// What one step is worked out with.
#[derive(Default)]
struct Scratch {
    /// Marks what was met in this step.
    round: u32,
    /// By state of the NFA, when it was met last.
    visited: Vec<u32>,
    /// By state of the NFA, when a byte last led to it.
    entered: Vec<u32>,
    stack: Vec<u32>,
    /// The states that the byte leads to.
    reached: Vec<u32>,
}

impl Scratch {
    fn begin(&mut self, states: usize) {
        self.stack.clear();
        self.reached.clear();
        if self.visited.len() != states || self.round == u32::MAX {
            self.visited = vec![0; states];
            self.entered = vec![0; states];
            self.round = 0;
        }
        self.round += 1;
    }
}

/// False where it was marked in this round before.
fn mark(rounds: &mut [u32], id: u32, round: u32) -> bool {
    rounds.get_mut(id as usize).is_some_and(|last| std::mem::replace(last, round) != round)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use regex::RegexSet;
    use regex_automata::nfa::thompson::Compiler;

    use super::*;

    fn automaton(patterns: &[&str]) -> Automaton {
        Automaton::new(Compiler::new().build_many(patterns).unwrap())
    }

    #[test]
    fn what_is_found() {
        for (pattern, text, found) in [
            ("", "", true),
            ("a", "", false),
            ("^a$", "a", true),
            ("^a$", "ba", false),
            ("b", "abc", true),
            ("b$", "abc", false),
            ("c$", "abc", true),
            ("^(a|b)*c", "ababc", true),
            (r"\.pdf$", "/x.pdf", true),
            (r"\bcat\b", "/a-cat/x", true),
            (r"\bcat\b", "/concat/x", false),
            (r"\bcat\b", "\u{e9}cat", false),
            (r"\bcat\b", "/cat", true),
            (r"\B1", "\u{e9}1", true),
            (r"\B1", "/1", false),
            ("(?m)^b$", "a\nb\nc", true),
            ("(?m)^b$", "ab\nc", false),
            ("(?Rm)^b$", "a\r\nb\r\nc", true),
            (r"\b{start}at", "cat", false),
            ("(?i)\u{dc}BER", "/\u{fc}ber", true),
            ("^.{3}$", "\u{20ac}\u{20ac}\u{20ac}", true),
            ("^.{3}$", "\u{20ac}\u{20ac}", false),
            ("x{3}", "xxyxxx", true),
        ] {
            let automaton = automaton(&[pattern]);
            for round in 0..2 {
                assert_eq!(automaton.finds(text, &mut 0), Ok(found), "{pattern} in {text:?}, round {round}");
            }
        }
    }

    #[test]
    fn what_is_known_costs_a_step_a_byte() {
        let automaton = automaton(&["^/blog/", "/drafts?/", r"\.(jpe?g|png)$"]);
        let text = format!("/shop/{}", "product/".repeat(50));
        let (mut first, mut second) = (0, 0);
        assert_eq!(automaton.finds(&text, &mut first), Ok(false));
        assert_eq!(automaton.finds(&text, &mut second), Ok(false));
        assert_eq!(second, text.len() as u64 + 1);
        assert!(first > second && first < 20_000, "{first}");
    }

    #[test]
    fn no_text_costs_more_than_the_bound() {
        // Of each prefix of the text another set of states is alive.
        let automaton = automaton(&["(?:[ab]*a[ab]{600}){3}c"]);
        let mut bit = 1_u32;
        let mut next = || {
            bit = bit.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            if bit >> 31 == 0 { 'a' } else { 'b' }
        };
        let states = automaton.nfa.states().len() as u64;
        for _ in 0..20 {
            let text: String = (0..8_000).map(|_| next()).collect();
            let mut steps = 0;
            assert_eq!(automaton.finds(&text, &mut steps), Err(TooCostly));
            // Beyond the bound by one set of states at most, each visited, sorted and kept.
            assert!(steps <= MAX_STEPS + 8 * states, "{steps}");
            let bytes = automaton.tables.lock().unwrap()[0].bytes;
            assert!(bytes <= MAX_TABLE_BYTES, "{bytes}");
        }
        let beginnings = automaton.tables.lock().unwrap()[0].beginnings;
        assert!(beginnings > 0, "it was full and began anew");
        assert_eq!(automaton.finds("abba", &mut 0), Ok(false), "others are matched as before");
    }

    proptest! {
        #[test]
        fn it_finds_what_the_regex_crate_finds(
            patterns in prop::collection::vec(
                prop::sample::select(vec![
                    "a", "^a", "b$", "ab*a", "(a|b){3}", "[^a]b", r"\ba", r"b\b", r"\Ba", "(?m)^b", "(?m)a$",
                    "\u{e4}b", r"\w\W", ".a.", "(?i)B{2}a", "^$", r"(?-u:\b)a", r"a\z",
                ]),
                1..4,
            ),
            texts in prop::collection::vec("[ab\u{e4}\n /]{0,12}", 1..6),
        ) {
            let (automaton, regex) = (automaton(&patterns), RegexSet::new(&patterns).unwrap());
            for text in &texts {
                let expected = regex.is_match(text);
                prop_assert_eq!(automaton.finds(text, &mut 0), Ok(expected), "{:?} in {:?}", &patterns, text);
            }
        }
    }
}
