//! What stores have in common: the forms of events, scrape ids and submitted jobs. For implementations of
//! [`Store`](crate::Store) outside of this crate.

pub use crate::given_up::given_up;
pub use crate::outbox::{EventContent, event_body};
pub use crate::scrape::{
    id_of as scrape_id_of, job_range as scrape_job_range, local_half as scrape_local_half,
};
pub use crate::stored_form::{JobLabel, StoredRules, StoredSecrets, StoredWebhook};
