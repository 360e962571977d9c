//! What `deduplicateSimilarURLs` folds in a path: session ids, index files, trailing slashes.

/// Folds the path that starts at `from` in `out`.
///
/// Index files and slashes are taken off until none is left, not once: `/a/index.html/` and `/a/index.html` must
/// come out the same, and the result must be its own canonical form.
pub(super) fn fold(out: &mut String, from: usize) {
    drop_session(out, from);
    loop {
        let Some(path) = out.get(from..) else { return };
        let trimmed = path.trim_end_matches('/');
        let (folder, file) = trimmed.rsplit_once('/').unwrap_or(("", trimmed));
        let kept = if is_index_file(file) { folder.len() } else { trimmed.len() };
        if kept == path.len() {
            break;
        }
        out.truncate(from + kept);
    }
    if out.len() == from {
        out.push('/');
    }
}

/// True where neither [`fold`] nor percent-encoding would change anything, as far as a glance tells: no parameters, no
/// trailing slash but that of the root, and a last segment that begins like no index file.
pub(super) fn is_folded(path: &str) -> bool {
    let bytes = path.as_bytes();
    let (mut parameters, mut last_slash) = (false, 0);
    for (at, byte) in bytes.iter().enumerate() {
        parameters |= *byte == b';';
        if *byte == b'/' {
            last_slash = at;
        }
    }
    let index_file = |first: &u8| matches!(first, b'i' | b'd' | b'D');
    !parameters && bytes.get(last_slash + 1).map_or(bytes.len() <= 1, |first| !index_file(first))
}

/// Servers' names for a folder's own page. `index.*` is matched as written, since paths are case-sensitive;
/// `Default.aspx` in any case, since the servers that have it ignore case.
fn is_index_file(file: &str) -> bool {
    const EXTENSIONS: [&str; 11] =
        ["html", "htm", "xhtml", "shtml", "php", "php5", "phtml", "asp", "aspx", "jsp", "cfm"];
    if let Some(extension) = file.strip_prefix("index.") {
        return EXTENSIONS.contains(&extension);
    }
    ["default.html", "default.htm", "default.asp", "default.aspx"]
        .iter()
        .any(|name| name.eq_ignore_ascii_case(file))
}

/// Takes out `;jsessionid=...` (Java Servlet specification, section 7.1.3), wherever it stands.
fn drop_session(out: &mut String, from: usize) {
    const MARK: &str = ";jsessionid=";
    let Some(path) = out.get(from..) else { return };
    if !path.contains(';') {
        return;
    }
    let mut kept = String::with_capacity(path.len());
    for (index, segment) in path.split('/').enumerate() {
        if index > 0 {
            kept.push('/');
        }
        let start = kept.len();
        for (index, part) in segment.split(';').enumerate() {
            if index == 0 {
                kept.push_str(part);
            } else if !part.get(..MARK.len() - 1).is_some_and(|head| head.eq_ignore_ascii_case("jsessionid="))
            {
                kept.push(';');
                kept.push_str(part);
            }
        }
        // Were a dot segment left, the URL would no longer parse to itself.
        if kept.len() - start != segment.len() && matches!(kept.get(start..), Some("." | "..")) {
            kept.truncate(start);
            kept.push_str(segment);
        }
    }
    out.truncate(from);
    out.push_str(&kept);
}
