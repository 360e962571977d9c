//! Infers from a price that the thing is available.
//!
//! A price alone is not enough: articles, archives and museums name prices too. So there must be a sign of a
//! shop beside it, and no word about stock anywhere on the page. Otherwise the field stays empty.

use super::element_names::names_of;
use super::pool::{Candidate, Choice, Pool};
use super::target::TargetField;
use super::words::words;
use crate::evidence::Evidence;
use crate::markup::{Kind, NodeId};
use crate::normalise::{ValueForm, normalise};
use crate::page::{Method, truncate};
use crate::typed::{NumberStyle, is_buy_label, mentions_stock};

/// Upper bound on the visible text that is searched for words about stock, in bytes.
const MAX_TEXT_BYTES: usize = 400_000;
/// Upper bound on the visible text between a price and its button, in bytes.
const BESIDE_BYTES: usize = 4_000;
/// Longest label of a button, in bytes.
const MAX_LABEL_BYTES: usize = 60;

/// schema.org types of things for sale.
const SOLD_TYPES: [&str; 9] = [
    "Product",
    "ProductGroup",
    "ProductModel",
    "IndividualProduct",
    "SomeProducts",
    "Vehicle",
    "Car",
    "Offer",
    "AggregateOffer",
];

/// Words in the names of elements that lead to a cart.
const CART_NAMES: [&str; 12] = [
    "cart",
    "addtocart",
    "basket",
    "addtobasket",
    "buy",
    "warenkorb",
    "panier",
    "carrito",
    "carrello",
    "carrinho",
    "kosik",
    "kupi",
];

/// Labels of buttons that buy if they are the whole label, in lower case; in longer labels they may mean
/// anything.
const BUY_LABELS: [&str; 24] = [
    "buy",
    "order",
    "order now",
    "purchase",
    "kaufen",
    "bestellen",
    "jetzt bestellen",
    "commander",
    "pedir",
    "ordina",
    "kopen",
    "köp",
    "køb",
    "kjøp",
    "osta",
    "koupit",
    "kúpiť",
    "naroči",
    "kupi",
    "kup teraz",
    "cumpără",
    "купить",
    "구매하기",
    "購入する",
];

/// Infers that a thing is available if a shop offers it for a price and the page says nothing about stock.
/// The value is marked as inferred, with the price as its quote.
///
/// Nothing is inferred if the page mentions stock in any way and of any thing, if there is no sign of a shop
/// beside the price, or if the shop's button is disabled.
pub(crate) fn infer(
    evidence: &Evidence<'_>,
    targets: &[TargetField<'_>],
    pools: &mut [Pool],
    price: Option<&Choice>,
) {
    let Some(choice) = price else { return };
    let Some(proof) = choice.proofs.first() else { return };
    let mut open = targets
        .iter()
        .zip(pools)
        .filter(|(target, pool)| target.form == ValueForm::Availability && pool.is_empty())
        .peekable();
    if open.peek().is_none()
        || !is_shop(evidence, choice)
        || mentions_stock(truncate(evidence.tree.text(), MAX_TEXT_BYTES))
    {
        return;
    }
    for (target, pool) in open {
        if let Some(value) = normalise("in stock", target.form, target.shape, NumberStyle::Prose) {
            pool.add(Candidate { value, method: Method::Inferred, score: 0.31, ..proof.clone() });
        }
    }
}

/// Whether there is a sign of a shop beside the price: the markup of a product, or a button that buys.
fn is_shop(evidence: &Evidence<'_>, price: &Choice) -> bool {
    let tree = &evidence.tree;
    let at = price
        .proofs
        .iter()
        .find_map(|proof| proof.html_range.as_ref())
        .and_then(|range| {
            tree.nodes().find(|node| {
                matches!(tree.kind(*node), Some(Kind::Text { at, end }) if at <= range.start && range.start < end)
            })
        })
        .map(|node| tree.text_range(node).start);
    let is_beside =
        |node: NodeId| at.is_none_or(|at| tree.text_range(node).start.abs_diff(at) <= BESIDE_BYTES);
    let boilerplate = ["header", "nav", "footer", "aside"];
    let mut buttons = tree
        .nodes()
        .filter(|node| {
            tree.is(*node, &["button", "input", "a"])
                && !tree.is_hidden(*node)
                && leads_to_cart(evidence, *node)
                && is_beside(*node)
                && !evidence.unrelated().contains(*node)
                && !tree.ancestors(*node).any(|above| tree.is(above, &boilerplate))
        })
        .map(|node| tree.attribute(node, "disabled").is_some())
        .peekable();
    if buttons.peek().is_some() {
        // A disabled button means that the thing is not available, or that an option must be chosen first.
        return buttons.any(|is_disabled| !is_disabled);
    }
    is_marked_up(evidence)
}

/// Whether the page's markup says that the thing is for sale.
fn is_marked_up(evidence: &Evidence<'_>) -> bool {
    evidence.items.iter().any(|item| {
        item.properties.contains_key("offers")
            || item.types.iter().any(|name| SOLD_TYPES.contains(&name.as_str()))
    }) || evidence.pairs.iter().filter(|pair| pair.method == Method::Meta).any(|pair| {
        let label = pair.label.to_ascii_lowercase();
        let says_product = || {
            matches!(
                pair.value.trim().to_ascii_lowercase().as_str(),
                "product" | "og:product" | "product.item"
            )
        };
        label.starts_with("product:") || label.starts_with("og:price") || label == "og:type" && says_product()
    })
}

/// Whether an element puts the thing into a cart, by its label or its names.
fn leads_to_cart(evidence: &Evidence<'_>, node: NodeId) -> bool {
    let tree = &evidence.tree;
    let label = tree.text_of(node);
    let says = |label: &str| {
        let label = label.trim();
        label.len() <= MAX_LABEL_BYTES
            && (is_buy_label(label) || BUY_LABELS.contains(&label.to_lowercase().as_str()))
    };
    if says(label)
        || ["value", "title", "aria-label"]
            .iter()
            .any(|key| tree.attribute(node, key).is_some_and(|value| says(&value)))
    {
        return true;
    }
    let is_named = |words: &[String]| words.iter().any(|word| CART_NAMES.contains(&word.as_str()));
    names_of(evidence, node).any(is_named)
        || tree.attribute(node, "data-type").is_some_and(|value| is_named(&words(&value)))
        || tree.attribute(node, "href").is_some_and(|value| is_named(&words(truncate(&value, 200))))
}
