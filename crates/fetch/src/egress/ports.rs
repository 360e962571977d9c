//! Ports that no web page is served on, but where a service may misread an HTTP request as commands of its
//! own protocol.

/// The bad ports of the Fetch standard (section "Port blocking"), sorted; port 0 cannot be dialled at all.
const BAD_PORTS: &[u16] = &[
    0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103,
    104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514,
    515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723,
    2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
];

/// Stores whose line protocols read the lines of an HTTP request as commands: Redis, Memcached. Browsers
/// allow these ports, but a server-side fetcher often runs in the same network as such stores.
const LINE_STORES: &[u16] = &[6379, 11211];

/// Whether a request may go to this port.
pub(crate) fn is_open(port: u16) -> bool {
    BAD_PORTS.binary_search(&port).is_err() && !LINE_STORES.contains(&port)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_ports_are_sorted_and_complete() {
        assert!(BAD_PORTS.is_sorted());
        assert_eq!(BAD_PORTS.len(), 83);
    }

    #[test]
    fn refuses_bad_ports_and_allows_others() {
        for port in [0, 1, 21, 22, 25, 110, 143, 465, 587, 993, 4190, 5060, 6000, 6379, 6667, 10080, 11211] {
            assert!(!is_open(port), "{port}");
        }
        for port in [80, 443, 8000, 8080, 8443, 3000, 5000, 9000, 10081, 65535] {
            assert!(is_open(port), "{port}");
        }
    }
}
