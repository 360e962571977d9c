//! Arguments of `gleaner openapi`.

use clap::Args;

const EXAMPLES: &str = "\
Examples:
  gleaner openapi > openapi.json";

/// Print the OpenAPI document of the service in `gleaner-http`
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct OpenApiArgs {}
