//! Reads the facts of a job in two threads: one reads blocks and checks them, the other one works on those
//! before.

use std::panic::resume_unwind;
use std::sync::mpsc::sync_channel;
use std::thread;

use crate::journal::{Block, Damage, Fact, Facts, Part, ReadFacts};
use crate::{Error, ErrorKind};

/// Blocks that are read and wait. A block of a queue has about 256 KiB.
const BLOCKS_AHEAD: usize = 4;

/// Calls `visit` with each fact of a part, in order.
pub(super) fn each_fact(
    facts: &dyn ReadFacts,
    part: Part,
    visit: &mut dyn FnMut(&Fact<'_>) -> Result<(), Damage>,
) -> Result<(), Error> {
    facts.blocks(part, &mut |block| visit_all(Block::open(block)?.facts(), visit))
}

fn visit_all(facts: Facts<'_>, visit: &mut dyn FnMut(&Fact<'_>) -> Result<(), Damage>) -> Result<(), Damage> {
    for fact in facts {
        visit(&fact?)?;
    }
    Ok(())
}

/// As [`each_fact`], with a thread that reads ahead. Worth it for a part of many blocks.
pub(super) fn each_fact_of_many(
    facts: &dyn ReadFacts,
    part: Part,
    visit: &mut dyn FnMut(&Fact<'_>) -> Result<(), Damage>,
) -> Result<(), Error> {
    let visited = thread::scope(|scope| {
        let (sender, blocks) = sync_channel::<Vec<u8>>(BLOCKS_AHEAD);
        let read = move || {
            facts.blocks(part, &mut |block| {
                let checked = Block::open(block)?.bytes().to_vec();
                // If nobody receives it, its visitor has failed.
                sender.send(checked).map_err(|_| Damage::Invalid)
            })
        };
        let reader = thread::Builder::new().name("gleaner-opening".to_owned()).spawn_scoped(scope, read);
        // Without a thread, it takes longer.
        let Ok(reader) = reader else { return each_fact(facts, part, visit).map(|()| None) };
        for (number, block) in (0_u64..).zip(&blocks) {
            if let Err(damage) = visit_all(Facts::of(&block), visit) {
                return Ok(Some((number, damage)));
            }
        }
        let read = reader.join().unwrap_or_else(|panic| resume_unwind(panic));
        read.map(|()| None)
    });
    match visited? {
        None => Ok(()),
        Some((number, damage)) => Err(error_at(facts, part, number, damage)),
    }
}

/// The error of a block, with its place. It is read again, because only its reader knows the place.
fn error_at(facts: &dyn ReadFacts, part: Part, number: u64, damage: Damage) -> Error {
    let mut left = number;
    let found = facts.blocks(part, &mut |_| {
        let is_here = left == 0;
        left = left.saturating_sub(1);
        if is_here { Err(damage) } else { Ok(()) }
    });
    found.err().unwrap_or_else(|| Error::new(ErrorKind::Damaged, format!("a block cannot be read: {damage}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::{BlockWriter, StoredDocument};

    /// Blocks with one fact each, and where the medium fails.
    #[derive(Debug)]
    struct Blocks {
        blocks: Vec<Vec<u8>>,
        fails_at: Option<usize>,
    }

    impl ReadFacts for Blocks {
        fn blocks(
            &self,
            _part: Part,
            visit: &mut dyn FnMut(&[u8]) -> Result<(), Damage>,
        ) -> Result<(), Error> {
            for (number, block) in self.blocks.iter().enumerate() {
                if self.fails_at == Some(number) {
                    return Err(Error::io("reading", &"the medium failed"));
                }
                let place = |damage| Error::new(ErrorKind::Damaged, format!("block {number}: {damage}"));
                visit(block).map_err(place)?;
            }
            Ok(())
        }

        fn documents(&self, _visit: &mut dyn FnMut(StoredDocument)) -> Result<(), Error> {
            Ok(())
        }
    }

    fn blocks(count: u64) -> Blocks {
        let block = |position| {
            let mut block = BlockWriter::default();
            block.push(&Fact::Read { position });
            block.finish()
        };
        Blocks { blocks: (0..count).map(block).collect(), fails_at: None }
    }

    /// What both ways visit, which is the same.
    fn read(blocks: &Blocks, refused: Option<u64>) -> (Vec<u64>, Result<(), String>) {
        let ways = [each_fact, each_fact_of_many].map(|way| {
            let mut visited = Vec::new();
            let mut visit = |fact: &Fact<'_>| match *fact {
                Fact::Read { position } if Some(position) == refused => Err(Damage::Newer),
                Fact::Read { position } => {
                    visited.push(position);
                    Ok(())
                }
                _ => Err(Damage::Invalid),
            };
            let result = way(blocks, Part::Queue, &mut visit).map_err(|error| error.to_string());
            (visited, result)
        });
        let [in_turn, ahead] = ways;
        assert_eq!(in_turn, ahead);
        in_turn
    }

    #[test]
    fn all_facts_come_in_order() {
        for count in [0, 1, 100] {
            assert_eq!(read(&blocks(count), None), ((0..count).collect(), Ok(())));
        }
    }

    #[test]
    fn errors_have_their_place() {
        let mut damaged = blocks(50);
        damaged.blocks[20][3] ^= 1;
        let error = "block 20: the checksum of the record does not match".to_owned();
        assert_eq!(read(&damaged, None), ((0..20).collect(), Err(error)));
        let error = "block 7: a later version wrote the record".to_owned();
        assert_eq!(read(&blocks(50), Some(7)), ((0..7).collect(), Err(error)));
        let failing = Blocks { fails_at: Some(30), ..blocks(50) };
        assert_eq!(read(&failing, None), ((0..30).collect(), Err("reading: the medium failed".to_owned())));
    }
}
