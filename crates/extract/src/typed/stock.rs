/// Can it be bought now?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stock {
    In,
    Out,
}

/// Phrases that say so, in lower case; the longest one found in a text counts, so that `not in stock` is not `in stock`.
const PHRASES: [(&str, Stock); 103] = [
    ("instock", Stock::In),
    ("in_stock", Stock::In),
    ("in stock", Stock::In),
    ("in-stock", Stock::In),
    ("limitedavailability", Stock::In),
    ("onlineonly", Stock::In),
    ("preorder", Stock::In),
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
    ("soldout", Stock::Out),
    ("sold out", Stock::Out),
    ("sold_out", Stock::Out),
    ("discontinued", Stock::Out),
    ("not in stock", Stock::Out),
    ("no longer available", Stock::Out),
    ("not available", Stock::Out),
    ("unavailable", Stock::Out),
    ("currently unavailable", Stock::Out),
    ("nicht auf lager", Stock::Out),
    ("nicht lieferbar", Stock::Out),
    ("nicht verfügbar", Stock::Out),
    ("nicht vorrätig", Stock::Out),
    ("ausverkauft", Stock::Out),
    ("vergriffen", Stock::Out),
    ("rupture de stock", Stock::Out),
    ("en rupture", Stock::Out),
    ("indisponible", Stock::Out),
    ("non disponible", Stock::Out),
    ("épuisé", Stock::Out),
    ("agotado", Stock::Out),
    ("no disponible", Stock::Out),
    ("sin stock", Stock::Out),
    ("sin existencias", Stock::Out),
    ("non disponibile", Stock::Out),
    ("esaurito", Stock::Out),
    ("esgotado", Stock::Out),
    ("indisponível", Stock::Out),
    ("uitverkocht", Stock::Out),
    ("niet op voorraad", Stock::Out),
    ("slutsåld", Stock::Out),
    ("udsolgt", Stock::Out),
    ("utsolgt", Stock::Out),
    ("loppuunmyyty", Stock::Out),
    ("vyprodané", Stock::Out),
    ("vyprodáno", Stock::Out),
    ("vypredané", Stock::Out),
    ("nie je na sklade", Stock::Out),
    ("není skladem", Stock::Out),
    ("niedostępny", Stock::Out),
    ("ni na zalogi", Stock::Out),
    ("rasprodano", Stock::Out),
    ("нет в наличии", Stock::Out),
    ("אזל מהמלאי", Stock::Out),
    ("品切れ", Stock::Out),
    ("품절", Stock::Out),
];

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
pub(crate) fn stock(text: &str) -> Option<Stock> {
    let text = text.to_lowercase();
    let found = PHRASES.iter().filter(|(phrase, _)| text.contains(phrase));
    found.max_by_key(|(phrase, _)| phrase.len()).map(|(_, stock)| *stock)
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
        ];
        for (text, expected) in rows {
            assert_eq!(stock(text), expected, "{text}");
        }
        assert!(buys("Add to Basket"));
    }
}
