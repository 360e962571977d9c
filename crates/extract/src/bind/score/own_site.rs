//! The name of an organisation on its own site.
//!
//! Its heading there is a slogan or the title of a page more often than its name. The name of the site is
//! stated in several places, so it is the better one, if the page shows that the site is the organisation's.

use super::fit::{SITE_WEIGHT, feature};
use super::options::ValueOption;
use super::page_facts::PageFacts;
use crate::evidence::Evidence;
use crate::segment::Segment;
use crate::typed::email;

const SITE_LEAD: usize = feature("site_lead");

/// The weight from which several places state a name of the site.
const MIN_SITE_WEIGHT: f32 = 2.5;
/// The lowest probability of such a name.
const PROBABILITY: f32 = 0.85;
/// Upper bound on the links that are searched for an e-mail address.
const MAX_LINKS: usize = 5_000;

/// Makes the best name of the site the likeliest option, if this is a page of the organisation's own site.
pub(super) fn prefer(page: &PageFacts<'_, '_>, options: &[ValueOption], probabilities: &mut [f32]) {
    let of_segment = |segment: &Segment| {
        let place = |feature: usize| segment.place.0.get(feature).copied().unwrap_or_default();
        (place(SITE_WEIGHT), place(SITE_LEAD))
    };
    let rated = options.iter().enumerate().filter_map(|(number, option)| {
        let (weight, lead) = of_segment(page.segments.get(*option.segments.first()?)?);
        (weight >= MIN_SITE_WEIGHT).then_some((weight, lead, option.key.len(), number))
    });
    let best = rated.max_by(|left, right| {
        left.0.total_cmp(&right.0).then(left.1.total_cmp(&right.1)).then(left.2.cmp(&right.2))
    });
    let Some((.., best)) = best else { return };
    if !is_own(page.evidence, page.segments) {
        return;
    }
    let highest = probabilities.iter().copied().fold(PROBABILITY, f32::max);
    for (number, probability) in probabilities.iter_mut().enumerate() {
        *probability = if number == best { highest } else { probability.min(highest - f32::EPSILON) };
    }
}

/// Whether the page is the start of its site, or has an e-mail address at its host.
fn is_own(evidence: &Evidence<'_>, segments: &[Segment]) -> bool {
    let host = evidence.url.host_str().unwrap_or_default();
    let host = host.strip_prefix("www.").unwrap_or(host);
    let is_below = |one: &str, other: &str| {
        one.strip_suffix(other).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    };
    let is_of_host = |text: &str| {
        email(text).is_some_and(|address| {
            let domain = address.rsplit('@').next().unwrap_or_default().to_lowercase();
            is_below(host, &domain) || is_below(&domain, host)
        })
    };
    let tree = &evidence.tree;
    let links = || tree.nodes().filter(|node| tree.is(*node, &["a"])).take(MAX_LINKS);
    evidence.url.path() == "/"
        || segments.iter().any(|segment| segment.text.contains('@') && is_of_host(&segment.text))
        || links().any(|link| {
            let href = tree.attribute(link, "href").unwrap_or_default();
            href.contains('@') && is_of_host(&href)
        })
}

#[cfg(test)]
mod tests {
    use crate::page::Page;
    use crate::schema::Shape;
    use serde_json::{Value, json};

    fn name(body: &str) -> Value {
        let shape = Shape::from_schema(&json!({ "properties": {
            "name": { "type": ["string", "null"] }, "phone": { "type": ["string", "null"] },
            "email": { "type": ["string", "null"] },
        } }))
        .unwrap();
        let html = format!(
            "<title>News of the trade — Holm Consulting</title><body><a href=/>Holm Consulting</a>\
             <h1>News of the trade</h1>{body}<footer>© 2026 Holm Consulting. All rights reserved.</footer>"
        );
        let page = Page::new("https://www.holmconsulting.example/news".parse().unwrap(), html);
        crate::extract(&page, &shape).data["name"].clone()
    }

    #[test]
    fn an_organisation_has_the_name_of_its_own_site() {
        let own = "<p>Write to <a href='mailto:info@holmconsulting.example'>us</a>";
        assert_eq!(name(own), "Holm Consulting");
        assert_ne!(name("<p>Write to <a href='mailto:info@other.example'>them</a>"), "News of the trade");
    }
}
