//! Reads RTF: its paragraphs with their marks, its headings, lists, tables, links and notes.
//!
//! The format is a stream of control words, and what a reader does not know it leaves out. So a small reader
//! of its own is enough. Alternative: a crate; those found build a tree of a whole document without bounds,
//! or read neither lists nor tables.

mod blocks;
mod encoding;
mod token;

use std::collections::HashMap;

use encoding_rs::{Encoding, WINDOWS_1252};
use gleaner_types::Interrupt;

use self::blocks::{Blocks, Marks, Shape};
use self::token::{Token, Tokens};
use super::head::Head;

/// Maximum number of groups inside of each other whose state is kept.
const MAX_DEPTH: usize = 1_000;

/// Maximum number of fonts, and of styles.
const MAX_ENTRIES: usize = 4_096;

/// Maximum length of a text that is no paragraph, in bytes: a title, an address, a marker.
const MAX_LABEL_BYTES: usize = 8_192;

/// Maximum length of the markup around a note, in bytes.
const NOTE_BYTES: usize = 160;

/// Work of one part, in bytes of its text.
const BYTES_PER_UNIT: usize = 64;

/// Whether a body is RTF, by its first bytes.
pub(super) fn is_rtf(head: &[u8]) -> bool {
    head.trim_ascii_start().starts_with(b"{\\rtf")
}

/// Converts RTF to the head and the HTML of a page. What does not fit into `most` bytes is left out; then the
/// last value is true.
pub(crate) fn html(body: &[u8], most: usize, interrupt: &Interrupt) -> (Head, String, bool) {
    let mut reader = Reader::default();
    let mut cut = false;
    let mut tokens = Tokens::new(body.trim_ascii_start());
    while let Some(token) = tokens.next() {
        let length = if let Token::Text(text) = token { text.len() } else { 0 };
        if interrupt.spend(1 + length / BYTES_PER_UNIT) {
            break;
        }
        if reader.len() >= most {
            cut = true;
            break;
        }
        if let Token::Word("bin", Some(bytes)) = token {
            tokens.leave_out(usize::try_from(bytes).unwrap_or(0));
            continue;
        }
        reader.token(token);
        if reader.is_ended {
            break;
        }
    }
    let (head, html) = reader.finish();
    (head, html, cut)
}

/// Where a text belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Target {
    Body,
    /// It is left out.
    Nothing,
    Fonts,
    Styles,
    /// The marker of a point of a list.
    Marker,
    /// The address of a link.
    Instruction,
    /// Facts about the document.
    Info(&'static str),
}

/// What a group changes until its end.
#[derive(Debug, Clone, Copy)]
struct State {
    target: Target,
    /// The target around a text that is written twice, or an object.
    around: Target,
    marks: Marks,
    shape: Shape,
    is_hidden: bool,
    /// Characters that stand in for one that is written by its number.
    stand_ins: usize,
    font: Option<i32>,
}

impl Default for State {
    fn default() -> Self {
        Self {
            target: Target::Body,
            around: Target::Body,
            marks: Marks::default(),
            shape: Shape::default(),
            is_hidden: false,
            stand_ins: 1,
            font: None,
        }
    }
}

/// The encoding of a font.
#[derive(Debug, Clone, Copy, Default)]
struct Font {
    encoding: Option<&'static Encoding>,
    is_symbols: bool,
}

/// A note that is being read, and the text around it.
#[derive(Debug)]
struct Note {
    around: Blocks,
    marker: String,
    depth: usize,
}

#[derive(Debug, Default)]
struct Reader {
    state: State,
    groups: Vec<State>,
    /// Groups beyond the limit.
    overflow: usize,
    is_ended: bool,
    /// The next control word is one that readers may not know.
    is_optional: bool,
    blocks: Blocks,
    /// Bytes of text that are not decoded yet.
    bytes: Vec<u8>,
    /// The first half of a character.
    high: Option<u16>,
    /// Stand-ins that are still to come.
    skipped: usize,
    code_page: Option<&'static Encoding>,
    default_font: Option<i32>,
    fonts: HashMap<i32, Font>,
    font: i32,
    styles: HashMap<i32, u8>,
    style: i32,
    label: String,
    marker: String,
    /// The depth of the group of the open link.
    link: Option<usize>,
    note: Option<Note>,
    notes: Vec<String>,
    note_bytes: usize,
    head: Head,
    date: [i32; 5],
}

impl Reader {
    fn len(&self) -> usize {
        let around = self.note.as_ref().map_or(0, |note| note.around.len());
        self.blocks.len() + around + self.note_bytes
    }

    fn token(&mut self, token: Token<'_>) {
        if matches!(token, Token::Text(_) | Token::Byte(_)) {
            self.is_optional = false;
        } else {
            self.decode();
        }
        match token {
            Token::Open => {
                self.skipped = 0;
                if self.groups.len() >= MAX_DEPTH {
                    self.overflow += 1;
                } else {
                    self.groups.push(self.state);
                }
            }
            Token::Close => self.close(),
            Token::Text(text) => {
                let skipped = self.skipped.min(text.len());
                self.skipped -= skipped;
                self.bytes.extend(text.get(skipped..).unwrap_or_default());
            }
            Token::Byte(_) if self.skipped > 0 => self.skipped -= 1,
            Token::Byte(byte) => self.bytes.push(byte),
            Token::Symbol(b'*') => self.is_optional = true,
            Token::Symbol(_) if self.skipped > 0 => self.skipped -= 1,
            Token::Symbol(symbol) => self.symbol(symbol),
            Token::Word(word, number) => {
                let is_optional = std::mem::take(&mut self.is_optional);
                if !self.destination(word, is_optional) {
                    self.word(word, number);
                }
            }
        }
    }

    fn symbol(&mut self, symbol: u8) {
        match symbol {
            b'\\' | b'{' | b'}' => self.write(char::from(symbol).encode_utf8(&mut [0; 4])),
            b'~' => self.write("\u{a0}"),
            b'_' => self.write("\u{2011}"),
            b'\r' | b'\n' => self.end_paragraph(),
            b'\t' => self.write("\t"),
            _ => {}
        }
    }

    fn close(&mut self) {
        self.skipped = 0;
        self.is_optional = false;
        if self.overflow > 0 {
            self.overflow -= 1;
            return;
        }
        let depth = self.groups.len();
        if self.link == Some(depth) {
            self.link = None;
            self.blocks.close_link();
        }
        if self.note.as_ref().is_some_and(|note| note.depth == depth) {
            self.end_note();
        }
        let ended = self.state;
        let Some(state) = self.groups.pop() else { return };
        self.state = state;
        if ended.target != state.target
            && let Target::Info(name) = ended.target
        {
            self.end_info(name);
        }
        self.is_ended = self.groups.is_empty();
    }

    /// Begins what a group is for. False if the word is none of these.
    fn destination(&mut self, word: &str, is_optional: bool) -> bool {
        let target = match word {
            "fonttbl" => Target::Fonts,
            "stylesheet" => {
                self.label.clear();
                Target::Styles
            }
            "listtext" | "pntext" => {
                self.marker.clear();
                Target::Marker
            }
            "fldinst" => {
                self.label.clear();
                Target::Instruction
            }
            "title" => self.info("title"),
            "subject" | "doccomm" => self.info("description"),
            "author" => self.info("author"),
            "keywords" => self.info("keywords"),
            "creatim" => self.info("date"),
            "revtim" => self.info("article:modified_time"),
            "upr" | "object" | "shpinst" => {
                self.state.around = self.state.target;
                self.state.target = Target::Nothing;
                return true;
            }
            "ud" | "shptxt" | "result" => self.state.around,
            "fldrslt" => {
                self.open_link();
                return true;
            }
            "footnote" => return self.open_note(),
            "moMath" | "moMathPara" => return true,
            "info" | "colortbl" | "pict" | "header" | "headerl" | "headerr" | "headerf" | "footer"
            | "footerl" | "footerr" | "footerf" | "ftnsep" | "ftnsepc" | "ftncn" | "aftnsep" | "aftnsepc"
            | "aftncn" | "tc" | "tcn" | "xe" | "rxe" | "txe" | "nonshppict" | "shprslt" | "private"
            | "bkmkstart" | "bkmkend" | "template" | "operator" | "buptim" | "printim" | "company"
            | "manager" | "category" | "comment" | "hlinkbase" | "listname" | "listoverridetable"
            | "listtable" => Target::Nothing,
            // Properties of formulas.
            _ if word.starts_with('m') && word.ends_with("Pr") => Target::Nothing,
            _ if is_optional => Target::Nothing,
            _ => return false,
        };
        if target == Target::Nothing {
            self.state.around = target;
        }
        self.state.target = target;
        true
    }

    fn info(&mut self, name: &'static str) -> Target {
        self.label.clear();
        self.date = [0; 5];
        Target::Info(name)
    }

    fn end_info(&mut self, name: &'static str) {
        let label = std::mem::take(&mut self.label);
        let [year, month, day, hour, minute] = self.date;
        match name {
            "title" => self.head.set_title(&label),
            "date" | "article:modified_time" => {
                if year > 0 {
                    let date = format!("{year:04}-{:02}-{:02}", month.max(1), day.max(1));
                    let time =
                        if hour + minute > 0 { format!("T{hour:02}:{minute:02}") } else { String::new() };
                    self.head.add(name, &format!("{date}{time}"));
                }
            }
            _ => self.head.add(name, &label),
        }
    }

    fn word(&mut self, word: &str, number: Option<i32>) {
        if self.skipped > 0 {
            self.skipped -= 1;
            return;
        }
        let is_on = number != Some(0);
        match word {
            "b" => self.state.marks.bold = is_on,
            "i" => self.state.marks.italic = is_on,
            "strike" | "striked" => self.state.marks.struck = is_on,
            "super" => (self.state.marks.raised, self.state.marks.lowered) = (is_on, false),
            "sub" => (self.state.marks.raised, self.state.marks.lowered) = (false, is_on),
            "nosupersub" => (self.state.marks.raised, self.state.marks.lowered) = (false, false),
            "v" | "deleted" => self.state.is_hidden = is_on,
            "plain" => {
                (self.state.marks, self.state.is_hidden, self.state.font) = (Marks::default(), false, None);
            }
            "pard" => self.state.shape = Shape::default(),
            "intbl" => self.state.shape.is_cell = true,
            "ilvl" => {
                self.state.shape.list_level =
                    number.and_then(|level| usize::try_from(level).ok()).unwrap_or(0);
            }
            "uc" => {
                self.state.stand_ins =
                    number.and_then(|count| usize::try_from(count).ok()).unwrap_or(1).min(8);
            }
            "u" => self.unicode(number.unwrap_or(0)),
            "ansicpg" => self.code_page = number.map(encoding::of_code_page),
            "mac" => self.code_page = Some(encoding::of_code_page(10_000)),
            "deff" => self.default_font = number,
            "f" => self.set_font(number.unwrap_or(0)),
            "fcharset" => self.set_character_set(number.unwrap_or(0)),
            "s" => self.set_style(number.unwrap_or(0)),
            "outlinelevel" => self.set_outline(number.unwrap_or(9)),
            "par" | "sect" | "page" => self.end_paragraph(),
            "line" | "nestcell" | "nestrow" if self.is_shown() => self.blocks.line_break(),
            "cell" if self.is_shown() => {
                let marker = std::mem::take(&mut self.marker);
                self.blocks.end_cell(self.state.shape, &marker);
            }
            "row" if self.is_shown() => self.blocks.end_row(),
            "yr" => self.set_date(0, number),
            "mo" => self.set_date(1, number),
            "dy" => self.set_date(2, number),
            "hr" => self.set_date(3, number),
            "min" => self.set_date(4, number),
            _ => self.write(character(word)),
        }
    }

    fn is_shown(&self) -> bool {
        self.state.target == Target::Body && !self.state.is_hidden
    }

    fn set_date(&mut self, place: usize, number: Option<i32>) {
        if let Some(part) = self.date.get_mut(place) {
            *part = number.unwrap_or(0).clamp(0, 9_999);
        }
    }

    fn set_font(&mut self, number: i32) {
        if self.state.target == Target::Fonts {
            self.font = number;
        } else {
            self.state.font = Some(number);
        }
    }

    fn set_character_set(&mut self, number: i32) {
        if self.state.target == Target::Fonts && self.fonts.len() < MAX_ENTRIES {
            let encoding = encoding::of_character_set(number);
            self.fonts.insert(self.font, Font { encoding, is_symbols: number == encoding::SYMBOLS });
        }
    }

    fn set_style(&mut self, number: i32) {
        if self.state.target == Target::Styles {
            self.style = number;
        } else {
            self.state.shape.outline = self.styles.get(&number).copied();
        }
    }

    fn set_outline(&mut self, number: i32) {
        let level = u8::try_from(number).ok().filter(|level| *level < 9);
        if self.state.target != Target::Styles {
            self.state.shape.outline = level;
        } else if let Some(level) = level.filter(|_| self.styles.len() < MAX_ENTRIES) {
            self.styles.insert(self.style, level);
        }
    }

    /// Reads the name of a style, which may be that of a heading.
    fn name_style(&mut self, text: &str) {
        for c in text.chars() {
            if c != ';' {
                if self.label.len() < MAX_LABEL_BYTES {
                    self.label.push(c);
                }
                continue;
            }
            let name = std::mem::take(&mut self.label).trim().to_ascii_lowercase();
            let level = name.strip_prefix("heading ").and_then(|level| level.parse::<u8>().ok());
            if let Some(level) =
                level.filter(|level| (1..=9).contains(level) && self.styles.len() < MAX_ENTRIES)
            {
                self.styles.insert(self.style, level - 1);
            }
        }
    }

    /// Writes a character by its number in UTF-16.
    fn unicode(&mut self, number: i32) {
        self.skipped = self.state.stand_ins;
        // Numbers above 32,767 are written as negative ones.
        let Ok(unit) = u16::try_from(number.rem_euclid(0x1_0000)) else { return };
        let units = [self.high.take().unwrap_or(0), unit];
        match unit {
            0xD800..=0xDBFF => self.high = Some(unit),
            0xDC00..=0xDFFF => {
                for c in char::decode_utf16(units).flatten() {
                    self.write(c.encode_utf8(&mut [0; 4]));
                }
            }
            // Fonts of symbols have their signs here.
            0xF000..=0xF0FF => {
                let [_, byte] = unit.to_be_bytes();
                self.write(encoding::symbol(byte).encode_utf8(&mut [0; 4]));
            }
            _ => {
                if let Some(c) = char::from_u32(unit.into()) {
                    self.write(c.encode_utf8(&mut [0; 4]));
                }
            }
        }
    }

    /// Writes the bytes so far, which are in the encoding of the font.
    fn decode(&mut self) {
        if self.bytes.is_empty() {
            return;
        }
        let bytes = std::mem::take(&mut self.bytes);
        let font = self.state.font.or(self.default_font).and_then(|font| self.fonts.get(&font)).copied();
        let font = font.unwrap_or_default();
        if font.is_symbols {
            let text: String = bytes.iter().map(|byte| encoding::symbol(*byte)).collect();
            return self.write(&text);
        }
        let encoding = font.encoding.or(self.code_page).unwrap_or(WINDOWS_1252);
        let (text, _) = encoding.decode_without_bom_handling(&bytes);
        self.write(&text);
    }

    fn write(&mut self, text: &str) {
        if text.is_empty() || self.state.is_hidden {
            return;
        }
        let label = match self.state.target {
            Target::Body => return self.blocks.text(text, self.state.marks),
            Target::Nothing | Target::Fonts => return,
            Target::Styles => return self.name_style(text),
            Target::Marker => &mut self.marker,
            Target::Instruction | Target::Info(_) => &mut self.label,
        };
        if label.len() + text.len() <= MAX_LABEL_BYTES {
            label.push_str(text);
        }
    }

    fn end_paragraph(&mut self) {
        if self.is_shown() {
            let marker = std::mem::take(&mut self.marker);
            self.blocks.end_paragraph(self.state.shape, &marker);
        }
    }

    /// Begins the text of a field, which is a link if its instruction has an address.
    fn open_link(&mut self) {
        let instruction = std::mem::take(&mut self.label);
        if self.state.target != Target::Body {
            return;
        }
        if let Some(address) = address(&instruction)
            && self.link.is_none()
            && self.blocks.open_link(address)
        {
            self.link = Some(self.groups.len());
        }
    }

    /// Begins a note. Notes of notes are part of their text.
    fn open_note(&mut self) -> bool {
        if self.note.is_none() && self.is_shown() {
            self.note = Some(Note {
                around: std::mem::take(&mut self.blocks),
                marker: std::mem::take(&mut self.marker),
                depth: self.groups.len(),
            });
            self.state.marks = Marks::default();
            self.state.shape = Shape::default();
        }
        true
    }

    fn end_note(&mut self) {
        let Some(note) = self.note.take() else { return };
        let blocks = std::mem::replace(&mut self.blocks, note.around);
        let marker = std::mem::replace(&mut self.marker, note.marker);
        let text = blocks.finish(self.state.shape, &marker);
        if text.is_empty() {
            return;
        }
        self.note_bytes += text.len() + NOTE_BYTES;
        self.notes.push(text);
        let number = self.notes.len();
        let reference =
            format!("<sup class=\"footnote-reference\"><a href=\"#note-{number}\">{number}</a></sup>");
        self.blocks.html(&reference);
    }

    fn finish(mut self) -> (Head, String) {
        self.decode();
        self.end_note();
        let mut html = self.blocks.finish(self.state.shape, &self.marker);
        for (note, number) in self.notes.iter().zip(1..) {
            html.push_str(&format!(
                "<div class=\"footnote-definition\" id=\"note-{number}\">\
                 <sup class=\"footnote-definition-label\">{number}</sup>{note}</div>"
            ));
        }
        (self.head, html)
    }
}

/// The text of a control word that stands for a character.
fn character(word: &str) -> &'static str {
    match word {
        "tab" => "\t",
        "emdash" => "—",
        "endash" => "–",
        "lquote" => "‘",
        "rquote" => "’",
        "ldblquote" => "“",
        "rdblquote" => "”",
        "bullet" => "•",
        "emspace" => "\u{2003}",
        "enspace" => "\u{2002}",
        "qmspace" => "\u{2005}",
        "zwj" => "\u{200d}",
        "zwnj" => "\u{200c}",
        "ltrmark" => "\u{200e}",
        "rtlmark" => "\u{200f}",
        _ => "",
    }
}

/// The address in the instruction of a field: `HYPERLINK "https://…"`. Places in the document have none.
fn address(instruction: &str) -> Option<&str> {
    let rest = instruction.trim_start().strip_prefix("HYPERLINK")?.trim_start();
    let address = match rest.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next()?,
        None => rest.split_whitespace().next().filter(|word| !word.starts_with('\\'))?,
    };
    (!address.trim().is_empty()).then_some(address)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &str) -> String {
        let (_, html, cut) = html(body.as_bytes(), usize::MAX, &Interrupt::never());
        assert!(!cut);
        html
    }

    #[test]
    fn paragraphs_and_marks_are_written() {
        for (rtf, expected) in [
            (
                r"{\rtf1\ansi{\fonttbl{\f0 Arial;}}The \b gate\b0  is \i shut\i0.\par M\'fchle}",
                "<p>The <b>gate</b> is <i>shut</i>.</p><p>Mühle</p>",
            ),
            (r"{\rtf1 a\~b\{c\}\\ \emdash\line d{\b e}f}", "<p>a&nbsp;b{c}\\ —<br>d<b>e</b>f</p>"),
            (r"{\rtf1\uc1\u27700?\u-10179?\u-8704?{\*\unknown x}{\pict 00ff}{\v no}y}", "<p>水😀y</p>"),
            (
                r"{\rtf1{\stylesheet{\s1 heading 1;}{\s2\outlinelevel1 \'dc;}}\pard\s1 A\par\pard\s2 B\par\pard C}",
                "<h1>A</h1><h2>B</h2><p>C</p>",
            ),
            (r"{\rtf1{\fonttbl{\f0\fcharset0 A;}{\f1\fcharset128 B;}}\f1\'90\'85\f0 \'e9}", "<p>水é</p>"),
            (
                r#"{\rtf1 see {\field{\*\fldinst{HYPERLINK "https://e.example/a"}}{\fldrslt{\ul here}}}.}"#,
                "<p>see <a href=\"https://e.example/a\">here</a>.</p>",
            ),
            (
                r"{\rtf1 a{\super\chftn}{\footnote\pard\plain Note.}b}",
                "<p>a<sup class=\"footnote-reference\"><a href=\"#note-1\">1</a></sup>b</p><div class=\"footnote-definition\" id=\"note-1\"><sup class=\"footnote-definition-label\">1</sup><p>Note.</p></div>",
            ),
            (r"{\rtf1{\upr{a}{\*\ud b}}", "<p>b</p>"),
        ] {
            assert_eq!(read(rtf), expected, "{rtf}");
        }
    }

    #[test]
    fn lists_and_tables_are_written() {
        for (rtf, expected) in [
            (
                r"{\rtf1{\listtext \'b7\tab}a\par{\pntext 1.\tab}\ilvl1 b\par\pard c}",
                "<ul><li>a<ol start=\"1\"><li>b</li></ol></li></ul><p>c</p>",
            ),
            (
                r"{\rtf1\trowd\pard\intbl a\cell b\par c\cell\row\trowd d\cell e\cell\row\pard f}",
                "<table><tr><td>a</td><td>b<br>c</td></tr><tr><td>d</td><td>e</td></tr></table><p>f</p>",
            ),
        ] {
            assert_eq!(read(rtf), expected, "{rtf}");
        }
        for (marker, expected) in
            [("\u{b7}", "ul"), ("o", "ul"), ("3)", "ol"), ("b.", "ol"), ("iv.", "ol"), ("-", "ul")]
        {
            let (_, html, _) = html(
                format!("{{\\rtf1{{\\listtext {marker}\\tab}}a}}").as_bytes(),
                usize::MAX,
                &Interrupt::never(),
            );
            assert!(html.starts_with(&format!("<{expected}")), "{marker}: {html}");
        }
    }

    #[test]
    fn facts_about_the_document_are_its_head() {
        let rtf =
            br"{\rtf1{\info{\title Weir rules}{\author W. Quandt}{\creatim\yr2024\mo5\dy1\hr10\min3}}x}";
        let (head, html, _) = html(rtf, usize::MAX, &Interrupt::never());
        assert_eq!(html, "<p>x</p>");
        assert_eq!(
            head.html(),
            "<title>Weir rules</title><meta name=\"author\" content=\"W. Quandt\"><meta name=\"date\" content=\"2024-05-01T10:03\">"
        );
    }

    #[test]
    fn any_nesting_is_read_within_bounds() {
        let body = format!("{{\\rtf1 {}needle{}", "{".repeat(100_000), "}".repeat(50_000));
        assert_eq!(read(&body), "<p>needle</p>");
        let (_, html, cut) =
            html(format!("{{\\rtf1 {}", "a\\par ".repeat(1_000)).as_bytes(), 500, &Interrupt::never());
        assert!(cut && html.len() < 600);
        let notes = format!("{{\\rtf1 {}", "{\\footnote a}{\\footnote}".repeat(1_000));
        let (_, html, cut) = super::html(notes.as_bytes(), 5_000, &Interrupt::never());
        assert!(cut && html.contains("note-9") && html.len() < 6_000, "{}", html.len());
        for body in [
            "{\\rtf",
            "{\\rtf1\\",
            "{\\rtf1\\'",
            "{\\rtf1\\'4",
            "{\\rtf1\\u",
            "{\\rtf1}}}x",
            "{\\rtf1\\bin9999999 x",
        ] {
            read(body);
        }
    }
}
