//! Words around names, dates and places in many languages.

use hashbrown::HashSet;
use std::sync::LazyLock;

use super::words::phrases;

/// Words before a name, a date or a place, in the form of [`fold`](super::words::fold).
const LABELS: &[&str] = &[
    "by|written by|posted by|published by|created by|submitted by|added by|uploaded by|contributed by|\
     recipe by|recipe courtesy of|courtesy of|story by|text by|words by|article by|review by|\
     reviewed by|medically reviewed by|fact checked by|edited by|translated by|narrated by|read by|\
     illustrated by|photo by|photos by|photography by|image by|directed by|produced by|hosted by|\
     organised by|organized by|presented by|sponsored by|offered by|provided by|sold by|made by|\
     manufactured by|published|published on|published at|posted|posted on|posted at|updated|updated on|\
     updated at|last updated|last updated on|last modified|modified on|first published|\
     first published on|date posted|date published|publication date|released on|created on|added on|\
     starts on|ends on",
    "von|geschrieben von|verfasst von|veroffentlicht von|veroffentlicht am|erstellt von|erstellt am|\
     aktualisiert am|aktualisiert|zuletzt aktualisiert|zuletzt aktualisiert am|ein artikel von|\
     ein beitrag von|eine rezension von|ein rezept von|rezept von|text von|foto von|fotos von|\
     prasentiert von|organisiert von|veranstaltet von|moderiert von|ubersetzt von|herausgegeben von|\
     verkauf durch|verkauft durch",
    "par|ecrit par|redige par|publie par|publie le|poste par|poste le|propose par|presente par|\
     organise par|anime par|recette de|recette par|texte de|photo de|traduit par|mis a jour le|\
     mise a jour le|modifie le",
    "por|escrito por|publicado por|publicado el|publicado en|redactado por|creado por|presentado por|\
     organizado por|dirigido por|receta de|texto de|foto de|traducido por|actualizado|actualizado el|\
     ultima actualizacion",
    "di|scritto da|pubblicato da|pubblicato il|a cura di|redatto da|postato da|presentato da|\
     organizzato da|ricetta di|testo di|foto di|tradotto da|aggiornato il|ultimo aggiornamento",
    "publicado em|postado por|postado em|criado por|apresentado por|receita de|atualizado em|\
     ultima atualizacao",
    "door|geschreven door|geplaatst door|geplaatst op|gepubliceerd door|gepubliceerd op|gepost door|\
     bijgewerkt op|laatst bijgewerkt|laatst bijgewerkt op|gepresenteerd door|georganiseerd door|\
     recept van|tekst van|vertaald door",
    "av|skriven av|skrivet av|publicerad|publicerad av|publicerad den|publicerat|publicerat av|text av|\
     recept av|foto av|uppdaterad|senast uppdaterad|arrangeras av|presenteras av",
    "af|skrevet af|udgivet|udgivet af|publiceret|publiceret af|opdateret|senest opdateret|opskrift af|\
     tekst af|arrangeret af|præsenteret af",
    "skrevet av|publisert|publisert av|oppdatert|sist oppdatert|oppskrift av|tekst av|arrangert av|\
     presentert av",
    "kirjoittanut|julkaissut|julkaistu|paivitetty|viimeksi paivitetty|jarjestaa",
    "eftir|skrifað af|birt|uppfært",
    "przez|napisane przez|napisany przez|napisal|napisala|opublikowane przez|opublikowano|opublikowane|\
     dodane przez|dodano|dodal|dodala|przepis od|aktualizacja|zaktualizowano|ostatnia aktualizacja|\
     autorstwa",
    "od|napsal|napsala|publikoval|publikovala|publikovano|vydano|vlozil|pridal|aktualizovano|\
     naposledy aktualizovano|porada|uvadi|recept od",
    "publikovane|zverejnene|aktualizovane|organizuje",
    "objavil|objavljeno|posodobljeno|zadnja posodobitev|pripravil",
    "napisao|objavio|pise|azurirano|zadnja izmjena",
    "написао|написала|објављено|пише|ажурирано",
    "scris de|publicat de|publicat in|publicat pe|publicat la|postat de|actualizat|actualizat la|\
     ultima actualizare|organizat de|prezentat de|reteta de",
    "irta|kozzeteve|megjelent|frissitve|utolso frissites|szervezi",
    "от|написано от|публикувано от|публикувано на|публикувано|обновено|последна актуализация|\
     организирано от",
    "написал|опубликовал|опубликовано|опубликована|добавлено|добавил|обновлено|последнее обновление|\
     рецепт от",
    "від|написав|опублікував|опубліковано|додано|оновлено|останнє оновлення",
    "απο|απο τον|απο την|γραφει ο|γραφει η|γραφει|δημοσιευτηκε|δημοσιευθηκε|δημοσιευτηκε στισ|\
     ενημερωθηκε|τελευταια ενημερωση",
    "yazan|hazirlayan|gonderen|ekleyen|yayinlayan|yayinlanma tarihi|yayinlandi|guncellendi|guncelleme|\
     son guncelleme|duzenleyen|sunan",
    "parase|paskelbe|paskelbta|atnaujinta|organizuoja",
    "raksta|publicejis|publicets|publiceja|atjaunots|organize",
    "kirjutas|kirjutanud|postitas|avaldatud|avaldas|uuendatud|viimati uuendatud|korraldab",
    "per|escrit per|publicat per|publicat el|actualitzat el|organitzat per|a carrec de|recepta de",
    "boi|dang boi|viet boi|duoc viet boi|dang ngay|ngay dang|cap nhat|cap nhat lan cuoi|to chuc boi",
    "oleh|ditulis oleh|diposting oleh|diterbitkan oleh|diterbitkan pada|dipublikasikan|diperbarui|\
     terakhir diperbarui|diselenggarakan oleh|resep oleh",
    "بقلم|كتب بواسطة|كتبه|كتبته|كتب|نشر بواسطة|نشر في|نشرت في|بواسطة|تم النشر في|تاريخ النشر|اخر تحديث|\
     من اعداد",
    "מאת|נכתב על ידי|פורסם על ידי|פורסם|עודכן|מתכון של",
    "प्रकाशित|द्वारा|अपडेट किया गया",
    "โดย|เขียนโดย|โพสต์โดย|เผยแพร่เมื่อ|อัปเดตเมื่อ|อัพเดทล่าสุด",
    "投稿者|著者|作者|執筆者|執筆|作成者|文|文責|公開日|投稿日|更新日|最終更新日|掲載日|発売日|主催|提供|監修|編集|写真",
    "撰文|编辑|发布者|發佈者|发布于|發佈於|发布时间|發布時間|更新时间|更新時間|更新于|发表于|發表於|主办|主辦|主办方",
    "글|작성자|글쓴이|저자|작성일|등록일|게시일|수정일|업데이트|입력|주최|발행",
];

/// Words that label the text behind a colon. Without one they may be part of a name: `Brand New Day`.
const NOUNS: &[&str] = &[
    "author|authors|writer|contributor|editor|publisher|host|organiser|organizer|presenter|seller|\
     vendor|brand|manufacturer|date|when|time|where|venue|location|address|place|company|employer|\
     illustrator|translator|narrator|director|released|release date|starts|ends|source|name",
    "autor|autorin|autoren|verfasser|veroffentlicht|datum|wann|wo|veranstalter|ort|veranstaltungsort|\
     adresse|anschrift|hersteller|marke|verlag|herausgeber|ubersetzer|firma|unternehmen|arbeitgeber|\
     standort",
    "auteur|auteure|autrice|auteurs|publie|mis a jour|quand|ou|organisateur|lieu|marque|fabricant|\
     editeur|traducteur|entreprise|societe",
    "autora|autores|publicado|fecha|organizador|organiza|lugar|direccion|marca|fabricante|editorial|\
     ubicacion|empresa",
    "autore|autori|pubblicato|data|organizzatore|luogo|indirizzo|editore|azienda|sede",
    "local|endereco|editora",
    "schrijver|organisator|locatie|adres|merk|uitgever|bedrijf",
    "forfattare|skribent|text|foto|arrangor|plats|adress|forlag|foretag",
    "forfatter|dato|sted|mærke|virksomhed",
    "merke|bedrift",
    "kirjoittaja|tekija|toimittaja|teksti|kuva|paivamaara|jarjestaja|paikka|osoite|merkki|kustantaja|\
     yritys",
    "hofundur|dagsetning|staður",
    "autorka|autorzy|tekst|zdjecia|data publikacji|organizator|miejsce|lokalizacja|marka|producent|\
     wydawca|wydawnictwo",
    "poradatel|misto|misto konani|adresa|znacka|vyrobce|nakladatelstvi",
    "miesto|miesto konania|vyrobca|vydavatelstvo",
    "avtor|avtorica|kraj|lokacija|naslov|znamka|proizvajalec",
    "autorica|mjesto|proizvodac|izdavac",
    "аутор|датум|место|адреса",
    "locul|producator|editura",
    "szerzo|szervezo|helyszin|cim|gyarto|kiado",
    "автор|дата|организатор|място|адрес|марка|издателство",
    "авторы|автор статьи|автор рецепта|текст|фото|дата публикации|место проведения|бренд|производитель|\
     издательство|компания",
    "автори|організатор|місце|виробник|видавництво",
    "συντακτησ|συγγραφεασ|αρθρογραφοσ|ημερομηνια|διοργανωτησ|τοποθεσια|διευθυνση|μαρκα|εκδοσεισ|εκδοτησ",
    "yazar|yazari|tarih|yer|mekan|uretici|yayinevi",
    "autorius|organizatorius|vieta|adresas|leidykla",
    "autors|datums|organizators|adrese|zimols|izdevejs",
    "kuupaev|korraldaja|asukoht|koht|aadress|kirjastus",
    "organitzador|lloc|adreca",
    "enderezo",
    "tac gia|ngay|nguoi dang|dia diem|dia chi|thuong hieu|nha xuat ban",
    "penulis|tanggal|penyelenggara|lokasi|tempat|alamat|merek|penerbit",
    "الكاتب|المؤلف|الناشر|التاريخ|المكان|العنوان|الموقع|المنظم|الماركة|العلامة التجارية",
    "כותב|מחבר|סופר|תאריך|מיקום|כתובת|מותג|מארגן",
    "लेखक|दिनांक|तारीख|स्थान|पता|ब्रांड|प्रकाशक",
    "ผู้เขียน|ผู้แต่ง|วันที่|สถานที่|ที่อยู่|แบรนด์|สำนักพิมพ์",
    "日時|会場|場所|住所|開催日|ブランド|メーカー|出版社",
    "日期|时间|時間|地点|地點|地址|品牌",
    "날짜|일시|장소|주소|브랜드|출판사|제조사",
];

/// Labels of controls that stand behind a name.
const CONTROLS: &[&str] = &[
    "follow|following|unfollow|subscribe|view profile|see profile|view all posts|see all posts",
    "folgen|abonnieren|profil ansehen|profil anzeigen",
    "suivre|voir le profil",
    "seguir|suscribirse|ver perfil",
    "segui|iscriviti|vedi profilo",
    "volgen|volg|abonneren|bekijk profiel",
    "folj|prenumerera|visa profil",
    "folg|abonner",
    "seuraa|tilaa",
    "fylgja",
    "obserwuj|sledz|subskrybuj|zobacz profil",
    "sledovat|odebirat",
    "odoberat",
    "sledi",
    "prati",
    "urmareste",
    "kovetes|kovetem|feliratkozas",
    "последвай",
    "подписаться|следить",
    "підписатися|стежити",
    "ακολουθηστε|ακολουθησε",
    "takip et|abone ol",
    "sekti",
    "sekot",
    "jalgi",
    "segueix",
    "theo doi",
    "ikuti",
    "متابعة|تابع",
    "עקוב|מעקב",
    "फॉलो करें",
    "ติดตาม",
    "フォロー|フォローする",
    "关注|關注|追蹤|订阅",
    "팔로우|구독",
];

/// Labels that are also parts of names: `Von Trier`. They are cut off only from two or more words.
pub(super) const WEAK_LABELS: &[&str] = &["von", "di", "par", "od", "av", "af", "per"];

/// Phrases that precede a value, with or without a colon.
pub(super) static LABEL_PHRASES: LazyLock<HashSet<&'static str>> = LazyLock::new(|| phrases(LABELS));
/// Phrases that precede a value with a colon.
pub(super) static NOUN_PHRASES: LazyLock<HashSet<&'static str>> = LazyLock::new(|| phrases(NOUNS));
/// The first words of the labels.
pub(super) static FIRST_WORDS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    let phrases = LABEL_PHRASES.iter().chain(NOUN_PHRASES.iter());
    phrases.filter_map(|phrase| phrase.split(' ').next()).collect()
});
/// The last words of the controls.
pub(super) static LAST_WORDS: LazyLock<HashSet<&'static str>> =
    LazyLock::new(|| CONTROL_PHRASES.iter().filter_map(|phrase| phrase.rsplit(' ').next()).collect());
/// Phrases that follow a name.
pub(super) static CONTROL_PHRASES: LazyLock<HashSet<&'static str>> = LazyLock::new(|| phrases(CONTROLS));

#[cfg(test)]
mod tests {
    use super::*;
    use crate::typed::affix::MAX_WORDS;
    use crate::typed::words::fold;

    #[test]
    fn phrases_are_folded_and_short() {
        for phrase in LABELS.iter().chain(NOUNS).chain(CONTROLS).flat_map(|line| line.split('|')) {
            assert_eq!(fold(phrase), phrase);
            assert!(phrase.split(' ').count() <= MAX_WORDS, "{phrase}");
        }
    }
}
