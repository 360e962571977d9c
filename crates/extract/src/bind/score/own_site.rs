//! The name of an organisation on a page of its own site that is about nothing else: the start page, or one for
//! contact.
//!
//! The heading there is a slogan or the name of the page. The name of the site is stated in several places, so
//! it is the better one.

use percent_encoding::percent_decode_str;

use super::options::ValueOption;
use super::page_facts::PageFacts;
use super::unlikely_names::is_of_page;

/// The weight from which several places state a name of the site.
const MIN_SITE_WEIGHT: f32 = 2.5;
/// The lowest probability of such a name. It is set by hand: few of these pages have a truth.
const PROBABILITY: f32 = 0.85;

/// Makes the best name of the site the likeliest option, if the page is about the site.
pub(super) fn prefer(page: &PageFacts<'_, '_>, options: &[ValueOption], probabilities: &mut [f32]) {
    // What the page states for machines is surer than where a name stands.
    if !is_about_site(page) || options.iter().any(ValueOption::is_structured) {
        return;
    }
    let rated = options.iter().enumerate().filter_map(|(number, option)| {
        let found = page.places.site(page.segments.get(*option.segments.first()?)?)?;
        // Likeness to the host name alone is often that of an abbreviation.
        let is_name = found.weight >= MIN_SITE_WEIGHT && found.is_shown();
        is_name.then_some((found.weight, found.lead, option.key.len(), number))
    });
    let best = rated.max_by(|left, right| {
        left.0.total_cmp(&right.0).then(left.1.total_cmp(&right.1)).then(left.2.cmp(&right.2))
    });
    let Some((.., best)) = best else { return };
    let highest = probabilities.iter().copied().fold(PROBABILITY, f32::max);
    for (number, probability) in probabilities.iter_mut().enumerate() {
        *probability = if number == best { highest } else { probability.min(highest - f32::EPSILON) };
    }
}

/// Whether the page is the start page, or its heading, the start of its title or the end of its path is the
/// name of a page about the site.
fn is_about_site(page: &PageFacts<'_, '_>) -> bool {
    let path = page.evidence.url.path().trim_end_matches('/');
    let last = path.rsplit('/').next().unwrap_or_default();
    let last = percent_decode_str(last).decode_utf8_lossy();
    let last = last.rsplit_once('.').map_or(&*last, |(name, _)| name);
    let title = page.evidence.title.split(['|', '–', '—', '·', '»']).next().unwrap_or_default();
    let title = title.split(" - ").next().unwrap_or_default();
    path.is_empty() || [last, title, page.headline.as_str()].into_iter().any(is_of_page)
}

#[cfg(test)]
mod tests {
    use crate::page::Page;
    use crate::schema::Shape;
    use serde_json::{Value, json};

    fn name(path: &str) -> Value {
        let shape = Shape::from_schema(&json!({ "properties": {
            "name": { "type": ["string", "null"] }, "phone": { "type": ["string", "null"] },
            "email": { "type": ["string", "null"] },
        } }))
        .unwrap();
        let html = "<title>We keep your trade moving — Holm Consulting</title><a href=/>Holm Consulting</a>\
                    <h1>We keep your trade moving</h1><p>Call us.</p><footer>© 2026 Holm Consulting</footer>";
        let url = format!("https://www.holmconsulting.example{path}").parse().unwrap();
        crate::extract(&Page::new(url, html), &shape).data["name"].clone()
    }

    #[test]
    fn the_start_page_is_about_the_organisation_of_the_site() {
        assert_eq!(name("/"), "Holm Consulting");
        assert_eq!(name("/en/contact-us.html"), "Holm Consulting");
        assert_eq!(name("/%C3%BCber-uns"), "Holm Consulting");
        assert_ne!(name("/news/trade"), "We keep your trade moving");
    }
}
