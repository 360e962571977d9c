//! Splits RTF into groups, control words and text.

/// Maximum length of a control word.
const MAX_WORD_BYTES: usize = 32;

/// A part of RTF.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token<'b> {
    /// The start of a group.
    Open,
    /// The end of a group.
    Close,
    /// A control word with its number.
    Word(&'b str, Option<i32>),
    /// A control symbol: a backslash and a character that is no letter.
    Symbol(u8),
    /// A byte written as two digits.
    Byte(u8),
    /// Bytes of text.
    Text(&'b [u8]),
}

/// Reads part by part.
#[derive(Debug)]
pub(super) struct Tokens<'b> {
    rest: &'b [u8],
}

impl<'b> Tokens<'b> {
    pub(super) const fn new(rest: &'b [u8]) -> Self {
        Self { rest }
    }

    /// Leaves out bytes, which are those of a picture.
    pub(super) fn leave_out(&mut self, bytes: usize) {
        self.rest = self.rest.get(bytes..).unwrap_or_default();
    }

    fn control(&mut self) -> Option<Token<'b>> {
        let after = self.rest.get(1..)?;
        let first = *after.first()?;
        if !first.is_ascii_alphabetic() {
            self.rest = after.get(1..).unwrap_or_default();
            if first == b'\''
                && let Some(byte) = self.rest.get(..2).and_then(hexadecimal)
            {
                self.leave_out(2);
                return Some(Token::Byte(byte));
            }
            return Some(Token::Symbol(first));
        }
        let letters = after.iter().take(MAX_WORD_BYTES).take_while(|byte| byte.is_ascii_alphabetic()).count();
        let (word, after) = after.split_at_checked(letters)?;
        let sign = usize::from(after.first() == Some(&b'-'));
        let digits = after.iter().skip(sign).take(10).take_while(|byte| byte.is_ascii_digit()).count();
        let length = if digits > 0 { sign + digits } else { 0 };
        let (number, after) = after.split_at_checked(length)?;
        let number = std::str::from_utf8(number).ok().and_then(|number| number.parse().ok());
        // One space ends a word and is no text.
        self.rest = after.strip_prefix(b" ").unwrap_or(after);
        Some(Token::Word(std::str::from_utf8(word).unwrap_or_default(), number))
    }
}

impl<'b> Iterator for Tokens<'b> {
    type Item = Token<'b>;

    fn next(&mut self) -> Option<Token<'b>> {
        while let Some(first) = self.rest.first() {
            match first {
                b'\r' | b'\n' => self.leave_out(1),
                b'{' => {
                    self.leave_out(1);
                    return Some(Token::Open);
                }
                b'}' => {
                    self.leave_out(1);
                    return Some(Token::Close);
                }
                b'\\' => return self.control(),
                _ => {
                    let is_text = |byte: &&u8| !matches!(byte, b'\r' | b'\n' | b'{' | b'}' | b'\\');
                    let length = self.rest.iter().take_while(is_text).count();
                    let (text, rest) = self.rest.split_at_checked(length)?;
                    self.rest = rest;
                    return Some(Token::Text(text));
                }
            }
        }
        None
    }
}

fn hexadecimal(digits: &[u8]) -> Option<u8> {
    u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}
