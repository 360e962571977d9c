//! Decompression bombs: ten gigabytes of zeros in ten megabytes or less, generated while they are sent.

use std::io::Write as _;

use flate2::write::{GzEncoder, ZlibEncoder};
use flate2::{Compress, Compression, FlushCompress};
use gleaner_fetch::{DEFAULT_MAX_BODY, ErrorKind};
use gleaner_testkit::{RawServer, Step};
use gleaner_tests::process::{peak_memory, run_in_process, url_from_parent};

use super::support::get;

/// The size of a piece of zeros, and the number of pieces in ten gigabytes.
const PIECE: usize = 16 * 1024 * 1024;
const PIECES: u64 = 10_000_000_000 / PIECE as u64 + 1;

/// A compressed stream: `start`, then `repeated` as often as `times`, without an end.
struct Bomb {
    coding: &'static str,
    start: Vec<u8>,
    repeated: Vec<u8>,
    times: u64,
    /// The expected error.
    expected: ErrorKind,
}

/// A deflate stream, in which every piece after the first one compresses to the same bytes.
fn deflate(coding: &'static str, head: &[u8], zlib: bool) -> Bomb {
    let zeros = vec![0; PIECE];
    let mut compress = Compress::new(Compression::best(), zlib);
    let mut piece = || {
        let mut out = Vec::with_capacity(1 << 20);
        compress.compress_vec(&zeros, &mut out, FlushCompress::Sync).unwrap();
        out
    };
    let (start, repeated) = (piece(), piece());
    assert_eq!(repeated, piece());
    Bomb { coding, start: [head, &start].concat(), repeated, times: PIECES, expected: ErrorKind::TooLarge }
}

fn bombs() -> Vec<Bomb> {
    const GZIP_HEAD: &[u8] = b"\x1f\x8b\x08\0\0\0\0\0\0\x03";
    // The output of a brotli encoder with a window of 4 MiB for a flushed piece of zeros: the first one, and
    // later ones.
    const BROTLI: (&[u8], &[u8]) = (
        b"\xcb\xff\xff\x3f\x00\x24\x00\xe2\xb1\x40\x72\xef\xff\xf8\xff\xff\x07\x80\x04\x40\x1c\x16\x80\xee\
                  \xfd\x9f\x01",
        b"\xfc\xff\xff\x03\x40\x02\x20\x0e\x0b\x40\xf7\xfe\x8f\xff\xff\x7f\x00\x48\x00\xc4\x61\x01\xe8\xde\
                  \xff\x19",
    );
    let zeros = vec![0; PIECE];
    let frame = zstd::encode_all(&zeros[..], 1).unwrap();
    let gzip = deflate("gzip", GZIP_HEAD, false);
    let mut outer = GzEncoder::new(Vec::new(), Compression::best());
    outer.write_all(&gzip.start).unwrap();
    for _ in 1..PIECES {
        outer.write_all(&gzip.repeated).unwrap();
    }
    let twice = outer.finish().unwrap();
    let mut zlib = ZlibEncoder::new(Vec::new(), Compression::best());
    zlib.write_all(&frame.repeat(100)).unwrap();
    let mut member = GzEncoder::new(Vec::new(), Compression::best());
    member.write_all(zeros.get(..1 << 20).unwrap()).unwrap();
    // A window of 2 GiB (descriptor 21 << 3), and RLE blocks of 128 KiB.
    let window = b"\x28\xb5\x2f\xfd\x00\xa8".to_vec();
    let block = b"\x02\x00\x10\x00".to_vec();
    // Work without output: zeros after the end of the innermost stream, and empty streams.
    let small = |data: &[u8]| {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(data).unwrap();
        encoder.finish().unwrap()
    };
    let mut padded = GzEncoder::new(Vec::new(), Compression::best());
    padded.write_all(&small(b"x")).unwrap();
    for _ in 0..64 {
        padded.write_all(&zeros).unwrap();
    }
    let thrice = small(&padded.finish().unwrap());
    let empty = small(&small(b"").repeat(1 << 20));
    let once =
        |coding, start| Bomb { coding, start, repeated: Vec::new(), times: 0, expected: ErrorKind::TooLarge };
    vec![
        gzip,
        deflate("deflate", b"", true),
        Bomb {
            coding: "br",
            start: BROTLI.0.to_vec(),
            repeated: BROTLI.1.to_vec(),
            times: PIECES,
            expected: ErrorKind::TooLarge,
        },
        Bomb {
            coding: "zstd",
            start: frame.clone(),
            repeated: frame,
            times: PIECES,
            expected: ErrorKind::TooLarge,
        },
        once("gzip, gzip", twice),
        once("zstd, deflate", zlib.finish().unwrap()),
        Bomb {
            coding: "gzip",
            start: Vec::new(),
            repeated: member.finish().unwrap(),
            times: 9_537,
            expected: ErrorKind::TooLarge,
        },
        Bomb { expected: ErrorKind::Decode, ..once("gzip, gzip, gzip", thrice) },
        Bomb { expected: ErrorKind::Decode, ..once("gzip, gzip", empty) },
        // A larger window than decoders on the web accept (RFC 8878 section 3.1.1.1.2 recommends support for
        // 8 MB).
        Bomb { coding: "zstd", start: window, repeated: block, times: 80_000, expected: ErrorKind::Decode },
    ]
}

/// Fetches each bomb in its own process to measure peak memory.
#[test]
fn decompression_bombs_end_at_the_body_limit() {
    for bomb in bombs() {
        let whole = bomb.start.len() as u64 + bomb.repeated.len() as u64 * bomb.times;
        let head = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: {}\r\n\r\n",
            bomb.coding
        );
        let server = RawServer::start([
            Step::ReadRequest,
            Step::send(head),
            Step::send(bomb.start),
            Step::SendRepeated { bytes: bomb.repeated.into(), times: bomb.times },
        ])
        .unwrap();
        let line = run_in_process("bombs::child", &server.base_url());
        let words: Vec<&str> = line.split(' ').collect();
        let growth = words[1].parse::<u64>().unwrap();
        assert_eq!(words[0], format!("{:?}", bomb.expected), "{}: {line}", bomb.coding);
        assert!(growth < DEFAULT_MAX_BODY, "{}: {line}", bomb.coding);
        println!(
            "bomb: {:13} {whole:>9} bytes: {}, peak memory {:>4} KiB = {:.2} of the cap, {} bytes sent",
            bomb.coding,
            words[0],
            growth / 1024,
            growth as f64 / DEFAULT_MAX_BODY as f64,
            server.bytes_sent(),
        );
    }
}

#[tokio::test]
#[ignore = "run by decompression_bombs_end_at_the_body_limit in its own process"]
async fn child() {
    let Some(url) = url_from_parent() else { return };
    let before = peak_memory();
    let kind: ErrorKind = get(&url).await.unwrap_err().kind();
    println!("CHILD {kind:?} {}", peak_memory() - before);
}
