//! The house itself: which crate may use which, and what must not come into the tree.

mod arrows;
