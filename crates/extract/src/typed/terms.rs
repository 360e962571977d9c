//! Short vocabularies whose terms pages write without a label: forms of employment, languages, bindings of
//! books.

use std::sync::LazyLock;

use hashbrown::HashSet;

use super::words::{fold, phrases};

/// Forms of employment, in the form of [`fold`] with hyphens as blanks.
const EMPLOYMENT: &[&str] = &[
    "full time|part time|fulltime|parttime|full or part time|contract|contractor|fixed term|temporary|temp|\
     permanent|internship|intern|apprenticeship|apprentice|freelance|casual|seasonal|per diem|volunteer|\
     zero hours|full time permanent|permanent full time|permanent part time|full time employee|\
     working student|trainee|graduate programme",
    "vollzeit|teilzeit|vollzeit oder teilzeit|voll oder teilzeit|festanstellung|feste anstellung|befristet|\
     unbefristet|minijob|werkstudent|werkstudentin|praktikum|ausbildung|freie mitarbeit|aushilfe|\
     vollzeit unbefristet|unbefristet vollzeit",
    "cdi|cdd|temps plein|temps partiel|temps complet|interim|stage|alternance|apprentissage|saisonnier|\
     cdi temps plein|benevolat",
    "tiempo completo|jornada completa|media jornada|tiempo parcial|jornada parcial|indefinido|temporal|\
     practicas|contrato indefinido|contrato temporal",
    "tempo pieno|tempo parziale|tempo indeterminato|tempo determinato|full time tempo indeterminato|tirocinio|\
     apprendistato|stagionale",
    "tempo integral|tempo inteiro|meio periodo|tempo parcial|estagio|clt|temporario|efetivo|periodo integral",
    "voltijd|deeltijd|fulltime|parttime|vast contract|tijdelijk contract|bepaalde tijd|onbepaalde tijd|\
     vaste baan|bijbaan|uitzendbaan|freelance",
    "heltid|deltid|tillsvidareanstallning|tillsvidare|visstid|vikariat|sommarjobb|provanstallning",
    "fuldtid|deltidsstilling|fastansættelse|studiejob|fast stilling|midlertidig|engasjement",
    "kokopaivatyo|kokoaikainen|osa aikainen|maaraaikainen|vakituinen|kesatyo|harjoittelu",
    "pelny etat|czesc etatu|pol etatu|umowa o prace|umowa zlecenie|umowa o dzielo|b2b|kontrakt b2b|staz",
    "plny uvazek|castecny uvazek|hlavni pracovni pomer|dpp|dpc|plny uvazok|zivnost",
    "teljes munkaido|reszmunkaido|teljes munkaidos|reszmunkaidos|norma intreaga|jumatate de norma",
    "полная занятость|частичная занятость|полный день|стажировка|проектная работа|повна зайнятість|\
     неповна зайнятість|пълно работно време|непълно работно време",
    "tam zamanli|yari zamanli|donemsel|stajyer|πληρησ απασχοληση|μερικη απασχοληση",
    "正社員|契約社員|派遣社員|アルバイト|パート|業務委託|インターン|全职|兼职|实习|全職|兼職|正規職|정규직|계약직|인턴|아르바이트",
    "دوام كامل|دوام جزئي|משרה מלאה|משרה חלקית",
];

/// Languages, by their names in themselves and in widely read languages.
const LANGUAGES: &[&str] = &[
    "english|german|french|spanish|italian|dutch|portuguese|polish|swedish|danish|norwegian|finnish|czech|\
     slovak|hungarian|romanian|bulgarian|greek|turkish|russian|ukrainian|japanese|chinese|korean|arabic|\
     hebrew|hindi|vietnamese|thai|indonesian|latin|catalan|croatian|serbian|slovenian|lithuanian|latvian|\
     estonian|icelandic|irish|welsh",
    "englisch|deutsch|franzosisch|spanisch|italienisch|niederlandisch|portugiesisch|polnisch|schwedisch|\
     danisch|norwegisch|finnisch|tschechisch|ungarisch|turkisch|russisch|japanisch|chinesisch|arabisch",
    "anglais|allemand|francais|espagnol|italien|neerlandais|portugais|polonais|suedois|russe|japonais|\
     chinois|arabe",
    "ingles|aleman|frances|espanol|castellano|italiano|holandes|neerlandes|portugues|polaco|sueco|ruso|\
     japones|chino|alemao|espanhol|russo|chines",
    "inglese|tedesco|francese|spagnolo|olandese|portoghese|polacco|svedese|giapponese|cinese",
    "engels|duits|frans|spaans|italiaans|nederlands|portugees|pools|zweeds|russisch",
    "engelska|tyska|franska|spanska|italienska|svenska|engelsk|tysk|fransk|dansk|norsk|suomi|englanti",
    "angielski|niemiecki|francuski|hiszpanski|wloski|polski|rosyjski|anglictina|nemcina|cestina|slovencina",
    "angol|nemet|magyar|engleza|romana|ingilizce|almanca|turkce|ελληνικα|αγγλικα",
    "английский|русский|немецкий|французский|українська|англійська|български",
    "日本語|英語|中国語|韓国語|中文|英文|简体中文|繁體中文|한국어|영어|العربية|עברית|हिन्दी|ไทย",
];

/// Bindings and forms of books, which shops write behind their titles.
const BINDINGS: &[&str] = &[
    "paperback|hardcover|hardback|paper back|hard cover|mass market paperback|trade paperback|ebook|e book|\
     kindle edition|kindle|audiobook|audio book|audio cd|board book|spiral bound|spiral|library binding|\
     leather bound|softcover|epub|large print|boxed set|box set|illustrated edition",
    "taschenbuch|gebunden|gebundene ausgabe|gebundenes buch|broschiert|kartoniert|horbuch|softcover|\
     broche|relie|poche|format poche|livre audio|cartonne",
    "tapa blanda|tapa dura|rustica|bolsillo|libro electronico|brossura|copertina flessibile|\
     copertina rigida|rilegato|capa mole|capa dura|capa comum|brochura",
    "gebonden|ingenaaid|luisterboek|haftad|inbunden|danskt band|pocket|ljudbok|hæftet|indbundet|\
     heftet|innbundet|nidottu|sidottu|aanikirja|oprawa miekka|oprawa twarda|miekka|twarda|brozovana|vazana",
    "твердый переплет|мягкий переплет|мягкая обложка|твердая обложка|文庫|単行本|新書|平装|精装|平裝|精裝",
];

static EMPLOYMENT_TERMS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| phrases(EMPLOYMENT));
static LANGUAGE_TERMS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| phrases(LANGUAGES));
static BINDING_TERMS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| phrases(BINDINGS));

/// The form of the vocabularies: folded, with one blank for hyphens and underlines.
fn plain(text: &str) -> String {
    let folded = fold(text.trim().trim_end_matches('.'));
    let words = folded.split(|found: char| found.is_whitespace() || matches!(found, '-' | '‑' | '–' | '_'));
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Whether a text is a form of employment, or several: `Full-time`, `Vollzeit / Teilzeit`.
pub(crate) fn is_employment(text: &str) -> bool {
    let mut parts = text.split([',', '/', '|', '·', '(', ')']).map(plain).filter(|part| !part.is_empty());
    let Some(first) = parts.next() else { return false };
    let is_known = |part: &str| EMPLOYMENT_TERMS.contains(part);
    is_known(&first) && parts.all(|part| is_known(&part))
}

/// Whether a text is the name of a language.
pub(crate) fn is_language(text: &str) -> bool {
    LANGUAGE_TERMS.contains(plain(text).as_str())
}

/// A title without the binding of the book behind it, in brackets: `The Lamp (Paperback)`.
pub(crate) fn without_binding(title: &str) -> &str {
    let inner = title.trim_end().strip_suffix([')', ']']);
    let parts = inner.and_then(|inner| inner.rsplit_once(['(', '[']));
    match parts {
        Some((before, binding)) if !before.trim().is_empty() => {
            let mut terms = binding.split([',', '/', '|']).map(plain).filter(|term| !term.is_empty());
            let is_binding = terms.next().is_some_and(|first| BINDING_TERMS.contains(first.as_str()));
            if is_binding { before.trim_end() } else { title }
        }
        _ => title,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_known_in_any_notation() {
        for text in
            ["Full-time", "FULL TIME", "Vollzeit / Teilzeit", "CDI", "Temps plein", "正社員", "Umowa o pracę"]
        {
            assert!(is_employment(text), "{text}");
        }
        for text in ["New", "Full of time", "Contract law", ""] {
            assert!(!is_employment(text), "{text}");
        }
        assert!(is_language("Français") && is_language("日本語") && !is_language("Paris"));
    }

    #[test]
    fn bindings_are_no_part_of_a_title() {
        let rows = [
            ("The Lamp (Paperback)", "The Lamp"),
            ("The Lamp [Hardcover, 2009]", "The Lamp"),
            ("Die Lampe (Gebundene Ausgabe)", "Die Lampe"),
            ("The Lamp (Part 2)", "The Lamp (Part 2)"),
            ("(Paperback)", "(Paperback)"),
            ("The Lamp", "The Lamp"),
        ];
        for (title, expected) in rows {
            assert_eq!(without_binding(title), expected, "{title}");
        }
    }
}
