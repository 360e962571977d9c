//! Reads ratings, such as `4.5 out of 5`.

use hashbrown::HashSet;
use std::ops::Range;
use std::sync::LazyLock;

use super::count::is_count_word;
use super::money::sign_at_start;
use super::token::{Tokens, digit_value};
use super::words::phrases;

/// Upper bound on the tokens of a text in which a rating is looked for.
const MAX_TOKENS: usize = 400;
/// Best scores of scales.
const BESTS: [u32; 5] = [5, 6, 10, 20, 100];
/// Best scores that a whole number without more context may have: `8/10`.
const PLAIN_BESTS: [u32; 3] = [5, 10, 100];
/// Highest score that a label or stars alone make a rating, in hundredths.
const MAX_LABELLED: u32 = 1_000;

/// Words for stars behind a score, in the form of [`fold`](super::words::fold).
const STAR_WORDS: &str = "star|stars|stern|sterne|sternen|etoile|etoiles|estrella|estrellas|stella|stelle|estrela|estrelas|\
     ster|sterren|stjarna|stjarnor|stjerne|stjerner|tahti|tahtea|stjornur|gwiazdka|gwiazdki|gwiazdek|\
     hvezda|hvezdy|hvezd|hvezdicka|hvezdicky|hvezdicek|hviezda|hviezdicky|hviezdiciek|hviezd|zvezdica|\
     zvezdice|zvezdic|zvjezdica|zvjezdice|звездица|звездице|stele|csillag|csillagos|звезда|звезди|\
     звезды|звезд|звездочки|зірка|зірки|зірок|αστερι|αστερια|yildiz|zvaigzdutes|zvaigzduciu|zvaigzdes|\
     zvaigzne|zvaigznes|tarn|tarni|estrelles|sao|bintang|نجوم|نجمة|כוכבים|स्टार|सितारे";
/// Words for a rating before a score.
const LABEL_WORDS: &str = "rated|rating|score|average|overall|bewertung|bewertet|note|gesamtbewertung|durchschnitt|\
     evaluation|moyenne|valoracion|puntuacion|calificacion|nota|media|valutazione|voto|punteggio|\
     avaliacao|classificacao|pontuacao|beoordeling|waardering|cijfer|betyg|omdome|bedommelse|vurdering|\
     arvosana|arvio|einkunn|ocena|oceniono|hodnoceni|hodnotenie|ocjena|evaluare|ertekeles|рейтинг|\
     оценка|оцінка|βαθμολογια|αξιολογηση|puan|ivertinimas|vertejums|hinnang|تقييم|التقييم|דירוג|रेटिंग|\
     คะแนน|評価|総合評価|评分|評分|평점|별점";
/// Words between a score and the best score.
const OF_WORDS: &[&str] = &[
    "of", "out", "von", "sur", "de", "su", "van", "av", "af", "z", "ze", "od", "из", "із", "з", "от", "din",
    "is", "no", "dari", "tren", "απο", "στα", "em", "da", "מתוך", "من",
];
/// Starts of words for stars in scripts without blanks between words.
const STAR_STARTS: [&str; 4] = ["つ星", "星", "顆星", "颗星"];

static STARS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| phrases(&[STAR_WORDS]));
static LABELS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| phrases(&[LABEL_WORDS]));

/// A rating in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RatingFound {
    /// The score as digits with at most one point.
    pub(crate) value: String,
    /// The best score of the scale, if stated.
    pub(crate) best: Option<String>,
    /// The words that state it.
    pub(crate) range: Range<usize>,
}

/// The rating of a text: `4.5 out of 5`, `4,5/5`, `★★★★☆`, `4.5 ★`, `Rated 4.5`; those with a scale come
/// first.
pub(crate) fn rating(text: &str) -> Option<RatingFound> {
    if !text.contains(|found: char| digit_value(found).is_some() || is_star(found)) {
        return None;
    }
    let tokens = Tokens::new(text);
    let places = 0..tokens.len().min(MAX_TOKENS);
    // Whole numbers such as `3 of 5` count pages too.
    let is_about_ratings = places.clone().any(|at| is_rating_token(&tokens, at));
    let scored = |read: &dyn Fn(&Score) -> Option<RatingFound>| {
        places.clone().filter_map(|at| score_at(&tokens, at)).find_map(|score| read(&score))
    };
    // The `5 stars` of `64% gave 5 stars` are one row of a histogram.
    let has_share = text.contains(['%', '％']);
    scored(&|score| out_of(&tokens, score, is_about_ratings))
        .or_else(|| places.clone().find_map(|at| star_row(&tokens, at)))
        .or_else(|| {
            let may_be_row = |score: &Score| has_share && score.is_whole;
            scored(&|score| if may_be_row(score) { None } else { starred(&tokens, score) })
        })
        .or_else(|| scored(&|score| labelled(&tokens, score)))
}

/// A number that may be a score.
#[derive(Debug)]
struct Score {
    value: String,
    hundredths: u32,
    is_whole: bool,
    /// Its first token.
    at: usize,
    /// The token behind it.
    next: usize,
}

/// `4`, `4.5` or `4,57` at a token.
fn score_at(tokens: &Tokens<'_>, at: usize) -> Option<Score> {
    let (whole, _) = tokens.number(at).filter(|(_, digits)| *digits <= 3 && tokens.starts_number(at))?;
    // `10:30` is a time or a result.
    if tokens.mark(at + 1) == Some(':')
        && tokens.is_attached(at + 1)
        && tokens.is_attached(at + 2)
        && tokens.number(at + 2).is_some()
    {
        return None;
    }
    let is_point = matches!(tokens.mark(at + 1), Some('.' | ',')) && tokens.is_attached(at + 1);
    if is_point
        && tokens.is_attached(at + 2)
        && let Some((part, digits @ 1..=4)) = tokens.number(at + 2)
    {
        let hundredths = match digits {
            1 => part * 10,
            2 => part,
            3 => part / 10,
            _ => part / 100,
        };
        let value = format!("{whole}.{part:0digits$}");
        return Some(Score {
            value,
            hundredths: whole * 100 + hundredths,
            is_whole: false,
            at,
            next: at + 3,
        });
    }
    Some(Score { value: whole.to_string(), hundredths: whole * 100, is_whole: true, at, next: at + 1 })
}

/// `4.5 out of 5 stars`, `4,5/5`, `5つ星のうち4.5`.
fn out_of(tokens: &Tokens<'_>, score: &Score, is_about_ratings: bool) -> Option<RatingFound> {
    // The best score comes first.
    if let Some(best_at) = score.at.checked_sub(2)
        && tokens.word(score.at - 1).is_some_and(|word| word.starts_with("つ星のうち"))
        && let Some((best, _)) = tokens.number(best_at)
        && score.hundredths <= best.saturating_mul(100)
    {
        return found(tokens, score, Some(best), best_at, score.next);
    }
    let mut at = score.next;
    let is_slash = matches!(tokens.mark(at), Some('/' | '／'));
    if is_slash {
        at += 1;
    } else {
        let words = (at..at + 2).take_while(|at| tokens.is_word(*at, OF_WORDS)).count();
        if words == 0 {
            return None;
        }
        at += words;
    }
    let (best, _) = tokens.number(at).filter(|(best, _)| BESTS.contains(best))?;
    // `9/10/2021` is a date, `4.5/5.5` no score.
    let goes_on = tokens.is_attached(at + 1)
        && matches!(tokens.mark(at + 1), Some('/' | '.' | ',' | '-' | ':'))
        && tokens.is_attached(at + 2)
        && tokens.number(at + 2).is_some();
    let is_plain = !score.is_whole || is_about_ratings || (is_slash && PLAIN_BESTS.contains(&best));
    if goes_on || !is_plain || score.hundredths > best * 100 {
        return None;
    }
    let end = if is_star_at(tokens, at + 1) { at + 2 } else { at + 1 };
    found(tokens, score, Some(best), score.at, end)
}

/// `4.5 ★`, `★ 4.5`, `4.5-star`, `4.5 stars`.
fn starred(tokens: &Tokens<'_>, score: &Score) -> Option<RatingFound> {
    if score.hundredths > MAX_LABELLED {
        return None;
    }
    let behind = if tokens.mark(score.next) == Some('-') { score.next + 1 } else { score.next };
    if is_star_at(tokens, behind) {
        return found(tokens, score, None, score.at, behind + 1);
    }
    let before = score.at.checked_sub(1)?;
    let is_star = tokens.mark(before).is_some_and(is_star);
    // `★ 12 reviews` counts.
    let is_count = score.is_whole && score.hundredths > 500;
    if is_star && !is_count && !is_counted(tokens, score) {
        found(tokens, score, None, before, score.next)
    } else {
        None
    }
}

/// `Rated 4.5`, `Rating: 4.5`.
fn labelled(tokens: &Tokens<'_>, score: &Score) -> Option<RatingFound> {
    let mut before = score.at.checked_sub(1)?;
    if matches!(tokens.mark(before), Some(':' | '：' | '(')) {
        before = before.checked_sub(1)?;
    }
    let is_labelled = tokens.folded(before).is_some_and(|word| is_rating_label(&word));
    let is_share = tokens.mark(score.next) == Some('%');
    (is_labelled && !is_share && score.hundredths <= MAX_LABELLED && !is_counted(tokens, score))
        .then(|| found(tokens, score, None, score.at, score.next))
        .flatten()
}

/// `★★★★☆`: a row with full and empty stars. A row of full stars alone is often an ornament.
fn star_row(tokens: &Tokens<'_>, at: usize) -> Option<RatingFound> {
    if at.checked_sub(1).is_some_and(|before| tokens.mark(before).is_some_and(is_star)) {
        return None;
    }
    let full = (at..).take_while(|at| tokens.mark(*at).is_some_and(is_full_star)).count();
    let empty = (at + full..).take_while(|at| tokens.mark(*at).is_some_and(is_empty_star)).count();
    let best = full + empty;
    if empty == 0 || !matches!(best, 5 | 10) {
        return None;
    }
    // `★★★★☆ 4.2` says it exactly.
    let behind = at + best;
    let behind = if tokens.mark(behind) == Some('(') { behind + 1 } else { behind };
    let highest = u32::try_from(best * 100).unwrap_or(u32::MAX);
    if let Some(score) = score_at(tokens, behind)
        && !score.is_whole
        && score.hundredths <= highest
        && score.hundredths.abs_diff(u32::try_from(full * 100).unwrap_or(u32::MAX)) <= 100
        && !is_amount(tokens, &score)
    {
        return found(tokens, &score, Some(highest / 100), at, score.next);
    }
    let range = tokens.get(at)?.start..tokens.end_of(at + best - 1);
    Some(RatingFound { value: full.to_string(), best: Some(best.to_string()), range })
}

/// Whether a currency sign stands behind the number.
fn is_amount(tokens: &Tokens<'_>, score: &Score) -> bool {
    let behind = tokens.text.get(tokens.end_of(score.next - 1)..).unwrap_or_default();
    sign_at_start(behind).is_some()
}

/// Whether what the number counts stands behind it: `4 reviews`.
fn is_counted(tokens: &Tokens<'_>, score: &Score) -> bool {
    tokens.folded(score.next).is_some_and(|word| is_count_word(&word))
}

fn is_rating_token(tokens: &Tokens<'_>, at: usize) -> bool {
    is_star_at(tokens, at) || tokens.folded(at).is_some_and(|word| is_rating_label(&word))
}

/// Whether a word in the form of the tables labels a score.
pub(super) fn is_rating_label(word: &str) -> bool {
    LABELS.contains(word)
}

fn is_star_at(tokens: &Tokens<'_>, at: usize) -> bool {
    tokens.mark(at).is_some_and(is_full_star)
        || tokens.word(at).is_some_and(|word| STAR_STARTS.iter().any(|start| word.starts_with(start)))
        || tokens.folded(at).is_some_and(|word| STARS.contains(word.as_str()))
}

const fn is_star(mark: char) -> bool {
    is_full_star(mark) || is_empty_star(mark)
}

const fn is_full_star(mark: char) -> bool {
    matches!(mark, '★' | '⭐' | '🌟' | '✭' | '✮')
}

const fn is_empty_star(mark: char) -> bool {
    matches!(mark, '☆' | '✩' | '✰')
}

fn found(
    tokens: &Tokens<'_>,
    score: &Score,
    best: Option<u32>,
    first: usize,
    next: usize,
) -> Option<RatingFound> {
    let range = tokens.get(first)?.start..tokens.end_of(next.checked_sub(1)?);
    Some(RatingFound { value: score.value.clone(), best: best.map(|best| best.to_string()), range })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::typed::words::fold;

    #[test]
    fn ratings_are_read_with_their_scale() {
        let rows = [
            ("4.5 out of 5 stars", Some(("4.5", Some("5"), "4.5 out of 5 stars"))),
            ("4,5/5", Some(("4.5", Some("5"), "4,5/5"))),
            ("4,5 von 5 Sternen", Some(("4.5", Some("5"), "4,5 von 5 Sternen"))),
            ("8/10", Some(("8", Some("10"), "8/10"))),
            ("(4.5 ★)", Some(("4.5", None, "4.5 ★"))),
            ("★★★★★ 4.80 (12)", Some(("4.80", None, "★ 4.80"))),
            ("★★★★☆ 4.2 from 87 votes", Some(("4.2", Some("5"), "★★★★☆ 4.2"))),
            ("★★★★☆ 3,99 €", Some(("4", Some("5"), "★★★★☆"))),
            ("64% of reviewers gave 5 stars", None),
            ("4.6 stars · 98% would recommend", Some(("4.6", None, "4.6 stars"))),
            ("★★★★☆ 12 reviews", Some(("4", Some("5"), "★★★★☆"))),
            ("Rated 4.5", Some(("4.5", None, "4.5"))),
            ("Bewertung: 4,05", Some(("4.05", None, "4,05"))),
            ("4.5 stars", Some(("4.5", None, "4.5 stars"))),
            ("4,5 gwiazdki", Some(("4.5", None, "4,5 gwiazdki"))),
            ("5つ星のうち4.5", Some(("4.5", Some("5"), "5つ星のうち4.5"))),
            ("Rating 4 of 5", Some(("4", Some("5"), "4 of 5"))),
            ("Page 3 of 5", None),
            ("9/10/2021", None),
            ("24/7", None),
            ("★★★★★", None),
            ("Rating 85%", None),
            ("Score 10:30", None),
            ("4.5", None),
        ];
        for (text, expected) in rows {
            let found = rating(text);
            let found = found.as_ref().map(|found| {
                (found.value.as_str(), found.best.as_deref(), text.get(found.range.clone()).unwrap())
            });
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn words_are_folded() {
        for word in STAR_WORDS.split('|').chain(LABEL_WORDS.split('|')) {
            assert_eq!(fold(word), word);
        }
    }
}
