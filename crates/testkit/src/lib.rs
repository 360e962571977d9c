//! Generated sites and hostile servers for the tests of gleaner.
