//! On whose account a job works that consists of other jobs.

use std::any::Any;
use std::fmt::Debug;

use async_trait::async_trait;
use gleaner_store::JobAccount;

/// Reports the tokens that a job used so far.
pub type TokenMeter = Box<dyn Fn() -> u64 + Send + Sync>;

/// The owner of an extract job, as its work sees it: a team with slots for pages, credits for tokens, and
/// permits for maps.
#[async_trait]
pub trait JobOwner: Debug + Send + Sync + 'static {
    /// The account of a page of the job: it is leased as any page of the team, and paid with the job's
    /// tokens.
    fn page_account(&self) -> Box<JobAccount>;

    /// Reserves credits for this many tokens, counted from the begin of the job. False where the team has too
    /// few: the step that would use them must be left out.
    async fn cover(&self, tokens: u64) -> bool;

    /// Sets the meter that reports the tokens used so far. It is read where the job ends without a result,
    /// and may be read at any time. The first meter stays.
    fn metered_by(&self, meter: TokenMeter);

    /// Tokens that the job used so far, by its meter; 0 without one.
    fn used(&self) -> u64;

    /// Waits for a permit for work that is no page, such as the [map](crate::Runtime::map) of a site.
    async fn lookup(&self) -> OwnerPermit;
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
