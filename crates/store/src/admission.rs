//! Pages to add to a job from outside, such as those of a sitemap.

use gleaner_frontier::Candidate;

use crate::Note;

/// Pages to add that are not links of a page, with what the engine learned as it found them.
#[derive(Debug, Clone, Default)]
pub struct Admission {
    /// The depth of the pages.
    pub depth: u32,
    /// The pages.
    pub pages: Vec<Candidate>,
    /// Notes that are stored together with the pages.
    pub notes: Vec<Note>,
}

impl Admission {
    /// Pages of this depth, without notes.
    #[must_use]
    pub const fn new(depth: u32, pages: Vec<Candidate>) -> Self {
        Self { depth, pages, notes: Vec::new() }
    }
}
