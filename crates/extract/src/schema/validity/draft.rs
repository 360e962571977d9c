//! The drafts of JSON Schema.

/// Drafts of JSON Schema, oldest first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Draft {
    V4,
    V6,
    V7,
    V2019,
    /// The draft of a schema without `$schema`.
    #[default]
    V2020,
}

impl Draft {
    /// The draft that the URI of a `$schema` names; `None` for other meta-schemas.
    pub(super) fn from_uri(uri: &str) -> Option<Self> {
        let uri = uri.trim_end_matches('#');
        let name = uri.strip_prefix("https://").or_else(|| uri.strip_prefix("http://"))?;
        Some(match name {
            "json-schema.org/draft-04/schema" => Self::V4,
            "json-schema.org/draft-06/schema" => Self::V6,
            "json-schema.org/draft-07/schema" => Self::V7,
            "json-schema.org/draft/2019-09/schema" => Self::V2019,
            "json-schema.org/draft/2020-12/schema" | "json-schema.org/schema" => Self::V2020,
            _ => return None,
        })
    }

    /// The keyword that identifies a schema.
    pub(super) const fn id_keyword(self) -> &'static str {
        match self {
            Self::V4 => "id",
            _ => "$id",
        }
    }
}
