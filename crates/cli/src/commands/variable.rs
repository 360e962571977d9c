//! Secrets in environment variables: on the command line itself other users of the machine could read them.

use crate::failure::Failure;

/// The text in the variable that `option` names.
#[expect(clippy::disallowed_methods, reason = "the person names the variable; no library reads one")]
pub(super) fn read(option: &str, variable: &str) -> Result<String, Failure> {
    match std::env::var(variable) {
        Ok(value) if !value.is_empty() => Ok(value),
        _ => Err(Failure::usage(format!(
            "{option}: {} holds no text; give the name of a variable that holds the secret",
            named(variable)
        ))),
    }
}

/// The variable, for a message: by its name only where that is written as names of variables are. Who gives the secret in
/// its place makes a mistake that must not be printed.
pub(super) fn named(variable: &str) -> String {
    let is_name = variable.contains('_')
        && variable.starts_with(|first: char| first.is_ascii_uppercase())
        && variable.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_');
    if is_name { format!("the variable `{variable}`") } else { "the variable of that name".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_in_place_of_a_name_is_not_told() {
        assert_eq!(named("MODEL_KEY_2"), "the variable `MODEL_KEY_2`");
        for secret in ["sk-live-4f2", "hush", "AKIAIOSFODNN7EXAMPLE", "_X", "whsec_9Xy", ""] {
            let told = named(secret);
            assert!(secret.is_empty() || !told.contains(secret), "{told}");
        }
    }
}
