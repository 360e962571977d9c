//! The command line of Chromium. Each switch has its reason; the tests on escapes show what fails without it.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::Path;

/// What every process is started with.
const SWITCHES: &[&str] = &[
    // No port that a page or another user of the machine could reach.
    "--remote-debugging-pipe",
    "--headless",
    // Requests that Chromium sends on its own.
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-sync",
    "--no-default-browser-check",
    "--no-first-run",
    "--no-pings",
    "--no-service-autorun",
    // Protocols that a proxy for HTTP does not carry.
    "--disable-quic",
    // The headless shell obeys the first name, the whole browser the second.
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    // Announces local addresses by multicast; prerenders and prefetches outside of the interception.
    "--disable-features=WebRtcHideLocalIpsWithMdns,Prerender2,MediaRouter,DialMediaRouteProvider,FedCm,\
     OptimizationHints,Translate,AutofillServerCommunication",
    // Requests to loopback also go to the proxy, which refuses them.
    "--proxy-bypass-list=<-loopback>",
    // No name is resolved. The proxy is named by its address, which must stay reachable.
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
    // A page in the background runs as fast as one in front.
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    // Without it the process for graphics runs outside of the sandbox.
    "--disable-software-rasterizer",
    // No window, no sound, no crash reports.
    "--disable-breakpad",
    "--disable-crash-reporter",
    "--disable-extensions",
    "--hide-scrollbars",
    "--mute-audio",
    "--password-store=basic",
    "--use-mock-keychain",
];

/// The arguments of a process with this profile folder, whose network is the proxy at `dead_end`.
pub(crate) fn arguments(profile: &Path, dead_end: SocketAddr, sandbox: bool) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = SWITCHES.iter().map(OsString::from).collect();
    arguments.push(format!("--proxy-server=http://{dead_end}").into());
    let mut folder = OsString::from("--user-data-dir=");
    folder.push(profile);
    arguments.push(folder);
    if !sandbox {
        arguments.push("--no-sandbox".into());
    }
    arguments
}
