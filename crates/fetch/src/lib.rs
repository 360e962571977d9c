//! The only door of gleaner to the network: egress guard, redirects, deadlines, body limits.
