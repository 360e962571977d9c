//! Finds forms whose controls are never used: those sent by POST, or with personal fields.

use hashbrown::HashSet;

use crate::bind::words;
use crate::markup::{NodeId, Tree};

/// The forms of a page whose controls are left out.
///
/// A form is left out if it is submitted by POST, which changes things, or if it asks for what an engine must
/// not give: a password, a file, a card, an email address, a phone number or a message.
#[derive(Debug, Default)]
pub(super) struct ExcludedForms {
    /// From the first node of each form to the first node after it; in order, none within another.
    ranges: Vec<(NodeId, NodeId)>,
    /// Their ids: a control outside of a form can belong to it by its attribute `form`.
    ids: HashSet<String>,
}

struct Form {
    node: NodeId,
    end: NodeId,
    is_excluded: bool,
}

impl ExcludedForms {
    pub(super) fn read(tree: &Tree<'_>) -> Self {
        let mut forms: Vec<Form> = Vec::new();
        let mut open: Vec<usize> = Vec::new();
        let mut ids = HashSet::new();
        for node in tree.nodes() {
            while open.last().is_some_and(|at| forms.get(*at).is_none_or(|form| form.end <= node)) {
                open.pop();
            }
            if tree.is(node, &["form"]) {
                let method = tree.attribute(node, "method").unwrap_or_default();
                let is_excluded = method.trim().eq_ignore_ascii_case("post");
                open.push(forms.len());
                forms.push(Form { node, end: tree.end(node), is_excluded });
            } else if tree.is(node, &["input", "textarea"]) && is_personal(tree, node) {
                for at in &open {
                    if let Some(form) = forms.get_mut(*at) {
                        form.is_excluded = true;
                    }
                }
                ids.extend(tree.attribute(node, "form").map(String::from));
            }
        }
        let mut ranges: Vec<(NodeId, NodeId)> = Vec::new();
        for form in forms.iter().filter(|form| form.is_excluded) {
            ids.extend(tree.attribute(form.node, "id").map(String::from));
            if ranges.last().is_none_or(|(_, end)| *end <= form.node) {
                ranges.push((form.node, form.end));
            }
        }
        Self { ranges, ids }
    }

    /// Whether a control belongs to an excluded form, or submits its form by POST.
    pub(super) fn contain(&self, tree: &Tree<'_>, node: NodeId) -> bool {
        let before = self.ranges.partition_point(|(start, _)| *start <= node);
        let is_inside =
            before.checked_sub(1).and_then(|last| self.ranges.get(last)).is_some_and(|(_, end)| node < *end);
        is_inside
            || tree.attribute(node, "form").is_some_and(|id| self.ids.contains(&*id))
            || tree
                .attribute(node, "formmethod")
                .is_some_and(|method| method.trim().eq_ignore_ascii_case("post"))
    }
}

/// Whether a field is for something personal.
pub(super) fn is_personal(tree: &Tree<'_>, node: NodeId) -> bool {
    let attribute = |name: &str| tree.attribute(node, name).unwrap_or_default();
    if tree.is(node, &["textarea"]) {
        // Some search fields are text areas.
        return !is_search_role(&attribute("role"));
    }
    if ["password", "file", "email", "tel"]
        .iter()
        .any(|kind| attribute("type").trim().eq_ignore_ascii_case(kind))
    {
        return true;
    }
    let autocomplete = attribute("autocomplete").to_ascii_lowercase();
    if ["cc-", "email", "one-time-code", "password", "tel"].iter().any(|part| autocomplete.contains(part)) {
        return true;
    }
    let name = words(&format!("{} {}", attribute("name"), attribute("id")));
    let has = |wanted: &str| name.iter().any(|word| word == wanted);
    ["cardnumber", "cvc", "cvv", "email", "iban", "phone", "telephone"].into_iter().any(has)
        || (has("card") && has("number"))
}

/// Whether a field with this role is a search field.
pub(super) fn is_search_role(role: &str) -> bool {
    ["combobox", "searchbox"].iter().any(|known| role.trim().eq_ignore_ascii_case(known))
}
