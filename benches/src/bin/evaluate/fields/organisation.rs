//! Names of organisations without what pages add or leave out.

use super::text::{folded, words};

/// Legal forms, by their letters.
const FORMS: &str = "gmbh mbh ag kg kgaa ohg ug ev eg ltd limited inc incorporated llc llp plc corp \
                     corporation co company pty pvt pte se sa sas sarl sasu eurl sl slu sau srl spa snc sca \
                     bv nv vof ab as asa aps oy oyj kft zrt nyrt bt sro spzoo sk doo dd ltda eireli aş şti \
                     ооо оао зао тов";
/// Legal forms in scripts that write no blanks between words.
const UNSPACED_FORMS: [&str; 10] =
    ["株式会社", "有限会社", "合同会社", "(株)", "㈱", "股份有限公司", "有限公司", "주식회사", "(주)", "㈜"];
/// Articles before a name.
const ARTICLES: &str = "the der die das le la les l el los las il lo gli de het den det o os az";
/// Top-level domains of more than two letters that names end with.
const DOMAINS: &str = "com org net edu gov info biz shop store news online app";
/// Words of the longest legal form: `sp. z o.o.`
const MAX_FORM_WORDS: usize = 4;

/// Whether two names are of the same organisation.
pub(super) fn same(given: &str, truth: &str) -> bool {
    let (given, truth) = (name_words(given).concat(), name_words(truth).concat());
    !given.is_empty() && given == truth
}

/// The words of a name without legal form, leading article and top-level domain. At least one word is left.
pub(super) fn name_words(text: &str) -> Vec<String> {
    let folded = folded(text);
    let mut name = folded.trim();
    for form in UNSPACED_FORMS {
        name = name.trim_start_matches(form).trim_end_matches(form).trim();
    }
    let parts: Vec<&str> = name.split(' ').map(without_domain).collect();
    let mut all = words(&parts.join(" "));
    if all.len() > 1 && all.first().is_some_and(|first| is_in(ARTICLES, first)) {
        all.remove(0);
    }
    while let Some(count) = form_words(&all) {
        all.truncate(all.len() - count);
    }
    all
}

/// The number of words of the legal form at the end of a name.
fn form_words(name: &[String]) -> Option<usize> {
    let most = MAX_FORM_WORDS.min(name.len().saturating_sub(1));
    (1..=most).rev().find(|count| {
        let last = name.get(name.len() - count..).unwrap_or_default();
        is_in(FORMS, &last.concat())
    })
}

fn is_in(list: &str, word: &str) -> bool {
    list.split(' ').any(|listed| listed == word)
}

/// `www.acme.com` and `acme.co.uk` are `acme`.
fn without_domain(word: &str) -> &str {
    let host = word.trim_start_matches("https://").trim_start_matches("http://").trim_end_matches('/');
    let host = host.strip_prefix("www.").unwrap_or(host);
    let Some((name, top)) = host.rsplit_once('.') else { return word };
    let is_country = top.len() == 2 && top.bytes().all(|byte| byte.is_ascii_lowercase());
    // A name of one letter is a part of an abbreviation.
    if name.chars().count() < 2 || !(is_country || is_in(DOMAINS, top)) {
        return word;
    }
    match name.rsplit_once('.') {
        Some((own, "co" | "com" | "org")) if is_country && !own.is_empty() => own,
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_organisations_compare_by_what_is_said_of_them() {
        let rows = [
            ("Acme GmbH & Co. KG", "Acme", true),
            ("acme.com", "ACME", true),
            ("https://www.acme.co.uk/", "Acme Ltd.", true),
            ("The Home Depot, Inc.", "homedepot.com", true),
            ("Nowak sp. z o.o.", "Nowak", true),
            ("Demir Ltd. Şti.", "Demir A.Ş.", true),
            ("株式会社サトウ", "サトウ", true),
            ("Acme News", "Acme", false),
            ("Acme S.p.A.", "Acme Spare Parts", false),
            ("The Company", "The Limited", false),
            ("", "", false),
        ];
        for (given, truth, expected) in rows {
            assert_eq!(same(given, truth), expected, "{given} {truth}");
        }
    }
}
