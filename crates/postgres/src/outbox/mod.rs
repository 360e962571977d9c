//! Events for webhooks. An event is written in the transaction of its cause. One event of a job is due at a
//! time: its row in `due` exists while the job has undelivered events.

mod body;
mod dead;
mod delivered;
mod due;
mod insert;
mod kind;
pub(crate) mod webhook_form;

pub(crate) use self::insert::{EventContent, NewEvent, insert_events, insert_events_of_many};
