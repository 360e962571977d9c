//! Which address ranges are not the public Internet, and why.
//!
//! The rows are those of the IANA special-purpose address registries for IPv4 and IPv6 (RFC 6890 and its
//! updates, as of 2026-07-18) and of the two multicast registries. A table rather than a chain of conditions
//! on octets, because most known holes of this kind came from such chains. A row can be compared with the
//! registry by eye, and every row has a test of its first and last address and of both neighbours outside it.
//!
//! The longest matching prefix decides, so the few globally reachable assignments inside `192.0.0.0/24` and
//! `2001::/23` stay open although the block around them is closed. Addresses that match no row are public.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use Reach::{Embeds6to4, EmbedsLow, EmbedsTeredo, Global, Local};

/// How the registry classifies a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// Globally reachable: a request may go there.
    Global,
    /// Not globally reachable, or deprecated.
    Local,
    /// The IPv4 address in the last 32 bits decides.
    EmbedsLow,
    /// The IPv4 address in bits 16 to 47 decides (6to4, RFC 3056).
    Embeds6to4,
    /// Both the IPv4 address of a server and the inverted one of a client decide (Teredo, RFC 4380).
    EmbedsTeredo,
}

/// A block of IPv4 addresses.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BlockV4 {
    pub(crate) first: Ipv4Addr,
    pub(crate) length: u8,
    pub(crate) name: &'static str,
    pub(crate) reach: Reach,
}

/// A block of IPv6 addresses.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BlockV6 {
    pub(crate) first: Ipv6Addr,
    pub(crate) length: u8,
    pub(crate) name: &'static str,
    pub(crate) reach: Reach,
}

impl BlockV4 {
    const fn mask(self) -> u32 {
        u32::MAX.unbounded_shl(32 - self.length as u32)
    }

    fn contains(self, address: Ipv4Addr) -> bool {
        (address.to_bits() ^ self.first.to_bits()) & self.mask() == 0
    }
}

impl BlockV6 {
    const fn mask(self) -> u128 {
        u128::MAX.unbounded_shl(128 - self.length as u32)
    }

    fn contains(self, address: Ipv6Addr) -> bool {
        (address.to_bits() ^ self.first.to_bits()) & self.mask() == 0
    }
}

const fn v4(octets: [u8; 4], length: u8, name: &'static str, reach: Reach) -> BlockV4 {
    let [a, b, c, d] = octets;
    BlockV4 { first: Ipv4Addr::new(a, b, c, d), length, name, reach }
}

const fn v6(bits: u128, length: u8, name: &'static str, reach: Reach) -> BlockV6 {
    BlockV6 { first: Ipv6Addr::from_bits(bits), length, name, reach }
}

/// The IPv4 registry, in the order of its addresses.
pub(crate) const BLOCKS_V4: &[BlockV4] = &[
    v4([0, 0, 0, 0], 8, "this network", Local),
    v4([0, 0, 0, 0], 32, "this host on this network", Local),
    v4([10, 0, 0, 0], 8, "private use", Local),
    v4([100, 64, 0, 0], 10, "shared address space", Local),
    v4([127, 0, 0, 0], 8, "loopback", Local),
    v4([169, 254, 0, 0], 16, "link local", Local),
    v4([172, 16, 0, 0], 12, "private use", Local),
    v4([192, 0, 0, 0], 24, "IETF protocol assignments", Local),
    v4([192, 0, 0, 0], 29, "IPv4 service continuity prefix", Local),
    v4([192, 0, 0, 8], 32, "IPv4 dummy address", Local),
    v4([192, 0, 0, 9], 32, "port control protocol anycast", Global),
    v4([192, 0, 0, 10], 32, "TURN anycast", Global),
    v4([192, 0, 0, 170], 32, "NAT64/DNS64 discovery", Local),
    v4([192, 0, 0, 171], 32, "NAT64/DNS64 discovery", Local),
    v4([192, 0, 2, 0], 24, "documentation", Local),
    v4([192, 31, 196, 0], 24, "AS112-v4", Global),
    v4([192, 52, 193, 0], 24, "AMT", Global),
    v4([192, 88, 99, 0], 24, "deprecated 6to4 relay anycast", Local),
    v4([192, 88, 99, 2], 32, "6a44 relay anycast", Local),
    v4([192, 168, 0, 0], 16, "private use", Local),
    v4([192, 175, 48, 0], 24, "direct delegation AS112 service", Global),
    v4([198, 18, 0, 0], 15, "benchmarking", Local),
    v4([198, 51, 100, 0], 24, "documentation", Local),
    v4([203, 0, 113, 0], 24, "documentation", Local),
    v4([224, 0, 0, 0], 4, "multicast", Local),
    v4([240, 0, 0, 0], 4, "reserved", Local),
    v4([255, 255, 255, 255], 32, "limited broadcast", Local),
];

/// The IPv6 registry, in the order of its addresses. The three rows marked "not in the registry" are forms
/// that older standards gave a local or an IPv4 meaning, which hosts may still support.
pub(crate) const BLOCKS_V6: &[BlockV6] = &[
    v6(0, 96, "IPv4-compatible", EmbedsLow), // not in the registry: deprecated by RFC 4291 section 2.5.5.1
    v6(0, 128, "unspecified", Local),
    v6(1, 128, "loopback", Local),
    v6(0xffff << 32, 96, "IPv4-mapped", EmbedsLow),
    v6(0xffff << 48, 96, "IPv4-translated", EmbedsLow), // not in the registry: RFC 2765 section 2.1
    v6(0x0064_ff9b << 96, 96, "IPv4/IPv6 translation", EmbedsLow),
    v6(0x0064_ff9b_0001 << 80, 48, "IPv4/IPv6 translation, local use", Local),
    v6(0x0100 << 112, 64, "discard only", Local),
    v6((0x0100 << 112) | (1 << 64), 64, "dummy prefix", Local),
    v6(0x2001 << 112, 23, "IETF protocol assignments", Local),
    v6(0x2001 << 112, 32, "Teredo", EmbedsTeredo),
    v6((0x2001_0001 << 96) | 1, 128, "port control protocol anycast", Global),
    v6((0x2001_0001 << 96) | 2, 128, "TURN anycast", Global),
    v6((0x2001_0001 << 96) | 3, 128, "DNS-SD service registration anycast", Global),
    v6(0x2001_0002 << 96, 48, "benchmarking", Local),
    v6(0x2001_0003 << 96, 32, "AMT", Global),
    v6(0x2001_0004_0112 << 80, 48, "AS112-v6", Global),
    v6(0x2001_0010 << 96, 28, "deprecated ORCHID", Local),
    v6(0x2001_0020 << 96, 28, "ORCHIDv2", Global),
    v6(0x2001_0030 << 96, 28, "drone remote identification", Global),
    v6(0x2001_0db8 << 96, 32, "documentation", Local),
    v6(0x2002 << 112, 16, "6to4", Embeds6to4),
    v6(0x2620_004f_8000 << 80, 48, "direct delegation AS112 service", Global),
    v6(0x3fff << 112, 20, "documentation", Local),
    v6(0x5f00 << 112, 16, "segment routing identifiers", Local),
    v6(0xfc00 << 112, 7, "unique local", Local),
    v6(0xfe80 << 112, 10, "link local", Local),
    v6(0xfec0 << 112, 10, "site local", Local), // not in the registry: deprecated by RFC 3879
    v6(0xff00 << 112, 8, "multicast", Local),
];

/// The name of the block that makes `address` not public; `None` if it is public.
pub(crate) fn closed_by(address: IpAddr) -> Option<&'static str> {
    match address {
        IpAddr::V4(address) => closed_by_v4(address),
        IpAddr::V6(address) => closed_by_v6(address),
    }
}

fn closed_by_v4(address: Ipv4Addr) -> Option<&'static str> {
    let block = BLOCKS_V4.iter().filter(|block| block.contains(address)).max_by_key(|block| block.length)?;
    (block.reach != Global).then_some(block.name)
}

fn closed_by_v6(address: Ipv6Addr) -> Option<&'static str> {
    let block = BLOCKS_V6.iter().filter(|block| block.contains(address)).max_by_key(|block| block.length)?;
    let bits = address.to_bits();
    match block.reach {
        Global => None,
        Local => Some(block.name),
        EmbedsLow => closed_by_v4(v4_at(bits, 0)),
        Embeds6to4 => closed_by_v4(v4_at(bits, 80)),
        EmbedsTeredo => closed_by_v4(v4_at(bits, 64)).or_else(|| closed_by_v4(v4_at(!bits, 0))),
    }
}

/// The IPv4 address in the 32 bits that begin `shift` bits from the low end.
const fn v4_at(bits: u128, shift: u32) -> Ipv4Addr {
    Ipv4Addr::from_bits((bits >> shift) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The verdict of the table, by another algorithm than the code under test: it walks the rows from the
    /// longest prefix to the shortest and compares the prefix bits as text.
    fn expected_v4(address: Ipv4Addr) -> bool {
        let mut rows: Vec<&BlockV4> = BLOCKS_V4.iter().collect();
        rows.sort_by_key(|row| std::cmp::Reverse(row.length));
        let bits = format!("{:032b}", address.to_bits());
        rows.iter()
            .find(|row| {
                let length = usize::from(row.length);
                format!("{:032b}", row.first.to_bits()).get(..length) == bits.get(..length)
            })
            .is_some_and(|row| row.reach != Global)
    }

    fn expected_v6(address: Ipv6Addr) -> bool {
        let mut rows: Vec<&BlockV6> = BLOCKS_V6.iter().collect();
        rows.sort_by_key(|row| std::cmp::Reverse(row.length));
        let bits = format!("{:0128b}", address.to_bits());
        let embedded = |range: std::ops::Range<usize>, invert: bool| {
            let word = u32::from_str_radix(bits.get(range).unwrap(), 2).unwrap();
            expected_v4(Ipv4Addr::from_bits(if invert { !word } else { word }))
        };
        let row = rows.iter().find(|row| {
            let length = usize::from(row.length);
            format!("{:0128b}", row.first.to_bits()).get(..length) == bits.get(..length)
        });
        match row.map(|row| row.reach) {
            None | Some(Global) => false,
            Some(Local) => true,
            Some(EmbedsLow) => embedded(96..128, false),
            Some(Embeds6to4) => embedded(16..48, false),
            Some(EmbedsTeredo) => embedded(32..64, false) || embedded(96..128, true),
        }
    }

    #[test]
    fn ipv4_rows_hold_at_their_boundaries() {
        for row in BLOCKS_V4 {
            let first = row.first.to_bits();
            let last = first | !row.mask();
            assert_eq!(first & !row.mask(), 0, "{}/{} has host bits", row.first, row.length);
            for inside in [first, last] {
                let address = Ipv4Addr::from_bits(inside);
                assert_eq!(
                    closed_by_v4(address).is_some(),
                    expected_v4(address),
                    "{address} in {}",
                    row.name
                );
            }
            for outside in [first.checked_sub(1), last.checked_add(1)].into_iter().flatten() {
                let address = Ipv4Addr::from_bits(outside);
                assert_eq!(
                    closed_by_v4(address).is_some(),
                    expected_v4(address),
                    "{address} by {}",
                    row.name
                );
            }
        }
    }

    #[test]
    fn ipv6_rows_hold_at_their_boundaries() {
        for row in BLOCKS_V6 {
            let first = row.first.to_bits();
            let last = first | !row.mask();
            assert_eq!(first & !row.mask(), 0, "{}/{} has host bits", row.first, row.length);
            let near = [Some(first), Some(last), first.checked_sub(1), last.checked_add(1)];
            for bits in near.into_iter().flatten() {
                let address = Ipv6Addr::from_bits(bits);
                assert_eq!(
                    closed_by_v6(address).is_some(),
                    expected_v6(address),
                    "{address} near {}",
                    row.name
                );
            }
        }
    }

    /// Written by hand from the registry, so that a wrong row cannot agree with itself.
    #[test]
    fn boundaries_match_the_registry() {
        let closed = [
            "0.0.0.0",
            "0.255.255.255",
            "10.0.0.0",
            "10.255.255.255",
            "100.64.0.0",
            "100.127.255.255",
            "127.0.0.0",
            "127.0.0.1",
            "127.255.255.255",
            "169.254.0.0",
            "169.254.169.254",
            "169.254.255.255",
            "172.16.0.0",
            "172.31.255.255",
            "192.0.0.0",
            "192.0.0.7",
            "192.0.0.8",
            "192.0.0.11",
            "192.0.0.170",
            "192.0.0.171",
            "192.0.0.255",
            "192.0.2.0",
            "192.0.2.255",
            "192.88.99.0",
            "192.88.99.2",
            "192.88.99.255",
            "192.168.0.0",
            "192.168.255.255",
            "198.18.0.0",
            "198.19.255.255",
            "198.51.100.0",
            "198.51.100.255",
            "203.0.113.0",
            "203.0.113.255",
            "224.0.0.0",
            "239.255.255.255",
            "240.0.0.0",
            "255.255.255.254",
            "255.255.255.255",
            "::",
            "::1",
            "::2",
            "::127.0.0.1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "::ffff:169.254.169.254",
            "::ffff:0:127.0.0.1",
            "64:ff9b::127.0.0.1",
            "64:ff9b::10.0.0.1",
            "64:ff9b:1::",
            "64:ff9b:1::1",
            "64:ff9b:1:ffff:ffff:ffff:ffff:ffff",
            "100::",
            "100::ffff:ffff:ffff:ffff",
            "100:0:0:1::",
            "100:0:0:1:ffff:ffff:ffff:ffff",
            "2001:1::",
            "2001:1::4",
            "2001:2::",
            "2001:2:0:ffff:ffff:ffff:ffff:ffff",
            "2001:4::",
            "2001:10::",
            "2001:1f:ffff::",
            "2001:40::",
            "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff",
            "2001:0:7f00:1::",
            "2001:0:808:808:0:0:80ff:fffe",
            "2001:db8::",
            "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff",
            "2002:7f00:1::",
            "2002:a00:1::",
            "2002:c0a8:1::",
            "2002:a9fe:a9fe::1",
            "3fff::",
            "3fff:fff:ffff::",
            "5f00::",
            "5f00:ffff::",
            "fc00::",
            "fd00::1",
            "fdff:ffff::",
            "fe80::1",
            "febf:ffff::",
            "fec0::1",
            "ff00::",
            "ff02::1",
            "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
        ];
        let open = [
            "1.0.0.0",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "126.255.255.255",
            "128.0.0.0",
            "169.253.255.255",
            "169.255.0.0",
            "172.15.255.255",
            "172.32.0.0",
            "191.255.255.255",
            "192.0.0.9",
            "192.0.0.10",
            "192.0.1.0",
            "192.0.1.255",
            "192.0.3.0",
            "192.31.196.1",
            "192.52.193.1",
            "192.88.98.255",
            "192.88.100.0",
            "192.167.255.255",
            "192.169.0.0",
            "192.175.48.1",
            "198.17.255.255",
            "198.20.0.0",
            "198.51.99.255",
            "198.51.101.0",
            "203.0.112.255",
            "203.0.114.0",
            "223.255.255.255",
            "8.8.8.8",
            "::ffff:8.8.8.8",
            "64:ff9b::8.8.8.8",
            "64:ff9b:2::",
            "ff:ffff::",
            "100:0:0:2::",
            "2000:ffff::",
            "2001:1::1",
            "2001:1::2",
            "2001:1::3",
            "2001:3::1",
            "2001:4:112::1",
            "2001:20::1",
            "2001:3f:ffff::",
            "2001:200::",
            "2001:db7:ffff::",
            "2001:db9::",
            "2002:808:808::1",
            "2001:0:808:808:0:0:f7f7:f7f7",
            "2003::",
            "2620:4f:8000::1",
            "2606:4700::1111",
            "3ffe:ffff::",
            "3fff:1000::",
            "5eff:ffff::",
            "5f01::",
            "fbff:ffff::",
        ];
        for text in closed {
            assert!(closed_by(text.parse().unwrap()).is_some(), "{text} must be closed");
        }
        for text in open {
            assert_eq!(closed_by(text.parse().unwrap()), None, "{text} must be open");
        }
    }
}
