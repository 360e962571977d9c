//! The store of gleaner is its queue: the Store trait, its conformance suite, and the memory store.
