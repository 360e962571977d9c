//! The DevTools protocol over two pipes: JSON messages, each ended by a zero byte.

mod client;
mod error;
mod framing;
mod message;
mod routes;

pub(crate) use client::{Client, OPENED_SOCKETS};
pub(crate) use error::CallError;
pub(crate) use framing::{Message, MessageReader};
pub(crate) use message::{Command, Event, Incoming, SessionId, leading_id};
pub(crate) use routes::{ContextId, EventReceiver};
