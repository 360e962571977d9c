//! A vector of slots. A handle becomes stale when its slot is emptied.

/// Identifies a value in a [`Slab`], and never a later value in the same slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Handle {
    index: u32,
    generation: u32,
}

impl Handle {
    /// The handle with these bits.
    pub(super) const fn from_raw(bits: u64) -> Self {
        Self { index: (bits >> 32) as u32, generation: bits as u32 }
    }

    /// The bits of the handle, which no other handle of its slab has.
    pub(super) const fn to_raw(self) -> u64 {
        (self.index as u64) << 32 | self.generation as u64
    }
}

#[derive(Debug)]
struct Slot<T> {
    generation: u32,
    value: Option<T>,
}

#[derive(Debug)]
pub(super) struct Slab<T> {
    slots: Vec<Slot<T>>,
    free: Vec<u32>,
}

impl<T> Slab<T> {
    pub(super) const fn new() -> Self {
        Self { slots: Vec::new(), free: Vec::new() }
    }

    pub(super) fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    pub(super) fn insert(&mut self, value: T) -> Handle {
        if let Some(index) = self.free.pop()
            && let Some(slot) = usize::try_from(index).ok().and_then(|index| self.slots.get_mut(index))
        {
            slot.value = Some(value);
            return Handle { index, generation: slot.generation };
        }
        // Four billion live values do not fit in memory: the index saturates in theory only.
        let index = u32::try_from(self.slots.len()).unwrap_or(u32::MAX);
        self.slots.push(Slot { generation: 0, value: Some(value) });
        Handle { index, generation: 0 }
    }

    pub(super) fn get(&self, handle: Handle) -> Option<&T> {
        let slot = self.slots.get(usize::try_from(handle.index).ok()?)?;
        if slot.generation == handle.generation { slot.value.as_ref() } else { None }
    }

    pub(super) fn get_mut(&mut self, handle: Handle) -> Option<&mut T> {
        let slot = self.slots.get_mut(usize::try_from(handle.index).ok()?)?;
        if slot.generation == handle.generation { slot.value.as_mut() } else { None }
    }

    pub(super) fn contains(&self, handle: Handle) -> bool {
        self.get(handle).is_some()
    }

    /// The current values.
    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        self.slots.iter().filter_map(|slot| slot.value.as_ref())
    }

    /// The handles of the current values.
    pub(super) fn handles(&self) -> impl Iterator<Item = Handle> {
        let slots = (0..).zip(&self.slots).filter(|(_, slot)| slot.value.is_some());
        slots.map(|(index, slot)| Handle { index, generation: slot.generation })
    }

    pub(super) fn remove(&mut self, handle: Handle) -> Option<T> {
        let slot = self.slots.get_mut(usize::try_from(handle.index).ok()?)?;
        if slot.generation != handle.generation {
            return None;
        }
        let value = slot.value.take()?;
        slot.generation = slot.generation.wrapping_add(1);
        self.free.push(handle.index);
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handle_goes_stale_with_its_value() {
        let mut slab = Slab::new();
        let first = slab.insert('a');
        assert_eq!(slab.remove(first), Some('a'));
        let second = slab.insert('b');
        assert_eq!(slab.get(first), None);
        assert_eq!(slab.remove(first), None);
        assert_eq!((slab.get(second), slab.len()), (Some(&'b'), 1));
        let third = slab.insert('c');
        slab.remove(second);
        assert_eq!(slab.handles().collect::<Vec<_>>(), [third]);
        assert_ne!(second.to_raw(), first.to_raw());
        assert_eq!(Handle::from_raw(second.to_raw()), second);
    }
}
