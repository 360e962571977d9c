//! The marks of one page, and whether they are affordable.

/// The marks of a page.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Marks {
    /// Strings that are drawn. Each becomes an object of half a kilobyte.
    pub(super) texts: u64,
    /// Bytes of the strings that are drawn.
    pub(super) codes: u64,
    /// For each string the open sequences of marked content around it, which are searched.
    pub(super) searched: u64,
    /// Sequences of marked content that may belong to elements of the structure tree.
    pub(super) tagged: u64,
    /// Points of paths.
    pub(super) points: u64,
    /// Curves of paths.
    pub(super) curves: u64,
    /// Pictures.
    pub(super) pictures: u64,
}

impl Marks {
    /// The sum of both.
    pub(super) const fn and(self, other: Self) -> Self {
        Self {
            texts: self.texts.saturating_add(other.texts),
            codes: self.codes.saturating_add(other.codes),
            searched: self.searched.saturating_add(other.searched),
            tagged: self.tagged.saturating_add(other.tagged),
            points: self.points.saturating_add(other.points),
            curves: self.curves.saturating_add(other.curves),
            pictures: self.pictures.saturating_add(other.pictures),
        }
    }
}
