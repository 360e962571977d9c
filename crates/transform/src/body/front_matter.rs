//! Front matter: the lines between `---` or `+++` at the start of a Markdown file, in YAML or TOML.
//!
//! Only what documents say about themselves is read: texts and lists of texts under common names. So the few
//! forms of these in YAML and TOML are read here. Alternative: parsers of both languages, for values that
//! nothing uses.

use super::head::Head;

/// Maximum length of front matter in bytes.
const MAX_BYTES: usize = 65_536;

/// Maximum number of texts in a list.
const MAX_ITEMS: usize = 50;

/// What front matter says, and the text after it.
pub(crate) fn split(text: &str) -> (Head, &str) {
    let none = (Head::default(), text);
    let start = text.trim_start_matches('\u{FEFF}');
    let Some((first, rest)) = start.split_once('\n') else { return none };
    let (fence, separator) = match first.trim_end() {
        "---" => ("---", ':'),
        "+++" => ("+++", '='),
        _ => return none,
    };
    let mut end = 0;
    for line in rest.split_inclusive('\n') {
        let found = line.trim_end();
        if found == fence || (fence == "---" && found == "...") {
            let lines = rest.get(..end).unwrap_or_default();
            if !lines.trim().is_empty() && !names_a_value(lines, separator) {
                // A line across the page, and text.
                return none;
            }
            return (read(lines, separator), rest.get(end + line.len()..).unwrap_or_default());
        }
        end += line.len();
        if end > MAX_BYTES {
            break;
        }
    }
    none
}

/// Whether the first line that is no comment is a name with a value.
fn names_a_value(lines: &str, separator: char) -> bool {
    let first = lines.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#'));
    first.is_none_or(|line| {
        line.starts_with('[')
            || line.split_once(separator).is_some_and(|(name, value)| {
                let is_name =
                    |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '"' | '\'' | ' ');
                name.chars().all(is_name) && (separator == '=' || value.is_empty() || value.starts_with(' '))
            })
    })
}

fn read(lines: &str, separator: char) -> Head {
    let mut head = Head::default();
    let mut lines = lines.lines().peekable();
    while let Some(line) = lines.next() {
        if separator == '=' && line.trim_start().starts_with('[') {
            // The tables of TOML have names of their own.
            break;
        }
        let Some((name, value)) = line.split_once(separator) else { continue };
        if name.starts_with([' ', '\t', '#', '-']) {
            continue;
        }
        let name = name.trim().trim_matches(['"', '\'']).to_ascii_lowercase();
        let mut block = Vec::new();
        // The value may go on in indented lines, or in those of a list.
        while let Some(next) =
            lines.next_if(|next| next.starts_with([' ', '\t', '-', ']']) || next.trim().is_empty())
        {
            block.push(next);
        }
        add(&mut head, &name, &texts(value.trim(), &block));
    }
    head
}

fn add(head: &mut Head, name: &str, texts: &[String]) {
    let first = texts.first().map_or("", String::as_str);
    match name {
        "title" => head.set_title(first),
        "description" | "summary" | "excerpt" | "abstract" => head.add("description", &texts.join(" ")),
        "author" | "authors" | "creator" => texts.iter().for_each(|text| head.add("author", text)),
        "date" | "published" | "publishdate" | "publish_date" | "pubdate" | "created" | "published_at"
        | "published_time" | "datepublished" => {
            head.add("date", first);
        }
        "lastmod" | "updated" | "modified" | "last_modified" | "last_updated" | "updated_at"
        | "modified_time" | "last_modified_at" => head.add("article:modified_time", first),
        "tags" | "keywords" => head.add("keywords", &texts.join(", ")),
        "lang" | "language" | "locale" => head.add("content-language", first),
        _ => {}
    }
}

/// The texts of a value: one, or those of a list.
fn texts(value: &str, block: &[&str]) -> Vec<String> {
    let is_folded = value.starts_with(['>', '|']);
    if is_folded {
        return vec![block.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ")];
    }
    if let Some(open) = value.strip_prefix('[') {
        let whole = std::iter::once(open).chain(block.iter().copied()).collect::<Vec<_>>().join(" ");
        return items(&whole);
    }
    if let Some(longer) = value.strip_prefix("\"\"\"").or_else(|| value.strip_prefix("'''")) {
        let whole = std::iter::once(longer).chain(block.iter().copied()).collect::<Vec<_>>().join(" ");
        return vec![whole.trim().trim_end_matches(['"', '\'']).to_owned()];
    }
    let first = scalar(value);
    if !first.is_empty() {
        // A plain value goes on in indented lines.
        let more = block.iter().map(|line| line.trim()).filter(|line| !line.starts_with('#'));
        return vec![std::iter::once(first.as_str()).chain(more).collect::<Vec<_>>().join(" ")];
    }
    let lines = block.iter().map(|line| line.trim()).filter(|line| !line.is_empty());
    let named = |line: &str| ["name:", "- name:"].iter().find_map(|name| line.strip_prefix(name).map(scalar));
    if block.iter().any(|line| named(line.trim()).is_some()) {
        return lines.filter_map(named).take(MAX_ITEMS).collect();
    }
    let points = lines.filter_map(|line| line.strip_prefix('-')).map(|line| scalar(line.trim()));
    points.filter(|text| !text.is_empty()).take(MAX_ITEMS).collect()
}

/// The texts of a list in brackets, after the opening one.
fn items(list: &str) -> Vec<String> {
    let (mut found, mut item, mut quote) = (Vec::new(), String::new(), None);
    for c in list.chars() {
        match quote {
            Some(open) if c == open => quote = None,
            None if matches!(c, '"' | '\'') && item.trim().is_empty() => quote = Some(c),
            None if matches!(c, ',' | ']') => {
                found.push(std::mem::take(&mut item).trim().to_owned());
                if c == ']' {
                    break;
                }
            }
            _ => item.push(c),
        }
    }
    found.retain(|item| !item.is_empty());
    found.truncate(MAX_ITEMS);
    found
}

/// A text without its quotes, or without the comment after it.
fn scalar(value: &str) -> String {
    let value = value.trim();
    for quote in ['"', '\''] {
        let Some(inside) = value.strip_prefix(quote) else { continue };
        let mut text = String::new();
        let mut characters = inside.chars().peekable();
        while let Some(c) = characters.next() {
            match c {
                // YAML doubles a single quote.
                '\'' if quote == '\'' && characters.peek() == Some(&'\'') => {
                    characters.next();
                    text.push(c);
                }
                '\\' if quote == '"' => match characters.next() {
                    Some('n' | 't' | 'r') => text.push(' '),
                    Some(escaped) => text.push(escaped),
                    None => {}
                },
                _ if c == quote => break,
                _ => text.push(c),
            }
        }
        return text;
    }
    let end = if value.starts_with('#') { Some(0) } else { value.find(" #") };
    let value = end.and_then(|end| value.get(..end)).unwrap_or(value).trim();
    if matches!(value, "~" | "null") { String::new() } else { value.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str) -> (String, &str) {
        let (head, rest) = split(text);
        (head.html(), rest)
    }

    #[test]
    fn texts_and_lists_of_texts_are_read() {
        let meta = |name: &str, content: &str| format!("<meta name=\"{name}\" content=\"{content}\">");
        let rows = [
            ("title: Weir # rules", "<title>Weir</title>".to_owned()),
            ("title: \"Weir: \\\"rules\\\" # 1\"", "<title>Weir: \"rules\" # 1</title>".to_owned()),
            ("title: 'It''s a weir'", "<title>It's a weir</title>".to_owned()),
            ("title: >-\n  Rules\n  of the weir\ndate: 2024-05-01", {
                "<title>Rules of the weir</title>".to_owned() + &meta("date", "2024-05-01")
            }),
            ("tags: [a, \"b, c\"]", meta("keywords", "a, b, c")),
            ("tags:\n  - a\n  - 'b'", meta("keywords", "a, b")),
            ("tags:\n- a\n- b\nlang: de", meta("keywords", "a, b") + &meta("content-language", "de")),
            (
                "authors:\n  - name: Ann\n    url: x\n  - name: Bo",
                meta("author", "Ann") + &meta("author", "Bo"),
            ),
            ("author:\n  name: Ann", meta("author", "Ann")),
            ("draft: true\nnested:\n  title: no", String::new()),
        ];
        for (yaml, expected) in rows {
            assert_eq!(written(&format!("---\n{yaml}\n---\ntext")), (expected, "text"), "{yaml}");
        }
        let toml = "+++\ntitle = \"Weir\"\ndate = 2024-05-01T10:00:00Z\ntags = [\"a\",\n  \"b\"]\n[extra]\ntitle = 'no'\n+++\nx";
        let expected = meta("date", "2024-05-01T10:00:00Z") + &meta("keywords", "a, b");
        assert_eq!(written(toml), (format!("<title>Weir</title>{expected}"), "x"));
    }

    #[test]
    fn lines_across_the_page_are_no_front_matter() {
        for text in [
            "---\n\nText.\n\n---\n",
            "---\ntitle: x\n",
            "--- \n",
            "# A\n---\na: b\n---\n",
            "---\nA note: so\n---",
        ] {
            let is_note = text.contains("A note");
            assert_eq!(split(text).1 == text, !is_note, "{text}");
        }
        assert_eq!(split("---\r\ntitle: a\r\n...\r\nb").1, "b");
        assert_eq!(split("---\n---\nb").1, "b");
    }
}
