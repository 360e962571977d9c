//! The port to the account of an extract job, which consists of other jobs.

use std::any::Any;
use std::fmt::Debug;

use gleaner_store::JobAccount;
use gleaner_types::BoxFuture;

/// Reports the tokens that a job has used so far.
pub type TokenMeter = Box<dyn Fn() -> u64 + Send + Sync>;

/// The owner of an extract job: a team with slots for pages, credits for tokens, and permits for maps.
pub trait JobOwner: Debug + Send + Sync + 'static {
    /// The account for pages of the job: they use slots of the team, and their price is part of the job's
    /// tokens.
    fn page_account(&self) -> Box<JobAccount>;

    /// Tokens that earlier runs of the job used, in processes that have ended. They count against the budget
    /// of the job. The default is 0.
    fn tokens_before(&self) -> u64 {
        0
    }

    /// Reserves credits for this many tokens in total since the start of this run of the job. False if the
    /// team has too few: then the step that would use them must be skipped.
    fn reserve_tokens(&self, tokens: u64) -> BoxFuture<'_, bool>;

    /// Sets the meter that reports the tokens used so far. It may be read at any time, and is read when the
    /// job ends without a result. Later calls have no effect.
    fn set_meter(&self, meter: TokenMeter);

    /// Tokens that this run of the job has used so far, by its meter; 0 without one.
    fn tokens_used(&self) -> u64;

    /// Waits for a permit for work other than pages, such as the [map](crate::Runtime::map) of a site.
    fn lookup_permit(&self) -> BoxFuture<'_, OwnerPermit>;
}

/// A permit of a [`JobOwner`]. Dropping it returns it.
#[derive(Debug)]
pub struct OwnerPermit {
    _permit: Box<dyn Any + Send + Sync>,
}

impl OwnerPermit {
    /// A permit that is returned when this value is dropped.
    #[must_use]
    pub fn new(permit: impl Any + Send + Sync) -> Self {
        Self { _permit: Box::new(permit) }
    }
}
