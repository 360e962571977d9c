//! What an engine offers of what requests for structured data may ask. An option that would silently do
//! nothing is refused.

use std::fmt;

use gleaner_extract::check_schema;
use gleaner_runtime::Error;
use gleaner_types::plan::{ChangeTrackingMode, ExtractPlan, ScrapeOptionsPlan};
use gleaner_types::{ErrorCode, Fault, FaultPath, Faults};

/// What an engine was built with, of what requests for structured data need.
#[derive(Debug, Clone, Copy, Default)]
pub struct ExtractAbilities {
    /// Has a language model, or another extractor that may.
    pub reads_prompts: bool,
    /// Has a search engine, or another extractor that may.
    pub searches: bool,
}

/// Refuses fields that are asked for in words where nothing reads them, and schemas that are none. `within`
/// is where the options stand in the request.
///
/// # Errors
/// [`Unsupported`](gleaner_runtime::ErrorKind::Unsupported), or [`Rules`](gleaner_runtime::ErrorKind::Rules)
/// for schemas.
pub fn check_fields(
    options: &ScrapeOptionsPlan,
    within: &FaultPath,
    engine: ExtractAbilities,
) -> Result<(), Error> {
    let formats = &options.formats;
    if !engine.reads_prompts && formats.json.as_ref().is_some_and(|asked| asked.schema.is_none()) {
        return Err(Error::unsupported(
            ErrorCode::ModelNotConfigured,
            "the format `json` without a `schema` needs a language model, and this engine was built without one: its \
             operator can add one; until then, give a `schema`",
        ));
    }
    let compared = formats.change_tracking.as_ref();
    let compared = compared.filter(|tracking| tracking.modes.contains(&ChangeTrackingMode::Json));
    if !engine.reads_prompts && compared.is_some_and(|tracking| tracking.schema.is_none()) {
        return Err(Error::unsupported(
            ErrorCode::ModelNotConfigured,
            "`changeTracking` in mode `json` without a `schema` needs a language model, and this engine was built without \
             one: its operator can add one; until then, give a `schema`",
        ));
    }
    let json = formats.json.as_ref().and_then(|asked| asked.schema.as_ref());
    let compared = compared.and_then(|tracking| tracking.schema.as_ref());
    let schemas = [(json, &formats.places.json), (compared, &formats.places.change_tracking)];
    let faults = schemas.into_iter().filter_map(|(schema, place)| {
        let error = check_schema(schema?).err()?;
        // All that is known of plans that were not made of a request is the field.
        let is_known = !place.parts().is_empty();
        let place = if is_known { place.clone() } else { within.clone().then("formats") };
        Some(invalid(place, &error))
    });
    Faults::new(faults.collect()).map_or(Ok(()), |faults| Err(faults.into()))
}

/// Refuses extract jobs that need what this engine was built without.
///
/// # Errors
/// As for [`check_fields`].
pub fn check_extract(plan: &ExtractPlan, engine: ExtractAbilities) -> Result<(), Error> {
    let Some(schema) = &plan.schema else {
        return if engine.reads_prompts {
            check_sources(plan, engine)
        } else {
            Err(Error::unsupported(
                ErrorCode::ModelNotConfigured,
                "a `prompt` without a `schema` needs a language model, and this engine was built without one: its operator \
                 can add one; until then, give a `schema`",
            ))
        };
    };
    if let Err(error) = check_schema(schema) {
        return Err(Faults::from(invalid(FaultPath::key("schema"), &error)).into());
    }
    check_sources(plan, engine)
}

fn check_sources(plan: &ExtractPlan, engine: ExtractAbilities) -> Result<(), Error> {
    if plan.sources.is_empty() && !engine.searches {
        return Err(Error::unsupported(
            ErrorCode::SearchNotConfigured,
            "a request without `urls` needs a search engine, and this engine was built without one: its operator can add \
             one; until then, give `urls`",
        ));
    }
    Ok(())
}

/// A fault whose message begins with its place.
fn invalid(path: FaultPath, error: &dyn fmt::Display) -> Fault {
    let message = format!("`{path}`: {error}");
    Fault::invalid_value(path, message)
}
