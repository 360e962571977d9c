//! Recognises pages that state a price on request instead of an amount.

use std::sync::LazyLock;

use super::phrases::PhraseSet;
use crate::evidence::Evidence;
use crate::page::truncate;

/// Phrases in place of a price.
const ON_REQUEST: &[&str] = &[
    "price on request",
    "price upon request",
    "prices on request",
    "price on application",
    "call for price",
    "call for pricing",
    "contact us for price",
    "contact us for pricing",
    "contact for price",
    "request price",
    "request a price",
    "poa",
    "preis auf anfrage",
    "auf anfrage",
    "prix sur demande",
    "sur demande",
    "prix sur devis",
    "precio a consultar",
    "consultar precio",
    "precio bajo consulta",
    "prezzo su richiesta",
    "su richiesta",
    "prijs op aanvraag",
    "op aanvraag",
    "preço sob consulta",
    "sob consulta",
    "cena na zapytanie",
    "cena na dotaz",
    "cena na vyžádání",
    "pris på förfrågan",
    "pris på forespørgsel",
    "pris på forespørsel",
    "hinta pyydettäessä",
    "цена по запросу",
    "по запросу",
];

/// Upper bound on the words of such a line.
const MAX_LINE_WORDS: usize = 7;
/// Bytes of visible text after the heading in which such a line is about the main entity.
const NEAR_BYTES: usize = 4_000;

static PHRASE_SET: LazyLock<PhraseSet> = LazyLock::new(|| PhraseSet::new(ON_REQUEST));

/// Whether a line near the heading says that the price is available on request.
pub(super) fn is_on_request(evidence: &Evidence<'_>) -> bool {
    let tree = &evidence.tree;
    let start = evidence.heading.map_or(0, |node| tree.text_range(node).start);
    let near = truncate(tree.text().get(start..).unwrap_or_default(), NEAR_BYTES);
    near.lines().any(|line| {
        PHRASE_SET.matches(line, MAX_LINE_WORDS) && !line.contains(|found: char| found.is_ascii_digit())
    })
}

#[cfg(test)]
mod tests {
    use crate::page::Page;
    use crate::schema::Shape;
    use serde_json::{Value, json};

    fn price(html: &str) -> Value {
        let page = Page::new("https://shop.example/lamp".parse().unwrap(), html);
        let shape = Shape::from_schema(&json!({ "properties": { "price": { "type": ["number", "null"] } } }))
            .unwrap();
        crate::extract(&page, &shape).data["price"].clone()
    }

    #[test]
    fn a_price_on_request_stays_empty() {
        for line in ["Price on request", "Preis: auf Anfrage", "Prix sur demande"] {
            let html = format!(
                "<h1>Lamp</h1><p>{line}</p><p>Delivery <span class=price>€9.00</span> within the country</p>"
            );
            assert_eq!(price(&html), Value::Null, "{line}");
        }
        let html = "<h1>Lamp</h1><p class=price>€99.00</p><p>Larger quantities on request</p>";
        assert_eq!(price(html), json!(99));
    }
}
