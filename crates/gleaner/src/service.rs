//! The desk: what a server of the contract stands on, and what it may be given.
//!
//! [`Engine::service`](crate::Engine::service) takes requests of teams, keeps their jobs, and answers by id. Who the teams are
//! is for [`Accounts`] to say:
//!
//! ```
//! use std::sync::Arc;
//!
//! use gleaner::Engine;
//! use gleaner::desk::{MemoryAccounts, Secret, Team, TeamConfig, TeamId};
//!
//! # fn main() -> Result<(), gleaner::Error> {
//! let team = TeamConfig {
//!     credits: Some(500),
//!     webhook_secret: Some(Secret::new("told to nobody else")),
//!     ..TeamConfig::new(Team::new(TeamId::new("birds")))
//! };
//! let accounts = MemoryAccounts::new().with_team("their key", team);
//! let engine = Engine::builder().accounts(Arc::new(accounts)).build()?;
//! # let _ = engine.desk();
//! # Ok(())
//! # }
//! ```

pub use gleaner_runtime::{
    Accounts, ActivityLog, Balance, Deliver, DeliverError, Delivery, Error, ErrorKind, Extract, ExtractTask,
    Extracted, JobService, MemoryAccounts, MemoryActivityLog, Operation, Page, PageRead, PageTask, PageText,
    Secret, SignatureError, StatusBody, Submit, Submitted, Team, TeamConfig, UnlimitedAccounts,
    WebhookConfig, sign, verify,
};
pub use gleaner_store::{DeadLetter, EndedJob, TeamId};
