//! What the processes of a browser send, as strace sees it.

use std::collections::BTreeSet;
use std::fs::{File, Permissions, read_to_string, set_permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use super::program::script;

/// Where the browser's processes connect to, and what they send without a connection.
#[derive(Debug, Default)]
pub(super) struct Traffic {
    /// The addresses of TCP connections, as strace writes them.
    pub(super) connections: BTreeSet<String>,
    /// The ports to which datagrams are sent; 0 stands for one that is not known.
    pub(super) datagrams: BTreeSet<u16>,
    /// The sockets of local services that were asked for the address of a name.
    pub(super) resolvers: BTreeSet<String>,
}

/// Whether strace is installed where the browser's process looks for programs.
pub(super) fn can_trace() -> bool {
    ["/usr/bin/strace", "/bin/strace"].iter().any(|path| Path::new(path).exists())
}

/// As [`script`], with a trace in `folder`.
pub(super) fn traced(folder: &Path, prefixes: &[&str]) -> PathBuf {
    let trace = trace(folder);
    File::create(&trace).unwrap();
    set_permissions(&trace, Permissions::from_mode(0o666)).unwrap();
    let options = "-f -q -yy -s 0 -e trace=connect,sendto,sendmsg,sendmmsg -e signal=none";
    script(folder, prefixes, &format!("strace {options} -o {}", trace.display()))
}

fn trace(folder: &Path) -> PathBuf {
    folder.join("trace")
}

impl Traffic {
    /// What was traced in `folder`.
    pub(super) fn read(folder: &Path) -> Self {
        let mut traffic = Self::default();
        for line in read_to_string(trace(folder)).unwrap().lines() {
            // A process id comes first.
            let call = line.trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == ' ');
            traffic.add(call);
        }
        traffic
    }

    /// Adds a system call. Its socket is shown with the protocol, and with both addresses once it is
    /// connected: `sendto(66<UDP:[10.0.0.2:4000->10.0.0.1:53]>, ...`.
    fn add(&mut self, call: &str) {
        let between = |before: &str, after: &str| Some(call.split_once(before)?.1.split_once(after)?.0);
        // A datagram socket that is only connected sends nothing: that is how Chromium looks for routes.
        if call.starts_with("connect(") && call.contains("<TCP") {
            self.connections.insert(between("{", "}").unwrap_or(call).to_owned());
        } else if call.starts_with("connect(") {
            let path = between("sun_path=\"", "\"").filter(|path| is_resolver(path));
            self.resolvers.extend(path.map(str::to_owned));
        } else if call.starts_with("send") && call.contains("<UDP") {
            let connected = || between("->", "]>")?.rsplit(':').next();
            let port: Option<u16> =
                between("htons(", ")").or_else(connected).and_then(|port| port.parse().ok());
            self.datagrams.insert(port.unwrap_or(0));
        }
    }
}

fn is_resolver(path: &str) -> bool {
    ["/nscd/", "systemd.Resolve", "/avahi"].iter().any(|part| path.contains(part))
}

#[test]
fn calls_of_a_trace_are_read() {
    let mut traffic = Traffic::default();
    for call in [
        "connect(18<TCP:[7]>, {sin_port=htons(80), sin_addr=inet_addr(\"10.0.0.1\")}, 16) = 0",
        "connect(19<UDP:[8]>, {sin_port=htons(53), sin_addr=inet_addr(\"10.0.0.1\")}, 16) = 0",
        "connect(20<UNIX-STREAM:[9]>, {sa_family=AF_UNIX, sun_path=\"/run/dbus/system_bus_socket\"}, 30) = 0",
        "sendto(18<TCP:[10.0.0.2:4000->10.0.0.1:80]>, \"\"..., 31, MSG_NOSIGNAL, NULL, 0) = 31",
        "sendmsg(20<UNIX-STREAM:[9->10]>, {msg_name=NULL}, 0) = 1",
        "<... sendto resumed>) = 31",
    ] {
        traffic.add(call);
    }
    assert!(traffic.datagrams.is_empty() && traffic.resolvers.is_empty(), "{traffic:?}");
    assert_eq!(traffic.connections.len(), 1);
    for call in [
        "connect(20<UNIX-STREAM:[9]>, {sa_family=AF_UNIX, sun_path=\"/var/run/nscd/socket\"}, 110) = 0",
        "sendmmsg(66<UDP:[10.0.0.2:4000->10.0.0.1:53]>,  <unfinished ...>",
        "sendto(66<UDPv6:[[::1]:4000->[::1]:443]>, \"\"..., 31, 0, NULL, 0) = 31",
        "sendto(18<UDP:[224.0.0.251:5353]>, \"\"..., 129, 0, {sin_port=htons(5353)}, 16) = 129",
        "sendmsg(21<UDP:[7]>, NULL, 0) = -1 EFAULT",
    ] {
        traffic.add(call);
    }
    assert_eq!(traffic.datagrams, BTreeSet::from([0, 53, 443, 5353]));
    assert_eq!(traffic.resolvers.len(), 1);
}
