//! Ranks pages by words with BM25F, before they are fetched.

use hashbrown::{HashMap, HashSet};

use super::SiteUrl;
use super::terms::terms;
use crate::page::truncate;

/// Saturation of repeated words (Robertson and Zaragoza, 2009: 1.2 to 2).
const K1: f64 = 1.2;
/// Weight of the length normalisation of a field.
const B: f64 = 0.5;
/// Weight of a word in the path, the link text, the title and the description.
const FIELD_WEIGHTS: [f64; 4] = [1.6, 2.4, 2.0, 0.8];
/// Upper bound on the bytes read of one field.
const MAX_FIELD_BYTES: usize = 1_000;

/// Words to rank by, each with its weight.
pub(crate) type Query = Vec<(String, f64)>;

pub(crate) fn to_f64(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}

/// BM25F (Robertson, Zaragoza and Taylor, 2004) of each page for the words. Fields are weighted before
/// saturation, so that a word in both the path and the title does not count twice as much as a word in the
/// title alone.
pub(crate) fn rank(site: &[SiteUrl], query: &[(String, f64)]) -> Vec<f64> {
    let wanted: HashMap<&str, usize> =
        query.iter().enumerate().map(|(at, (term, _))| (term.as_str(), at)).collect();
    let mut lengths: Vec<[usize; 4]> = Vec::with_capacity(site.len());
    let mut hits: Vec<Vec<(usize, usize, usize)>> = Vec::with_capacity(site.len());
    let mut page_counts = vec![0_usize; query.len()];
    for page in site {
        let texts = [
            Some(page.url.path()),
            page.anchor.as_deref(),
            page.title.as_deref(),
            page.description.as_deref(),
        ];
        let mut length = [0; 4];
        let mut found: Vec<(usize, usize, usize)> = Vec::new();
        for ((field, text), own) in texts.into_iter().enumerate().zip(length.iter_mut()) {
            let text = terms(truncate(text.unwrap_or_default(), MAX_FIELD_BYTES));
            *own = text.len();
            for word in &text {
                if let Some(term) = wanted.get(word.as_str()) {
                    match found.iter_mut().find(|(known, place, _)| (*known, *place) == (*term, field)) {
                        Some((_, _, count)) => *count += 1,
                        None => found.push((*term, field, 1)),
                    }
                }
            }
        }
        let held: HashSet<usize> = found.iter().map(|(term, _, _)| *term).collect();
        for term in held {
            if let Some(count) = page_counts.get_mut(term) {
                *count += 1;
            }
        }
        lengths.push(length);
        hits.push(found);
    }
    let pages = to_f64(site.len().max(1));
    let mean: Vec<f64> = (0..4)
        .map(|field| {
            let sum: usize = lengths.iter().filter_map(|length| length.get(field)).sum();
            f64::max(to_f64(sum) / pages, 1.0)
        })
        .collect();
    lengths
        .iter()
        .zip(&hits)
        .map(|(length, found)| {
            let mut sums = vec![0.0; query.len()];
            for (term, field, count) in found {
                let (Some(sum), Some(weight), Some(mean), Some(own)) =
                    (sums.get_mut(*term), FIELD_WEIGHTS.get(*field), mean.get(*field), length.get(*field))
                else {
                    continue;
                };
                *sum += weight * to_f64(*count) / (1.0 - B + B * to_f64(*own) / mean);
            }
            sums.iter()
                .zip(query)
                .zip(&page_counts)
                .map(|((sum, (_, weight)), page_count)| {
                    let page_count = to_f64(*page_count);
                    let rarity = (1.0 + (pages - page_count + 0.5) / (page_count + 0.5)).ln();
                    weight * rarity * sum / (K1 + sum)
                })
                .sum()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_about_the_words_rank_first() {
        let page = |path: &str, title: &str| SiteUrl {
            title: Some(title.to_owned()),
            ..SiteUrl::new(format!("https://x.example{path}").parse().unwrap())
        };
        let site = [
            page("/a", "Our team"),
            page("/careers/dev", "Developer, open position"),
            page("/b", "Careers at our firm, and much else that has nothing to do with it, at great length"),
            page("/c", "Contact"),
        ];
        let query = vec![("career".to_owned(), 1.0), ("position".to_owned(), 1.0)];
        let scores = rank(&site, &query);
        assert!(scores[1] > scores[2] && scores[2] > scores[0], "{scores:?}");
        assert!(scores[0].abs() < 1e-9 && scores[3].abs() < 1e-9);
        assert!(rank(&[], &query).is_empty());
    }
}
