use clap::Args;
use ipnet::IpNet;

use super::value;

/// How the engine works: no part of a request.
#[derive(Debug, Args)]
#[command(next_help_heading = "Network")]
pub(crate) struct EngineArgs {
    /// Fetch at most N pages at once, and as many from one host [default: 50, and 8 a host]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) concurrency: Option<u32>,

    /// Introduce yourself to sites by this text
    #[arg(long, value_name = "TEXT")]
    pub(crate) user_agent: Option<String>,

    /// Allow private addresses of this range, such as 127.0.0.0/8; repeat for more. All others stay refused
    #[arg(long, value_name = "CIDR", value_parser = value::range)]
    pub(crate) allow_private: Vec<IpNet>,
}
