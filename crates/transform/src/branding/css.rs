//! A minimal CSS reader for the declarations of important elements: rules in source order, without a cascade.

use std::collections::HashMap;

use memchr::memmem;

/// Upper bound on the bytes of style sheets that are read.
const MAX_BYTES: usize = 1_000_000;

/// Upper bound on the declarations that are read.
const MAX_DECLARATIONS: usize = 20_000;

/// Upper bound on the selector list of a rule, in characters. The rest is ignored.
const MAX_SELECTOR_CHARS: usize = 200;

/// Upper bound on the length of a value, in bytes. Longer values are embedded images or expressions.
const MAX_VALUE_BYTES: usize = 300;

/// One declaration and the index of its rule.
#[derive(Debug, PartialEq, Eq)]
struct Declaration {
    rule: usize,
    property: String,
    value: String,
}

/// The style sheets of a page.
#[derive(Debug, Default)]
pub(super) struct StyleSheet {
    /// The selector list of each rule, in lower case, without white space around commas.
    rules: Vec<String>,
    declarations: Vec<Declaration>,
    /// The index of the first declaration of each variable.
    variables: HashMap<String, usize>,
}

impl StyleSheet {
    /// Reads all `style` elements in the source of a page.
    pub(super) fn of_page(text: &str) -> Self {
        let mut sheet = Self::default();
        let mut left = MAX_BYTES;
        let mut rest = text;
        // The source is searched because the tree does not store the text of style elements.
        while let Some(at) = style_at(rest) {
            let after = rest.get(at + 6..).unwrap_or_default();
            let Some((_, body)) = after.split_once('>') else { break };
            let end = memmem::find(body.as_bytes(), b"</").unwrap_or(body.len());
            let (css, after) = body.split_at_checked(end).unwrap_or((body, ""));
            if css.len() > left {
                break;
            }
            left -= css.len();
            sheet.read(css);
            rest = after;
        }
        sheet
    }

    fn read(&mut self, css: &str) {
        let mut rest = css;
        let mut prelude = String::new();
        while let Some(at) = rest.find(['{', '}', ';', '/']) {
            let (before, from) = rest.split_at_checked(at).unwrap_or((rest, ""));
            prelude.push_str(before);
            let mut after = from.get(1..).unwrap_or_default();
            match from.as_bytes().first() {
                Some(b'/') if after.starts_with('*') => {
                    after = after.split_once("*/").map_or("", |(_, after)| after);
                }
                Some(b'/') => prelude.push('/'),
                // The rules inside a group such as `@media` count like rules outside it.
                Some(b'{') if prelude.trim_start().starts_with('@') && !prelude.contains("font-face") => {
                    prelude.clear();
                }
                Some(b'{') => {
                    let end = after.find('}').unwrap_or(after.len());
                    let (body, behind) = after.split_at_checked(end).unwrap_or((after, ""));
                    self.rule(&prelude, body);
                    prelude.clear();
                    after = behind.get(1..).unwrap_or_default();
                }
                _ => prelude.clear(),
            }
            rest = after;
            if self.declarations.len() >= MAX_DECLARATIONS {
                return;
            }
        }
    }

    fn rule(&mut self, selectors: &str, body: &str) {
        let selectors: String = selectors.trim_start().chars().take(MAX_SELECTOR_CHARS).collect();
        let parts: Vec<String> = selectors
            .split(',')
            .map(|selector| selector.split_whitespace().collect::<Vec<_>>().join(" ").to_ascii_lowercase())
            .collect();
        let rule = self.rules.len();
        self.rules.push(parts.join(","));
        for declaration in body.split(';') {
            let Some((property, value)) = declaration.split_once(':') else { continue };
            let value = value.trim().trim_end_matches("!important").trim();
            if !value.is_empty()
                && value.len() <= MAX_VALUE_BYTES
                && self.declarations.len() < MAX_DECLARATIONS
            {
                let property = property.trim().to_ascii_lowercase();
                if property.starts_with("--") {
                    self.variables.entry(property.clone()).or_insert(self.declarations.len());
                }
                self.declarations.push(Declaration { rule, property, value: value.to_owned() });
            }
        }
    }

    /// The values of a property in all rules.
    pub(super) fn values(&self, property: &str) -> impl Iterator<Item = &str> {
        let wanted = property.to_owned();
        self.declarations
            .iter()
            .filter(move |declaration| declaration.property == wanted)
            .map(|declaration| declaration.value.as_str())
    }

    /// The value of a property in the first rule for one of some selectors, in the order of the selectors.
    pub(super) fn of(&self, selectors: &[&str], property: &str) -> Option<&str> {
        selectors.iter().find_map(|selector| {
            let found = self.declarations.iter().find(|declaration| {
                declaration.property == property
                    && self
                        .rules
                        .get(declaration.rule)
                        .is_some_and(|rule| rule == selector || rule.split(',').any(|part| part == *selector))
            });
            found.map(|declaration| declaration.value.as_str())
        })
    }

    /// The value of a property in a rule for the whole page.
    pub(super) fn root(&self, property: &str) -> Option<&str> {
        self.of(&[":root", "html", "body"], property)
    }

    /// The value of a variable named `name`, `color-name` or `name-color`, or else of one that ends in such a
    /// name.
    pub(super) fn variable_like(&self, name: &str) -> Option<&str> {
        let variables =
            || self.declarations.iter().filter(|declaration| declaration.property.starts_with("--"));
        let own = |declaration: &&Declaration| {
            let variable = declaration.property.trim_start_matches("--");
            variable == name
                || variable.strip_prefix("color-") == Some(name)
                || variable.strip_suffix("-color") == Some(name)
        };
        let near = |declaration: &&Declaration| {
            let variable = declaration.property.trim_start_matches("--");
            variable.ends_with(&format!("-{name}")) || variable.ends_with(&format!("-{name}-color"))
        };
        variables().find(own).or_else(|| variables().find(near)).map(|declaration| declaration.value.as_str())
    }

    /// A value, or that of the variable that it references.
    pub(super) fn resolved<'a>(&'a self, value: &'a str) -> &'a str {
        let mut value = value.trim();
        // References between variables may be circular.
        for _ in 0..4 {
            let Some(inner) = value.strip_prefix("var(") else { break };
            let inner = inner.strip_suffix(')').unwrap_or(inner);
            let (name, fallback) = inner.split_once(',').unwrap_or((inner, ""));
            let named = self.variables.get(name.trim()).and_then(|at| self.declarations.get(*at));
            value = named.map_or(fallback.trim(), |declaration| declaration.value.trim());
        }
        value
    }
}

/// The position of the next `style` element.
fn style_at(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    memchr::memchr_iter(b'<', bytes)
        .find(|at| bytes.get(at + 1..at + 6).is_some_and(|name| name.eq_ignore_ascii_case(b"style")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_found_in_any_order_and_inside_groups() {
        let sheet = StyleSheet::of_page(
            "<style>@import 'x'; a , b{color:red!important} /* c{} */ @media x{d{color:var(--x)}} :root{--x:blue;--y:var(--y)}</style>
             <STYLE>e{color:var(--none, green)}</STYLE><style>f{color",
        );
        assert_eq!(sheet.of(&["b"], "color"), Some("red"));
        assert_eq!(sheet.of(&["d"], "color").map(|value| sheet.resolved(value)), Some("blue"));
        assert_eq!(sheet.of(&["e"], "color").map(|value| sheet.resolved(value)), Some("green"));
        assert_eq!(sheet.of(&["c"], "color"), None);
        assert_eq!(sheet.variable_like("x"), Some("blue"));
        assert_eq!(sheet.resolved("var(--y)"), "var(--y)");
    }
}
