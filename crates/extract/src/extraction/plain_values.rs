//! Reads a list of plain values, such as tags, with a model.

use hashbrown::HashSet;

use serde_json::Value;

use super::row_schema::RowSchema;
use super::session::{Session, claim, piece_of};
use super::{answer, prompt};
use crate::bind::TargetField;
use crate::ground::{ClaimOutcome, ClaimVerifier, LinkTable};
use crate::leaf::{Leaf, child_pointer};
use crate::page::{Method, PagePart, Provenance, Span};
use crate::schema::{Field, WireSchema};

/// Upper bound on the calls for one list of plain values.
pub const MAX_VALUES_CALLS: usize = 8;
/// Upper bound on the values of one call.
const MAX_VALUES_PER_CALL: usize = 200;
/// Number of values that the answer's token limit allows for.
const EXPECTED_VALUES: usize = 8;

/// What was read of a list of plain values.
#[derive(Debug, Default)]
pub(super) struct PlainValues {
    pub(super) values: Vec<Value>,
    pub(super) leaves: Vec<Leaf>,
}

/// Reads a list of plain values, such as the tags of an article, from the page piece by piece.
///
/// Unlike rows, such values seldom stand one to a record: "Skills: Rust, Go" contains two. So nothing is
/// counted, and each value is verified against the whole piece. Duplicate values count once. `field` is the
/// list's name with the shape of its values.
pub(super) async fn read(session: &Session<'_>, pointer: &str, field: &Field) -> PlainValues {
    let RowSchema { row: row_shape, answer: shape, .. } = RowSchema::new(std::slice::from_ref(field));
    let target = TargetField::new(child_pointer("", &field.name), Vec::new(), field);
    let mut out = PlainValues::default();
    let mut seen: HashSet<String> = HashSet::new();
    let mut offset = 0;
    for _ in 0..MAX_VALUES_CALLS {
        let Some(rest) = session.page.markdown.get(offset..).filter(|rest| !rest.is_empty()) else { break };
        let piece = piece_of(rest, session.chunk_bytes());
        let mut links = LinkTable::default();
        let sent = links.replace(piece, &session.page.url);
        let note = "Give one row for each value that the page states, and no rows where it states none.";
        let messages =
            prompt::messages(session.task.system_prompt, session.task.prompt, &row_shape, note, &sent);
        let Some(text) = session.ask(messages, &shape, EXPECTED_VALUES).await else { break };
        let mut verifier = ClaimVerifier::new(piece, &links);
        for row in answer::rows(&text, MAX_VALUES_PER_CALL) {
            let row = WireSchema::restore(&row_shape, row);
            let Some(claimed) = row.get(&field.name) else { continue };
            let (value, quote) = claim(claimed);
            if let ClaimOutcome::Verified { value, quote, span } = verifier.verify(&target, value, quote, 0)
                && seen.insert(value.to_string())
            {
                let span = Span::new(PagePart::Markdown, span.start + offset..span.end + offset);
                let url = session.page.url.as_str().to_owned();
                let provenance = Provenance { url, quote, span: Some(span), method: Method::Model };
                out.leaves.push(Leaf {
                    pointer: child_pointer(pointer, &out.values.len().to_string()),
                    value: value.clone(),
                    provenance: vec![provenance],
                    confidence: 0.8,
                });
                out.values.push(value);
            }
        }
        offset += piece.len().max(1);
    }
    out
}
