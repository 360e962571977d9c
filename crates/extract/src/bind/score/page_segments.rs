//! The segments of a page, read on first use.

use std::sync::OnceLock;

use crate::evidence::Evidence;
use crate::segment::{self, Places, Segment};
use crate::template::recurring;

/// The evidence of a page with its segments. They are read when they are first needed, and only once.
#[derive(Debug)]
pub(crate) struct PageSegments<'e, 'a> {
    evidence: &'e Evidence<'a>,
    segments: OnceLock<(Vec<Segment>, Places<'e, 'a>)>,
}

impl<'e, 'a> PageSegments<'e, 'a> {
    pub(crate) const fn new(evidence: &'e Evidence<'a>) -> Self {
        Self { evidence, segments: OnceLock::new() }
    }

    pub(crate) const fn evidence(&self) -> &'e Evidence<'a> {
        self.evidence
    }

    /// The segments and their places.
    pub(crate) fn segments(&self) -> (&[Segment], &Places<'e, 'a>) {
        let (segments, places) = self.segments.get_or_init(|| {
            let (mut segments, places) = segment::read(self.evidence);
            recurring::apply(self.evidence, &mut segments);
            (segments, places)
        });
        (segments, places)
    }
}
