//! What the selectors of a request may cost on one page.

use std::cell::Cell;

use gleaner_types::Interrupt;

/// Steps that all selectors of a request may take together for each byte of a page. A step is one simple selector that is
/// held against one element, or a few bytes of an attribute that are read for it. `i ~ b` looks at all siblings before each
/// element, which on a page of siblings is the square of their number; beyond the bound nothing matches any more, and the
/// page's warning says so. Pages that people make, with selectors that people write, stay far below.
pub const SELECTOR_STEPS_PER_BYTE: usize = 32;

/// Steps that any page has, however small.
pub(super) const MIN_STEPS: u64 = 2_000_000;

/// The warning where the bound was met.
pub(crate) const STEPS_EXHAUSTED: &str = "The selectors of the request (`includeTags`, `excludeTags` or the format `attributes`) take too many steps on this page: what they match was only looked for in the page's first part.";

/// The steps that are left on a page.
pub(crate) struct Steps<'i> {
    left: Cell<u64>,
    /// What it costs to go on to another element: at each, as much is tried as there is of the selector.
    price: Cell<u64>,
    /// How often the selector that is being tried may go back to an element around or before another.
    backward_moves: Cell<u32>,
    interrupt: &'i Interrupt,
}

impl<'i> Steps<'i> {
    /// For a page of this many bytes.
    pub(crate) fn of_page(bytes: usize, interrupt: &'i Interrupt) -> Self {
        let steps = (bytes as u64).saturating_mul(SELECTOR_STEPS_PER_BYTE as u64).saturating_add(MIN_STEPS);
        Self { left: Cell::new(steps), price: Cell::new(1), backward_moves: Cell::new(u32::MAX), interrupt }
    }

    /// Was the bound met? From then on nothing matches.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.left.get() == 0
    }

    pub(super) fn left(&self) -> u64 {
        self.left.get()
    }

    /// Takes steps. False where there are too few, and then there are none any more.
    pub(super) fn spend(&self, steps: u64) -> bool {
        let ends = self.interrupt.spend(usize::try_from(steps).unwrap_or(usize::MAX));
        let left = self.left.get().checked_sub(steps).filter(|_| !ends);
        self.left.set(left.unwrap_or(0));
        left.is_some()
    }

    /// Takes the steps for bytes that are read.
    pub(super) fn spend_bytes(&self, bytes: usize) -> bool {
        self.spend(1 + bytes as u64 / 16)
    }

    /// Begins to try a selector of this many parts on an element.
    pub(super) fn begin_rule(&self, parts: u64, back: u32) -> bool {
        self.price.set(parts);
        self.backward_moves.set(back);
        self.spend(parts)
    }

    /// Goes on to another element, as part of the selector that was begun.
    pub(super) fn move_forward(&self) -> bool {
        self.spend(self.price.get())
    }

    /// The same, to an element around or before.
    pub(super) fn move_backward(&self) -> bool {
        match self.backward_moves.get().checked_sub(1) {
            Some(back) => self.backward_moves.set(back),
            None => self.left.set(0),
        }
        self.move_forward()
    }
}
