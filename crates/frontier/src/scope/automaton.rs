//! A regex matcher with counted and bounded steps.
//!
//! The patterns form one nondeterministic automaton (NFA). Each set of NFA states that occurs is cached as
//! one state of a deterministic automaton, with its transition for each byte class, so a text similar to an
//! earlier one costs one table lookup per byte. A new set costs one step for each of its
//! states. The worst case is linear in states times bytes, whatever the patterns, but that is still too slow
//! for thousands of URLs.
//!
//! The `regex` crate works similarly inside. But it neither counts its steps nor can stop early, so a hostile
//! set of patterns could occupy its thread for an unlimited time.
//!
//! Alternative: `regex_automata::hybrid`. It does not report how many NFA states a transition visits.
//! Charging the whole NFA for each one would reject a new URL after 25 bytes with an allowed list of 20,000
//! states. It also stops at every non-ASCII byte if a pattern contains `\b`, so URLs in most alphabets would
//! have no table at all.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use regex_automata::nfa::thompson::{NFA, State};
use regex_automata::util::primitives::StateID;

/// Maximum steps to match one URL. A step takes some nanoseconds, so this is two or three
/// milliseconds. Even a thousand patterns need less for a URL that resembles no earlier one.
pub(super) const MAX_STEPS: u64 = 500_000;

/// Maximum memory of the deterministic automaton, in bytes. When it is full, it is cleared.
const MAX_TABLE_BYTES: usize = 1 << 20;

/// Tables that are kept for later texts. If more threads than this match at once, the others start with
/// empty tables.
const MAX_TABLES: usize = 2;

/// The transition is not computed yet.
const UNKNOWN: u32 = u32::MAX;
/// A pattern has matched.
const MATCHED: u32 = u32::MAX - 1;
/// No match is possible any more.
const DEAD: u32 = u32::MAX - 2;

/// First element of a set: no byte precedes.
const AT_START: u32 = 0;

/// Matching stopped because it needs more than [`MAX_STEPS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TooCostly;

/// Searches texts for any of the patterns.
pub(super) struct Automaton {
    nfa: NFA,
    /// Number of byte classes, including one for the end of the text.
    classes: usize,
    /// A pattern depends on the previous byte.
    looks_back: bool,
    /// A pattern has a Unicode word boundary, which a single byte does not determine.
    has_unicode_words: bool,
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
            has_unicode_words: looks.contains_word_unicode(),
            tables: Mutex::default(),
            nfa,
        }
    }

    /// True if a pattern matches in `text`. Increases `steps`.
    pub(super) fn is_match(&self, text: &str, steps: &mut u64) -> Result<bool, TooCostly> {
        let cached = self.tables.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut table = cached.unwrap_or_else(|| Table::new(self));
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
            let index = self.transition_index(state, text.get(at).copied());
            let mut next = table.next.get(index).copied().unwrap_or(UNKNOWN);
            if next == UNKNOWN {
                if *steps > MAX_STEPS {
                    return Err(TooCostly);
                }
                next = self.compute_transition(table, state, text, at, steps);
            }
            match next {
                MATCHED => return Ok(true),
                DEAD => return Ok(false),
                next => state = next,
            }
        }
        Ok(false)
    }

    /// The index in the table of the transition from `state` for `byte`, or for the end of the text.
    fn transition_index(&self, state: u32, byte: Option<u8>) -> usize {
        let class = byte.map_or(self.classes - 1, |byte| usize::from(self.nfa.byte_classes().get(byte)));
        state as usize * self.classes + class
    }

    /// Computes the transition from `state` for the byte at `at`, and caches it.
    fn compute_transition(
        &self,
        table: &mut Table,
        state: u32,
        text: &[u8],
        at: usize,
        steps: &mut u64,
    ) -> u32 {
        let Some(set) = table.sets.get(state as usize).map(Arc::clone) else { return DEAD };
        let ahead = text.get(at).copied();
        let resets = table.resets;
        let next = if self.advance(&mut table.scratch, &set, text, at, steps) {
            MATCHED
        } else if table.scratch.reached.is_empty() {
            DEAD
        } else {
            let mut reached = std::mem::take(&mut table.scratch.reached);
            // The cost of sorting and comparing.
            *steps += 4 * reached.len() as u64;
            reached.sort_unstable();
            let before = if self.looks_back {
                ahead.map_or(AT_START, |byte| 2 + u32::from(self.nfa.byte_classes().get(byte)))
            } else {
                AT_START + 1
            };
            reached.insert(0, before);
            let next = table.state_for(&reached, self.classes);
            table.scratch.reached = reached;
            next
        };
        let is_non_ascii = |byte: Option<u8>| byte.is_some_and(|byte| !byte.is_ascii());
        let behind = at.checked_sub(1).and_then(|at| text.get(at).copied());
        let depends_on_context = self.has_unicode_words && (is_non_ascii(behind) || is_non_ascii(ahead));
        // After a reset this state number names another state.
        if !depends_on_context
            && table.resets == resets
            && let Some(known) = table.next.get_mut(self.transition_index(state, ahead))
        {
            *known = next;
        }
        next
    }

    /// Advances a set of NFA states over the byte at `at`. True if a pattern has matched.
    fn advance(&self, scratch: &mut Scratch, set: &[u32], text: &[u8], at: usize, steps: &mut u64) -> bool {
        let states = self.nfa.states();
        let ahead = text.get(at).copied();
        scratch.start_step(states.len());
        // The first element of the set is the class of the previous byte.
        for &from in set.iter().skip(1) {
            scratch.stack.push(from);
            while let Some(id) = scratch.stack.pop() {
                *steps += 1;
                if !mark(&mut scratch.visited, id, scratch.generation) {
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
                    && mark(&mut scratch.entered, next, scratch.generation)
                {
                    scratch.reached.push(next);
                }
            }
        }
        false
    }
}

/// The known part of the deterministic automaton.
struct Table {
    start: u32,
    /// The transitions of each byte class, state after state.
    next: Vec<u32>,
    /// The states as sets: the class of the previous byte, then the sorted NFA states.
    sets: Vec<Arc<[u32]>>,
    states: HashMap<Arc<[u32]>, u32>,
    bytes: usize,
    /// How often the table was full and was cleared.
    resets: u64,
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
            resets: 0,
            start_set,
            scratch: Scratch::default(),
        };
        table.start = table.state_for(&start_set, automaton.classes);
        table
    }

    /// The number of the state for a set. Adds a state if the set is new.
    fn state_for(&mut self, set: &[u32], classes: usize) -> u32 {
        if let Some(state) = self.states.get(set) {
            return *state;
        }
        let bytes = size_of::<u32>() * (set.len() + classes) + 2 * size_of::<Arc<[u32]>>();
        if self.bytes + bytes > MAX_TABLE_BYTES {
            self.next.clear();
            self.sets.clear();
            self.states.clear();
            self.bytes = 0;
            self.resets += 1;
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
        // Far below the reserved numbers: the table is full long before.
        let state = u32::try_from(self.sets.len()).unwrap_or(DEAD);
        let set: Arc<[u32]> = set.into();
        self.sets.push(Arc::clone(&set));
        self.states.insert(set, state);
        self.next.resize(self.next.len() + classes, UNKNOWN);
        state
    }
}

/// Buffers to compute one transition.
#[derive(Default)]
struct Scratch {
    /// Marks the states visited in the current step.
    generation: u32,
    /// The step in which each NFA state was last visited.
    visited: Vec<u32>,
    /// The step in which each NFA state was last entered by a byte.
    entered: Vec<u32>,
    stack: Vec<u32>,
    /// The states that the byte leads to.
    reached: Vec<u32>,
}

impl Scratch {
    fn start_step(&mut self, states: usize) {
        self.stack.clear();
        self.reached.clear();
        if self.visited.len() != states || self.generation == u32::MAX {
            self.visited = vec![0; states];
            self.entered = vec![0; states];
            self.generation = 0;
        }
        self.generation += 1;
    }
}

/// True if the state was not marked in this generation before.
fn mark(generations: &mut [u32], id: u32, generation: u32) -> bool {
    generations.get_mut(id as usize).is_some_and(|last| std::mem::replace(last, generation) != generation)
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
    fn patterns_match() {
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
            for run in 0..2 {
                assert_eq!(automaton.is_match(text, &mut 0), Ok(found), "{pattern} in {text:?}, run {run}");
            }
        }
    }

    #[test]
    fn a_cached_text_costs_one_step_per_byte() {
        let automaton = automaton(&["^/blog/", "/drafts?/", r"\.(jpe?g|png)$"]);
        let text = format!("/shop/{}", "product/".repeat(50));
        let (mut first, mut second) = (0, 0);
        assert_eq!(automaton.is_match(&text, &mut first), Ok(false));
        assert_eq!(automaton.is_match(&text, &mut second), Ok(false));
        assert_eq!(second, text.len() as u64 + 1);
        assert!(first > second && first < 20_000, "{first}");
    }

    #[test]
    fn the_cost_of_any_text_is_bounded() {
        // Each prefix of the text has another set of live states.
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
            assert_eq!(automaton.is_match(&text, &mut steps), Err(TooCostly));
            // At most one set of states beyond the bound, each of them visited, sorted and stored.
            assert!(steps <= MAX_STEPS + 8 * states, "{steps}");
            let bytes = automaton.tables.lock().unwrap()[0].bytes;
            assert!(bytes <= MAX_TABLE_BYTES, "{bytes}");
        }
        let resets = automaton.tables.lock().unwrap()[0].resets;
        assert!(resets > 0, "the table was cleared");
        assert_eq!(automaton.is_match("abba", &mut 0), Ok(false), "other texts still match");
    }

    proptest! {
        #[test]
        fn it_agrees_with_the_regex_crate(
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
                let found = automaton.is_match(text, &mut 0);
                prop_assert_eq!(found, Ok(expected), "{:?} in {:?}", &patterns, text);
            }
        }
    }
}
