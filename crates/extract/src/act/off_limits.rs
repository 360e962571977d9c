//! Recognises controls that buy, delete, log out or send, by their words in several languages.

use crate::bind::words;

/// Single words of controls that buy, delete, log out or send, in several languages.
const WORDS: &[&str] = &[
    // Buying.
    "acheter",
    "acquista",
    "afrekenen",
    "basket",
    "bestellen",
    "bezahlen",
    "buy",
    "cart",
    "checkout",
    "commander",
    "comprar",
    "donate",
    "kaufen",
    "kopen",
    "kostenpflichtig",
    "pagar",
    "panier",
    "pay",
    "payer",
    "preorder",
    "purchase",
    "spenden",
    "subscribe",
    "warenkorb",
    // Deleting.
    "borrar",
    "deactivate",
    "delete",
    "discard",
    "elimina",
    "eliminar",
    "entfernen",
    "erase",
    "excluir",
    "kündigen",
    "löschen",
    "remove",
    "supprimer",
    "trash",
    "uninstall",
    "unsubscribe",
    "verwijderen",
    // Logging out.
    "abmelden",
    "ausloggen",
    "deconnexion",
    "disconnect",
    "déconnexion",
    "logoff",
    "logout",
    "signout",
    "uitloggen",
    // Sending.
    "absenden",
    "enviar",
    "envoyer",
    "invia",
    "publier",
    "publish",
    "publicar",
    "register",
    "registrieren",
    "reply",
    "senden",
    "send",
    "share",
    "signup",
    "teilen",
    "transfer",
    "tweet",
    "upload",
    "verzenden",
    "vote",
    "withdraw",
];

/// The same in several words.
const PHRASES: &[&[&str]] = &[
    &["add", "to", "bag"],
    &["book", "now"],
    &["cancel", "order"],
    &["cancel", "subscription"],
    &["cerrar", "sesión"],
    &["check", "out"],
    &["close", "account"],
    &["create", "account"],
    &["jetzt", "buchen"],
    &["leave", "a", "comment"],
    &["log", "off"],
    &["log", "out"],
    &["order", "now"],
    &["place", "order"],
    &["place", "your", "order"],
    &["post", "comment"],
    &["post", "reply"],
    &["report", "abuse"],
    &["sign", "off"],
    &["sign", "out"],
    &["sign", "up"],
];

/// Words that mean it only where they stand alone: "Order", but not "Order by price".
const ALONE: &[&str] = &["book", "clear", "comment", "order", "pledge", "post", "reserve"];

/// Whether the words of a control mean buying, deleting, logging out, or sending something to others.
///
/// The rule reads words, so it can refuse a harmless control, such as "Remove filter". That costs a page that
/// is not read, the other error costs more.
pub(super) fn is_off_limits(text: &str) -> bool {
    let found = words(text);
    if let [only] = found.as_slice()
        && ALONE.contains(&only.as_str())
    {
        return true;
    }
    found.iter().any(|word| WORDS.contains(&word.as_str()))
        || PHRASES.iter().any(|phrase| found.windows(phrase.len()).any(|part| part == *phrase))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_decide_what_is_never_pressed() {
        for text in [
            "Buy now",
            "Add to cart",
            "ORDER",
            "Place your order",
            "Pay €5",
            "In den Warenkorb",
            "Delete",
            "delete-row",
            "removeItem",
            "Unsubscribe",
            "Löschen",
            "Log out",
            "/user/logout",
            "Sign out",
            "Abmelden",
            "Send message",
            "Reply",
            "Post comment",
            "Share",
            "Sign up",
            "Upload",
        ] {
            assert!(is_off_limits(text), "{text}");
        }
        for text in [
            "",
            "Load more",
            "Next",
            "2",
            "Search",
            "Order by price",
            "Show details",
            "Accept all cookies",
            "Blog posts",
            "Books",
            "Sort order",
            "Apply filters",
            "Prepayment terms",
            "Messages",
            "Payload",
        ] {
            assert!(!is_off_limits(text), "{text}");
        }
    }
}
