//! Texts of statements.

use gleaner_store::{Error, ErrorKind};

/// Longer names are cut by the server.
const MAX_NAME_BYTES: usize = 63;

/// Puts the name of the schema into statements.
#[derive(Debug, Clone)]
pub(crate) struct Sql {
    /// In quotes.
    schema: String,
}

impl Sql {
    /// For the tables of this schema.
    pub(crate) fn new(schema: &str) -> Result<Self, Error> {
        if schema.is_empty() || schema.len() > MAX_NAME_BYTES || schema.contains('\0') {
            let text =
                format!("the name of the schema is not valid: use 1 to {MAX_NAME_BYTES} bytes without NUL");
            return Err(Error::new(ErrorKind::Unsuitable, text));
        }
        Ok(Self { schema: format!("\"{}\"", schema.replace('"', "\"\"")) })
    }

    /// The statement with the quoted name of the schema for each `{schema}`.
    pub(crate) fn text(&self, template: &str) -> String {
        template.replace("{schema}", &self.schema)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_is_quoted() {
        let sql = Sql::new("a\"b").unwrap();
        assert_eq!(sql.text("SELECT 1 FROM {schema}.job, {schema}.page"), {
            "SELECT 1 FROM \"a\"\"b\".job, \"a\"\"b\".page"
        });
        for name in ["", "a\0", &"x".repeat(64)] {
            assert!(Sql::new(name).unwrap_err().is_unsuitable());
        }
    }
}
