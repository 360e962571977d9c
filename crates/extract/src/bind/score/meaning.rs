//! Maps names on a page to the fields and concepts of a schema.

use hashbrown::HashMap;
use std::sync::LazyLock;

use crate::bind::concepts::CONCEPTS;
use crate::bind::target::TargetField;
use crate::bind::words::{folded, joined};

/// Longest name that is looked for within a run of words; a longer name must be the whole run.
const MAX_RUN: usize = 3;
/// Upper bound on the words of a run that are read.
const MAX_WORDS: usize = 8;

/// Names that mean a nested field only together with the name of its object: `author.name` is no name.
const SCOPED_NAMES: [&str; 5] = ["name", "value", "text", "title", "id"];

/// The indexes of the concepts with each name.
static CONCEPTS_BY_NAME: LazyLock<HashMap<&'static str, Vec<usize>>> = LazyLock::new(|| {
    let mut by_name: HashMap<&'static str, Vec<usize>> = HashMap::new();
    for (at, concept) in CONCEPTS.iter().enumerate() {
        for name in concept.names {
            let known = by_name.entry(*name).or_default();
            if known.last() != Some(&at) {
                known.push(at);
            }
        }
    }
    by_name
});

/// What a name means: concepts, and fields of the schema with this name of their own.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Meaning {
    concepts: &'static [usize],
    /// The index of a list of fields.
    fields: Option<usize>,
}

/// A name that occurs in a run of words.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NameFound {
    pub(crate) meaning: Meaning,
    /// Whether it is the whole run.
    pub(crate) is_whole: bool,
}

/// How a name relates to a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Relation {
    /// It is the field's own name.
    OwnName,
    /// It is a name of the field's concept, or of the broader one.
    OwnConcept,
    /// It is a name of another field of the schema, or of that field's concept.
    OtherField,
    /// It is a name of a concept that the schema does not ask for.
    OtherConcept,
}

impl Relation {
    /// Whether it is a name of the field or of its concept.
    pub(crate) const fn is_own(self) -> bool {
        matches!(self, Self::OwnName | Self::OwnConcept)
    }
}

/// The fields with one name. Both lists ascend.
#[derive(Debug, Default)]
struct FieldList {
    fields: Vec<usize>,
    /// The indexes of their concepts.
    concepts: Vec<usize>,
}

/// Finds the meaning of names for the fields of one schema.
#[derive(Debug, Default)]
pub(crate) struct MeaningTable {
    /// The index of the list of fields with each name.
    by_name: HashMap<String, usize>,
    lists: Vec<FieldList>,
    /// The index of each field's concept, and that of its broader concept.
    concepts: Vec<(Option<usize>, Option<usize>)>,
    /// Whether the schema asks for the concept with this index.
    is_asked: Vec<bool>,
}

impl MeaningTable {
    pub(crate) fn new(targets: &[TargetField<'_>]) -> Self {
        let mut table = Self { is_asked: vec![false; CONCEPTS.len()], ..Self::default() };
        for (at, target) in targets.iter().enumerate() {
            let index = |name: &str| CONCEPTS.iter().position(|known| known.plainest_name() == name);
            let concept = target.concept.and_then(|concept| index(concept.plainest_name()));
            let own = target.folded.clone();
            match target.scope.last().filter(|_| SCOPED_NAMES.contains(&own.as_str())) {
                Some(above) => {
                    table.add(folded(above), at, concept);
                    table.add(format!("{} {own}", folded(above)), at, concept);
                }
                None => table.add(own, at, concept),
            }
            let broader = target.concept.and_then(|concept| concept.broader).and_then(index);
            if let Some(slot) = concept.and_then(|concept| table.is_asked.get_mut(concept)) {
                *slot = true;
            }
            table.concepts.push((concept, broader));
        }
        table
    }

    /// Adds a field under one of its names. Fields are added in the order of their indexes.
    fn add(&mut self, name: String, field: usize, concept: Option<usize>) {
        if name.is_empty() {
            return;
        }
        let next = self.lists.len();
        let at = *self.by_name.entry(name).or_insert(next);
        if at == next {
            self.lists.push(FieldList::default());
        }
        let Some(list) = self.lists.get_mut(at) else { return };
        if list.fields.last() != Some(&field) {
            list.fields.push(field);
        }
        if let Some(concept) = concept
            && let Err(slot) = list.concepts.binary_search(&concept)
        {
            list.concepts.insert(slot, concept);
        }
    }

    fn meaning(&self, name: &str) -> Option<Meaning> {
        let concepts = CONCEPTS_BY_NAME.get(name).map_or(&[][..], Vec::as_slice);
        let fields = self.by_name.get(name).copied();
        (!concepts.is_empty() || fields.is_some()).then_some(Meaning { concepts, fields })
    }

    /// The names that occur in a run of words.
    pub(crate) fn find(&self, words: &[String]) -> Vec<NameFound> {
        let whole = words.len();
        let read = words.get(..whole.min(MAX_WORDS)).unwrap_or_default();
        let long = Some(whole).filter(|whole| (MAX_RUN + 1..=MAX_WORDS).contains(whole));
        let mut found = Vec::new();
        let mut name = String::new();
        for length in (1..=read.len().min(MAX_RUN)).chain(long) {
            for run in read.windows(length) {
                if let Some(meaning) = self.meaning(joined(run, &mut name)) {
                    found.push(NameFound { meaning, is_whole: length == whole });
                }
            }
        }
        found
    }

    /// How a name relates to a field.
    pub(crate) fn relation(&self, meaning: Meaning, field: usize) -> Relation {
        let named = meaning.fields.and_then(|at| self.lists.get(at));
        let (own, broader) = self.concepts.get(field).copied().unwrap_or_default();
        let is_of = |concept: Option<usize>| concept.is_some_and(|own| meaning.concepts.contains(&own));
        let has = |list: &[usize], index: usize| list.binary_search(&index).is_ok();
        if named.is_some_and(|list| has(&list.fields, field)) {
            Relation::OwnName
        } else if is_of(own)
            || is_of(broader)
            || own.is_some_and(|own| named.is_some_and(|list| has(&list.concepts, own)))
        {
            Relation::OwnConcept
        } else if named.is_some()
            || meaning.concepts.iter().any(|concept| self.is_asked.get(*concept) == Some(&true))
        {
            Relation::OtherField
        } else {
            Relation::OtherConcept
        }
    }
}
