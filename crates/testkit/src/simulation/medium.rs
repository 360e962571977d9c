//! A simulated medium: sectors whose writes reach it in any order, and are durable only after a sync.

use crate::site::random::Random;

/// Bytes of a sector.
pub(super) const SECTOR: usize = 512;

/// A change that no sync has made durable.
#[derive(Debug)]
enum Change {
    /// One sector was written.
    Write { sector: usize, data: Vec<u8> },
    /// All sectors from this one on were removed.
    Cut { sector: usize },
}

#[derive(Debug, Default)]
pub(super) struct Medium {
    durable: Vec<u8>,
    pending: Vec<Change>,
}

impl Medium {
    /// Writes bytes from the beginning of a sector. The rest of the last sector becomes zero.
    pub(super) fn write(&mut self, first: usize, bytes: &[u8]) {
        for (index, part) in bytes.chunks(SECTOR).enumerate() {
            let mut data = part.to_vec();
            data.resize(SECTOR, 0);
            self.pending.push(Change::Write { sector: first + index, data });
        }
    }

    /// Removes all sectors from this one on.
    pub(super) fn cut(&mut self, sector: usize) {
        self.pending.push(Change::Cut { sector });
    }

    /// Makes all changes durable.
    pub(super) fn sync(&mut self) {
        for change in std::mem::take(&mut self.pending) {
            self.apply(change);
        }
    }

    /// The process ends. The system writes all changes later.
    pub(super) fn end_process(&mut self) {
        self.sync();
    }

    /// The power fails: of the changes since the last sync, each is applied, torn or lost, in any order.
    pub(super) fn lose_power(&mut self, random: &mut Random) {
        let mut left = std::mem::take(&mut self.pending);
        while !left.is_empty() {
            let change = left.swap_remove(random.below(left.len()));
            match (random.below(3), change) {
                (0, _) => {}
                (1, Change::Write { sector, data }) => self.tear(sector, &data, random),
                (_, change) => self.apply(change),
            }
        }
    }

    /// What is on the medium, when no change is pending.
    pub(super) fn content(&self) -> &[u8] {
        &self.durable
    }

    fn apply(&mut self, change: Change) {
        match change {
            Change::Write { sector, data } => self.sector(sector).copy_from_slice(&data),
            Change::Cut { sector } => self.durable.truncate(sector * SECTOR),
        }
    }

    /// Writes only the beginning or only the end of a sector.
    fn tear(&mut self, sector: usize, data: &[u8], random: &mut Random) {
        let at = random.below(SECTOR + 1);
        let part = if random.below(2) == 0 { 0..at } else { at..SECTOR };
        self.sector(sector)[part.clone()].copy_from_slice(&data[part]);
    }

    fn sector(&mut self, sector: usize) -> &mut [u8] {
        let end = (sector + 1) * SECTOR;
        self.durable.resize(self.durable.len().max(end), 0);
        &mut self.durable[end - SECTOR..end]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_synced_writes_are_certain() {
        let (mut lost, mut kept, mut torn) = (0, 0, 0);
        for seed in 0..300 {
            let mut medium = Medium::default();
            medium.write(0, &[1; SECTOR]);
            medium.sync();
            medium.write(1, &[2; SECTOR]);
            medium.lose_power(&mut Random::new(seed, 0));
            let (first, second) = medium.content().split_at(SECTOR);
            assert_eq!(first, [1; SECTOR]);
            match second.iter().filter(|byte| **byte == 2).count() {
                0 => lost += 1,
                SECTOR => kept += 1,
                _ => torn += 1,
            }
        }
        assert!(lost > 50 && kept > 50 && torn > 50, "{lost} lost, {kept} kept, {torn} torn");
    }

    #[test]
    fn later_writes_can_be_there_without_earlier_ones() {
        let reordered = (0..300).filter(|seed| {
            let mut medium = Medium::default();
            medium.write(0, &[1; 2 * SECTOR]);
            medium.lose_power(&mut Random::new(*seed, 0));
            medium.content() == [[0; SECTOR], [1; SECTOR]].concat()
        });
        assert!(reordered.count() > 10);
    }

    #[test]
    fn a_cut_removes_what_follows() {
        let mut medium = Medium::default();
        medium.write(0, &[1; 3 * SECTOR]);
        medium.cut(1);
        medium.end_process();
        assert_eq!(medium.content(), [1; SECTOR]);
    }
}
