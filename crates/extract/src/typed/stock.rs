use super::stock_words::{ALONE, FILLERS, STATED};

/// Can it be bought now? Those of the values of schema.org's `ItemAvailability` that pages tell apart in words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stock {
    In,
    Out,
    SoldOut,
    PreOrder,
    Reserved,
    Discontinued,
}

impl Stock {
    /// The name that schema.org gives it.
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

    /// Can it be ordered now, whenever it comes?
    pub(crate) const fn can_be_had(self) -> bool {
        matches!(self, Self::In | Self::PreOrder)
    }
}

/// Phrases that say so, in lower case; the longest one found in a text counts, so that `not in stock` is not `in stock`.
const PHRASES: &[(&str, Stock)] = &[
    ("instock", Stock::In),
    ("in_stock", Stock::In),
    ("in stock", Stock::In),
    ("in-stock", Stock::In),
    ("limitedavailability", Stock::In),
    ("onlineonly", Stock::In),
    ("backorder", Stock::In),
    ("available now", Stock::In),
    ("available for", Stock::In),
    ("available to order", Stock::In),
    ("left in stock", Stock::In),
    ("ready to ship", Stock::In),
    ("auf lager", Stock::In),
    ("lieferbar", Stock::In),
    ("verfügbar", Stock::In),
    ("vorrätig", Stock::In),
    ("en stock", Stock::In),
    ("disponible", Stock::In),
    ("disponibile", Stock::In),
    ("disponibilità immediata", Stock::In),
    ("in magazzino", Stock::In),
    ("em estoque", Stock::In),
    ("em stock", Stock::In),
    ("disponível", Stock::In),
    ("op voorraad", Stock::In),
    ("i lager", Stock::In),
    ("på lager", Stock::In),
    ("varastossa", Stock::In),
    ("skladem", Stock::In),
    ("skladom", Stock::In),
    ("na sklade", Stock::In),
    ("na zalogi", Stock::In),
    ("na zalihi", Stock::In),
    ("dostupno", Stock::In),
    ("dostępny", Stock::In),
    ("na stanie", Stock::In),
    ("raktáron", Stock::In),
    ("în stoc", Stock::In),
    ("in stoc", Stock::In),
    ("pieejams", Stock::In),
    ("noliktavā", Stock::In),
    ("stokta", Stock::In),
    ("в наличии", Stock::In),
    ("есть в наличии", Stock::In),
    ("в наявності", Stock::In),
    ("налично", Stock::In),
    ("במלאי", Stock::In),
    ("متوفر", Stock::In),
    ("有货", Stock::In),
    ("有現貨", Stock::In),
    ("在庫あり", Stock::In),
    ("재고 있음", Stock::In),
    ("outofstock", Stock::Out),
    ("out_of_stock", Stock::Out),
    ("out of stock", Stock::Out),
    ("out-of-stock", Stock::Out),
    ("soldout", Stock::SoldOut),
    ("sold out", Stock::SoldOut),
    ("sold_out", Stock::SoldOut),
    ("discontinued", Stock::Discontinued),
    ("not in stock", Stock::Out),
    ("no longer available", Stock::Out),
    ("not available", Stock::Out),
    ("unavailable", Stock::Out),
    ("currently unavailable", Stock::Out),
    ("nicht auf lager", Stock::Out),
    ("nicht lieferbar", Stock::Out),
    ("nicht verfügbar", Stock::Out),
    ("nicht vorrätig", Stock::Out),
    ("ausverkauft", Stock::SoldOut),
    ("vergriffen", Stock::Out),
    ("rupture de stock", Stock::Out),
    ("en rupture", Stock::Out),
    ("indisponible", Stock::Out),
    ("non disponible", Stock::Out),
    ("épuisé", Stock::Out),
    ("agotado", Stock::SoldOut),
    ("no disponible", Stock::Out),
    ("sin stock", Stock::Out),
    ("sin existencias", Stock::Out),
    ("non disponibile", Stock::Out),
    ("esaurito", Stock::SoldOut),
    ("esgotado", Stock::SoldOut),
    ("indisponível", Stock::Out),
    ("uitverkocht", Stock::SoldOut),
    ("niet op voorraad", Stock::Out),
    ("slutsåld", Stock::SoldOut),
    ("udsolgt", Stock::SoldOut),
    ("utsolgt", Stock::SoldOut),
    ("loppuunmyyty", Stock::SoldOut),
    ("vyprodané", Stock::SoldOut),
    ("vyprodáno", Stock::SoldOut),
    ("vypredané", Stock::SoldOut),
    ("nie je na sklade", Stock::Out),
    ("není skladem", Stock::Out),
    ("niedostępny", Stock::Out),
    ("ni na zalogi", Stock::Out),
    ("rasprodano", Stock::SoldOut),
    ("нет в наличии", Stock::Out),
    ("אזל מהמלאי", Stock::Out),
    ("品切れ", Stock::Out),
    ("품절", Stock::Out),
    ("out of inventory", Stock::Out),
    ("no longer in stock", Stock::Out),
    ("isn't available", Stock::Out),
    ("is not available", Stock::Out),
    ("temporarily unavailable", Stock::Out),
    ("back in stock soon", Stock::Out),
    ("notify me when", Stock::Out),
    ("email me when", Stock::Out),
    ("nicht mehr verfügbar", Stock::Out),
    ("nicht mehr lieferbar", Stock::Out),
    ("nicht mehr auf lager", Stock::Out),
    ("nicht mehr vorrätig", Stock::Out),
    ("nicht mehr erhältlich", Stock::Out),
    ("n'est plus disponible", Stock::Out),
    ("plus disponible", Stock::Out),
    ("pas disponible", Stock::Out),
    ("plus en stock", Stock::Out),
    ("pas en stock", Stock::Out),
    ("non è disponibile", Stock::Out),
    ("non più disponibile", Stock::Out),
    ("non in stock", Stock::Out),
    ("no está disponible", Stock::Out),
    ("fuera de stock", Stock::Out),
    ("não disponível", Stock::Out),
    ("fora de estoque", Stock::Out),
    ("sem estoque", Stock::Out),
    ("sem stock", Stock::Out),
    ("niet beschikbaar", Stock::Out),
    ("niet leverbaar", Stock::Out),
    ("niet meer leverbaar", Stock::Out),
    ("inte i lager", Stock::Out),
    ("ej i lager", Stock::Out),
    ("slut i lager", Stock::Out),
    ("tillfälligt slut", Stock::Out),
    ("ikke på lager", Stock::Out),
    ("ei varastossa", Stock::Out),
    ("nedostupné", Stock::Out),
    ("nedostupný", Stock::Out),
    ("není k dispozici", Stock::Out),
    ("nedostupno", Stock::Out),
    ("nema na zalihi", Stock::Out),
    ("nije dostupno", Stock::Out),
    ("brak w magazynie", Stock::Out),
    ("brak towaru", Stock::Out),
    ("wyprzedane", Stock::SoldOut),
    ("nincs raktáron", Stock::Out),
    ("elfogyott", Stock::Out),
    ("nem kapható", Stock::Out),
    ("stoc epuizat", Stock::Out),
    ("nu este în stoc", Stock::Out),
    ("tükendi", Stock::Out),
    ("stokta yok", Stock::Out),
    ("закончился", Stock::Out),
    ("нет на складе", Stock::Out),
    ("распродано", Stock::SoldOut),
    ("немає в наявності", Stock::Out),
    ("не е налично", Stock::Out),
    ("изчерпан", Stock::Out),
    ("nav pieejams", Stock::Out),
    ("nav noliktavā", Stock::Out),
    ("išparduota", Stock::SoldOut),
    ("neturime", Stock::Out),
    ("εξαντλήθηκε", Stock::Out),
    ("μη διαθέσιμο", Stock::Out),
    ("לא במלאי", Stock::Out),
    ("غير متوفر", Stock::Out),
    ("نفذت الكمية", Stock::Out),
    ("hết hàng", Stock::Out),
    ("สินค้าหมด", Stock::Out),
    ("缺货", Stock::Out),
    ("缺貨", Stock::Out),
    ("售罄", Stock::SoldOut),
    ("已售完", Stock::SoldOut),
    ("補貨中", Stock::Out),
    ("無庫存", Stock::Out),
    ("在庫なし", Stock::Out),
    ("在庫切れ", Stock::Out),
    ("売り切れ", Stock::SoldOut),
    ("完売", Stock::SoldOut),
    ("재고 없음", Stock::Out),
    ("일시품절", Stock::Out),
    ("leverbaar", Stock::In),
    ("beschikbaar", Stock::In),
    ("διαθέσιμο", Stock::In),
    ("còn hàng", Stock::In),
    ("มีสินค้า", Stock::In),
    ("现货", Stock::In),
    ("在庫有り", Stock::In),
    ("판매중", Stock::In),
    ("yra sandėlyje", Stock::In),
    ("на складе", Stock::In),
];

/// Longest text that says so by a word alone.
const MAX_ALONE_BYTES: usize = 120;

/// Places of one phrase in a text that are looked at.
const MAX_MATCHES: usize = 16;

/// Phrases of programs, which run words together.
const MACHINE: [&str; 7] =
    ["instock", "outofstock", "soldout", "limitedavailability", "onlineonly", "preorder", "backorder"];

/// What a button says that puts the thing into a basket, in lower case.
const BUY: [&str; 40] = [
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

/// What a text says about stock, if it does.
///
/// A phrase begins where a word begins: `indisponibil` is not `disponibil`.
pub(crate) fn stock(text: &str) -> Option<Stock> {
    let text = text.to_lowercase();
    // Product feeds write so.
    if text.trim() == "oos" {
        return Some(Stock::Out);
    }
    let found = PHRASES.iter().chain(STATED).filter(|(phrase, _)| begins_a_word(&text, phrase));
    found.max_by_key(|(phrase, _)| phrase.len()).map(|(_, stock)| *stock).or_else(|| alone(&text))
}

/// What a text says that has no other words; in lower case.
fn alone(text: &str) -> Option<Stock> {
    if text.len() > MAX_ALONE_BYTES {
        return None;
    }
    let name = text.trim().rsplit(['/', '#']).next().unwrap_or_default().trim();
    let words: Vec<&str> = name
        .split(|found: char| !found.is_alphanumeric() && found != '\'' && found != '-')
        .filter(|word| !word.is_empty() && !FILLERS.contains(word))
        .collect();
    let text = words.join(" ");
    // Marks of some scripts are no letters, so that the name as it stands counts too.
    ALONE.iter().find(|(phrase, _)| *phrase == text || *phrase == name).map(|(_, stock)| *stock)
}

/// Does a text speak of stock at all, also in words that do not tell how it is? `Sold by Acme` and `tell me when it is in stock` do.
///
/// `All rights reserved` does not, nor does the Korean for one who sells or brokers.
pub(crate) fn speaks_of_stock(text: &str) -> bool {
    let mut text = text.to_lowercase();
    for other in ["rights reserved", "판매중인", "판매중개"] {
        text = text.replace(other, "");
    }
    PHRASES.iter().chain(STATED).any(|(phrase, _)| begins_a_word(&text, phrase))
        || ALONE.iter().any(|(phrase, _)| is_worded(&text, phrase))
}

/// Does the phrase stand in the text as words of its own? Some scripts part none.
fn is_worded(text: &str, phrase: &str) -> bool {
    let lettered =
        |found: Option<char>| found.is_some_and(|found| found.is_alphanumeric() && found < '\u{590}');
    text.match_indices(phrase).take(MAX_MATCHES).any(|(at, _)| {
        let (before, behind) = text.split_at_checked(at).unwrap_or_default();
        let behind = behind.strip_prefix(phrase).unwrap_or_default();
        !lettered(before.chars().next_back()) && !lettered(behind.chars().next())
    })
}

/// Does the phrase stand in the text, not in the middle of a word? What programs write is one word, and some scripts part none.
fn begins_a_word(text: &str, phrase: &str) -> bool {
    let lettered = |found: char| found.is_alphabetic() && found < '\u{590}';
    let worded = phrase.chars().next().is_some_and(lettered) && !MACHINE.contains(&phrase);
    text.match_indices(phrase).take(MAX_MATCHES).any(|(at, _)| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        !worded || !before.is_some_and(lettered)
    })
}

/// Is this the label of a button that buys?
pub(crate) fn buys(text: &str) -> bool {
    let text = text.to_lowercase();
    BUY.iter().any(|phrase| text.contains(phrase))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_phrase_counts() {
        let rows = [
            ("http://schema.org/InStock", Some(Stock::In)),
            ("Not in stock", Some(Stock::Out)),
            ("Only 3 left in stock", Some(Stock::In)),
            ("Momentan nicht verfügbar", Some(Stock::Out)),
            ("Non disponibile", Some(Stock::Out)),
            ("Ships soon", None),
            ("itemInStock", Some(Stock::In)),
            ("Acest produs este indisponibil", None),
            ("Derzeit leider nicht mehr verfügbar", Some(Stock::Out)),
            ("oos", Some(Stock::Out)),
            ("boost", None),
            ("Sold", Some(Stock::SoldOut)),
            ("SOLD!", Some(Stock::SoldOut)),
            ("This item is sold.", Some(Stock::SoldOut)),
            ("Verkauft", Some(Stock::SoldOut)),
            ("Leider bereits verkauft", Some(Stock::SoldOut)),
            ("Vendu", Some(Stock::SoldOut)),
            ("https://schema.org/SoldOut", Some(Stock::SoldOut)),
            ("https://schema.org/Reserved", Some(Stock::Reserved)),
            ("https://schema.org/PreOrder", Some(Stock::PreOrder)),
            ("https://schema.org/Discontinued", Some(Stock::Discontinued)),
            ("Pre-order now", Some(Stock::PreOrder)),
            ("Jetzt vorbestellen", Some(Stock::PreOrder)),
            ("Coming soon", Some(Stock::Out)),
            ("Not for sale", Some(Stock::Out)),
            ("Auction ended", Some(Stock::Out)),
            ("Waitlist only", Some(Stock::Out)),
            ("Out of print", Some(Stock::Discontinued)),
            ("Sold by Acme", None),
            ("2.5 million sold", None),
            ("More colours coming soon", None),
            ("All rights reserved", None),
        ];
        for (text, expected) in rows {
            assert_eq!(stock(text), expected, "{text}");
        }
        assert!(buys("Add to Basket"));
    }

    #[test]
    fn a_text_may_speak_of_stock_without_saying_how_it_is() {
        for text in [
            "Sold to a private collector",
            "Join the waiting list",
            "Tell me when it is in stock",
            "Sold by Acme",
        ] {
            assert!(speaks_of_stock(text), "{text}");
        }
        for text in [
            "All rights reserved",
            "Soldering iron",
            "판매자가 판매중인 상품",
            "통신판매중개자",
            "Delivery in two days",
            "Unreserved praise",
        ] {
            assert!(!speaks_of_stock(text), "{text}");
        }
    }
}
