//! Units of time in many languages.

use hashbrown::HashMap;
use std::sync::LazyLock;

use super::token::Tokens;
use super::words::index;

pub(super) const MINUTE: u64 = 60;
pub(super) const HOUR: u64 = 3_600;
pub(super) const DAY: u64 = 86_400;
pub(super) const WEEK: u64 = 604_800;

/// Names of units with their seconds, in the form of [`fold`](super::words::fold).
const UNITS: &[(u64, &str)] = &[
    (
        WEEK,
        "week|weeks|wk|wks|woche|wochen|semaine|semaines|semana|semanas|settimana|settimane|weken|vecka|\
         veckor|uge|uger|uke|uker|viikko|viikkoa|vika|vikur|tydzien|tygodnie|tygodni|tyden|tydny|tydnu|\
         tyzden|tyzdne|tyzdnov|teden|tedna|tednov|tjedan|tjedna|tjedana|nedelja|nedelje|saptamana|\
         saptamani|неделя|недели|недель|недеља|недеље|седмица|седмици|тиждень|тижні|тижнів|εβδομαδα|\
         εβδομαδεσ|hafta|savaite|savaites|savaiciu|nedela|nedelas|nadal|nadalat|setmana|setmanes|tuan|\
         minggu|שבוע|שבועות|שבועיים|اسبوع|اسابيع|सप्ताह|हफ्ते",
    ),
    (
        DAY,
        "day|days|tag|tage|tagen|jour|jours|dia|dias|giorno|giorni|dag|dagen|dagar|dage|dager|dygn|dogn|\
         paiva|paivaa|pv|dagur|dzien|dni|den|dny|dnu|dan|dana|dneva|zi|zile|nap|день|дня|дней|дни|днів|\
         дні|ден|дана|ημερα|ημερεσ|μερεσ|gun|diena|dienos|dienu|dienas|paev|paeva|dies|ngay|hari|יום|\
         ימים|יומיים|يوم|ايام|दिन",
    ),
    (
        HOUR,
        "hour|hours|hr|hrs|h|hs|stunde|stunden|std|heure|heures|hora|horas|ora|ore|uur|uren|timme|timmar|\
         tim|timer|tunti|tuntia|klukkustund|klukkustundir|klst|godzina|godziny|godzin|godz|hodina|hodiny|\
         hodin|hod|ura|ure|uri|sata|sati|час|часа|часов|ч|часове|годин|сат|сата|сати|ωρα|ωρεσ|saat|\
         valanda|valandos|valandu|val|stunda|stundas|tund|tundi|hores|gio|jam|שעה|שעות|שעתיים|ساعة|ساعات|\
         ساعتان|घंटा|घंटे|घण्टे|घंटों",
    ),
    (
        MINUTE,
        "minute|minutes|min|mins|minuten|minuto|minutos|minuti|minuut|minuter|minutter|minutt|minut|\
         minuta|minuty|minutu|minuutti|minuuttia|minutur|mn|perc|минута|минуты|минут|минути|мин|минуте|\
         хвилина|хвилини|хвилин|хв|λεπτο|λεπτα|λεπτων|dakika|dk|minuciu|minutit|minuts|phut|menit|mnt|\
         דקה|דקות|דק|دقيقة|دقائق|मिनट|मिनटों",
    ),
    (
        1,
        "second|seconds|sec|secs|sek|sekunde|sekunden|seconde|secondes|segundo|segundos|secondo|secondi|\
         seconden|sekund|sekunder|sekunti|sekuntia|sekundur|sekunda|sekundy|sekundi|secunda|secunde|\
         masodperc|секунда|секунды|секунд|секунди|сек|секунде|δευτερολεπτο|δευτερολεπτα|saniye|sn|\
         sekundes|sekundzu|sekundit|segon|segons|giay|detik|שניה|שניות|ثانية|ثوان|सेकंड",
    ),
];

/// Names that are units only beside another unit, as in `1h 30m`: letters, and words with other meanings.
const WEAK_UNITS: &[(u64, &str)] =
    &[(DAY, "d|j|g|д"), (HOUR, "t|u|time|sat|sa|година|години|год|г"), (MINUTE, "m|p|м|х|λ"), (1, "s|с")];

/// Starts of words in scripts without blanks between words; the longest one that fits counts.
const STARTS: &[(u64, &[&str])] = &[
    (WEEK, &["週間", "周", "주일", "สัปดาห์"]),
    (DAY, &["日間", "天", "일간", "วัน"]),
    (HOUR, &["時間", "小时", "小時", "시간", "ชั่วโมง", "ชม"]),
    (MINUTE, &["分間", "分钟", "分鐘", "分", "분", "นาที"]),
    (1, &["秒間", "秒钟", "秒鐘", "秒", "초", "วินาที"]),
];

/// Ends of words that make a duration a time in the past: `3時間前`.
const PAST_SIGNS: [char; 2] = ['前', '전'];

static INDEX: LazyLock<HashMap<&'static str, u64>> = LazyLock::new(|| index(UNITS));
static WEAK_INDEX: LazyLock<HashMap<&'static str, u64>> = LazyLock::new(|| index(WEAK_UNITS));

/// A unit of time in a text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Unit {
    pub(super) seconds: u64,
    /// The token behind it.
    pub(super) next: usize,
    /// Its end in the text.
    pub(super) end: usize,
}

/// The unit of time at a token; a hyphen may precede it: `30-minute`.
pub(super) fn unit_at(tokens: &Tokens<'_>, at: usize) -> Option<Unit> {
    let is_hyphen = tokens.mark(at) == Some('-') && tokens.is_attached(at) && tokens.is_attached(at + 1);
    let at = if is_hyphen { at + 1 } else { at };
    let word = tokens.word(at)?;
    if word.starts_with(|first: char| first >= '\u{e00}') {
        let (seconds, start) = STARTS
            .iter()
            .flat_map(|(seconds, starts)| starts.iter().map(move |start| (*seconds, *start)))
            .filter(|(_, start)| word.starts_with(start))
            .max_by_key(|(_, start)| start.len())?;
        let rest = word.get(start.len()..)?;
        let end = tokens.get(at)?.start + start.len();
        return (!rest.starts_with(PAST_SIGNS)).then_some(Unit { seconds, next: at + 1, end });
    }
    named(tokens, at, &INDEX)
}

/// Like [`unit_at`], for names that are units only beside another unit.
pub(super) fn weak_unit_at(tokens: &Tokens<'_>, at: usize) -> Option<Unit> {
    named(tokens, at, &WEAK_INDEX)
}

fn named(tokens: &Tokens<'_>, at: usize, index: &HashMap<&'static str, u64>) -> Option<Unit> {
    let seconds = *index.get(tokens.folded(at)?.as_str())?;
    Some(Unit { seconds, next: at + 1, end: tokens.end_of(at) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::typed::words::fold;

    #[test]
    fn each_name_is_folded_and_names_one_unit() {
        for (_, names) in UNITS.iter().chain(WEAK_UNITS) {
            for name in names.split('|') {
                assert_eq!(fold(name), name);
                assert!(!(INDEX.contains_key(name) && WEAK_INDEX.contains_key(name)), "{name}");
            }
        }
        let count =
            |lines: &[(u64, &str)]| lines.iter().map(|(_, names)| names.split('|').count()).sum::<usize>();
        assert_eq!((count(UNITS), count(WEAK_UNITS)), (INDEX.len(), WEAK_INDEX.len()), "a name stands twice");
    }
}
