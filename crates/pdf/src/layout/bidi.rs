//! The reading order of lines with letters that are written from right to left.
//!
//! A file draws a line from its left end. The line is cut into runs of one direction, which are put into the
//! order in which they are read; the letters of the runs from right to left are reversed. Numbers and words
//! from left to right keep their order. What belongs to a number is in the Unicode bidirectional algorithm
//! (UAX 9, rules W1 to W7): `25%` and `2023-05-01` are one number beside Hebrew letters, and several beside
//! Arabic ones.

use std::ops::Range;

use super::chars::{is_mark, is_right_to_left};

/// The bidirectional class of a character, as far as it matters here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Left,
    /// A letter from right to left, for example of Hebrew.
    Right,
    /// A letter of Arabic and its relatives: numbers behind it are of class `ArabicNumber`.
    ArabicLetter,
    EuropeanNumber,
    ArabicNumber,
    /// `+` and `-`.
    Sign,
    /// `%`, `$` and others beside a number.
    Terminator,
    /// `.`, `,`, `/` and `:` in a number.
    Separator,
    Opening,
    Closing,
    Neutral,
}

impl Class {
    const fn is_strong(self) -> bool {
        matches!(self, Self::Left | Self::Right | Self::ArabicLetter)
    }

    const fn is_right(self) -> bool {
        matches!(self, Self::Right | Self::ArabicLetter)
    }

    const fn is_number(self) -> bool {
        matches!(self, Self::EuropeanNumber | Self::ArabicNumber)
    }
}

/// The order in which these characters are read, as indices. They are in the order from left to right. `None`
/// if it is the same order.
pub(super) fn reading_order(chars: &[char]) -> Option<Vec<usize>> {
    if !chars.iter().any(|c| is_right_to_left(*c)) {
        return None;
    }
    let units = units(chars);
    let classes: Vec<Class> =
        units.iter().map(|unit| chars.get(unit.start).map_or(Class::Neutral, |c| class(*c))).collect();
    let mut order = Vec::with_capacity(units.len());
    if is_from_right(chars) {
        push_from_right(&classes, 0..units.len(), &mut order);
    } else {
        push_from_left(&classes, &mut order);
    }
    Some(order.into_iter().filter_map(|unit| units.get(unit)).flat_map(Range::clone).collect())
}

/// Turns the brackets of parts that are read from the right, if they close before they open: some files have
/// the bracket that is seen, and others the one that is meant (UAX 9, L4).
pub(super) fn mirror_brackets(chars: &mut [char], order: &[usize]) {
    let is_from_right = |place: usize, at: usize| {
        let next = order.get(place + 1).copied();
        let before = place.checked_sub(1).and_then(|before| order.get(before)).copied();
        next.is_some_and(|next| next + 1 == at) || before == Some(at + 1)
    };
    let brackets: Vec<(usize, char)> = order
        .iter()
        .enumerate()
        .filter(|(place, at)| is_from_right(*place, **at))
        .filter_map(|(_, at)| Some((*at, *chars.get(*at)?)))
        .filter(|(_, c)| mirrored(*c) != *c)
        .collect();
    let unmatched = |is_turned: bool| {
        let (mut open, mut closed) = (0_usize, 0_usize);
        for (_, c) in &brackets {
            if matches!(c, '(' | '[' | '{') != is_turned {
                open += 1;
            } else if open > 0 {
                open -= 1;
            } else {
                closed += 1;
            }
        }
        open + closed
    };
    if unmatched(true) < unmatched(false) {
        for (at, c) in brackets {
            if let Some(slot) = chars.get_mut(at) {
                *slot = mirrored(c);
            }
        }
    }
}

const fn mirrored(c: char) -> char {
    match c {
        '(' => ')',
        ')' => '(',
        '[' => ']',
        ']' => '[',
        '{' => '}',
        '}' => '{',
        c => c,
    }
}

/// Whether a line is read from its right end. The characters are in the order from left to right.
///
/// A line begins with a letter of its own direction (UAX 9, P2), so two ends of one direction decide, and so
/// does the mark that ends a sentence. Else most words do: an address is one word.
pub(super) fn is_from_right(chars: &[char]) -> bool {
    let mut strong = chars.iter().map(|c| class(*c)).filter(|class| class.is_strong());
    let (Some(first), last) = (strong.next(), strong.next_back()) else { return false };
    let last = last.unwrap_or(first);
    let (mut right, mut left) = (0_usize, 0_usize);
    for word in chars.split(|c| c.is_whitespace()) {
        let mut classes = word.iter().map(|c| class(*c)).filter(|class| class.is_strong());
        match classes.next() {
            Some(start) if start.is_right() || classes.any(Class::is_right) => right += 1,
            Some(_) => left += 1,
            None => {}
        }
    }
    match (first.is_right(), last.is_right()) {
        (true, true) => !ends_sentence(chars.iter().rev()) || 2 * right >= left,
        (false, false) => right >= 2 * left,
        _ => ends_sentence(chars.iter()) || (right >= left && !ends_sentence(chars.iter().rev())),
    }
}

/// Whether these characters begin with a mark that ends a sentence, beside its last word.
fn ends_sentence<'c>(chars: impl Iterator<Item = &'c char>) -> bool {
    let mut chars = chars.skip_while(|c| c.is_whitespace());
    let is_mark = chars.next().is_some_and(|c| matches!(c, '.' | '!' | '?' | ':' | '؟' | '۔'));
    is_mark && chars.next().is_some_and(|c| class(*c) != Class::Left && !c.is_whitespace())
}

/// Letters with their marks.
fn units(chars: &[char]) -> Vec<Range<usize>> {
    let mut units: Vec<Range<usize>> = Vec::with_capacity(chars.len());
    for (at, c) in chars.iter().enumerate() {
        match units.last_mut() {
            Some(last) if is_mark(*c) => last.end = at + 1,
            _ => units.push(at..at + 1),
        }
    }
    units
}

fn class(c: char) -> Class {
    match c {
        '+' | '-' | '\u{207A}' | '\u{207B}' | '\u{2212}' | '\u{FE63}' | '\u{FF0B}' | '\u{FF0D}' => {
            Class::Sign
        }
        '#'
        | '$'
        | '%'
        | '\u{A2}'..='\u{A5}'
        | '°'
        | '±'
        | '\u{0609}'
        | '\u{060A}'
        | '\u{066A}'
        | '\u{2030}'..='\u{2034}'
        | '\u{20A0}'..='\u{20CF}'
        | '\u{2213}' => Class::Terminator,
        ',' | '.' | '/' | ':' | '\u{A0}' | '\u{060C}' | '\u{202F}' | '\u{2044}' => Class::Separator,
        '\u{0600}'..='\u{0605}' | '\u{0660}'..='\u{0669}' | '\u{066B}' | '\u{066C}' | '\u{06DD}' => {
            Class::ArabicNumber
        }
        '0'..='9'
        | '\u{B2}'
        | '\u{B3}'
        | '\u{B9}'
        | '\u{06F0}'..='\u{06F9}'
        | '\u{2070}'..='\u{2079}'
        | '\u{2080}'..='\u{2089}'
        | '\u{FF10}'..='\u{FF19}' => Class::EuropeanNumber,
        '\u{0600}'..='\u{07BF}'
        | '\u{0860}'..='\u{08FF}'
        | '\u{FB50}'..='\u{FDFF}'
        | '\u{FE70}'..='\u{FEFC}'
            if is_right_to_left(c) =>
        {
            Class::ArabicLetter
        }
        '(' | '[' | '{' => Class::Opening,
        ')' | ']' | '}' => Class::Closing,
        c if is_right_to_left(c) => Class::Right,
        c if c.is_alphanumeric() => Class::Left,
        _ => Class::Neutral,
    }
}

/// Appends the order of a line that is read from its left end: what is between its first and its last letter
/// from right to left, without another letter between them, is read from the right.
fn push_from_left(classes: &[Class], order: &mut Vec<usize>) {
    let mut done = 0;
    let mut block: Option<Range<usize>> = None;
    let ends = classes.iter().copied().chain([Class::Left]);
    for (at, class) in ends.enumerate() {
        if class.is_right() {
            block = Some(block.map_or(at, |block| block.start)..at + 1);
        } else if class == Class::Left
            && let Some(block) = block.take()
        {
            order.extend(done..block.start);
            done = block.end;
            push_from_right(classes, block, order);
        }
    }
    order.extend(done..classes.len());
}

/// Appends the order of a part that is read from its right end.
fn push_from_right(classes: &[Class], part: Range<usize>, order: &mut Vec<usize>) {
    let from = part.start;
    let is_left = left_parts(classes.get(part).unwrap_or_default());
    let mut end = is_left.len();
    while let Some(last) = end.checked_sub(1).and_then(|last| is_left.get(last)) {
        let run = is_left.iter().take(end).rev().take_while(|unit| *unit == last).count();
        let units = from + end - run..from + end;
        if *last {
            order.extend(units);
        } else {
            order.extend(units.rev());
        }
        end -= run;
    }
}

/// Which units of a part that is read from its right end go from left to right: numbers, and words with what
/// is between them. A number behind a word from left to right goes on with it.
fn left_parts(classes: &[Class]) -> Vec<bool> {
    let numbers = Numbers::of(classes);
    // The next class of each unit that is no neutral one.
    let mut next = vec![None; classes.len()];
    let mut following = None;
    for (slot, class) in next.iter_mut().zip(classes).rev() {
        *slot = following;
        if class.is_strong() || class.is_number() {
            following = Some(*class);
        }
    }
    let mut is_left = Vec::with_capacity(classes.len());
    let mut is_in_words = false;
    // Brackets that are open in these words. The one that closes belongs to them too (UAX 9, N0).
    let mut open = 0_usize;
    while let Some(class) = classes.get(is_left.len()) {
        let at = is_left.len();
        if class.is_strong() {
            is_in_words = *class == Class::Left;
            open = if is_in_words { open } else { 0 };
            is_left.push(is_in_words);
            continue;
        }
        let number = numbers.end(at);
        if number > at {
            is_left.resize(number, true);
            continue;
        }
        if *class == Class::Closing && is_in_words && open > 0 {
            open -= 1;
        } else {
            is_in_words &= next.get(at).copied().flatten().is_some_and(|next| !next.is_right());
            open += usize::from(*class == Class::Opening && is_in_words);
        }
        is_left.resize(numbers.terminators_end(at).max(at + 1), is_in_words);
    }
    is_left
}

/// Finds the numbers of a part that is read from its right end.
struct Numbers {
    /// The classes; numbers behind an Arabic letter are Arabic (UAX 9, W2).
    classes: Vec<Class>,
}

impl Numbers {
    fn of(classes: &[Class]) -> Self {
        let mut classes = classes.to_vec();
        // What is read before a number is at its right.
        let mut before = None;
        for class in classes.iter_mut().rev() {
            if class.is_strong() {
                before = Some(*class);
            } else if *class == Class::EuropeanNumber && before == Some(Class::ArabicLetter) {
                *class = Class::ArabicNumber;
            }
        }
        Self { classes }
    }

    fn is(&self, at: usize, class: Class) -> bool {
        self.classes.get(at) == Some(&class)
    }

    /// The end of units of this class.
    fn run(&self, at: usize, class: Class) -> usize {
        let run = self.classes.iter().skip(at).take_while(|other| **other == class).count();
        at + run
    }

    fn terminators_end(&self, at: usize) -> usize {
        self.run(at, Class::Terminator)
    }

    /// The end of the number that begins here; the same place if none does.
    fn end(&self, at: usize) -> usize {
        if self.is(at, Class::ArabicNumber) {
            return self.digits_end(at, Class::ArabicNumber, &[Class::Separator]);
        }
        let start = self.terminators_end(at);
        if !self.is(start, Class::EuropeanNumber) {
            return at;
        }
        let digits = self.digits_end(start, Class::EuropeanNumber, &[Class::Separator, Class::Sign]);
        self.terminators_end(digits)
    }

    /// The end of digits with single separators between them (UAX 9, W4).
    fn digits_end(&self, at: usize, digit: Class, between: &[Class]) -> usize {
        let mut end = self.run(at, digit);
        while self.classes.get(end).is_some_and(|class| between.contains(class)) && self.is(end + 1, digit) {
            end = self.run(end + 1, digit);
        }
        end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text that is read, from the text as drawn.
    fn read(drawn: &str) -> String {
        let mut chars: Vec<char> = drawn.chars().collect();
        match reading_order(&chars) {
            Some(order) => {
                mirror_brackets(&mut chars, &order);
                order.into_iter().map(|at| chars[at]).collect()
            }
            None => drawn.to_owned(),
        }
    }

    #[test]
    fn lines_are_read_in_the_order_of_their_letters() {
        for (drawn, expected) in [
            ("left to right", "left to right"),
            ("םולש", "שלום"),
            ("םלוע םולש", "שלום עולם"),
            ("2024 תנש", "שנת 2024"),
            ("12.50 ריחמ", "מחיר 12.50"),
            ("םלוע PDF 2 םולש", "שלום PDF 2 עולם"),
            ("see םולש here now", "see שלום here now"),
            ("see םולש 2024 תנש here", "see שנת 2024 שלום here"),
            ("PDF 2 of 3 אלמ ץבוק ונחלש", "שלחנו קובץ מלא PDF 2 of 3"),
        ] {
            assert_eq!(read(drawn), expected, "{drawn}");
        }
    }

    #[test]
    fn signs_and_currencies_belong_to_the_numbers_of_hebrew_text() {
        for (drawn, expected) in [
            (".ףרוחב 25% לש תוחל", "לחות של 25% בחורף."),
            (".קשל $20 ריחמה", "המחיר $20 לשק."),
            ("₪ 20 ריחמה", "המחיר 20 ₪"),
            ("₪1,250.50 ריחמה", "המחיר ₪1,250.50"),
            ("2023-05-01 ךיראתב", "בתאריך 2023-05-01"),
            ("972-3-1234567+ ןופלט", "טלפון +972-3-1234567"),
            ("60%-50% ןיב", "בין 50%-60%"),
            ("10–5 קחרמה", "המרחק 5–10"),
            ("5- הרוטרפמטה", "הטמפרטורה -5"),
            ("18:45 דע 10:30-מ", "מ-10:30 עד 18:45"),
            ("25°C דע", "עד 25°C"),
        ] {
            assert_eq!(read(drawn), expected, "{drawn}");
        }
    }

    #[test]
    fn numbers_of_arabic_text_are_read_part_by_part() {
        for (drawn, expected) in [
            (".رانيد ٣٫٥ نمث", "ثمن ٣٫٥ دينار."),
            ("رانيد ١٢٬٥٠٠ غلب", "بلغ ١٢٬٥٠٠ دينار"),
            ("%15 ةبسن", "نسبة 15%"),
            ("٪١٥ ةبسن", "نسبة ١٥٪"),
            ("01-05-2023 خيراتلا", "التاريخ 2023-05-01"),
            ("2023/05/01 خيراتلا", "التاريخ 2023/05/01"),
            ("4567-123-06 فتاهلا", "الهاتف 06-123-4567"),
            ("20$ رعسلا", "السعر $20"),
            ("۱۲٫۵ تمیق", "قیمت ۱۲٫۵"),
        ] {
            assert_eq!(read(drawn), expected, "{drawn}");
        }
    }

    #[test]
    fn an_address_does_not_turn_its_line() {
        for (drawn, expected) in [
            (".ةلسارملل mill@river.example ديربلا", "البريد mill@river.example للمراسلة."),
            ("https://river.example/a?b=1 :רתא", "אתר: https://river.example/a?b=1"),
            ("ילע The Art of Computer Programming רפסה", "הספר The Art of Computer Programming עלי"),
        ] {
            assert_eq!(read(drawn), expected, "{drawn}");
        }
        assert_eq!(read("Write to us in תירבע or ask."), "Write to us in עברית or ask.");
    }

    #[test]
    fn brackets_open_before_they_close() {
        for (drawn, expected) in [
            ("קוחל (ב)3 ףיעס", "סעיף 3(ב) לחוק"),
            ("קוחל )ב(3 ףיעס", "סעיף 3(ב) לחוק"),
            ("רבד [f(x)] בתכנ", "נכתב [f(x)] דבר"),
            ("ןושאר (א", "א( ראשון"),
        ] {
            assert_eq!(read(drawn), expected, "{drawn}");
        }
    }

    #[test]
    fn a_line_of_signs_is_read_in_linear_time() {
        let drawn = format!("א{}", "%".repeat(200_000));
        assert_eq!(read(&drawn).chars().count(), 200_001);
    }

    #[test]
    fn marks_stay_behind_their_letters() {
        assert_eq!(read("ב\u{05B8}א"), "אב\u{05B8}");
    }
}
