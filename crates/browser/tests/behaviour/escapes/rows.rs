//! Ways out of the browser.

/// A way out: its name, and a page in which `CANARY` stands for the host and port of the canary.
pub(super) type Way = (&'static str, &'static str);

/// What shows that a page tries a way whose request never arrives, not even at an address that the policy
/// permits.
#[derive(Debug, Clone, Copy)]
pub(super) enum Trace {
    /// A warning of its document that begins with this.
    Warning(&'static str),
    /// A connection or request that the browser counts as refused.
    Refusal,
}

/// Ways whose requests are intercepted. They arrive where the policy permits it.
pub(super) const LOADS: &[Way] = &[
    ("meta refresh", "<meta http-equiv=refresh content='0;url=http://CANARY/'>"),
    ("iframe", "<iframe src='http://CANARY/'></iframe>"),
    ("object", "<object data='http://CANARY/x.html'></object>"),
    ("embed", "<embed src='http://CANARY/y.html'>"),
    ("picture", "<img src='http://CANARY/x.png'>"),
    ("set of pictures", "<img srcset='http://CANARY/y.png 2x'>"),
    ("video", "<video src='http://CANARY/x.mp4' autoplay muted></video>"),
    ("poster of a video", "<video poster='http://CANARY/x.png'></video>"),
    ("audio", "<audio src='http://CANARY/x.wav' preload=auto></audio>"),
    ("script", "<script src='http://CANARY/x.js'></script>"),
    ("module", "<script type=module>import('http://CANARY/x.js')</script>"),
    ("modulepreload", "<link rel=modulepreload href='http://CANARY/x.js'>"),
    ("style sheet", "<link rel=stylesheet href='http://CANARY/x.css'>"),
    ("import of a style sheet", "<style>@import url(http://CANARY/x.css);</style>"),
    ("background", "<body style='background:url(http://CANARY/x.png)'>text"),
    (
        "font",
        "<style>@font-face{font-family:x;src:url(http://CANARY/x.woff)}</style><p style='font-family:x'>x",
    ),
    ("preload", "<link rel=preload as=image href='http://CANARY/x.png'>"),
    ("prefetch", "<link rel=prefetch href='http://CANARY/x.html'>"),
    ("fetch", "<script>fetch('http://CANARY/').catch(() => {})</script>"),
    ("fetch without CORS", "<script>fetch('http://CANARY/', {mode: 'no-cors'}).catch(() => {})</script>"),
    (
        "CORS preflight",
        "<script>fetch('http://CANARY/', {method: 'PUT', headers: {'x-a': '1'}}).catch(() => {})</script>",
    ),
    (
        "fetch that outlives the page",
        "<script>addEventListener('pagehide', () => \
         fetch('http://CANARY/', {keepalive: true, mode: 'no-cors'}));\
         location = '/other'</script>",
    ),
    (
        "XMLHttpRequest",
        "<script>let x = new XMLHttpRequest(); x.open('GET', 'http://CANARY/'); x.send()</script>",
    ),
    ("beacon", "<script>navigator.sendBeacon('http://CANARY/', 'x')</script>"),
    (
        "beacon at the end",
        "<script>addEventListener('pagehide', () => navigator.sendBeacon('http://CANARY/', 'x'));\
         location = '/other'</script>",
    ),
    ("ping", "<a id=a href=#x ping='http://CANARY/'>x</a><script>a.click()</script>"),
    ("worker", "<script>new Worker('/worker.js')</script>"),
    ("shared worker", "<script>new SharedWorker('/worker.js')</script>"),
    (
        "worker of a blob",
        "<script>new Worker(URL.createObjectURL(new Blob([\"fetch('http://CANARY/')\"])))</script>",
    ),
    ("service worker", "<script>navigator.serviceWorker.register('/worker.js')</script>"),
    ("location", "<script>location = 'http://CANARY/'</script>"),
    (
        "form",
        "<form id=f method=post action='http://CANARY/'><input name=a></form><script>f.submit()</script>",
    ),
    (
        "form into a frame",
        "<iframe name=i></iframe><form id=f target=i action='http://CANARY/'></form>\
         <script>f.submit()</script>",
    ),
    ("download", "<a id=a download href='http://CANARY/x.zip'>x</a><script>a.click()</script>"),
    ("data: that leads on", "<iframe src=\"data:text/html,<img src='http://CANARY/x.png'>\"></iframe>"),
    ("srcdoc", "<iframe srcdoc=\"<img src='http://CANARY/x.png'>\"></iframe>"),
    ("redirect of a picture", "<img src=/redirect>"),
    ("redirect of a frame", "<iframe src=/redirect></iframe>"),
    ("refresh in a header", "<iframe src=/refresh></iframe>"),
    ("SVG", "<svg><image href='http://CANARY/x.png'/></svg>"),
    ("report", "<iframe src=/reporting></iframe>"),
];

/// Ways that are refused wherever they lead, and what shows that a page tries them.
pub(super) const REFUSED: &[(Way, Trace)] = &[
    // Streams stay open for as long as their page.
    (
        ("EventSource", "<script>new EventSource('http://CANARY/')</script>"),
        Trace::Warning("refused event streams"),
    ),
    // Protocols other than HTTP are not intercepted: they meet the dead end.
    (("WebSocket", "<script>new WebSocket('ws://CANARY/')</script>"), Trace::Warning("refused WebSockets")),
    (
        ("WebSocketStream", "<script>new WebSocketStream('ws://CANARY/')</script>"),
        Trace::Warning("refused WebSockets"),
    ),
    (
        (
            "WebTransport",
            "<script>let t = new WebTransport('https://CANARY/'); t.closed.catch(() => {})</script>",
        ),
        Trace::Warning("refused WebSockets"),
    ),
    (
        (
            "WebRTC",
            "<script>let p = new RTCPeerConnection({iceServers: [{urls: ['stun:CANARY', 'turn:CANARY',\
             'turn:CANARY?transport=tcp'], username: 'a', credential: 'b'}]}); p.createDataChannel('x');\
             p.createOffer().then(o => p.setLocalDescription(o))</script>",
        ),
        Trace::Refusal,
    ),
    // No page intercepts these: the script of a worker's own worker, and speculative loads. Those of other
    // sites depend on the browser's network; those of the page's own site are always tried.
    (("worker of a worker", "<script>new Worker('/outer.js')</script>"), Trace::Refusal),
    (
        (
            "speculative prefetch",
            "<script type=speculationrules>{\"prefetch\":[{\"source\":\"list\",\
             \"urls\":[\"http://CANARY/\",\"/picture\"],\"eagerness\":\"immediate\"}]}</script>",
        ),
        Trace::Refusal,
    ),
    (
        (
            "speculative prerendering",
            "<script type=speculationrules>{\"prerender\":[{\"source\":\"list\",\
             \"urls\":[\"/picture\"],\"eagerness\":\"immediate\"}]}</script>",
        ),
        Trace::Refusal,
    ),
    // A page has one window.
    (("popup", "<script>open('http://CANARY/')</script>"), Trace::Warning("closed popups")),
    (
        (
            "link to a new window",
            "<a id=a target=_blank href='http://CANARY/'>x</a><script>a.click()</script>",
        ),
        Trace::Warning("closed popups"),
    ),
];

/// Hints that the headless shell ignores, even with a network of its own; the whole Chromium follows some of
/// them. So nothing shows that a page tries them.
pub(super) const HINTS: &[Way] = &[
    ("icon", "<link rel=icon href='http://CANARY/x.ico'>"),
    ("manifest", "<link rel=manifest href='http://CANARY/x.json'>"),
    ("preconnect", "<link rel=preconnect href='http://CANARY/'>"),
    ("dns-prefetch", "<link rel=dns-prefetch href='http://CANARY/'>"),
];
