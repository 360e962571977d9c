//! Secrets from environment variables. Other users of the machine could read them on the command line.

use crate::failure::Failure;

/// The value of the variable that `option` names.
#[expect(clippy::disallowed_methods, reason = "the user names the variable; libraries read none")]
pub(super) fn read(option: &str, variable: &str) -> Result<String, Failure> {
    match std::env::var(variable) {
        Ok(value) if !value.is_empty() => Ok(value),
        _ => Err(Failure::usage(format!(
            "{option}: {} is not set or empty; name a variable that contains the secret",
            named(variable)
        ))),
    }
}

/// The variable for a message. Its name is only shown if it looks like the name of a variable, because users
/// may write the secret itself by mistake.
pub(super) fn named(variable: &str) -> String {
    let is_name = variable.contains('_')
        && variable.starts_with(|first: char| first.is_ascii_uppercase())
        && variable.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_');
    if is_name { format!("the variable `{variable}`") } else { "the named variable".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_in_place_of_a_name_is_not_shown() {
        assert_eq!(named("MODEL_KEY_2"), "the variable `MODEL_KEY_2`");
        for secret in ["sk-live-4f2", "hush", "AKIAIOSFODNN7EXAMPLE", "_X", "whsec_9Xy", ""] {
            let text = named(secret);
            assert!(secret.is_empty() || !text.contains(secret), "{text}");
        }
    }
}
