//! The demo: a small bundled site, and a server for it on a loopback port.

mod server;
mod site;

pub(crate) use server::Server;
pub(crate) use site::{LEAFLET, MOVED_FROM, MOVED_TO, ONLY_IN_SITEMAP, WRITTEN_BY_SCRIPT};
