//! Query folding for `deduplicateSimilarURLs`: tracking parameters, session ids, order.

use crate::percent::push_normalised;

/// Parameters that record where a visitor came from, lower case, sorted. None of them selects content.
const TRACKING: [&str; 58] = [
    "__hsfp",
    "__hssc",
    "__hstc",
    "__s",
    "_branch_match_id",
    "_bta_c",
    "_bta_tid",
    "_ga",
    "_gl",
    "_hsenc",
    "_hsmi",
    "_ke",
    "_openstat",
    "_trksid",
    "dclid",
    "dm_i",
    "ef_id",
    "epik",
    "fb_action_ids",
    "fb_action_types",
    "fb_ref",
    "fb_source",
    "fbclid",
    "gbraid",
    "gclid",
    "gclsrc",
    "guccounter",
    "guce_referrer",
    "guce_referrer_sig",
    "hsctatracking",
    "igsh",
    "igshid",
    "irclickid",
    "jsessionid",
    "li_fat_id",
    "mc_cid",
    "mc_eid",
    "mkt_tok",
    "ml_subscriber",
    "ml_subscriber_hash",
    "msclkid",
    "oly_anon_id",
    "oly_enc_id",
    "oscsid",
    "phpsessid",
    "rb_clickid",
    "rdt_cid",
    "s_kwcid",
    "sccid",
    "srsltid",
    "ttclid",
    "twclid",
    "vero_conv",
    "vero_id",
    "wbraid",
    "wickedid",
    "yclid",
    "zenid",
];

/// Prefixes of such parameters.
const TRACKING_PREFIXES: [&str; 6] = ["utm_", "mtm_", "hsa_", "matomo_", "piwik_", "aspsessionid"];

/// True for a parameter that never selects content. Letter case is ignored.
fn is_tracking(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    TRACKING.binary_search(&name.as_str()).is_ok()
        || TRACKING_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// Appends `?` and the remaining parameters, sorted by name; nothing if none remains.
pub(super) fn push_folded(out: &mut String, query: &str) {
    let mut text = String::with_capacity(query.len());
    push_normalised(&mut text, query.as_bytes(), |_| false);
    let mut kept: Vec<(&str, &str)> = text
        .split('&')
        .filter(|pair| !pair.is_empty())
        .map(|pair| (pair.split_once('=').map_or(pair, |(name, _)| name), pair))
        .filter(|(name, _)| !is_tracking(name))
        .collect();
    // A stable sort: parameters with the same name form a list, whose order may matter.
    kept.sort_by_key(|(name, _)| *name);
    let mut separator = '?';
    for (_, pair) in kept {
        out.push(separator);
        out.push_str(pair);
        separator = '&';
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_for_binary_search() {
        assert!(TRACKING.is_sorted());
    }
}
