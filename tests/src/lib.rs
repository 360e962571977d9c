//! Behaviour tests of gleaner over loopback, and its fuzz bodies.

pub mod fuzz;
