//! Path folding for `deduplicateSimilarURLs`: session ids, index files, trailing slashes.

/// Folds the path that starts at `from` in `out`.
///
/// It removes index files and slashes repeatedly until none is left: `/a/index.html/` and `/a/index.html`
/// must give the same result, and the result must be its own canonical form.
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

/// True if a quick check shows that [`fold`] would change nothing: no parameters, no trailing slash except
/// the root, and no last segment that could be an index file.
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

/// Names that servers use for the page of a folder. `index.*` is case-sensitive, as paths are; `Default.aspx`
/// is not, because the servers that use it ignore case.
fn is_index_file(file: &str) -> bool {
    if let Some(extension) = file.strip_prefix("index.") {
        return INDEX_EXTENSIONS.contains(&extension);
    }
    DEFAULT_FILES.iter().any(|name| name.eq_ignore_ascii_case(file))
}

const INDEX_EXTENSIONS: [&str; 11] =
    ["html", "htm", "xhtml", "shtml", "php", "php5", "phtml", "asp", "aspx", "jsp", "cfm"];
const DEFAULT_FILES: [&str; 4] = ["default.html", "default.htm", "default.asp", "default.aspx"];

/// The common spellings of a path that [`fold`] takes for the same.
pub(super) fn spellings(path: &str) -> Vec<String> {
    let mut folded = path.to_owned();
    fold(&mut folded, 0);
    let folder = folded.strip_suffix('/').unwrap_or(&folded).to_owned();
    let mut spellings = vec![format!("{folder}/")];
    if !folder.is_empty() {
        spellings.push(folder.clone());
    }
    spellings.extend(INDEX_EXTENSIONS.iter().map(|extension| format!("{folder}/index.{extension}")));
    for name in DEFAULT_FILES {
        spellings.push(format!("{folder}/{name}"));
        spellings.push(format!("{folder}/{}", name.replacen('d', "D", 1)));
    }
    spellings
}

/// Removes `;jsessionid=...` (Java Servlet specification, section 7.1.3) anywhere in the path.
fn drop_session(out: &mut String, from: usize) {
    const PARAMETER: &str = ";jsessionid=";
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
            } else if !part
                .get(..PARAMETER.len() - 1)
                .is_some_and(|head| head.eq_ignore_ascii_case("jsessionid="))
            {
                kept.push(';');
                kept.push_str(part);
            }
        }
        // A dot segment here would make the URL parse to something else.
        if kept.len() - start != segment.len() && matches!(kept.get(start..), Some("." | "..")) {
            kept.truncate(start);
            kept.push_str(segment);
        }
    }
    out.truncate(from);
    out.push_str(&kept);
}
