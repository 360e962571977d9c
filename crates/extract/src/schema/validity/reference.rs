//! Resolves `$ref`, `$id` and anchors within a schema.

use hashbrown::HashMap;

use percent_encoding::percent_decode_str;
use serde_json::Value;
use url::Url;

use super::draft::Draft;

/// The URI of a schema that states none. It only resolves references within the schema.
const DEFAULT_URI: &str = "json-schema:///";
/// Upper bound on a resolved URI, in bytes: each part of a schema may have one that extends its parent's.
pub(super) const MAX_URI_BYTES: usize = 2_000;

/// A part of a schema with a URI of its own.
struct Resource<'s> {
    uri: Url,
    root: &'s Value,
    place: usize,
}

/// The schema that a reference points to.
pub(super) struct Target<'s> {
    pub(super) schema: &'s Value,
    pub(super) resource: usize,
    /// The place of the resource's root.
    pub(super) place: usize,
    /// From the resource's root to the schema: a JSON Pointer, or an anchor.
    pub(super) fragment: String,
}

/// The URIs and anchors by which the parts of a schema refer to each other.
#[derive(Default)]
pub(super) struct Names<'s> {
    resources: Vec<Resource<'s>>,
    by_uri: HashMap<String, usize>,
    /// Schemas by resource and anchor.
    anchors: HashMap<(usize, &'s str), &'s Value>,
}

impl<'s> Names<'s> {
    pub(super) fn new(root: &'s Value) -> Self {
        let mut names = Self::default();
        if let Ok(uri) = Url::parse(DEFAULT_URI) {
            names.open(uri, root, 0);
        }
        names
    }

    /// Adds the identifier and the anchors of a schema in `resource`. Returns the resource of its references,
    /// or `None` if the identifier cannot be resolved.
    pub(super) fn add(
        &mut self,
        schema: &'s Value,
        place: usize,
        draft: Draft,
        mut resource: usize,
    ) -> Option<usize> {
        let text = |key: &str| schema.get(key).and_then(Value::as_str);
        let is_legacy = draft < Draft::V2019;
        // Before 2019-09, `$ref` disables its siblings, and an identifier of only a fragment is an anchor.
        let id = text(draft.id_keyword()).filter(|_| !is_legacy || schema.get("$ref").is_none());
        match (id, id.and_then(|id| id.strip_prefix('#'))) {
            (_, Some(anchor)) if is_legacy => {
                self.anchors.insert((resource, anchor), schema);
            }
            (Some(id), _) => resource = self.open(self.join(resource, id)?, schema, place),
            (None, _) => {}
        }
        for anchor in [text("$anchor"), text("$dynamicAnchor")].into_iter().flatten() {
            self.anchors.insert((resource, anchor), schema);
        }
        Some(resource)
    }

    fn open(&mut self, uri: Url, root: &'s Value, place: usize) -> usize {
        let index = self.resources.len();
        self.by_uri.insert(uri.as_str().to_owned(), index);
        self.resources.push(Resource { uri, root, place });
        index
    }

    /// The absolute URI of a reference, without its fragment.
    fn join(&self, resource: usize, reference: &str) -> Option<Url> {
        let mut uri = self.resources.get(resource)?.uri.join(reference).ok()?;
        uri.set_fragment(None);
        (uri.as_str().len() <= MAX_URI_BYTES).then_some(uri)
    }

    /// Finds what a reference in `resource` points to within the schema. Nothing is fetched.
    pub(super) fn resolve(&self, reference: &str, resource: usize) -> Option<Target<'s>> {
        let (uri, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let resource = match uri {
            "" => resource,
            uri => *self.by_uri.get(self.join(resource, uri)?.as_str())?,
        };
        let found = self.resources.get(resource)?;
        let fragment = percent_decode_str(fragment).decode_utf8().ok()?.into_owned();
        let schema = if fragment.is_empty() || fragment.starts_with('/') {
            found.root.pointer(&fragment)?
        } else {
            *self.anchors.get(&(resource, fragment.as_str()))?
        };
        Some(Target { schema, resource, place: found.place, fragment })
    }
}
