//! The location of a fault in a body, such as `formats[1].quality`.

use std::fmt;

#[cfg(feature = "contract")]
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
#[cfg(feature = "contract")]
use serde::{Deserialize, Serialize};

/// A location in a body: keys and indexes from the outermost on; empty for the body itself.
///
/// In JSON it is a list, `["formats", 1, "quality"]`. In messages it is written as `formats[1].quality`.
///
/// ```
/// use gleaner_types::FaultPath;
///
/// let path = FaultPath::key("formats").then(1_usize).then("quality");
/// assert_eq!(path.to_string(), "formats[1].quality");
/// assert_eq!(serde_json::to_string(&path)?, r#"["formats",1,"quality"]"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[cfg_attr(feature = "contract", derive(Serialize, Deserialize), serde(transparent))]
pub struct FaultPath(Vec<PathPart>);

/// One step of a path in a body.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "contract", derive(Serialize, Deserialize), serde(untagged))]
pub enum PathPart {
    /// The name of a field.
    Key(String),
    /// The index of an entry, from 0.
    Index(usize),
}

impl FaultPath {
    /// The path of a top-level field.
    #[must_use]
    pub fn key(name: impl Into<String>) -> Self {
        Self(vec![PathPart::Key(name.into())])
    }

    /// The path with one more step at its end.
    #[must_use]
    pub fn then(mut self, part: impl Into<PathPart>) -> Self {
        self.0.push(part.into());
        self
    }

    /// The steps, from the outermost on.
    #[must_use]
    pub fn parts(&self) -> &[PathPart] {
        &self.0
    }

    /// Whether the path is `outer` or inside it.
    #[must_use]
    pub fn is_within(&self, outer: &Self) -> bool {
        self.0.starts_with(&outer.0)
    }
}

impl From<&str> for PathPart {
    fn from(key: &str) -> Self {
        Self::Key(key.to_owned())
    }
}

impl From<usize> for PathPart {
    fn from(index: usize) -> Self {
        Self::Index(index)
    }
}

impl FromIterator<PathPart> for FaultPath {
    fn from_iter<I: IntoIterator<Item = PathPart>>(parts: I) -> Self {
        Self(parts.into_iter().collect())
    }
}

impl fmt::Display for FaultPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (step, part) in self.0.iter().enumerate() {
            match part {
                PathPart::Index(index) => write!(f, "[{index}]")?,
                PathPart::Key(key) if !is_plain(key) => write!(f, "[{key:?}]")?,
                PathPart::Key(key) => {
                    if step > 0 {
                        f.write_str(".")?;
                    }
                    f.write_str(key)?;
                }
            }
        }
        Ok(())
    }
}

fn is_plain(key: &str) -> bool {
    !key.is_empty()
        && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'$' | b'@'))
}

#[cfg(feature = "contract")]
impl JsonSchema for FaultPath {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "FaultPath".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "array", "items": { "type": ["string", "integer"] } })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(parts: &[PathPart]) -> FaultPath {
        parts.iter().cloned().collect()
    }

    #[test]
    fn paths_are_displayed_as_json_paths_and_serialized_as_lists() {
        for (parts, text, wire) in [
            (
                vec!["formats".into(), 1.into(), "quality".into()],
                "formats[1].quality",
                r#"["formats",1,"quality"]"#,
            ),
            (vec!["a b".into(), "c".into()], "[\"a b\"].c", r#"["a b","c"]"#),
            (vec!["x\n".into()], "[\"x\\n\"]", r#"["x\n"]"#),
            (Vec::new(), "", "[]"),
        ] {
            let path: FaultPath = parts.into_iter().collect();
            assert_eq!(path.to_string(), text);
            assert_eq!(serde_json::to_string(&path).unwrap(), wire);
            assert_eq!(serde_json::from_str::<FaultPath>(wire).unwrap(), path);
        }
    }

    #[test]
    fn is_within_compares_whole_steps() {
        let (a, ab) = (path(&["a".into()]), path(&["a".into(), "b".into()]));
        assert!(ab.is_within(&a) && a.is_within(&a) && a.is_within(&FaultPath::default()));
        assert!(!path(&["ab".into()]).is_within(&a) && !a.is_within(&ab));
    }
}
