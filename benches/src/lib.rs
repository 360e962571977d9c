//! Benchmarks of gleaner, each beside its floor.
