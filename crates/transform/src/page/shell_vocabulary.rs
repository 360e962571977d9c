//! The words by which empty shells, their placeholders and bot challenges are recognised. They belong to
//! frameworks and languages; none names a site.
//!
//! The lists decide by the HTML alone whether a page needs a browser. `ready.js` in gleaner-browser has
//! shorter lists with stricter rules: it sees the page that its scripts have built, and decides how long to
//! wait.

use crate::notice::names_of_scripts;

/// Ids of the elements that scripts fill.
const MOUNTS: [&str; 38] = [
    "root",
    "app",
    "main",
    "mount",
    "svelte",
    "elm",
    "spa",
    "outlet",
    "application",
    "approot",
    "app-root",
    "app-container",
    "app-wrapper",
    "app-mount",
    "app-main",
    "app-content",
    "main-app",
    "my-app",
    "web-app",
    "spa-root",
    "page-root",
    "site-root",
    "root-app",
    "react-root",
    "reactroot",
    "react-app",
    "react-container",
    "vue-app",
    "vueapp",
    "elm-app",
    "q-app",
    "ember-app",
    "angular-app",
    "__next",
    "__nuxt",
    "___gatsby",
    "gatsby-focus-wrapper",
    "__docusaurus",
];

/// Attributes of the elements that scripts fill.
pub(super) const MOUNT_ATTRIBUTES: [&str; 5] =
    ["data-reactroot", "data-v-app", "ng-app", "ng-view", "ui-view"];

/// Words in the names of custom elements that hold a whole page.
const ROOT_WORDS: [&str; 9] =
    ["app", "root", "shell", "main", "page", "site", "application", "outlet", "router"];

/// Words in the names of custom elements that hold a part of a page.
const PART_WORDS: [&str; 16] = [
    "banner", "button", "card", "consent", "cookie", "dialog", "footer", "header", "icon", "image", "link",
    "logo", "menu", "modal", "nav", "search",
];

/// Words in ids and classes of placeholders.
const PLACEHOLDER_WORDS: [&str; 11] = [
    "loading",
    "loader",
    "preloader",
    "spinner",
    "skeleton",
    "skeletons",
    "shimmer",
    "splash",
    "splashscreen",
    "placeholder",
    "progressbar",
];

/// Words of a text that stands in for the content while it loads.
const LOADING: [&str; 37] = [
    "loading",
    "please wait",
    "one moment",
    "starting up",
    "initializing",
    "initialising",
    "wird geladen",
    "lädt",
    "lade ",
    "laden...",
    "laden…",
    "bitte warten",
    "einen moment",
    "chargement",
    "veuillez patienter",
    "cargando",
    "espere",
    "carregando",
    "aguarde",
    "caricamento",
    "attendere",
    "laddar",
    "laster inn",
    "indlæser",
    "ladataan",
    "ładowanie",
    "wczytywanie",
    "načítání",
    "betöltés",
    "yükleniyor",
    "загрузка",
    "завантаження",
    "読み込み",
    "加载",
    "載入",
    "로딩",
    "불러오는",
];

/// Sentences that ask for JavaScript, in lower case.
const DEMANDS: [&str; 22] = [
    "enable javascript",
    "activate javascript",
    "allow javascript",
    "turn on javascript",
    "javascript enabled",
    "javascript is required",
    "javascript is disabled",
    "javascript is not enabled",
    "javascript must be",
    "javascript to run",
    "javascript to view",
    "requires javascript",
    "need javascript",
    "needs javascript",
    "without javascript",
    "javascript aktivieren",
    "aktivieren sie javascript",
    "activer javascript",
    "activez javascript",
    "habilite javascript",
    "activar javascript",
    "включите javascript",
];

/// Phrases of pages for suspected bots, in lower case. On a page with almost no text, one is enough.
const CHALLENGES: [&str; 21] = [
    "access denied",
    "are you a human",
    "are you a robot",
    "attention required",
    "been blocked",
    "captcha",
    "checking if the site connection is secure",
    "checking your browser",
    "enable cookies to continue",
    "human verification",
    "javascript and cookies",
    "just a moment",
    "not a robot",
    "pardon our interruption",
    "press & hold",
    "request blocked",
    "security check",
    "unusual activity",
    "unusual traffic",
    "verify you are",
    "verifying you are",
];

/// True for ids of elements that scripts usually fill.
pub(super) fn is_mount(id: &str) -> bool {
    MOUNTS.iter().any(|mount| mount.eq_ignore_ascii_case(id))
}

/// True for names of custom elements that hold a whole page.
pub(super) fn is_root_element(name: &str) -> bool {
    let mut words = name.split('-');
    words.clone().any(|word| ROOT_WORDS.contains(&word)) && !words.any(|word| PART_WORDS.contains(&word))
}

/// True for elements around the content: navigation, headers, footers and dialogs.
pub(super) fn is_chrome(name: &str, role: &str) -> bool {
    matches!(name, "nav" | "header" | "footer" | "dialog")
        || matches!(role, "navigation" | "banner" | "contentinfo" | "dialog" | "alertdialog")
}

/// True for elements whose text is not shown.
pub(super) fn is_hidden(name: &str) -> bool {
    matches!(
        name,
        "script" | "style" | "noscript" | "svg" | "title" | "datalist" | "noembed" | "noframes" | "rp"
    )
}

/// True for elements without an end tag.
pub(super) fn is_void(name: &str) -> bool {
    matches!(
        name,
        "area"
            | "base"
            | "br"
            | "col"
            | "hr"
            | "img"
            | "link"
            | "meta"
            | "param"
            | "source"
            | "track"
            | "wbr"
    )
}

/// The part of an address after its host: a host may serve widgets as well as challenges.
pub(super) fn path_of(address: &str) -> &str {
    let after_scheme = address.split_once("//").map(|(_, rest)| rest);
    after_scheme.map_or(address, |rest| rest.split_once('/').map_or("", |(_, path)| path))
}

/// True for types of `script` elements that hold data.
pub(super) fn is_data(kind: &str) -> bool {
    ["json", "importmap", "speculationrules", "template"].iter().any(|data| kind.contains(data))
}

/// True for an id or a class of a placeholder.
pub(super) fn names_placeholder(name: &str) -> bool {
    words(name).any(|word| PLACEHOLDER_WORDS.iter().any(|other| other.eq_ignore_ascii_case(word)))
}

/// True for a name of a picture that is shown while a page loads.
pub(super) fn names_splash(name: &str) -> bool {
    names_placeholder(name) || words(name).any(|word| word.eq_ignore_ascii_case("logo"))
}

/// True for an id or a class of a bot challenge.
pub(super) fn names_challenge(name: &str) -> bool {
    words(name).any(|word| word.eq_ignore_ascii_case("captcha") || word.eq_ignore_ascii_case("challenge"))
}

/// The words of an id or a class.
fn words(name: &str) -> impl Iterator<Item = &str> {
    name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty())
}

/// True if a text stands in for the content while it loads. It is in lower case.
pub(super) fn says_loading(text: &str) -> bool {
    LOADING.iter().any(|phrase| {
        text.match_indices(phrase).any(|(at, _)| {
            let before = text.get(..at).and_then(|before| before.chars().next_back());
            before.is_none_or(|before| !before.is_alphabetic() || !before.is_ascii())
        })
    })
}

/// True if a `noscript` asks for JavaScript for the page, not for one part such as its comments.
pub(super) fn demands_scripts(text: &str) -> bool {
    names_of_scripts(text) > 0 && !text.to_lowercase().contains("comment")
}

/// True if a text asks for JavaScript in place of the page. It is in lower case.
pub(super) fn is_demand(text: &str) -> bool {
    DEMANDS.iter().any(|demand| text.contains(demand))
}

/// True if a text has a phrase of a bot challenge. It is in lower case.
pub(super) fn is_challenge(text: &str) -> bool {
    CHALLENGES.iter().any(|phrase| text.contains(phrase))
}
