//! Every default and bound of requests, in one place.
//!
//! The JSON Schema of a request, its check and its documentation use these constants, so that they agree.
//! Each name has its unit: bytes, characters or milliseconds.

/// The default `timeout` of a page, in milliseconds.
pub const DEFAULT_TIMEOUT_MS: u64 = 30_000;
/// The least `timeout`, in milliseconds.
pub const MIN_TIMEOUT_MS: u64 = 1;
/// The greatest `timeout`, in milliseconds, unless the embedder raises it.
pub const MAX_TIMEOUT_MS: u64 = 300_000;
/// The greatest bound of `timeout` that an embedder can set, in milliseconds.
pub const MAX_RAISED_TIMEOUT_MS: u64 = 3_600_000;
/// The greatest `waitFor`, in milliseconds. It is also at most half of `timeout`.
pub const MAX_WAIT_FOR_MS: u64 = 60_000;
/// The default `maxAge`, in milliseconds: two days.
pub const DEFAULT_MAX_AGE_MS: u64 = 172_800_000;
/// The default `maxAge` of v1: the cache is off.
pub const DEFAULT_MAX_AGE_MS_V1: u64 = 0;

/// Most entries of `formats`.
pub const MAX_FORMATS: usize = 50;
/// Least `quality` of a screenshot.
pub const MIN_SCREENSHOT_QUALITY: u64 = 1;
/// Greatest `quality` of a screenshot.
pub const MAX_SCREENSHOT_QUALITY: u64 = 100;
/// Greatest width or height of a `viewport`, in CSS pixels.
pub const MAX_VIEWPORT_SIDE: u64 = 8_192;
/// Most different selectors in all `attributes` formats together.
pub const MAX_ATTRIBUTE_SELECTORS: usize = 100;
/// Longest `tag` of change tracking, in characters.
pub const MAX_TRACKING_TAG_CHARS: usize = 256;

/// Most entries of `parsers`.
pub const MAX_PARSERS: usize = 10;
/// Greatest `maxPages` of the PDF parser.
pub const MAX_PDF_PAGES: u64 = 10_000;

/// Most entries of `actions`.
pub const MAX_ACTIONS: usize = 50;
/// Most total time of the wait actions of one request, in milliseconds.
pub const MAX_ACTION_WAIT_MS: u64 = 60_000;
/// Longest text of a `write` action, in characters.
pub const MAX_WRITE_CHARS: usize = 10_000;
/// Longest script of an `executeJavascript` action, in characters.
pub const MAX_SCRIPT_CHARS: usize = 100_000;
/// Longest key name of a `press` action, in characters.
pub const MAX_KEY_CHARS: usize = 64;
/// Least `scale` of a `pdf` action.
pub const MIN_PDF_SCALE: f64 = 0.1;
/// Greatest `scale` of a `pdf` action.
pub const MAX_PDF_SCALE: f64 = 2.0;
/// The default `scale` of a `pdf` action.
pub const DEFAULT_PDF_SCALE: f64 = 1.0;
/// The default `format` of a `pdf` action.
pub const DEFAULT_PDF_PAPER: &str = "Letter";

/// Most entries of `includeTags` or of `excludeTags`.
pub const MAX_SELECTORS: usize = 500;
/// Most comma-separated selectors in all entries of `includeTags` or of `excludeTags` together.
pub const MAX_LISTED_SELECTORS: usize = 100_000;
/// Longest CSS selector, in characters.
pub const MAX_SELECTOR_CHARS: usize = 1_000;
/// Most entries of `headers`.
pub const MAX_HEADERS: usize = 100;
/// Longest header name, in bytes.
pub const MAX_HEADER_NAME_BYTES: usize = 256;
/// Longest header value, in bytes.
pub const MAX_HEADER_VALUE_BYTES: usize = 16_384;
/// Most entries of `location.languages`.
pub const MAX_LANGUAGES: usize = 20;
/// Longest language tag, in characters.
pub const MAX_LANGUAGE_TAG_CHARS: usize = 64;
/// The default `location.country`.
pub const DEFAULT_COUNTRY: &str = "US";

/// Longest URL, in bytes.
pub const MAX_URL_BYTES: usize = 8_192;
/// The reported balance of a team without a limit, in credits and in tokens: the greatest integer that every
/// JSON parser represents exactly (2^53 - 1).
pub const UNLIMITED_CREDITS: i64 = 9_007_199_254_740_991;
/// Most entries of a batch's `urls`.
pub const MAX_BATCH_URLS: usize = 100_000;
/// Most entries of an extract's `urls`.
pub const MAX_EXTRACT_URLS: usize = 10;
/// Longest `prompt` or `systemPrompt`, in characters.
pub const MAX_PROMPT_CHARS: usize = 10_000;
/// Greatest JSON Schema in a request, in bytes of JSON.
pub const MAX_SCHEMA_BYTES: usize = 256 << 10;
/// Most levels of a JSON Schema in a request.
pub const MAX_SCHEMA_DEPTH: usize = 64;
/// Most subschemas of a JSON Schema in a request.
pub const MAX_SCHEMA_NODES: usize = 10_000;
/// Most regular expressions of a JSON Schema in a request: its `pattern`s and the names in its
/// `patternProperties`.
pub const MAX_SCHEMA_PATTERNS: usize = 200;

/// The default `limit` of a crawl, in documents.
pub const DEFAULT_CRAWL_LIMIT: u64 = 10_000;
/// Most patterns in `includePaths` or in `excludePaths`.
pub const MAX_PATTERNS: usize = 1_000;
/// Longest pattern, in characters.
pub const MAX_PATTERN_CHARS: usize = 2_000;
/// Most characters of all patterns of one list together.
pub const MAX_PATTERNS_CHARS: usize = 100_000;
/// Most nested groups of a pattern.
pub const MAX_PATTERN_NESTING: u32 = 100;
/// Most character classes (`\w`, `\p{L}`, `[...]`) in all patterns of one list: a class takes much longer to
/// parse than its few characters suggest. In patterns that ignore case, a class counts as ten or more,
/// because the parser looks up its letters.
pub const MAX_PATTERN_CLASSES: usize = 2_000;
/// Most states of one compiled pattern. A letter takes one state, `\w` some hundreds, and `x{100}` a hundred
/// times those of `x`.
pub const MAX_PATTERN_STATES: usize = 5_000;
/// Most states of all compiled patterns of one list together. Matching one byte of a URL takes at most this
/// many steps.
pub const MAX_PATTERNS_STATES: usize = 20_000;
/// Most memory of one compiled pattern, in bytes.
pub const MAX_PATTERN_COMPILED_BYTES: usize = 1 << 20;
/// The greatest `delay`, in seconds. A page and its redirects wait for it within one lease.
pub const MAX_DELAY_SECONDS: f64 = 300.0;
/// Longest `robotsUserAgent`, in characters.
pub const MAX_USER_AGENT_CHARS: usize = 512;

/// The default `limit` of a map, in URLs.
pub const DEFAULT_MAP_LIMIT: u64 = 5_000;
/// The greatest `limit` of a map, in URLs.
pub const MAX_MAP_LIMIT: u64 = 100_000;
/// Longest `search` of a map, in characters.
pub const MAX_SEARCH_CHARS: usize = 1_000;

/// Most bytes of JSON of a webhook's `metadata`: it is part of every event.
pub const MAX_WEBHOOK_METADATA_BYTES: usize = 65_536;
/// Most entries of a webhook's `events`.
pub const MAX_WEBHOOK_EVENTS: usize = 20;
/// Longest `origin` or `integration`, in characters.
pub const MAX_CLIENT_NAME_CHARS: usize = 256;

/// The greatest body of a request, in bytes. A greater one is refused with status 413.
pub const MAX_BODY_BYTES: usize = 10 << 20;
/// Most values in a body, including arrays and objects. Small values take many times their size in memory.
pub const MAX_BODY_VALUES: usize = 500_000;
/// Most levels of arrays and objects in a body.
pub const MAX_BODY_DEPTH: usize = 128;
/// Most reported faults. A last fault says how many more there are.
pub const MAX_FAULTS: usize = 100;
/// The greatest `limit` of a status request, in documents.
pub const MAX_STATUS_LIMIT: u64 = 1_000;
/// The default `limit` of a team's activity, in entries.
pub const DEFAULT_ACTIVITY_LIMIT: u64 = 50;
/// The greatest `limit` of a team's activity, in entries.
pub const MAX_ACTIVITY_LIMIT: u64 = 100;
/// The greatest answer to a status request, in bytes.
pub const MAX_STATUS_BYTES: usize = 10_000_000;
/// Longest wait for a server's `Retry-After`, in seconds. A response that asks for more is final.
pub const MAX_RETRY_AFTER_SECONDS: u64 = 60;
/// How long results stay readable after the end of a job, in seconds.
pub const RESULT_RETENTION_SECONDS: u64 = 86_400;
