/// Splits a name into lower-case words: `productID`, `product_id` and `product-id` are all `product id`.
pub(crate) fn words(name: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut word = String::new();
    let mut before: Option<char> = None;
    let mut chars = name.chars().take(200).peekable();
    while let Some(found) = chars.next() {
        let next_is_lower = chars.peek().is_some_and(|next| next.is_lowercase());
        let turns = found.is_uppercase()
            && before.is_some_and(|before| {
                before.is_lowercase() || before.is_ascii_digit() || (before.is_uppercase() && next_is_lower)
            });
        if (turns || !found.is_alphanumeric()) && !word.is_empty() {
            out.push(std::mem::take(&mut word));
        }
        match found {
            // Its lower case would be two characters, of which nobody writes the second.
            'İ' => word.push('i'),
            _ if found.is_alphanumeric() => word.extend(found.to_lowercase()),
            _ => {}
        }
        before = Some(found);
    }
    if !word.is_empty() {
        out.push(word);
    }
    out
}

/// Like [`words`], but `pricenew` and `ourprice` become two words each, as style sheets write them.
pub(crate) fn class_words(name: &str) -> Vec<String> {
    let mut out = Vec::new();
    for word in words(name) {
        let parts = ["price", "stock", "brand"].into_iter().find_map(|stem| {
            let before = word.strip_suffix(stem).filter(|rest| !rest.is_empty()).map(|rest| (rest, stem));
            let after = word.strip_prefix(stem).filter(|rest| !rest.is_empty()).map(|rest| (stem, rest));
            before.or(after).map(|(one, two)| [one.to_owned(), two.to_owned()])
        });
        match parts {
            Some(parts) => out.extend(parts),
            None => out.push(word),
        }
    }
    out
}

/// The words of a name, joined by spaces.
pub(crate) fn folded(name: &str) -> String {
    words(name).join(" ")
}

/// Share of the words of the shorter text that the longer one also has, 0 to 1.
pub(crate) fn overlap(left: &str, right: &str) -> f64 {
    let left: std::collections::BTreeSet<String> = words(left).into_iter().collect();
    let right: std::collections::BTreeSet<String> = words(right).into_iter().collect();
    let least = left.len().min(right.len());
    if least == 0 {
        return 0.0;
    }
    #[expect(clippy::cast_precision_loss, reason = "names have at most 200 words")]
    let share = left.intersection(&right).count() as f64 / least as f64;
    share
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split() {
        let rows = [
            ("productID", "product id"),
            ("product_id", "product id"),
            ("gtin13", "gtin13"),
            ("HTMLPage", "html page"),
            ("price (EUR)", "price eur"),
            ("Цена товара", "цена товара"),
            ("İsim", "isim"),
        ];
        for (name, expected) in rows {
            assert_eq!(folded(name), expected, "{name}");
        }
        assert!(overlap("Red Cup 5", "red cup") > 0.99);
    }
}
