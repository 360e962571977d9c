//! Blocks: waiting pages of one job on one host, in the order of their arrival.
//!
//! A block begins with a byte for its form and the length of its list of pages. The list has no host names,
//! because the block belongs to one host.

use gleaner_frontier::QueuedPage;
use gleaner_store::journal::{PageList, PageListWriter};
use tokio_postgres::types::Type;

use crate::database::Sql;
use crate::failure::Failure;
use crate::transaction::Transaction;

/// Maximum number of pages of a block.
pub(crate) const MAX_BLOCK_PAGES: usize = 256;

/// A block takes no further page from this size on, in bytes.
const FULL_BLOCK_BYTES: usize = 256 << 10;

/// Maximum size of the list of a block, in bytes: a full block and one page.
const MAX_BLOCK_BYTES: usize = FULL_BLOCK_BYTES + (128 << 10);

/// The list follows as it is.
const PLAIN: u8 = 0;
/// The list follows, compressed by Zstandard.
const COMPRESSED: u8 = 1;

/// Bytes before the list.
const HEADER: usize = 5;

const LEVEL: i32 = 3;

/// A page of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BlockPage<'a> {
    pub(crate) page: QueuedPage<'a>,
    /// It was found as a link of a page.
    pub(crate) from_link: bool,
}

/// A block to insert.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct NewBlock {
    pub(crate) host: i32,
    pub(crate) job: i32,
    pub(crate) bytes: Vec<u8>,
}

/// The bytes of a block with at most [`MAX_BLOCK_PAGES`] pages.
pub(crate) fn encode_block(pages: &[BlockPage<'_>]) -> Vec<u8> {
    let mut writer = PageListWriter::default();
    pages.iter().for_each(|page| push(&mut writer, page));
    bytes_of(&mut writer)
}

/// Distributes pages of one host and job over blocks.
pub(crate) fn encode_blocks<'a>(
    host: i32,
    job: i32,
    pages: impl IntoIterator<Item = BlockPage<'a>>,
    out: &mut Vec<NewBlock>,
) {
    let (mut writer, mut count) = (PageListWriter::default(), 0);
    for page in pages {
        push(&mut writer, &page);
        count += 1;
        if count >= MAX_BLOCK_PAGES || writer.len() >= FULL_BLOCK_BYTES {
            out.push(NewBlock { host, job, bytes: bytes_of(&mut writer) });
            writer.clear();
            count = 0;
        }
    }
    if count > 0 {
        out.push(NewBlock { host, job, bytes: bytes_of(&mut writer) });
    }
}

/// A list has a field for the deferral, which only the queue in memory knows. A block tells there whether the
/// page is a link.
fn push(writer: &mut PageListWriter, page: &BlockPage<'_>) {
    writer.push(&QueuedPage { host: "", deferral: u8::from(page.from_link), ..page.page });
}

fn bytes_of(writer: &mut PageListWriter) -> Vec<u8> {
    let list = writer.finish().as_bytes();
    let length = u32::try_from(list.len()).unwrap_or(u32::MAX);
    let compressed = zstd::bulk::compress(list, LEVEL).ok().filter(|bytes| bytes.len() < list.len());
    let (form, body) = match &compressed {
        Some(bytes) => (COMPRESSED, bytes.as_slice()),
        None => (PLAIN, list),
    };
    let mut out = Vec::with_capacity(HEADER + body.len());
    out.push(form);
    out.extend_from_slice(&length.to_le_bytes());
    out.extend_from_slice(body);
    out
}

/// The list of pages of a stored block.
#[derive(Debug)]
pub(crate) struct DecodedBlock(Vec<u8>);

impl DecodedBlock {
    /// Reads a block. Its pages are not checked before [`pages`](Self::pages).
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, Failure> {
        let damaged = || Failure::damaged("a block of waiting pages");
        let ([form, length @ ..], body) = bytes.split_first_chunk::<HEADER>().ok_or_else(damaged)?;
        let length = usize::try_from(u32::from_le_bytes(*length)).unwrap_or(usize::MAX);
        if length > MAX_BLOCK_BYTES {
            return Err(damaged());
        }
        let list = match *form {
            PLAIN => body.to_vec(),
            COMPRESSED => zstd::bulk::decompress(body, length).map_err(|_| damaged())?,
            _ => return Err(damaged()),
        };
        if list.len() == length { Ok(Self(list)) } else { Err(damaged()) }
    }

    /// The pages, which are on this host.
    pub(crate) fn pages<'a>(&'a self, host: &'a str) -> Result<Vec<BlockPage<'a>>, Failure> {
        let mut pages = Vec::new();
        for page in PageList::from_bytes(&self.0).pages() {
            let page = page.map_err(|damage| Failure::damaged(format_args!("a waiting page ({damage})")))?;
            if pages.len() >= MAX_BLOCK_PAGES || page.deferral > 1 || !page.host.is_empty() {
                return Err(Failure::damaged("a block of waiting pages"));
            }
            let from_link = page.deferral == 1;
            pages.push(BlockPage { page: QueuedPage { host, deferral: 0, ..page }, from_link });
        }
        Ok(pages)
    }
}

/// Inserts blocks, in this order.
pub(crate) async fn insert_blocks(
    t: &Transaction<'_>,
    sql: &Sql,
    blocks: &[NewBlock],
) -> Result<(), Failure> {
    if blocks.is_empty() {
        return Ok(());
    }
    let hosts: Vec<i32> = blocks.iter().map(|block| block.host).collect();
    let jobs: Vec<i32> = blocks.iter().map(|block| block.job).collect();
    let bodies: Vec<&[u8]> = blocks.iter().map(|block| block.bytes.as_slice()).collect();
    let text = sql.text(
        "INSERT INTO {schema}.block (host, job, pages) \
         SELECT n.host, n.job, n.pages FROM unnest($1::int[], $2::int[], $3::bytea[]) WITH ORDINALITY \
         AS n (host, job, pages, place) ORDER BY n.place",
    );
    t.execute_typed(
        &text,
        &[(&hosts, Type::INT4_ARRAY), (&jobs, Type::INT4_ARRAY), (&bodies, Type::BYTEA_ARRAY)],
    )
    .await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use gleaner_frontier::UrlKey;

    use super::*;

    fn page<'a>(number: u64, path: &'a str, from_link: bool) -> BlockPage<'a> {
        let page = QueuedPage {
            key: UrlKey::from_raw(number),
            https: number.is_multiple_of(3),
            external: number.is_multiple_of(5),
            host: "a.example:81",
            path,
            depth: 2,
            priority: 128,
            deferral: 0,
        };
        BlockPage { page, from_link }
    }

    #[test]
    fn blocks_keep_their_pages_in_order() {
        let paths: Vec<String> = (0..1_000).map(|n| format!("/a/path/{n}")).collect();
        let pages: Vec<_> = (0..).zip(&paths).map(|(n, path)| page(n, path, n % 2 == 0)).collect();
        let mut blocks = Vec::new();
        encode_blocks(7, 8, pages.iter().copied(), &mut blocks);
        assert_eq!(blocks.len(), 4);
        assert!(blocks.iter().all(|block| (block.host, block.job) == (7, 8)));
        let decoded: Vec<_> = blocks.iter().map(|block| DecodedBlock::read(&block.bytes).unwrap()).collect();
        let read: Vec<_> = decoded.iter().flat_map(|block| block.pages("a.example:81").unwrap()).collect();
        assert_eq!(read, pages);
        assert_eq!(encode_block(&pages[..256]), blocks[0].bytes);
    }

    #[test]
    fn long_urls_fill_a_block_early() {
        let path = format!("/{}", "x".repeat(65_534));
        let mut blocks = Vec::new();
        encode_blocks(1, 1, (0..10).map(|n| page(n, &path, false)), &mut blocks);
        assert!(blocks.len() > 1, "{}", blocks.len());
        let decoded: Vec<_> = blocks.iter().map(|block| DecodedBlock::read(&block.bytes).unwrap()).collect();
        assert_eq!(decoded.iter().map(|block| block.pages("h").unwrap().len()).sum::<usize>(), 10);
    }

    #[test]
    fn similar_urls_take_few_bytes() {
        let paths: Vec<String> = (0..256).map(|n| format!("/articles/2026/some-title/{n}.html")).collect();
        let pages: Vec<_> = (0_u64..)
            .zip(&paths)
            .map(|(n, path)| page(n.wrapping_mul(0x9e37_79b9_7f4a_7c15), path, true))
            .collect();
        let bytes = encode_block(&pages).len();
        assert!(bytes < 256 * 24, "{bytes}");
    }

    #[test]
    fn damaged_blocks_are_errors() {
        let whole = encode_block(&[page(1, "/a", false), page(2, "/b", true)]);
        let read = |bytes: &[u8]| DecodedBlock::read(bytes).and_then(|block| Ok(block.pages("a")?.len()));
        assert_eq!(read(&whole).unwrap(), 2);
        for length in 0..whole.len() {
            assert!(read(&whole[..length]).is_err(), "{length} bytes");
        }
        for change in [[9, 0, 0, 0, 0], [PLAIN, 0xff, 0xff, 0xff, 0xff], [COMPRESSED, 9, 0, 0, 0]] {
            assert!(read(&[&change[..], &whole[HEADER..]].concat()).is_err(), "{change:?}");
        }
        // More pages than a block has.
        let pages: Vec<_> = (0..257).map(|n| page(n, "/", false)).collect();
        assert!(read(&encode_block(&pages)).is_err());
    }
}
