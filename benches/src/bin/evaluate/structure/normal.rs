//! The forms in which texts of items are compared.

use std::collections::HashMap;

/// The words of a text, in lower case. A text without words, such as a check mark, is its own word.
pub(super) fn words(text: &str) -> Vec<String> {
    let words: Vec<String> = text
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    if words.is_empty() { text.split_whitespace().map(str::to_owned).collect() } else { words }
}

/// The tokens of code: runs of letters, digits and underscores, and each other character.
pub(super) fn code(text: &str) -> Vec<String> {
    tokens(text, |c| c.is_alphanumeric() || c == '_')
}

/// Commands that mean the same, and environments that only differ in their alignment.
const SAME_TEX: [(&str, &str); 11] = [
    ("\\ne", "\\neq"),
    ("\\le", "\\leq"),
    ("\\ge", "\\geq"),
    ("\\to", "\\rightarrow"),
    ("\\lt", "<"),
    ("\\gt", ">"),
    ("\\dots", "\\ldots"),
    ("\\left", ""),
    ("\\right", ""),
    ("\\displaystyle", ""),
    ("\\mathrm", ""),
];

/// The tokens of TeX: commands, and each other character. Braces, the kind of an environment, and marks that
/// only change the spacing or the style do not count.
pub(super) fn tex(text: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let after = rest.get(c.len_utf8()..).unwrap_or_default();
        if c == '\\' {
            let end = after.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(after.len());
            let (name, after_name) = after.split_at_checked(end).unwrap_or_default();
            rest = after_name;
            match name {
                // A space, or the end of a line.
                "" => {
                    let mut characters = rest.chars();
                    let escaped = characters.next();
                    rest = characters.as_str();
                    out.extend(escaped.filter(|c| !",;:! ".contains(*c)).map(|c| format!("\\{c}")));
                }
                "begin" | "end" => {
                    rest = rest.split_once('}').map_or(rest, |(_, after)| after);
                    out.push(format!("\\{name}"));
                }
                _ => {
                    let command = format!("\\{name}");
                    let same = SAME_TEX.iter().find(|(one, _)| *one == command);
                    let command = same.map_or(command.as_str(), |(_, other)| other);
                    out.extend((!command.is_empty()).then(|| command.to_owned()));
                }
            }
        } else {
            rest = after;
            if !c.is_whitespace() && !matches!(c, '{' | '}') {
                out.push(c.to_string());
            }
        }
    }
    out
}

fn tokens(text: &str, joins: impl Fn(char) -> bool) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut in_run = false;
    for c in text.chars() {
        match out.last_mut() {
            Some(last) if in_run && joins(c) => last.push(c),
            _ if c.is_whitespace() => in_run = false,
            _ => {
                in_run = joins(c);
                out.push(c.to_string());
            }
        }
    }
    out
}

/// True if a line is the title of a page: one contains the other, and the line is not much longer.
pub(super) fn is_title(line: &str, title: &str) -> bool {
    let fold = |text: &str| -> String {
        let folded = text.chars().filter(|c| c.is_alphanumeric() || *c == '_');
        folded.flat_map(char::to_lowercase).collect()
    };
    let (line, title) = (fold(line), fold(title));
    let (line_length, title_length) = (line.chars().count(), title.chars().count());
    line_length.min(title_length) > 5
        && line_length < 2 * title_length + 20
        && (line.contains(&title) || title.contains(&line))
}

/// The F1 of the words of two texts, with repeats.
pub(super) fn f1<'w>(
    one: impl ExactSizeIterator<Item = &'w str>,
    other: impl ExactSizeIterator<Item = &'w str>,
) -> f64 {
    let total = one.len() + other.len();
    let mut counts: HashMap<&str, u32> = HashMap::new();
    for word in one {
        *counts.entry(word).or_insert(0) += 1;
    }
    let mut common = 0_usize;
    for word in other {
        if let Some(count) = counts.get_mut(word).filter(|count| **count > 0) {
            *count -= 1;
            common += 1;
        }
    }
    crate::content::ratio(2 * common, total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_normalized() {
        assert_eq!(words("The Cat, the_dog"), ["the", "cat", "the_dog"]);
        assert_eq!(words(" ✓ "), ["✓"]);
        assert_eq!(code("a_b += f(1);\n"), ["a_b", "+", "=", "f", "(", "1", ")", ";"]);
        assert_eq!(tex("\\displaystyle \\frac{a}{10}\\,x"), ["\\frac", "a", "1", "0", "x"]);
        assert_eq!(tex("\\begin{matrix} a \\\\ b \\end{matrix}"), ["\\begin", "a", "\\\\", "b", "\\end"]);
        assert_eq!(tex("x\\ne\\left( y"), tex("x \\neq ( y"));
    }

    #[test]
    fn a_title_may_be_part_of_its_line() {
        assert!(is_title("Fishing by Moonlight", "Fishing by moonlight - The Site"));
        assert!(is_title("Fishing by moonlight 🎣", "Fishing by Moonlight"));
        assert!(!is_title("Site", "Site"));
        assert!(!is_title(&"fishing by moonlight ".repeat(4), "Fishing by moonlight"));
    }

    #[test]
    fn f1_counts_words_with_repeats() {
        let f1 = |one: &str, other: &str| {
            let (one, other): (Vec<&str>, Vec<&str>) = (one.split(' ').collect(), other.split(' ').collect());
            super::f1(one.into_iter(), other.into_iter())
        };
        assert!((f1("a b a", "a a c") - 2.0 / 3.0).abs() < 1e-9);
        assert!(f1("a", "b") < 1e-9);
    }
}
