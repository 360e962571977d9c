use std::sync::OnceLock;

use crate::evidence::Evidence;
use crate::segment::{self, Segment};
use crate::template::recurring;

/// The evidence of a page with its segments. They are read when they are first needed, and only once.
#[derive(Debug)]
pub(crate) struct PageSegments<'e, 'a> {
    evidence: &'e Evidence<'a>,
    segments: OnceLock<Vec<Segment>>,
}

impl<'e, 'a> PageSegments<'e, 'a> {
    pub(crate) const fn new(evidence: &'e Evidence<'a>) -> Self {
        Self { evidence, segments: OnceLock::new() }
    }

    pub(crate) const fn evidence(&self) -> &'e Evidence<'a> {
        self.evidence
    }

    pub(crate) fn segments(&self) -> &[Segment] {
        self.segments.get_or_init(|| {
            let mut segments = segment::read(self.evidence);
            recurring::apply(self.evidence, &mut segments);
            segments
        })
    }
}
