//! Names of months in many languages.

use hashbrown::HashMap;
use std::sync::LazyLock;

use super::token::Tokens;

/// Names of the months, January first, in the form of [`fold`](super::words::fold): full, inflected and short
/// ones. Names of several words or with points are written as one word.
///
/// Names that languages use for different months, such as `srp`, and common other words, such as `pro`, are
/// left out.
const MONTHS: [&str; 12] = [
    "ene enero gen gener gennaio ian ianuarie jaan jaanuar jan janeiro janner januar januara januari \
     januarja january janv janvara janvari janvaris janvier leden ledna oca ocak sausio sausis \
     sij sijecanj sijecnja sty styczen stycznia tammi tammikuu tammikuuta xan xaneiro ιαν ιανουαριοσ \
     ιανουαριου сту студзень студзеня січ січень січня янв январь января януари јан јануар јануара \
     јануари ינו ינואר جانفي كانونالثاني يناير जन जनवरी มกราคม มค",
    "feb febbraio febr febreiro febrer febrero februar februara februari februarie februaris \
     februarja february fev fevereiro fevr fevrier helmi helmikuu helmikuuta lut lutego luty sub \
     subat unor unora vasario vasaris veebr veebruar velj veljaca veljace φεβ φεβρουαριοσ \
     φεβρουαριου лют лютага лютий лютого люты феб фебруар фебруара фев февр февраль февраля февруари \
     פבר פברואר شباط فبراير فيفري फर फरवरी กพ กุมภาพันธ์",
    "bre brezen brezna kovas kovo maa maalis maaliskuu maaliskuun maaliskuuta maart mar marc marca \
     march marcius marco marec maret mars mart marta martie marts marz marzec marzo mrt mrz ozu \
     ozujak ozujka μαρ μαρτιοσ μαρτιου бер березень березня мар март марта сак сакавік сакавіка מרץ \
     اذار مارس मार्च มีค มีนาคม",
    "abr abril apr april aprila aprile aprili aprilie aprilis aprill avr avril balandis balandzio \
     dub duben dubna huhti huhtikuu huhtikuuta kwi kwiecien kwietnia nis nisan tra travanj travnja \
     απρ απριλιοσ απριλιου апр апрель апреля април квіт квітень квітня кра красавік красавіка אפר \
     אפריל ابريل افريل نيسان अप्रैल เมย เมษายน",
    "geguze geguzes kve kveten kvetna mag maggio mai maig maija maijs maio maj maja majus may mayis \
     mayo mei svi svibanj svibnja touko toukokuu toukokuuta μαι μαιοσ μαιου май мая мај трав травень \
     травня מאי ايار ماي مايو मई พค พฤษภาคม",
    "birzelio birzelis cerven cervna cvn cze czerwca czerwiec giu giugno haz haziran iun iunie juin \
     jun juna june junho juni junij junija junijs junio junius juny juuni kesa kesakuu kesakuuta \
     lipanj lipnja xuno ιουν ιουνιοσ ιουνιου июн июнь июня черв червень червня чэр чэрвень чэрвеня \
     юни јун јуна јуни יוני جوان حزيران يونيو जून มิถุนายน มิย",
    "cervence cervenec cvc heina heinakuu heinakuuta iul iulie juil juillet jul jula julho juli \
     julij julija julijs julio juliol julius july juuli liepa liepos lip lipca lipiec lug luglio \
     srpanj srpnja tem temmuz xul xullo ιουλ ιουλιοσ ιουλιου июл июль июля лип липень липня ліп \
     ліпень ліпеня юли јул јула јули יולי تموز جويلية يوليو يوليوز जुल जुलाई กค กรกฎาคม",
    "ago agost agosto agst agu agust agustos agustus aou aout aug august augusta augusti augusts \
     augustus augusztus avg avgust avgusta elokuu elokuuta kol kolovoz kolovoza rugpjucio rugpjutis \
     sie sierpien sierpnia srpen srpna αυγ αυγουστοσ αυγουστου авг август августа жні жнівень жніўня \
     серп серпень серпня אוג אוגוסט اب اغسطس اوت غشت अग अगस्त สค สิงหาคม",
    "eyl eylul rugsejis rugsejo ruj rujan rujna sep sept septembar september septembra septembre \
     septembri septembrie septembris septiembre set setembre setembro setiembre settembre syys \
     syyskuu syyskuuta szept szeptember wrz wrzesien wrzesnia zar zari σεπ σεπτεμβριοσ σεπτεμβριου \
     вер верасень верасня вересень вересня сен сент сентябр сентябрь сентября сеп септембар \
     септември ספט ספטמבר ايلول سبتمبر شتنبر सित सितंबर กย กันยายน",
    "eki ekim loka lokakuu lokakuuta oct october octobre octombrie octubre okt oktobar oktober \
     oktobra oktobri oktobris oktoober ott ottobre out outubro paz pazdziernik pazdziernika rij \
     rijen rijna spalio spalis οκτ οκτωβριοσ οκτωβριου жовт жовтень жовтня кас кастрычнік \
     кастрычніка окт октобар октомври октябрь октября אוק אוקטובר اكتوبر تشرينالاول अक्टू अक्टूबर ตค \
     ตุลาคม",
    "kas kasim lapkricio lapkritis lis listopad listopada listopadu marras marraskuu marraskuuta noi \
     noiembrie nov novembar november novembra novembre novembri novembris novembro noviembre stu \
     studeni studenoga νοε νοεμβριοσ νοεμβριου лист листопад листопада ліс лістапад лістапада нов \
     новембар ное ноември ноя нояб ноябрь ноября נוב נובמבר تشرينالثاني نوفمبر نونبر नव नवंबर พย \
     พฤศจิกายน",
    "ara aralik dec decembar december decembra decembre decembri decembrie decembris decembro des \
     desember desembre dets detsember dez dezember dezembro dic dicembre diciembre gru grudnia \
     grudzien gruodis gruodzio joulu joulukuu joulukuuta prosinac prosinca prosince prosinec δεκ \
     δεκεμβριοσ δεκεμβριου груд грудень грудня дек декабрь декабря декември дец децембар сне снежань \
     снежня דצמ דצמבר دجنبر ديسمبر كانونالاول दिस दिसंबर ธค ธันวาคม",
];

static INDEX: LazyLock<HashMap<&'static str, u32>> = LazyLock::new(|| {
    MONTHS
        .iter()
        .zip(1..)
        .flat_map(|(names, month)| names.split_whitespace().map(move |name| (name, month)))
        .collect()
});

/// The month (1 to 12) that a word names, and the token behind the name.
///
/// `is_dotted` says that a day with a point precedes it.
pub(super) fn month(tokens: &Tokens<'_>, at: usize, is_dotted: bool) -> Option<(u32, usize)> {
    let name = tokens.folded(at)?;
    match name.as_str() {
        // Vietnamese counts its months.
        "thang" | "thg" => {
            let number = if tokens.mark(at + 1) == Some('.') { at + 2 } else { at + 1 };
            let (month, _) = tokens.number(number)?;
            return (1..=12).contains(&month).then_some((month, number + 1));
        }
        // Croatian writes a point behind the day, Polish does not.
        "listopada" if is_dotted => return Some((10, at + 1)),
        "lip" if is_dotted => return Some((6, at + 1)),
        "lis" | "listopad" if is_dotted => return None,
        _ => {}
    }
    if let Some(month) = INDEX.get(name.as_str()) {
        return Some((*month, at + 1));
    }
    // Hebrew: `in March` is one word.
    if let Some(month) = name.strip_prefix('ב').and_then(|name| INDEX.get(name)) {
        return Some((*month, at + 1));
    }
    // Thai short names have points, some Arabic names have two words.
    if name.chars().next().is_none_or(|first| first < '\u{590}') {
        return None;
    }
    let second = if tokens.mark(at + 1) == Some('.') { at + 2 } else { at + 1 };
    let joined = name + &tokens.folded(second)?;
    INDEX.get(joined.as_str()).map(|month| (*month, second + 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::typed::words::fold;

    #[test]
    fn each_name_is_folded_and_names_one_month() {
        let mut count = 0;
        for name in MONTHS.iter().flat_map(|names| names.split_whitespace()) {
            assert_eq!(fold(name), name);
            count += 1;
        }
        assert_eq!(count, INDEX.len(), "a name stands twice");
    }

    #[test]
    fn months_are_read_in_many_languages() {
        let rows = [
            ("Mar", 3),
            ("FÉVRIER", 2),
            ("grudnia", 12),
            ("prosince", 12),
            ("kesäkuuta", 6),
            ("Ağustos", 8),
            ("gegužės", 5),
            ("augustā", 8),
            ("Μαΐου", 5),
            ("вересня", 9),
            ("tháng 3", 3),
            ("במרץ", 3),
            ("มี.ค.", 3),
            ("كانون الثاني", 1),
            ("सितंबर", 9),
            ("markets", 0),
            ("jui", 0),
        ];
        for (text, expected) in rows {
            let found = month(&Tokens::new(text), 0, false);
            assert_eq!(found.map_or(0, |(month, _)| month), expected, "{text}");
        }
        assert_eq!(month(&Tokens::new("listopada"), 0, true), Some((10, 1)));
        assert_eq!(month(&Tokens::new("listopada"), 0, false), Some((11, 1)));
    }
}
