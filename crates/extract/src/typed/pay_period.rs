//! The periods that sums of money are for: `an hour`, `p.a.`, `brutto im Monat`.

use hashbrown::HashMap;
use std::sync::LazyLock;

use super::token::Tokens;
use super::words::index;

/// Upper bound on the tokens beside a sum in which its period stands.
const MAX_TOKENS: usize = 8;

/// The period that a sum of money is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Period {
    Hour,
    Day,
    Week,
    Month,
    Year,
}

/// Names of periods, in the form of [`fold`](super::words::fold).
const PERIODS: &[(Period, &str)] = &[
    (
        Period::Hour,
        "hour|hours|hourly|hr|hrs|h|std|stunde|stundlich|stundenlohn|heure|horaire|hora|ora|orario|uur|\
         uurloon|timme|timlon|timelonn|timelon|tunti|tunnissa|godz|godzine|godzina|hod|hodinu|hodina|uro|\
         oraber|час|часа|saat|valanda|stunda|tund|gio|jam|ساعة|שעה|שעתי|घंटे|ชั่วโมง|時給|时薪|時薪|시급|\
         時|小时",
    ),
    (
        Period::Day,
        "day|daily|tag|tagessatz|jour|journalier|dia|diario|giorno|giornaliero|dag|dagen|paiva|dzien|\
         dziennie|den|dan|nap|zi|день|gun|hari|ngay|يوم|יום|दिन|วัน|日給|日薪|일급|日|天",
    ),
    (
        Period::Week,
        "week|weekly|wk|woche|wochentlich|semaine|hebdomadaire|semana|semanal|settimana|vecka|uge|uke|\
         viikko|tydzien|tygodniowo|tyden|tydne|tyzden|het|неделя|неделю|тиждень|hafta|minggu|tuan|اسبوع|\
         שבוע|सप्ताह|สัปดาห์|週給|周薪|주급|週|周",
    ),
    (
        Period::Month,
        "month|monthly|mo|mth|pcm|pm|monat|monatlich|monatsgehalt|monatslohn|mois|mensuel|mensuelle|mes|\
         mensual|mensuales|mese|mensile|mensal|maand|manad|manadslon|maned|manedlig|kuukausi|kk|\
         kuukaudessa|miesiac|miesiecznie|mies|mesic|mesicne|mesiac|mesacne|mesec|mesecno|mjesec|mjesecno|\
         luna|lunar|ho|honap|havi|месец|месяц|месяца|мес|міс|місяць|μηνα|μηνιαιωσ|ay|aylik|men|menesi|\
         kuu|kuus|thang|bulan|شهر|شهريا|חודש|לחודש|חודשי|महीना|माह|เดือน|月給|月薪|月収|월급|月",
    ),
    (
        Period::Year,
        "year|yearly|annum|annually|annual|yr|yrs|pa|jahr|jahrlich|jahresgehalt|jahresbrutto|annee|\
         annuel|annuels|annuelle|ano|anual|anuales|anno|annuo|annua|annui|jaar|jaarlijks|ar|arlig|arslon|\
         rok|rocznie|rocne|leto|god|an|eves|ev|год|году|рік|ετοσ|ετησια|yil|yillik|metus|gada|aasta|nam|\
         tahun|سنة|سنويا|שנה|שנתי|वर्ष|साल|ปี|年収|年薪|年俸|연봉|年",
    ),
];

static INDEX: LazyLock<HashMap<&'static str, Period>> = LazyLock::new(|| index(PERIODS));

impl Period {
    /// The first period that the text behind a sum names.
    pub(super) fn behind(text: &str) -> Option<Self> {
        let tokens = Tokens::new(text);
        // The next sum has a period of its own.
        (0..tokens.len().min(MAX_TOKENS))
            .take_while(|at| tokens.number(*at).is_none())
            .find_map(|at| period_at(&tokens, at))
    }

    /// The last period that the text before a sum names: `Hourly rate:`.
    pub(super) fn before(text: &str) -> Option<Self> {
        let tokens = Tokens::new(text);
        let first = tokens.len().saturating_sub(MAX_TOKENS);
        (first..tokens.len()).rev().find_map(|at| period_at(&tokens, at))
    }
}

/// The period that a token names.
pub(super) fn period_at(tokens: &Tokens<'_>, at: usize) -> Option<Period> {
    let name = tokens.folded(at)?;
    match name.as_str() {
        // `par an`, `/an`; elsewhere an article.
        "an" => {
            let before = at.checked_sub(1)?;
            let is_period = tokens.mark(before) == Some('/') || tokens.is_word(before, &["par", "pe", "pr"]);
            is_period.then_some(Period::Year)
        }
        // `p.a.`
        "p" => (tokens.mark(at + 1) == Some('.') && tokens.is_word(at + 2, &["a"])).then_some(Period::Year),
        name => INDEX.get(name).copied(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::typed::words::fold;

    #[test]
    fn each_name_is_folded_and_names_one_period() {
        let names: Vec<&str> = PERIODS.iter().flat_map(|(_, names)| names.split('|')).collect();
        for name in &names {
            assert_eq!(fold(name), *name);
        }
        assert_eq!(names.len(), INDEX.len(), "a name stands twice");
    }
}
