use super::stock_words::{FILLER_WORDS, LONE_PHRASES, MORE_PHRASES};

/// The states of schema.org's `ItemAvailability` that pages distinguish in words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StockState {
    In,
    Out,
    SoldOut,
    PreOrder,
    Reserved,
    Discontinued,
}

impl StockState {
    /// The schema.org name.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::In => "InStock",
            Self::Out => "OutOfStock",
            Self::SoldOut => "SoldOut",
            Self::PreOrder => "PreOrder",
            Self::Reserved => "Reserved",
            Self::Discontinued => "Discontinued",
        }
    }

    /// Whether it can be ordered now, whenever it is delivered.
    pub(crate) const fn is_orderable(self) -> bool {
        matches!(self, Self::In | Self::PreOrder)
    }
}

/// Phrases for each state, in lower case. The longest one in a text counts: `not in stock` is not `in stock`.
const PHRASES: &[(&str, StockState)] = &[
    ("instock", StockState::In),
    ("in_stock", StockState::In),
    ("in stock", StockState::In),
    ("in-stock", StockState::In),
    ("limitedavailability", StockState::In),
    ("onlineonly", StockState::In),
    ("backorder", StockState::In),
    ("available now", StockState::In),
    ("available for", StockState::In),
    ("available to order", StockState::In),
    ("left in stock", StockState::In),
    ("ready to ship", StockState::In),
    ("auf lager", StockState::In),
    ("lieferbar", StockState::In),
    ("verfügbar", StockState::In),
    ("vorrätig", StockState::In),
    ("en stock", StockState::In),
    ("disponible", StockState::In),
    ("disponibile", StockState::In),
    ("disponibilità immediata", StockState::In),
    ("in magazzino", StockState::In),
    ("em estoque", StockState::In),
    ("em stock", StockState::In),
    ("disponível", StockState::In),
    ("op voorraad", StockState::In),
    ("i lager", StockState::In),
    ("på lager", StockState::In),
    ("varastossa", StockState::In),
    ("skladem", StockState::In),
    ("skladom", StockState::In),
    ("na sklade", StockState::In),
    ("na zalogi", StockState::In),
    ("na zalihi", StockState::In),
    ("dostupno", StockState::In),
    ("dostępny", StockState::In),
    ("na stanie", StockState::In),
    ("raktáron", StockState::In),
    ("în stoc", StockState::In),
    ("in stoc", StockState::In),
    ("pieejams", StockState::In),
    ("noliktavā", StockState::In),
    ("stokta", StockState::In),
    ("в наличии", StockState::In),
    ("есть в наличии", StockState::In),
    ("в наявності", StockState::In),
    ("налично", StockState::In),
    ("במלאי", StockState::In),
    ("متوفر", StockState::In),
    ("有货", StockState::In),
    ("有現貨", StockState::In),
    ("在庫あり", StockState::In),
    ("재고 있음", StockState::In),
    ("outofstock", StockState::Out),
    ("out_of_stock", StockState::Out),
    ("out of stock", StockState::Out),
    ("out-of-stock", StockState::Out),
    ("soldout", StockState::SoldOut),
    ("sold out", StockState::SoldOut),
    ("sold_out", StockState::SoldOut),
    ("discontinued", StockState::Discontinued),
    ("not in stock", StockState::Out),
    ("no longer available", StockState::Out),
    ("not available", StockState::Out),
    ("unavailable", StockState::Out),
    ("currently unavailable", StockState::Out),
    ("nicht auf lager", StockState::Out),
    ("nicht lieferbar", StockState::Out),
    ("nicht verfügbar", StockState::Out),
    ("nicht vorrätig", StockState::Out),
    ("ausverkauft", StockState::SoldOut),
    ("vergriffen", StockState::Out),
    ("rupture de stock", StockState::Out),
    ("en rupture", StockState::Out),
    ("indisponible", StockState::Out),
    ("non disponible", StockState::Out),
    ("épuisé", StockState::Out),
    ("agotado", StockState::SoldOut),
    ("no disponible", StockState::Out),
    ("sin stock", StockState::Out),
    ("sin existencias", StockState::Out),
    ("non disponibile", StockState::Out),
    ("esaurito", StockState::SoldOut),
    ("esgotado", StockState::SoldOut),
    ("indisponível", StockState::Out),
    ("uitverkocht", StockState::SoldOut),
    ("niet op voorraad", StockState::Out),
    ("slutsåld", StockState::SoldOut),
    ("udsolgt", StockState::SoldOut),
    ("utsolgt", StockState::SoldOut),
    ("loppuunmyyty", StockState::SoldOut),
    ("vyprodané", StockState::SoldOut),
    ("vyprodáno", StockState::SoldOut),
    ("vypredané", StockState::SoldOut),
    ("nie je na sklade", StockState::Out),
    ("není skladem", StockState::Out),
    ("niedostępny", StockState::Out),
    ("ni na zalogi", StockState::Out),
    ("rasprodano", StockState::SoldOut),
    ("нет в наличии", StockState::Out),
    ("אזל מהמלאי", StockState::Out),
    ("品切れ", StockState::Out),
    ("품절", StockState::Out),
    ("out of inventory", StockState::Out),
    ("no longer in stock", StockState::Out),
    ("isn't available", StockState::Out),
    ("is not available", StockState::Out),
    ("temporarily unavailable", StockState::Out),
    ("back in stock soon", StockState::Out),
    ("notify me when", StockState::Out),
    ("email me when", StockState::Out),
    ("nicht mehr verfügbar", StockState::Out),
    ("nicht mehr lieferbar", StockState::Out),
    ("nicht mehr auf lager", StockState::Out),
    ("nicht mehr vorrätig", StockState::Out),
    ("nicht mehr erhältlich", StockState::Out),
    ("n'est plus disponible", StockState::Out),
    ("plus disponible", StockState::Out),
    ("pas disponible", StockState::Out),
    ("plus en stock", StockState::Out),
    ("pas en stock", StockState::Out),
    ("non è disponibile", StockState::Out),
    ("non più disponibile", StockState::Out),
    ("non in stock", StockState::Out),
    ("no está disponible", StockState::Out),
    ("fuera de stock", StockState::Out),
    ("não disponível", StockState::Out),
    ("fora de estoque", StockState::Out),
    ("sem estoque", StockState::Out),
    ("sem stock", StockState::Out),
    ("niet beschikbaar", StockState::Out),
    ("niet leverbaar", StockState::Out),
    ("niet meer leverbaar", StockState::Out),
    ("inte i lager", StockState::Out),
    ("ej i lager", StockState::Out),
    ("slut i lager", StockState::Out),
    ("tillfälligt slut", StockState::Out),
    ("ikke på lager", StockState::Out),
    ("ei varastossa", StockState::Out),
    ("nedostupné", StockState::Out),
    ("nedostupný", StockState::Out),
    ("není k dispozici", StockState::Out),
    ("nedostupno", StockState::Out),
    ("nema na zalihi", StockState::Out),
    ("nije dostupno", StockState::Out),
    ("brak w magazynie", StockState::Out),
    ("brak towaru", StockState::Out),
    ("wyprzedane", StockState::SoldOut),
    ("nincs raktáron", StockState::Out),
    ("elfogyott", StockState::Out),
    ("nem kapható", StockState::Out),
    ("stoc epuizat", StockState::Out),
    ("nu este în stoc", StockState::Out),
    ("tükendi", StockState::Out),
    ("stokta yok", StockState::Out),
    ("закончился", StockState::Out),
    ("нет на складе", StockState::Out),
    ("распродано", StockState::SoldOut),
    ("немає в наявності", StockState::Out),
    ("не е налично", StockState::Out),
    ("изчерпан", StockState::Out),
    ("nav pieejams", StockState::Out),
    ("nav noliktavā", StockState::Out),
    ("išparduota", StockState::SoldOut),
    ("neturime", StockState::Out),
    ("εξαντλήθηκε", StockState::Out),
    ("μη διαθέσιμο", StockState::Out),
    ("לא במלאי", StockState::Out),
    ("غير متوفر", StockState::Out),
    ("نفذت الكمية", StockState::Out),
    ("hết hàng", StockState::Out),
    ("สินค้าหมด", StockState::Out),
    ("缺货", StockState::Out),
    ("缺貨", StockState::Out),
    ("售罄", StockState::SoldOut),
    ("已售完", StockState::SoldOut),
    ("補貨中", StockState::Out),
    ("無庫存", StockState::Out),
    ("在庫なし", StockState::Out),
    ("在庫切れ", StockState::Out),
    ("売り切れ", StockState::SoldOut),
    ("完売", StockState::SoldOut),
    ("재고 없음", StockState::Out),
    ("일시품절", StockState::Out),
    ("leverbaar", StockState::In),
    ("beschikbaar", StockState::In),
    ("διαθέσιμο", StockState::In),
    ("còn hàng", StockState::In),
    ("มีสินค้า", StockState::In),
    ("现货", StockState::In),
    ("在庫有り", StockState::In),
    ("판매중", StockState::In),
    ("yra sandėlyje", StockState::In),
    ("на складе", StockState::In),
];

/// Longest text that states stock by a lone word, in bytes.
const MAX_ALONE_BYTES: usize = 120;

/// Upper bound on the occurrences of a phrase that are examined.
const MAX_MATCHES: usize = 16;

/// Phrases of programs, written as one word.
const COMPOUND_PHRASES: [&str; 7] =
    ["instock", "outofstock", "soldout", "limitedavailability", "onlineonly", "preorder", "backorder"];

/// Labels of buttons that put the thing into a basket, in lower case.
const BUY_LABELS: [&str; 40] = [
    "add to cart",
    "add to basket",
    "add to bag",
    "add to trolley",
    "buy now",
    "buy it now",
    "addtocart",
    "add-to-cart",
    "add_to_cart",
    "in den warenkorb",
    "in den einkaufswagen",
    "jetzt kaufen",
    "ajouter au panier",
    "acheter",
    "añadir al carrito",
    "agregar al carro",
    "añadir a la cesta",
    "comprar",
    "aggiungi al carrello",
    "acquista",
    "adicionar ao carrinho",
    "in winkelwagen",
    "in mijn winkelwagen",
    "lägg i varukorg",
    "læg i kurv",
    "lisää ostoskoriin",
    "do košíka",
    "do košíku",
    "vložiť do košíka",
    "dodaj do koszyka",
    "dodaj v košarico",
    "v košarico",
    "dodaj u košaricu",
    "kosárba",
    "în coș",
    "в корзину",
    "до кошика",
    "הוסף לסל",
    "加入購物車",
    "カートに入れる",
];

/// The stock state that a text states, if any.
///
/// A phrase must start at the start of a word: `indisponibil` is not `disponibil`.
pub(crate) fn stock(text: &str) -> Option<StockState> {
    let text = text.to_lowercase();
    // An abbreviation of product feeds.
    if text.trim() == "oos" {
        return Some(StockState::Out);
    }
    let found = PHRASES.iter().chain(MORE_PHRASES).filter(|(phrase, _)| starts_at_word(&text, phrase));
    found
        .max_by_key(|(phrase, _)| phrase.len())
        .map(|(_, stock)| *stock)
        .or_else(|| stock_of_lone_words(&text))
}

/// The state of a lower-case text that consists of a lone word or phrase.
fn stock_of_lone_words(text: &str) -> Option<StockState> {
    if text.len() > MAX_ALONE_BYTES {
        return None;
    }
    let name = text.trim().rsplit(['/', '#']).next().unwrap_or_default().trim();
    let words: Vec<&str> = name
        .split(|found: char| !found.is_alphanumeric() && found != '\'' && found != '-')
        .filter(|word| !word.is_empty() && !FILLER_WORDS.contains(word))
        .collect();
    let text = words.join(" ");
    // Vowel signs of some scripts are not letters, so the unsplit name counts too.
    LONE_PHRASES.iter().find(|(phrase, _)| *phrase == text || *phrase == name).map(|(_, stock)| *stock)
}

/// Whether a text mentions stock at all, even without a clear state.
///
/// `Sold by Acme` and `tell me when it is in stock` mention it. `All rights reserved` does not, nor do the
/// Korean words for a seller or a broker.
pub(crate) fn mentions_stock(text: &str) -> bool {
    let mut text = text.to_lowercase();
    for other in ["rights reserved", "판매중인", "판매중개"] {
        text = text.replace(other, "");
    }
    PHRASES.iter().chain(MORE_PHRASES).any(|(phrase, _)| starts_at_word(&text, phrase))
        || LONE_PHRASES.iter().any(|(phrase, _)| is_whole_phrase(&text, phrase))
}

/// Whether the phrase occurs in the text as whole words. Some scripts do not separate words.
fn is_whole_phrase(text: &str, phrase: &str) -> bool {
    let lettered =
        |found: Option<char>| found.is_some_and(|found| found.is_alphanumeric() && found < '\u{590}');
    text.match_indices(phrase).take(MAX_MATCHES).any(|(at, _)| {
        let (before, behind) = text.split_at_checked(at).unwrap_or_default();
        let behind = behind.strip_prefix(phrase).unwrap_or_default();
        !lettered(before.chars().next_back()) && !lettered(behind.chars().next())
    })
}

/// Whether the phrase occurs in the text, not in the middle of a word. Compound phrases of programs may occur
/// anywhere, and some scripts do not separate words.
fn starts_at_word(text: &str, phrase: &str) -> bool {
    let lettered = |found: char| found.is_alphabetic() && found < '\u{590}';
    let worded = phrase.chars().next().is_some_and(lettered) && !COMPOUND_PHRASES.contains(&phrase);
    text.match_indices(phrase).take(MAX_MATCHES).any(|(at, _)| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        !worded || !before.is_some_and(lettered)
    })
}

/// Whether this is the label of a button that buys.
pub(crate) fn is_buy_label(text: &str) -> bool {
    let text = text.to_lowercase();
    BUY_LABELS.iter().any(|phrase| text.contains(phrase))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_phrase_counts() {
        let rows = [
            ("http://schema.org/InStock", Some(StockState::In)),
            ("Not in stock", Some(StockState::Out)),
            ("Only 3 left in stock", Some(StockState::In)),
            ("Momentan nicht verfügbar", Some(StockState::Out)),
            ("Non disponibile", Some(StockState::Out)),
            ("Ships soon", None),
            ("itemInStock", Some(StockState::In)),
            ("Acest produs este indisponibil", None),
            ("Derzeit leider nicht mehr verfügbar", Some(StockState::Out)),
            ("oos", Some(StockState::Out)),
            ("boost", None),
            ("Sold", Some(StockState::SoldOut)),
            ("SOLD!", Some(StockState::SoldOut)),
            ("This item is sold.", Some(StockState::SoldOut)),
            ("Verkauft", Some(StockState::SoldOut)),
            ("Leider bereits verkauft", Some(StockState::SoldOut)),
            ("Vendu", Some(StockState::SoldOut)),
            ("https://schema.org/SoldOut", Some(StockState::SoldOut)),
            ("https://schema.org/Reserved", Some(StockState::Reserved)),
            ("https://schema.org/PreOrder", Some(StockState::PreOrder)),
            ("https://schema.org/Discontinued", Some(StockState::Discontinued)),
            ("Pre-order now", Some(StockState::PreOrder)),
            ("Jetzt vorbestellen", Some(StockState::PreOrder)),
            ("Coming soon", Some(StockState::Out)),
            ("Not for sale", Some(StockState::Out)),
            ("Auction ended", Some(StockState::Out)),
            ("Waitlist only", Some(StockState::Out)),
            ("Out of print", Some(StockState::Discontinued)),
            ("Sold by Acme", None),
            ("2.5 million sold", None),
            ("More colours coming soon", None),
            ("All rights reserved", None),
        ];
        for (text, expected) in rows {
            assert_eq!(stock(text), expected, "{text}");
        }
        assert!(is_buy_label("Add to Basket"));
    }

    #[test]
    fn a_text_may_mention_stock_without_a_state() {
        for text in [
            "Sold to a private collector",
            "Join the waiting list",
            "Tell me when it is in stock",
            "Sold by Acme",
        ] {
            assert!(mentions_stock(text), "{text}");
        }
        for text in [
            "All rights reserved",
            "Soldering iron",
            "판매자가 판매중인 상품",
            "통신판매중개자",
            "Delivery in two days",
            "Unreserved praise",
        ] {
            assert!(!mentions_stock(text), "{text}");
        }
    }
}
