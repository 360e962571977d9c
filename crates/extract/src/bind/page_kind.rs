//! Pages that state nothing of what a schema asks for: error pages, walls and searches without a result.
//!
//! Such a page has a heading, a title and texts like any other, so its kind is decided before any value is
//! read. A page that declares a thing of its own, such as a product, is none of them.

use std::sync::LazyLock;

use super::phrases::PhraseSet;
use super::words::folded;
use crate::evidence::Evidence;
use crate::page::Method;
use crate::typed::money_amounts;

/// Longest visible text of an error page whose title says something else, in bytes.
const MAX_TEXT_BYTES: usize = 2_000;
/// Longest visible text of a wall, in bytes.
const MAX_WALL_BYTES: usize = 1_500;
/// Longest line of a wall, in words.
const MAX_LINE_WORDS: usize = 16;

/// Headings and titles of error pages and walls, in folded words.
const HEADINGS: &[&str] = &[
    "not found",
    "page not found",
    "page not available",
    "page unavailable",
    "this page does not exist",
    "this page doesn t exist",
    "page doesn t exist",
    "we can t find that page",
    "we couldn t find that page",
    "this page isn t available",
    "this page could not be found",
    "the page you requested could not be found",
    "product not found",
    "item not found",
    "file not found",
    "error",
    "page error",
    "server error",
    "internal server error",
    "something went wrong",
    "an error occurred",
    "an error has occurred",
    "application error",
    "bad request",
    "bad gateway",
    "gateway timeout",
    "gateway time out",
    "service unavailable",
    "service temporarily unavailable",
    "temporarily unavailable",
    "too many requests",
    "access denied",
    "access to this page has been denied",
    "permission denied",
    "you have been blocked",
    "sorry you have been blocked",
    "just a moment",
    "one moment please",
    "please wait",
    "checking your browser",
    "checking your browser before accessing",
    "attention required",
    "security check",
    "verify you are human",
    "verifying you are human",
    "are you a robot",
    "are you human",
    "robot check",
    "pardon our interruption",
    "please verify you are a human",
    "under maintenance",
    "we ll be back soon",
    "site maintenance",
    "domain for sale",
    "no results",
    "no results found",
    "nothing found",
    "no products found",
    "no matches",
    "no items found",
    "log in",
    "login",
    "sign in",
    "please log in",
    "please sign in",
    "nicht gefunden",
    "seite nicht gefunden",
    "diese seite wurde nicht gefunden",
    "fehler",
    "ein fehler ist aufgetreten",
    "zugriff verweigert",
    "keine ergebnisse",
    "keine treffer",
    "anmelden",
    "einen moment bitte",
    "page non trouvée",
    "page introuvable",
    "erreur",
    "accès refusé",
    "aucun résultat",
    "página no encontrada",
    "no se encontró la página",
    "acceso denegado",
    "sin resultados",
    "pagina non trovata",
    "accesso negato",
    "nessun risultato",
    "página não encontrada",
    "acesso negado",
    "nenhum resultado",
    "pagina niet gevonden",
    "toegang geweigerd",
    "geen resultaten",
    "sidan hittades inte",
    "siden blev ikke fundet",
    "siden finnes ikke",
    "sivua ei löytynyt",
    "nie znaleziono strony",
    "strona nie istnieje",
    "strona nie została znaleziona",
    "stránka nenalezena",
    "stránka nebola nájdená",
    "az oldal nem található",
    "pagina nu a fost găsită",
    "страница не найдена",
    "доступ запрещен",
    "сторінку не знайдено",
    "η σελίδα δεν βρέθηκε",
    "sayfa bulunamadı",
    "ページが見つかりません",
    "ページが見つかりませんでした",
    "お探しのページは見つかりません",
    "页面不存在",
    "找不到页面",
    "找不到頁面",
    "페이지를 찾을 수 없습니다",
];

/// Those of them that may be the name of a thing, too.
const AMBIGUOUS: [&str; 16] = [
    "error",
    "fehler",
    "erreur",
    "just a moment",
    "one moment please",
    "please wait",
    "something went wrong",
    "an error occurred",
    "login",
    "log in",
    "sign in",
    "anmelden",
    "attention required",
    "are you human",
    "security check",
    "nothing found",
];

/// Headings of error pages beside the number of the error.
const NUMBERED: [&str; 4] = ["gone", "forbidden", "unauthorized", "maintenance"];

/// Words around such a heading that say no more, in folded words.
const ASIDE: [&str; 17] = [
    "404", "403", "410", "429", "500", "502", "503", "504", "error", "oops", "sorry", "uh", "oh", "http",
    "status", "code", "whoops",
];

/// What a wall tells its visitors.
const WALL: &[&str] = &[
    "enable javascript and cookies to continue",
    "please enable javascript",
    "please enable cookies",
    "verify you are human",
    "verifying you are human",
    "you are a human",
    "you are not a robot",
    "you re not a robot",
    "unusual traffic",
    "access to this page has been denied",
    "complete the security check",
    "checking if the site connection is secure",
    "you don t have permission to access",
];

static WALL_PHRASES: LazyLock<PhraseSet> = LazyLock::new(|| PhraseSet::new(WALL));

/// Entities about a site, which error pages declare, too.
const OF_SITE: [&str; 12] = [
    "WebSite",
    "WebPage",
    "Organization",
    "Corporation",
    "LocalBusiness",
    "OnlineStore",
    "Store",
    "BreadcrumbList",
    "SearchAction",
    "SiteNavigationElement",
    "WPHeader",
    "WPFooter",
];

/// Whether a page states nothing, whatever is asked for.
pub(super) fn states_nothing(evidence: &Evidence<'_>) -> bool {
    if declares_thing(evidence) {
        return false;
    }
    let text = evidence.tree.text();
    let title = evidence.title.split(['|', '–', '—', '·', '»', ':']).any(is_heading)
        || evidence.title.split(" - ").any(is_heading);
    let heading = evidence.heading.map(|node| is_heading(evidence.tree.text_of(node)));
    let is_short =
        |most: usize| text.len() <= most && !money_amounts(text).any(|money| money.currency.is_some());
    let is_plain = || !AMBIGUOUS.contains(&folded(evidence.headline()).as_str());
    match heading {
        Some(true) => (title && is_plain()) || is_short(MAX_TEXT_BYTES),
        None if title => is_short(MAX_TEXT_BYTES),
        _ => is_short(MAX_WALL_BYTES) && text.lines().any(|line| WALL_PHRASES.matches(line, MAX_LINE_WORDS)),
    }
}

/// Whether a text is the heading of an error page or a wall.
fn is_heading(text: &str) -> bool {
    let text = folded(text);
    if HEADINGS.contains(&text.as_str()) {
        return true;
    }
    let words: Vec<&str> = text.split(' ').filter(|word| !word.is_empty()).collect();
    let is_aside = |word: &&str| ASIDE.contains(word);
    let rest: Vec<&str> = words.iter().copied().skip_while(|word| is_aside(word)).collect();
    let end = rest.iter().rposition(|word| !is_aside(word)).map_or(0, |last| last + 1);
    let rest = rest.get(..end).unwrap_or_default();
    let is_number =
        || words.iter().any(|word| word.len() == 3 && word.bytes().all(|byte| byte.is_ascii_digit()));
    match (words.len(), rest) {
        (0, _) => false,
        // `404`, `Error 404`, but not `500`, which may be anything.
        (1, []) => matches!(words.first(), Some(&("404" | "403" | "oops" | "whoops"))),
        (_, []) => is_number() || words.contains(&"error"),
        _ => {
            let rest = rest.join(" ");
            let is_known = HEADINGS.contains(&rest.as_str());
            is_known || (is_number() && NUMBERED.contains(&rest.as_str()))
        }
    }
}

/// Whether the page declares a thing of its own.
fn declares_thing(evidence: &Evidence<'_>) -> bool {
    evidence.items.iter().any(|item| {
        let is_typed = !item.types.is_empty() && item.method != Method::Meta;
        is_typed && !item.types.iter().any(|kind| OF_SITE.contains(&kind.as_str()) || kind.ends_with("Page"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_of_error_pages_are_known_with_the_words_around_them() {
        let known = [
            "Not found",
            "404",
            "Error 404",
            "404 – Page not found",
            "Oops! Page not found",
            "404 Not Found",
            "Sorry, you have been blocked",
            "Just a moment...",
            "503 Service Unavailable",
            "403 Forbidden",
            "Seite nicht gefunden",
            "404: Page non trouvée",
            "Checking your browser",
            "Something went wrong.",
        ];
        for text in known {
            assert!(is_heading(text), "{text}");
        }
        for text in [
            "",
            "500",
            "Red cup",
            "Not found at sea",
            "Error correction",
            "Forbidden",
            "Peugeot 404 saloon",
            "Login Ltd",
        ] {
            assert!(!is_heading(text), "{text}");
        }
    }
}
