//! The fuzz corpus on stable Rust: every input that was written down, and variations of it.

mod replay;
