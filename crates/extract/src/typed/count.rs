//! Reads counts, such as `1.2k reviews`.

use hashbrown::HashSet;
use std::ops::Range;
use std::sync::LazyLock;

use super::magnitude::{magnitude, shifted};
use super::money::is_currency_sign;
use super::number::{Amount, NumberStyle, amounts};
use super::rating::is_rating_label;
use super::token::{Tokens, first_chars, last_chars};
use super::words::phrases;

/// Upper bound on the numbers of a text that are looked at.
const MAX_NUMBERS: usize = 32;
/// Longest text whose only number is its count, in characters.
const MAX_PLAIN_CHARS: usize = 40;
/// Text around a number that is looked at, in characters.
const MAX_AROUND_CHARS: usize = 48;
/// Upper bound on the words between a number and what it counts: `12 verified customer reviews`.
const MAX_BETWEEN: usize = 3;

/// What counts on pages are about, in the form of [`fold`](super::words::fold).
const COUNT_WORDS: &[&str] = &[
    "review|reviews|rating|ratings|vote|votes|opinion|opinions|comment|comments|testimonials",
    "bewertung|bewertungen|rezension|rezensionen|kundenbewertungen|stimmen|meinungen|kommentare",
    "avis|evaluation|evaluations|commentaire|commentaires|notes",
    "resena|resenas|opiniones|valoracion|valoraciones|calificaciones|comentarios|votos",
    "recensione|recensioni|valutazioni|valutazione|opinioni|commenti|voti",
    "avaliacao|avaliacoes|opinioes|classificacoes",
    "beoordeling|beoordelingen|recensie|recensies|stemmen",
    "omdome|omdomen|recension|recensioner|betyg|roster",
    "anmeldelse|anmeldelser|bedommelser|stemmer",
    "vurderinger|omtaler",
    "arvostelu|arvostelua|arvostelut|arviota|arviointia|aanta",
    "umsagnir|umsogn",
    "opinia|opinie|opinii|ocena|oceny|ocen|recenzja|recenzje|recenzji|glosow|komentarzy",
    "hodnoceni|recenze|recenzi|hlasu|komentaru",
    "hodnotenie|hodnotenia|hodnoteni|recenzia|recenzie|recenzii",
    "ocene|mnenja|mnenj",
    "ocjena|ocjene|recenzija|recenzije",
    "рецензија|оцена|оцене",
    "evaluari|pareri|voturi",
    "ertekeles|ertekelesek|velemeny|velemenyek|szavazat",
    "отзив|отзива|отзиви|оценки|мнения|ревюта",
    "отзыв|отзыва|отзывов|оценка|оценок|голосов|комментариев",
    "відгук|відгуки|відгуків|оцінка|оцінки|оцінок|голосів",
    "αξιολογηση|αξιολογησεισ|κριτικη|κριτικεσ|ψηφοι",
    "degerlendirme|yorum|oy|puanlama|inceleme",
    "atsiliepimas|atsiliepimai|atsiliepimu|ivertinimai|ivertinimu|balsu",
    "atsauksme|atsauksmes|vertejumi|vertejums",
    "arvustus|arvustust|hinnang|hinnangut",
    "ressenya|ressenyes|valoracions",
    "ulasan|penilaian",
    "تقييم|تقييما|تقييمات|مراجعة|مراجعات",
    "ביקורת|ביקורות|דירוגים",
    "समीक्षा|समीक्षाएं|रेटिंग",
];
/// Starts of what is counted, in scripts without blanks between words.
const COUNT_STARTS: &[&str] = &[
    "件",
    "条",
    "條",
    "个评",
    "個評",
    "则评",
    "則評",
    "人评",
    "人評",
    "评论",
    "評論",
    "评价",
    "評價",
    "レビュー",
    "口コミ",
    "クチコミ",
    "評価",
    "개",
    "건",
    "명",
    "리뷰",
    "후기",
    "รีวิว",
    "คะแนน",
];

static WORDS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| phrases(COUNT_WORDS));

/// A count in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CountFound {
    pub(crate) value: u64,
    /// The number with its magnitude.
    pub(crate) range: Range<usize>,
}

/// The count that a text states: before what it counts (`1.2k reviews`), in brackets (`(1,234)`), behind a
/// label (`Reviews: 12`), or as the only number of a short text.
pub(crate) fn count(text: &str) -> Option<CountFound> {
    let numbers: Vec<Amount> = amounts(text, NumberStyle::Prose).take(MAX_NUMBERS).collect();
    let is_only = numbers.len() == 1 && text.trim().chars().nth(MAX_PLAIN_CHARS).is_none();
    let ranked = numbers.iter().filter_map(|number| {
        let behind = text.get(number.range.end..)?;
        let (power, bytes) = magnitude(behind).unwrap_or_default();
        let value = shifted(&number.decimal, power)?.parse().ok()?;
        let range = number.range.start..number.range.end + bytes;
        let around = Around::of(text, &range);
        if around.is_time_or_ratio() {
            return None;
        }
        let rank = around.rank().or_else(|| (is_only && !around.is_measure()).then_some(3))?;
        Some((rank, CountFound { value, range }))
    });
    // The first one of the best rank.
    ranked.min_by_key(|(rank, _)| *rank).map(|(_, found)| found)
}

/// Whether a word in the form of the tables names what pages count.
pub(super) fn is_count_word(word: &str) -> bool {
    WORDS.contains(word) || COUNT_STARTS.iter().any(|start| word.starts_with(start))
}

/// The texts around a number.
#[derive(Debug)]
struct Around<'t> {
    before: &'t str,
    behind: &'t str,
}

impl<'t> Around<'t> {
    fn of(text: &'t str, range: &Range<usize>) -> Self {
        let before = text.get(..range.start).unwrap_or_default();
        let behind = text.get(range.end..).unwrap_or_default();
        Self { before: last_chars(before, MAX_AROUND_CHARS), behind: first_chars(behind, MAX_AROUND_CHARS) }
    }

    /// Whether the number is a part of a time, a result or a ratio: `10:30`.
    fn is_time_or_ratio(&self) -> bool {
        let is_digit = |found: Option<char>| found.is_some_and(char::is_numeric);
        let before = self.before.strip_suffix(':').and_then(|rest| rest.chars().next_back());
        let behind = self.behind.strip_prefix(':').and_then(|rest| rest.chars().next());
        is_digit(before) || is_digit(behind)
    }

    /// How sure it is that the number is a count, 0 for the surest; `None` if nothing shows it or it is none.
    fn rank(&self) -> Option<u8> {
        let is_bracketed = self.before.trim_end().ends_with(['(', '（'])
            && self.behind.trim_start().starts_with([')', '）']);
        if self.is_counting() {
            Some(0)
        } else if is_bracketed {
            Some(1)
        } else {
            self.is_labelled().then_some(2)
        }
    }

    /// Whether the number is a share, a sum or a temperature.
    fn is_measure(&self) -> bool {
        let is_unit = |found: char| matches!(found, '%' | '°') || is_currency_sign(found);
        self.behind.trim_start().starts_with(is_unit) || self.before.trim_end().ends_with(is_unit)
    }

    /// Whether what is counted stands behind the number.
    fn is_counting(&self) -> bool {
        let tokens = Tokens::new(self.behind);
        // `500+ reviews`, `2 tys. opinii`.
        let from = usize::from(matches!(tokens.mark(0), Some('+' | '.' | '-')));
        let mut words = (from..=from + MAX_BETWEEN).map_while(|at| tokens.folded(at));
        words.any(|word| is_count_word(&word))
    }

    /// Whether a label for a count stands before the number.
    fn is_labelled(&self) -> bool {
        let tokens = Tokens::new(self.before);
        let Some(mut last) = tokens.len().checked_sub(1) else { return false };
        if matches!(tokens.mark(last), Some(':' | '：' | '#')) {
            last = last.saturating_sub(1);
        }
        // `Rating: 4` is a score.
        tokens.folded(last).is_some_and(|word| is_count_word(&word) && !is_rating_label(&word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::typed::words::fold;

    #[test]
    fn counts_are_read_with_their_magnitude() {
        let rows = [
            ("(1,234)", Some((1_234, "1,234"))),
            ("1.2k reviews", Some((1_200, "1.2k"))),
            ("12 Bewertungen", Some((12, "12"))),
            ("4.5 out of 5 · 1 234 ratings", Some((1_234, "1 234"))),
            ("4.5 (1,234)", Some((1_234, "1,234"))),
            ("Reviews: 87 of them", Some((87, "87"))),
            ("500+ verified customer reviews", Some((500, "500"))),
            ("2 tys. opinii", Some((2_000, "2 tys"))),
            ("1.3万件のレビュー", Some((13_000, "1.3万"))),
            ("리뷰 15개", Some((15, "15"))),
            ("24 servings", Some((24, "24"))),
            ("4.5", None),
            ("85%", None),
            ("Rating: 4 of 5", None),
            ("from 3 to 5", None),
            ("Score 10:30", None),
            ("-5", None),
        ];
        for (text, expected) in rows {
            let found = count(text).map(|found| (found.value, text.get(found.range).unwrap()));
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn words_are_folded() {
        for word in COUNT_WORDS.iter().flat_map(|line| line.split('|')) {
            assert_eq!(fold(word), word);
        }
    }
}
