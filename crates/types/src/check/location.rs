//! Checks the country and the languages of a request.

use super::country::country;
use super::language::is_well_formed;
use super::path::Path;
use super::report::{Code, Report};
use crate::limits::DEFAULT_COUNTRY;
use crate::quote::quote;
use crate::{plan, request};

/// The checked location, with a default country.
pub(crate) fn location(
    location: Option<request::Location>,
    path: &Path<'_>,
    report: &mut Report,
) -> plan::Location {
    let location = location.unwrap_or_default();
    let country_code = location.country.unwrap_or_else(|| DEFAULT_COUNTRY.to_owned());
    let country = country(&country_code);
    if country.is_none() {
        report.fault(Code::InvalidValue, &path.key("country"), |name| {
            format!("{name} must be an ISO 3166-1 alpha-2 code such as `DE`, not {}", quote(&country_code))
        });
    }
    let languages = location.languages.unwrap_or_default();
    let at = path.key("languages");
    for (index, tag) in languages.iter().enumerate() {
        if !is_well_formed(tag) {
            report.fault(Code::InvalidValue, &at.index(index), |name| {
                format!("{name} must be a BCP 47 tag such as `en-US`, not {}", quote(tag))
            });
        }
    }
    plan::Location { country: country.unwrap_or(DEFAULT_COUNTRY).to_owned(), languages }
}
