//! Parses JSON and the literals of JavaScript: unquoted names, other quotes, `undefined`, `new Date("...")`.
//!
//! No program is run. A value that is computed ends the parser at that point.

use gleaner_types::Interrupt;
use memchr::{memchr, memchr2};

use super::value::{Kind, Span, ValueId, Values};

/// Upper bound on the depth of a value. A deeper one is not read.
const MAX_DEPTH: usize = 128;

/// Bytes of a string that cost one unit of work.
const BYTES_PER_UNIT: usize = 64;

/// A value, and where its text ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Parsed {
    pub(super) root: ValueId,
    pub(super) end: usize,
}

/// Parses the value at the start of a text. On a failure, returns the position where the parser stopped; the
/// values are as before.
pub(super) fn parse(input: &str, values: &mut Values, interrupt: &Interrupt) -> Result<Parsed, usize> {
    run(input, None, values, interrupt)
}

/// Parses the arguments of a call, after its opening parenthesis, as a list.
pub(super) fn arguments(input: &str, values: &mut Values, interrupt: &Interrupt) -> Result<Parsed, usize> {
    run(input, Some(b')'), values, interrupt)
}

fn run(
    input: &str,
    list_end: Option<u8>,
    values: &mut Values,
    interrupt: &Interrupt,
) -> Result<Parsed, usize> {
    let before = (values.len(), values.text_bytes());
    let mut reader = Reader { input, at: 0, values: &mut *values, interrupt, open: Vec::new() };
    if let Some(end) = list_end {
        let list = reader.values.push(Kind::List, Span::default(), Span::default());
        reader.open.push(Open { container: list, end });
    }
    let root = reader.value();
    let at = reader.at;
    match root {
        Some(root) => Ok(Parsed { root, end: at }),
        None => {
            values.truncate(before.0, before.1);
            Err(at)
        }
    }
}

/// A container whose end is not read yet.
#[derive(Debug, Clone, Copy)]
struct Open {
    container: ValueId,
    /// The byte that ends it.
    end: u8,
}

#[derive(Debug)]
struct Reader<'a> {
    input: &'a str,
    at: usize,
    values: &'a mut Values,
    interrupt: &'a Interrupt,
    open: Vec<Open>,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        self.input.get(self.at..).unwrap_or_default()
    }

    fn byte(&self) -> Option<u8> {
        self.input.as_bytes().get(self.at).copied()
    }

    fn eat(&mut self, byte: u8) -> bool {
        let is_next = self.byte() == Some(byte);
        self.at += usize::from(is_next);
        is_next
    }

    /// Skips white space.
    fn skip_space(&mut self) {
        while self.byte().is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.at += 1;
        }
    }

    /// Reads one value. `None` if the text is none.
    fn value(&mut self) -> Option<ValueId> {
        loop {
            if self.values.is_full() || self.interrupt.spend(1) {
                return None;
            }
            self.skip_space();
            let mut key = Span::default();
            if let Some(open) = self.open.last().copied() {
                if self.eat(open.end) {
                    self.open.pop();
                    self.values.close(open.container);
                    if self.open.is_empty() {
                        return Some(open.container);
                    }
                    self.end_item()?;
                    continue;
                }
                if open.end == b'}' {
                    key = self.key()?;
                    self.skip_space();
                    if matches!(self.byte(), Some(b',' | b'}')) {
                        // `{name}` stands for `{name: name}`.
                        self.values.push(Kind::Name, key, key);
                        self.end_item()?;
                        continue;
                    }
                    if !self.eat(b':') {
                        return None;
                    }
                    self.skip_space();
                } else if self.eat(b',') {
                    // `[a,,b]`
                    self.values.push(Kind::Null, key, Span::default());
                    continue;
                }
            }
            let container = match self.byte()? {
                b'{' => Some((Kind::Object, b'}')),
                b'[' => Some((Kind::List, b']')),
                _ => None,
            };
            if let Some((kind, end)) = container {
                if self.open.len() >= MAX_DEPTH {
                    return None;
                }
                self.at += 1;
                let container = self.values.push(kind, key, Span::default());
                self.open.push(Open { container, end });
                continue;
            }
            let (kind, text) = self.scalar()?;
            let value = self.values.push(kind, key, text);
            if self.open.is_empty() {
                return Some(value);
            }
            self.end_item()?;
        }
    }

    /// Reads the comma after an item, or stops before the end of the container.
    fn end_item(&mut self) -> Option<()> {
        self.skip_space();
        let end = self.open.last()?.end;
        (self.eat(b',') || self.byte() == Some(end)).then_some(())
    }

    fn key(&mut self) -> Option<Span> {
        match self.byte()? {
            quote @ (b'"' | b'\'') => self.string(quote),
            _ => {
                let name = self.word();
                let span = self.values.store(&name);
                (!name.is_empty()).then_some(span)
            }
        }
    }

    /// Reads the letters, digits, `_` and `$` that follow.
    fn word(&mut self) -> String {
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') || byte >= 0x80;
        let rest = self.rest();
        let end = rest.bytes().position(|byte| !is_part(byte)).unwrap_or(rest.len());
        let word = rest.get(..end).unwrap_or_default().to_owned();
        self.at += end;
        word
    }

    /// Reads a value that is no container.
    fn scalar(&mut self) -> Option<(Kind, Span)> {
        match self.byte()? {
            quote @ (b'"' | b'\'' | b'`') => Some((Kind::Text, self.string(quote)?)),
            // `!0` is `true`.
            b'!' => {
                self.at += 1;
                let kind = match self.byte()? {
                    b'0' => Kind::True,
                    b'1' => Kind::False,
                    _ => return None,
                };
                self.at += 1;
                Some((kind, Span::default()))
            }
            b'-' | b'+' | b'.' | b'0'..=b'9' => {
                let is_part =
                    |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.' | b'_');
                let rest = self.input.get(self.at..).unwrap_or_default();
                let end = rest.bytes().position(|byte| !is_part(byte)).unwrap_or(rest.len());
                self.at += end;
                Some((Kind::Number, self.values.store(rest.get(..end).unwrap_or_default())))
            }
            _ => self.named(),
        }
    }

    /// Reads a value that begins with a name.
    fn named(&mut self) -> Option<(Kind, Span)> {
        let word = self.word();
        let kind = match word.as_str() {
            "" => return None,
            "true" => Kind::True,
            "false" => Kind::False,
            "null" | "undefined" | "NaN" | "Infinity" => Kind::Null,
            "void" => {
                self.skip_space();
                self.eat(b'0').then_some(Kind::Null)?
            }
            "new" => {
                self.skip_space();
                (self.word() == "Date").then_some(())?;
                return self.argument();
            }
            "JSON" if self.rest().starts_with(".parse") => {
                self.at += ".parse".len();
                return self.argument();
            }
            _ => Kind::Name,
        };
        let text = if kind == Kind::Name { self.values.store(&word) } else { Span::default() };
        Some((kind, text))
    }

    /// Reads the only argument of a call, which is a string or a number.
    fn argument(&mut self) -> Option<(Kind, Span)> {
        self.eat(b'(').then_some(())?;
        self.skip_space();
        let found = match self.byte()? {
            quote @ (b'"' | b'\'' | b'`') => (Kind::Text, self.string(quote)?),
            b'-' | b'0'..=b'9' => self.scalar()?,
            _ => return None,
        };
        self.skip_space();
        self.eat(b')').then_some(found)
    }

    /// Reads a string, and decodes its escapes.
    fn string(&mut self, quote: u8) -> Option<Span> {
        self.at += 1;
        let start = self.values.text_bytes();
        let begin = self.at;
        loop {
            let input = self.input;
            let rest = input.get(self.at..)?;
            let found = memchr2(quote, b'\\', rest.as_bytes())?;
            let piece = rest.get(..found)?;
            // A template with parts that are computed.
            if quote == b'`' && piece.contains("${") {
                return None;
            }
            self.values.write(piece);
            self.at += found + 1;
            if rest.as_bytes().get(found) == Some(&quote) {
                break;
            }
            self.escape();
        }
        self.interrupt.spend((self.at - begin) / BYTES_PER_UNIT);
        Some(self.values.span_from(start))
    }

    /// Decodes an escape, after its backslash (ECMAScript, 12.9.4). One that is no escape stands for its
    /// character, and half a surrogate pair for U+FFFD.
    fn escape(&mut self) {
        let Some(c) = self.rest().chars().next() else { return };
        self.at += c.len_utf8();
        let plain = match c {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'b' | 'f' | 'v' => ' ',
            // A NUL is dropped, as in HTML; a line end continues the string.
            '0' | '\n' => return,
            'x' => self.code_point(2),
            'u' if self.eat(b'{') => {
                let rest = self.input.get(self.at..).unwrap_or_default();
                let end = memchr(b'}', rest.as_bytes().get(..8).unwrap_or(rest.as_bytes())).unwrap_or(0);
                let code = rest.get(..end).and_then(|digits| u32::from_str_radix(digits, 16).ok());
                self.at += if end > 0 { end + 1 } else { 0 };
                code.and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER)
            }
            'u' => self.utf16(),
            other => other,
        };
        if plain != '\0' {
            self.values.write(plain.encode_utf8(&mut [0; 4]));
        }
    }

    /// Reads some hexadecimal digits. Without them, reads nothing.
    fn hexadecimal(&mut self, digits: usize) -> Option<u32> {
        let text = self.input.get(self.at..self.at + digits)?;
        let code = text.bytes().all(|byte| byte.is_ascii_hexdigit()).then_some(text)?;
        let code = u32::from_str_radix(code, 16).ok()?;
        self.at += digits;
        Some(code)
    }

    fn code_point(&mut self, digits: usize) -> char {
        self.hexadecimal(digits).and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER)
    }

    /// Reads four digits, and the second half of a surrogate pair after the first.
    fn utf16(&mut self) -> char {
        let Some(first) = self.hexadecimal(4) else { return char::REPLACEMENT_CHARACTER };
        if !(0xD800..0xDC00).contains(&first) {
            return char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER);
        }
        let before = self.at;
        if self.rest().starts_with("\\u") {
            self.at += 2;
            if let Some(second @ 0xDC00..=0xDFFF) = self.hexadecimal(4) {
                let code = 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
                return char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
            }
        }
        self.at = before;
        char::REPLACEMENT_CHARACTER
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A value in a short notation.
    fn shown(values: &Values, id: ValueId) -> String {
        let key = match values.key(id) {
            "" => String::new(),
            key => format!("{key}:"),
        };
        let inner = || values.children(id).map(|child| shown(values, child)).collect::<Vec<_>>().join(",");
        let value = match values.kind(id) {
            Kind::Null => "null".to_owned(),
            Kind::True => "true".to_owned(),
            Kind::False => "false".to_owned(),
            Kind::Number | Kind::Name => values.text(id).to_owned(),
            Kind::Text => format!("'{}'", values.text(id)),
            Kind::List => format!("[{}]", inner()),
            Kind::Object => format!("{{{}}}", inner()),
        };
        key + &value
    }

    fn parsed(input: &str) -> Result<(String, &str), usize> {
        let mut values = Values::default();
        let parsed = parse(input, &mut values, &Interrupt::never())?;
        Ok((shown(&values, parsed.root), &input[parsed.end..]))
    }

    #[test]
    fn json_and_literals_are_read() {
        let rows = [
            (r#"{"a":[1,-2.5e3,"x"],"b":null} rest"#, "{a:[1,-2.5e3,'x'],b:null}", " rest"),
            ("{a:1,'b':\"c\",$d:!0,e:!1,f:void 0,};x", "{a:1,b:'c',$d:true,e:false,f:null}", ";x"),
            ("[,1,,2]", "[null,1,null,2]", ""),
            ("{a:new Date(\"2024-05-01\"),b:JSON.parse('[1]')}", "{a:'2024-05-01',b:'[1]'}", ""),
            ("{a, b:c}", "{a:a,b:c}", ""),
            (r#"["\u00e9\n\ud83d\ude00\x41\/\u{41}\'"]"#, "['é\n😀A/A'']", ""),
            (r#""\ud83d-\ude00\u12""#, "'\u{FFFD}-\u{FFFD}\u{FFFD}12'", ""),
            ("`a b`,", "'a b'", ","),
            (r#"{"窯":"土"}"#, "{窯:'土'}", ""),
            ("[[],{}]", "[[],{}]", ""),
        ];
        for (input, expected, rest) in rows {
            assert_eq!(parsed(input), Ok((expected.to_owned(), rest)), "{input}");
        }
    }

    #[test]
    fn programs_and_broken_values_are_refused() {
        for input in [
            "",
            "{",
            "[1",
            "\"a",
            "{a:function(){}}",
            "{a:b.c}",
            "{a:f(1)}",
            "[1 2]",
            "{a b}",
            "`${x}`",
            "[a+b]",
            "{...a}",
            "{[a]:1}",
            "]",
            "{a:1)",
        ] {
            let mut values = Values::default();
            assert!(parse(input, &mut values, &Interrupt::never()).is_err(), "{input}");
            assert_eq!((values.len(), values.text_bytes()), (0, 0), "{input}");
        }
        let deep = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
        assert!(parsed(&deep(MAX_DEPTH)).is_ok());
        assert_eq!(parsed(&deep(MAX_DEPTH + 1)), Err(MAX_DEPTH));
    }

    #[test]
    fn the_arguments_of_a_call_are_a_list() {
        let mut values = Values::default();
        let parsed = arguments("1,\"b\",{c:[2]}) + 1", &mut values, &Interrupt::never()).unwrap();
        assert_eq!((shown(&values, parsed.root).as_str(), parsed.end), ("[1,'b',{c:[2]}]", 14));
        assert!(arguments("1,2", &mut values, &Interrupt::never()).is_err());
        assert_eq!(values.end(parsed.root), values.len(), "a failure leaves no values");
    }

    #[test]
    fn values_beyond_the_bound_are_refused() {
        let input = format!("[{}1]", "1,".repeat(super::super::value::MAX_VALUES));
        assert!(parsed(&input).is_err());
    }
}
