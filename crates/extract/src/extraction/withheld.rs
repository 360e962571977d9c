//! Values of rules that a model decides about, because the schema asks for what no rule knows.
//!
//! Rules know what a property means by its name: a `topic` is what the page is about, so its title answers. A
//! description may ask for something else, such as "the topic number". A program with a model would then get
//! the title, and the model would not be asked. So the value is withheld, and the field is open for the model,
//! which sees it among the candidates at most. Without a model, or if the model fails, the value stays.
//!
//! Only the words that a description begins with count. What follows them restricts or explains, and few
//! descriptions of known properties would consist of known words alone.

use super::choices::is_function_word;
use crate::bind::{TargetField, clear, is_meant, leaf_targets, set_at, words};
use crate::leaf::{Extraction, Leaf, Missing, MissingReason};
use crate::page::Method;
use crate::schema::Shape;

/// Articles of common languages, which a description may begin with.
const ARTICLES: [&str; 29] = [
    "the", "a", "an", "der", "die", "das", "ein", "eine", "le", "la", "les", "l", "un", "une", "el", "los",
    "las", "una", "lo", "il", "gli", "o", "os", "um", "uma", "het", "een", "en", "et",
];
/// Words that begin a condition, which says when a property is true and not what it is.
const CONDITIONS: [&str; 3] = ["whether", "if", "true"];

/// Takes the values of the single fields that a model decides about. The fields are missing then.
pub(super) fn withhold(extraction: &mut Extraction, shape: &Shape) -> Vec<Leaf> {
    let mut withheld = Vec::new();
    for target in leaf_targets(shape).iter().filter(|target| asks_for_more(target)) {
        let is_open = |leaf: &Leaf| leaf.pointer == target.pointer && !is_declared(target, leaf);
        let Some(at) = extraction.leaves.iter().position(is_open) else { continue };
        withheld.push(extraction.leaves.remove(at));
        clear(&mut extraction.data, target);
        let pointer = target.pointer.clone();
        extraction.missing.push(Missing { pointer, reason: MissingReason::Unsure });
    }
    withheld
}

/// Gives the values back that the model could not decide about, because it ended early.
pub(super) fn give_back(withheld: Vec<Leaf>, extraction: &mut Extraction) {
    for leaf in withheld {
        let is_own = |missing: &Missing| missing.pointer == leaf.pointer;
        let Some(at) = extraction.missing.iter().position(is_own) else { continue };
        extraction.missing.remove(at);
        set_at(&mut extraction.data, &leaf.pointer, leaf.value.clone());
        extraction.leaves.push(leaf);
    }
}

/// Whether the description of a field asks for what no rule knows.
fn asks_for_more(target: &TargetField<'_>) -> bool {
    let phrase = first_phrase(&target.shape.description);
    !phrase.is_empty() && target.concept.is_none_or(|concept| !is_meant(concept, &target.folded, &phrase))
}

/// The words that a description begins with, up to the first function word or sign, without an article. Empty
/// if it begins with another function word: "in euros" only says how the value is given, and "who drew it"
/// explains the name.
fn first_phrase(description: &str) -> Vec<String> {
    let is_sign = |found: char| matches!(found, '.' | ',' | ';' | ':' | '(' | '\n' | '–' | '—');
    let clause = description.trim().split(is_sign).next().unwrap_or_default();
    let mut phrase = words(clause);
    if phrase.first().is_some_and(|word| ARTICLES.contains(&word.as_str())) {
        phrase.remove(0);
    }
    if phrase.first().is_some_and(|word| CONDITIONS.contains(&word.as_str())) {
        return Vec::new();
    }
    phrase.into_iter().take_while(|word| !is_function_word(word)).collect()
}

/// Whether the page states the value under the name of the field: in data for machines whose property is the
/// field's own, or, if no rule knows the name, beside a label with it.
fn is_declared(target: &TargetField<'_>, leaf: &Leaf) -> bool {
    let is_data = |method| matches!(method, Method::JsonLd | Method::Microdata | Method::Rdfa);
    let is_named = |method: Method| method == Method::EmbeddedState || method.is_beside_label();
    leaf.provenance.iter().any(|proof| match target.concept {
        // `topic` is only another word for the name of a thing.
        Some(concept) => is_data(proof.method) && concept.names.contains(&target.folded.as_str()),
        None => is_data(proof.method) || is_named(proof.method),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_description_asks_for_more_than_the_name_if_its_first_words_say_so() {
        for (name, description, more) in [
            ("topic", "the topic number", true),
            ("topic", "The topic of the page", false),
            ("topic", "", false),
            ("price", "The current price in euros", false),
            ("price", "In the shop's currency.", false),
            ("price", "Yearly membership fee", true),
            ("name", "Name of the product", false),
            ("name", "product name", false),
            ("name", "the kiln number", true),
            ("author", "Who wrote it", false),
            ("author", "names of the authors", false),
            ("availability", "Whether it can be ordered", false),
            ("review_count", "Number of reviews", false),
            ("architect", "the architect's licence", true),
            ("architect", "Who drew it.", false),
        ] {
            let schema = json!({ "properties": { name: { "type": "string", "description": description } } });
            let shape = Shape::from_schema(&schema).unwrap();
            let targets = leaf_targets(&shape);
            assert_eq!(asks_for_more(&targets[0]), more, "{name}: {description}");
        }
    }
}
