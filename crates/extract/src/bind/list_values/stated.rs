//! The values that structured data states for a list, each once.

use hashbrown::HashSet;

use super::image_key::{image_key, is_sign};
use super::subject::Subject;
use super::vocabulary::ItemKind;
use crate::bind::pool::{Choice, agreement_key};
use crate::bind::target::TargetField;

/// The stated values of a list without repetitions: several entities of a page state the same terms. Of each
/// image one size remains, and no logo beside other images. `target` is a single value of the list.
pub(super) fn settled(field_name: &str, target: &TargetField<'_>, mut choices: Vec<Choice>) -> Vec<Choice> {
    let is_images = Subject::new(field_name, target).is_some_and(|subject| subject.kind == ItemKind::Images);
    let key = |choice: &Choice| match choice.value.as_str() {
        Some(address) if is_images => image_key(address),
        _ => agreement_key(&choice.value),
    };
    let is_picture = |choice: &Choice| choice.value.as_str().is_some_and(|address| !is_sign(address));
    if is_images && choices.iter().any(is_picture) {
        choices.retain(is_picture);
    }
    let mut known: HashSet<String> = HashSet::new();
    choices.retain(|choice| known.insert(key(choice)));
    choices
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::{Field, Shape};
    use serde_json::{Value, json};

    #[test]
    fn stated_values_are_given_once() {
        let rows = [
            ("tags", vec!["PCIe", "usb", "pcie"], vec!["PCIe", "usb"]),
            (
                "images",
                vec![
                    "https://s.example/shop/cup/#primaryimage",
                    "https://s.example/i/cup.jpg",
                    "https://s.example/i/cup-240x120.jpg",
                    "https://s.example/i/side.jpg",
                    "https://s.example/i/logo.png",
                ],
                vec!["https://s.example/i/cup.jpg", "https://s.example/i/side.jpg"],
            ),
            ("images", vec!["https://s.example/i/logo.png"], vec!["https://s.example/i/logo.png"]),
        ];
        let shape = Shape::from_schema(&json!({ "type": "string" })).unwrap();
        for (name, stated, expected) in rows {
            let field = Field { name: name.to_owned(), shape: shape.clone(), required: false };
            let target = TargetField::new(String::new(), Vec::new(), &field);
            let choice = |text: &&str| Choice { value: Value::from(*text), score: 0.9, proofs: Vec::new() };
            let found = settled(name, &target, stated.iter().map(choice).collect());
            let found: Vec<&str> = found.iter().filter_map(|choice| choice.value.as_str()).collect();
            assert_eq!(found, expected, "{name}");
        }
    }
}
