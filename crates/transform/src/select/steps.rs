//! Bounds the work of a request's selectors on one page.

use std::cell::Cell;

use gleaner_types::Interrupt;

/// Steps that all selectors of a request may take together for each byte of a page. A step matches one simple
/// selector against one element, or reads a few bytes of an attribute. `i ~ b` reads all earlier siblings of
/// each element, which is quadratic on a page of siblings. Beyond the bound nothing matches any more, and the
/// page's warning says so. Real pages and selectors stay far below.
pub const SELECTOR_STEPS_PER_BYTE: usize = 32;

/// Steps of any page, however small.
pub(super) const MIN_STEPS: u64 = 2_000_000;

/// The warning of a page on which the bound was reached.
pub(crate) const STEPS_EXHAUSTED: &str = "The selectors of the request (`includeTags`, `excludeTags` or the \
     format `attributes`) take too many steps on this page: they were only matched against its first part.";

/// The remaining steps of a page.
pub(crate) struct Steps<'i> {
    left: Cell<u64>,
    /// The cost of moving to another element: the parts of the current selector, since all of them may be
    /// tried there.
    move_cost: Cell<u64>,
    /// Backward moves that the current selector may still make.
    backward_moves: Cell<u32>,
    interrupt: &'i Interrupt,
}

impl<'i> Steps<'i> {
    /// The steps of a page with this many bytes.
    pub(crate) fn of_page(bytes: usize, interrupt: &'i Interrupt) -> Self {
        let steps = (bytes as u64).saturating_mul(SELECTOR_STEPS_PER_BYTE as u64).saturating_add(MIN_STEPS);
        Self {
            left: Cell::new(steps),
            move_cost: Cell::new(1),
            backward_moves: Cell::new(u32::MAX),
            interrupt,
        }
    }

    /// True once the bound was reached. From then on nothing matches.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.left.get() == 0
    }

    pub(super) fn left(&self) -> u64 {
        self.left.get()
    }

    /// Spends steps. False if there are too few; then none are left.
    pub(super) fn spend(&self, steps: u64) -> bool {
        let ends = self.interrupt.spend(usize::try_from(steps).unwrap_or(usize::MAX));
        let left = self.left.get().checked_sub(steps).filter(|_| !ends);
        self.left.set(left.unwrap_or(0));
        left.is_some()
    }

    /// Spends the steps for reading bytes.
    pub(super) fn spend_bytes(&self, bytes: usize) -> bool {
        self.spend(1 + bytes as u64 / 16)
    }

    /// Starts to match a selector with this many parts against an element.
    pub(super) fn begin_rule(&self, parts: u64, backward_moves: u32) -> bool {
        self.move_cost.set(parts);
        self.backward_moves.set(backward_moves);
        self.spend(parts)
    }

    /// Moves to a child or a later sibling within the current selector.
    pub(super) fn move_forward(&self) -> bool {
        self.spend(self.move_cost.get())
    }

    /// Moves to the parent or an earlier sibling within the current selector.
    pub(super) fn move_backward(&self) -> bool {
        match self.backward_moves.get().checked_sub(1) {
            Some(left) => self.backward_moves.set(left),
            None => self.left.set(0),
        }
        self.move_forward()
    }
}
