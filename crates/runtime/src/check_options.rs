//! The port to the check of options that an engine may not support.

use std::fmt::Debug;

use gleaner_types::plan::ScrapeOptionsPlan;

/// Checks the options of a job that another process accepted. An engine may lack what they need, such as a
/// browser; then the job fails with the reason.
pub trait CheckOptions: Debug + Send + Sync + 'static {
    /// Checks the options of the pages of a job.
    ///
    /// # Errors
    /// What the engine lacks, as a message for the user.
    fn check(&self, options: &ScrapeOptionsPlan) -> Result<(), String>;
}
