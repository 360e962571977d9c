//! Refuses options for structured data that the engine does not support, so that none is ignored silently.

use std::fmt;

use gleaner_extract::check_schema;
use gleaner_runtime::Error;
use gleaner_types::plan::{ChangeTrackingMode, ExtractPlan, ScrapeOptionsPlan};
use gleaner_types::{ErrorCode, Fault, FaultPath, Faults};

/// The optional parts of an engine that requests for structured data need.
#[derive(Debug, Clone, Copy, Default)]
#[non_exhaustive]
pub struct ExtractAbilities {
    /// There is a language model, or an extractor of the embedder.
    pub reads_prompts: bool,
    /// There is a search engine, or an extractor of the embedder.
    pub searches: bool,
}

/// Refuses prompts that the engine cannot read, and invalid schemas. `within` is the path of the options in
/// the request.
///
/// # Errors
/// [`Unsupported`](gleaner_runtime::ErrorKind::Unsupported) for prompts, and
/// [`Rules`](gleaner_runtime::ErrorKind::Rules) for schemas.
pub fn check_fields(
    options: &ScrapeOptionsPlan,
    within: &FaultPath,
    engine: ExtractAbilities,
) -> Result<(), Error> {
    let formats = &options.formats;
    if !engine.reads_prompts && formats.json.as_ref().is_some_and(|json| json.schema.is_none()) {
        return Err(Error::unsupported(
            ErrorCode::ModelNotConfigured,
            "the format `json` without a `schema` needs a language model, and this engine was built without \
             one: its operator can add one; until then, give a `schema`",
        ));
    }
    let tracking = formats.change_tracking.as_ref();
    let tracking = tracking.filter(|tracking| tracking.modes.contains(&ChangeTrackingMode::Json));
    if !engine.reads_prompts && tracking.is_some_and(|tracking| tracking.schema.is_none()) {
        return Err(Error::unsupported(
            ErrorCode::ModelNotConfigured,
            "`changeTracking` in mode `json` without a `schema` needs a language model, and this engine was \
             built without one: its operator can add one; until then, give a `schema`",
        ));
    }
    let json = formats.json.as_ref().and_then(|json| json.schema.as_ref());
    let tracking = tracking.and_then(|tracking| tracking.schema.as_ref());
    let schemas = [(json, &formats.places.json), (tracking, &formats.places.change_tracking)];
    let faults = schemas.into_iter().filter_map(|(schema, path)| {
        let error = check_schema(schema?).err()?;
        // Options that were not parsed from a request have no paths.
        let is_known = !path.parts().is_empty();
        let path = if is_known { path.clone() } else { within.clone().then("formats") };
        Some(invalid(path, &error))
    });
    Faults::new(faults.collect()).map_or(Ok(()), |faults| Err(faults.into()))
}

/// Refuses extract jobs that need a part that the engine lacks.
///
/// # Errors
/// Those of [`check_fields`].
pub fn check_extract(plan: &ExtractPlan, engine: ExtractAbilities) -> Result<(), Error> {
    let Some(schema) = &plan.schema else {
        return if engine.reads_prompts {
            check_sources(plan, engine)
        } else {
            Err(Error::unsupported(
                ErrorCode::ModelNotConfigured,
                "a `prompt` without a `schema` needs a language model, and this engine was built without \
                 one: its operator can add one; until then, give a `schema`",
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
            "a request without `urls` needs a search engine, and this engine was built without one: its \
             operator can add one; until then, give `urls`",
        ));
    }
    Ok(())
}

/// A fault whose message starts with its path.
fn invalid(path: FaultPath, error: &dyn fmt::Display) -> Fault {
    let message = format!("`{path}`: {error}");
    Fault::invalid_value(path, message)
}
