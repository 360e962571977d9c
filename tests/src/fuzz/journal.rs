//! Facts of a durable store. Input: the facts of a block, without its header and checksum.

use gleaner_store::journal::{Block, BlockWriter, Fact, Facts, PageListWriter};

/// Reading gives no more facts and pages than the bytes have room for, and what was read survives a round
/// trip.
#[expect(clippy::expect_used, reason = "an oracle that fails must panic")]
pub fn journal_record(data: &[u8]) {
    let facts: Vec<Fact<'_>> = Facts::of(data).map_while(Result::ok).collect();
    assert!(facts.len() <= data.len() / 2, "{} facts in {} bytes", facts.len(), data.len());
    let mut writer = BlockWriter::default();
    for fact in &facts {
        writer.push(fact);
        if let Fact::Admitted { pages, .. } = fact {
            let read: Vec<_> = pages.pages().map_while(Result::ok).collect();
            assert!(read.len() <= data.len() / 9, "{} pages in {} bytes", read.len(), data.len());
            let mut list = PageListWriter::default();
            read.iter().for_each(|page| list.push(page));
            assert!(list.finish().pages().eq(read.into_iter().map(Ok)), "the pages change");
        }
    }
    let block = writer.finish();
    let block = Block::open(&block).expect("a block that was just written is valid");
    let again: Vec<Fact<'_>> = block.facts().map_while(Result::ok).collect();
    assert_eq!(again, facts);
}
