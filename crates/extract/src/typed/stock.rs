//! Reads the availability of a product from words.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use super::stock_phrases::PHRASES;
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

/// Longest text that states stock by a lone word, in bytes.
const MAX_ALONE_BYTES: usize = 120;

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

/// Phrases that are searched for together.
struct Phrases {
    rows: Vec<(&'static str, StockState)>,
    /// `None` only if the rows are too many.
    search: Option<AhoCorasick>,
}

static STATES: LazyLock<Phrases> = LazyLock::new(|| Phrases::new([PHRASES, MORE_PHRASES].concat()));
static LONE_STATES: LazyLock<Phrases> = LazyLock::new(|| Phrases::new(LONE_PHRASES.to_vec()));

/// A phrase at a place of a text.
struct PhraseFound {
    phrase: &'static str,
    state: StockState,
    /// Its row in the table.
    row: usize,
    at: usize,
}

impl Phrases {
    fn new(rows: Vec<(&'static str, StockState)>) -> Self {
        let search = AhoCorasick::new(rows.iter().map(|(phrase, _)| phrase)).ok();
        Self { rows, search }
    }

    /// The phrases in a lower-case text, also those within each other.
    fn within(&self, text: &str) -> impl Iterator<Item = PhraseFound> {
        let found = self.search.iter().flat_map(move |search| search.find_overlapping_iter(text));
        found.filter_map(|found| {
            let row = found.pattern().as_usize();
            let (phrase, state) = *self.rows.get(row)?;
            Some(PhraseFound { phrase, state, row, at: found.start() })
        })
    }
}

/// The stock state that a text states, if any.
///
/// A phrase must start at the start of a word: `indisponibil` is not `disponibil`.
pub(crate) fn stock(text: &str) -> Option<StockState> {
    let text = text.to_lowercase();
    // An abbreviation of product feeds.
    if text.trim() == "oos" {
        return Some(StockState::Out);
    }
    // Of equally long phrases, the later one of the table counts.
    let found = STATES.within(&text).filter(|found| starts_at_word(&text, found));
    found
        .max_by_key(|found| (found.phrase.len(), found.row))
        .map(|found| found.state)
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
    STATES.within(&text).any(|found| starts_at_word(&text, &found))
        || LONE_STATES.within(&text).any(|found| is_whole_phrase(&text, &found))
}

/// Whether a phrase stands in the text as whole words. Some scripts do not separate words.
fn is_whole_phrase(text: &str, found: &PhraseFound) -> bool {
    let lettered =
        |found: Option<char>| found.is_some_and(|found| found.is_alphanumeric() && found < '\u{590}');
    let before = text.get(..found.at).and_then(|before| before.chars().next_back());
    let behind = text.get(found.at + found.phrase.len()..).and_then(|behind| behind.chars().next());
    !lettered(before) && !lettered(behind)
}

/// Whether a phrase does not stand in the middle of a word. Compound phrases of programs may stand anywhere,
/// and some scripts do not separate words.
fn starts_at_word(text: &str, found: &PhraseFound) -> bool {
    let lettered = |found: char| found.is_alphabetic() && found < '\u{590}';
    let worded =
        found.phrase.chars().next().is_some_and(lettered) && !COMPOUND_PHRASES.contains(&found.phrase);
    let before = text.get(..found.at).and_then(|before| before.chars().next_back());
    !worded || !before.is_some_and(lettered)
}

static BUY_SEARCH: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| AhoCorasick::new(BUY_LABELS).ok());

/// Whether this is the label of a button that buys.
pub(crate) fn is_buy_label(text: &str) -> bool {
    BUY_SEARCH.as_ref().is_some_and(|search| search.is_match(&text.to_lowercase()))
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
