//! Tests of CSS selectors: matching, error messages and bounded cost.

use gleaner_types::Interrupt;
use gleaner_types::plan::AttributeSelector;
use proptest::prelude::*;
use selectors::context::{
    MatchingContext, MatchingForInvalidation, MatchingMode, NeedsSelectorFlags, QuirksMode, SelectorCaches,
};
use selectors::matching::matches_selector;

use super::element::ElementRef;
use super::parse::parse as parse_selector;
use super::*;
use crate::page::attributes;
use crate::tree::{ParseOptions, parse, parse_within};

const PAGE: &str =
    "<main id=m><p class='a b'>1</p><p class=b data-x=7>2</p><ul><li>3<li>4<li>5</ul></main><p>6</p>";

fn tree(html: &str) -> Tree {
    parse(html, ParseOptions { all_attributes: true, ..ParseOptions::default() })
}

fn selectors(list: &[&str]) -> Selectors {
    let list: Vec<String> = list.iter().map(|selector| (*selector).to_owned()).collect();
    Selectors::parse(&list).unwrap()
}

/// The outermost matching elements of a page, the steps taken, and whether the steps are exhausted.
fn outermost_of(list: &[&str], html: &str) -> (Vec<NodeId>, u64, bool) {
    let (tree, never) = (tree(html), Interrupt::never());
    let steps = Steps::of_page(html.len(), &never);
    let most = steps.left();
    let found = outermost(&selectors(list), &tree, &steps);
    (found, most - steps.left(), steps.is_exhausted())
}

/// Seen with `--include-tags '##'`, which was reported as empty.
#[test]
fn only_a_blank_selector_is_reported_as_empty() {
    for (selector, is_empty) in [("", true), (" ", true), ("##", false), ("p,,a", false), (",p", false)] {
        let reason = parse_selector(selector).err().unwrap().to_string();
        assert_eq!(reason.contains("it is empty"), is_empty, "{reason}");
        assert!(reason.contains("is not a CSS selector: ") && !reason.contains("after ``"), "{reason}");
    }
}

fn found(selector: &str) -> String {
    let tree = tree(PAGE);
    let (found, ..) = outermost_of(&[selector], PAGE);
    let texts: Vec<_> = found.into_iter().map(|node| tree.folded_text(node, 100)).collect();
    texts.join("|")
}

#[test]
fn selectors_match_as_in_browsers() {
    let rows = [
        ("p", "1|2|6"),
        ("P", "1|2|6"),
        ("#m > p.b", "1|2"),
        (".a.b", "1"),
        (".a, .none", "1"),
        (" .b ,\n#none", "1|2"),
        (".A", ""),
        ("#m", "1 2 3 4 5"),
        ("#M", ""),
        ("[data-x]", "2"),
        ("[data-x='7'], li:last-child", "2|5"),
        ("[class*='A' i]", "1"),
        ("li:nth-child(2n+1)", "3|5"),
        ("p + ul li:not(:first-child)", "4|5"),
        ("main:has(ul)", "1 2 3 4 5"),
        ("main:has(ul):has(p)", "1 2 3 4 5"),
        ("body > p", "6"),
        ("nothing", ""),
        ("*|p", "1|2|6"),
        (".\\61", "1"),
    ];
    for (selector, expected) in rows {
        assert_eq!(found(selector), expected, "{selector}");
    }
}

#[test]
fn errors_name_the_invalid_selector() {
    let deep = format!("{}p{}", ":is(".repeat(17), ")".repeat(17));
    let long = [".abc"; 600].join(",");
    for selector in ["", "p >", "p:hover", "<b>", "a[", "::before", "a,", ",", ".", ".1", "#-", &deep, &long]
    {
        let error = Selectors::parse([&selector.to_owned()]).unwrap_err();
        let shown: String = selector.chars().take(200).collect();
        assert!(
            error.is_request() && error.to_string().contains(&format!("`{shown}`")),
            "{selector}: {error}"
        );
    }
    let fits = format!("{}p{}", ":is(".repeat(16), ")".repeat(16));
    for selector in [fits.as_str(), "[title='((((((((((((((((((((']", "p/* ((((((((((((((((((((( */"] {
        assert!(Selectors::parse([&selector.to_owned()]).is_ok(), "{selector}");
    }
    // A closing bracket in a comment or a string does not close the group.
    for closed in ["/*)*/", "[a=')']"] {
        let open = format!(":is(a{closed}");
        let selector = format!("{}p", open.repeat(20));
        assert!(
            Selectors::parse([&selector]).is_err_and(|error| error.to_string().contains("deep")),
            "{selector}"
        );
    }
}

#[test]
fn sibling_selectors_stay_within_the_steps_of_the_page() {
    let html = format!("<div>{}</div>", "<b>x</b>".repeat(20_000));
    for selector in ["i ~ b", "b:not(i ~ b)", "div:has(b ~ i)", "b:nth-last-child(2n + 1 of i ~ b)"] {
        let (found, steps, _) = outermost_of(&[selector], &html);
        assert!(steps <= steps_of(html.len()) && found.len() <= 20_000, "{selector}");
    }
    assert_eq!(outermost_of(&["i ~ b"], &html).0, Vec::new());
    assert!(outermost_of(&["i ~ b"], &html).2, "the steps are exhausted");
    let (found, _, exhausted) = outermost_of(&["i + b, div > b:first-child"], &html);
    assert_eq!((found.len(), exhausted), (1, false));
}

fn steps_of(bytes: usize) -> u64 {
    bytes as u64 * SELECTOR_STEPS_PER_BYTE as u64 + steps::MIN_STEPS
}

/// 500 lists of 160 classes, none of which the page has.
fn many_classes() -> Vec<String> {
    let list = |at: usize| {
        let classes = (0..160).map(|number| format!(".c{at}x{number}"));
        classes.collect::<Vec<_>>().join(",")
    };
    (0..500).map(list).collect()
}

#[test]
fn thousands_of_classes_cost_one_lookup_for_each_class_of_an_element() {
    let few = Selectors::parse(&["p.none > .c, .d, #e, f".to_owned()]).unwrap();
    let many = Selectors::parse(&many_classes()).unwrap();
    let never = Interrupt::never();
    let cost = |selectors: &Selectors, html: &str| {
        let tree = tree(html);
        let steps = Steps::of_page(html.len(), &never);
        assert!(outermost(selectors, &tree, &steps).is_empty() && !steps.is_exhausted());
        steps_of(html.len()) - steps.left()
    };
    let page = "<p class=a>x".repeat(21_000);
    assert!(cost(&many, &page) <= 10 * 21_000, "{}", cost(&many, &page));
    assert!(cost(&many, &page) <= 2 * cost(&few, &page), "as cheap as a few");
    // Twice as many classes of an element cost twice as many lookups.
    let page = "<p class='a b c d e f g h'>x".repeat(2_000);
    assert!(cost(&many, &page) <= 20 * 2_000, "{}", cost(&many, &page));
}

/// Every selector that is tried costs steps, whether it moves to other elements or not.
#[test]
fn the_steps_of_a_page_are_bounded_by_its_bytes_whatever_the_selectors() {
    let page = "<p class=a id=i data-x=1>x".repeat(2_000);
    let attributes: Vec<String> = (0..500).map(|at| format!("[data-y{at}], [data-z{at}]")).collect();
    let pseudo: Vec<String> = (0..500).map(|at| format!("{}:not(*)", ":is(*)".repeat(at % 100))).collect();
    let universal: Vec<String> = (0..500).map(|_| format!(":is({})", [":not(*)"; 100].join(","))).collect();
    let relatives: Vec<String> = (0..500).map(|at| format!("p:has(.a{at}):has(.b{at}) ~ p")).collect();
    let long: Vec<String> = (0..500).map(|at| format!("p{}", format!(".a{at}").repeat(100))).collect();
    for (name, list) in [
        ("attributes", attributes),
        ("pseudo-classes", pseudo),
        ("universal", universal),
        ("relatives", relatives),
        ("long", long),
    ] {
        let list: Vec<&str> = list.iter().map(String::as_str).collect();
        for times in [1, 4] {
            let html = page.repeat(times);
            let (_, steps, exhausted) = outermost_of(&list, &html);
            assert!(steps <= steps_of(html.len()), "{name}");
            assert!(exhausted || steps >= list.len() as u64, "{name}: {steps}");
        }
    }
    let (_, steps, exhausted) = outermost_of(&["[data-y]", ":not(*)"], &page);
    assert!(!exhausted && steps > 2 * 2_000, "{steps}");
}

#[test]
fn all_selectors_of_a_request_share_the_steps_of_a_page() {
    let html = "<p data-x=1>x".repeat(5_000);
    let (tree, never) = (tree(&html), Interrupt::never());
    let wanted: Vec<AttributeSelector> = (0..100)
        .map(|at| AttributeSelector::new(vec![format!("[data-y{at}]"); 40].join(","), "data-x"))
        .collect();
    let selectors: Vec<Selectors> =
        wanted.iter().map(|wanted| Selectors::parse([&wanted.selector]).unwrap()).collect();
    let steps = Steps::of_page(html.len(), &never);
    let values = attributes::read(&tree, &wanted, &selectors, &steps);
    assert!(steps.is_exhausted());
    assert_eq!(values.as_array().unwrap().len(), 100, "each selector has an entry, which may be empty");
}

#[test]
fn matching_ends_when_its_interrupt_is_raised() {
    let html = "<p class=a>x".repeat(20_000);
    let interrupt = Interrupt::after(300_000);
    let tree =
        parse_within(&html, ParseOptions { all_attributes: true, ..ParseOptions::default() }, &interrupt);
    assert!(!interrupt.is_raised(), "{}", interrupt.spent());
    let steps = Steps::of_page(html.len(), &interrupt);
    let list: Vec<String> = (0..100).map(|at| format!("[data-y{at}]")).collect();
    outermost(&Selectors::parse(&list).unwrap(), &tree, &steps);
    assert!(interrupt.is_raised() && steps.is_exhausted());
    assert!(interrupt.spent() < 310_000, "{}", interrupt.spent());
}

#[test]
fn a_selection_can_be_shared_between_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<Selection>();
}

/// Matching without the index: every selector of every list against every element.
fn matched_one_by_one(list: &[String], tree: &Tree) -> Vec<bool> {
    let never = Interrupt::never();
    let steps = Steps::of_page(1 << 20, &never);
    let lists: Vec<_> = list.iter().map(|selector| parse_selector(selector).unwrap()).collect();
    let mut caches = SelectorCaches::default();
    let mut matches = |node| {
        lists.iter().flat_map(selectors::SelectorList::slice).any(|selector| {
            let mut context = MatchingContext::new(
                MatchingMode::Normal,
                None,
                &mut caches,
                QuirksMode::NoQuirks,
                NeedsSelectorFlags::No,
                MatchingForInvalidation::No,
            );
            matches_selector(selector, 0, None, ElementRef { tree, node, steps: &steps }, &mut context)
        })
    };
    tree.all_elements().map(&mut matches).collect()
}

fn page() -> impl Strategy<Value = String> {
    let tag = prop::sample::select(vec![
        "<p>",
        "</p>",
        "<div>",
        "</div>",
        "<b>",
        "</b>",
        "<i class=a>",
        "</i>",
        "<p class='a b'>",
        "<div id=a>",
        "<div id=b class='b  c'>",
        "<ul><li class=c>x</ul>",
        "<P CLASS=A ID=c>",
        "text",
        "<svg class=a><g/></svg>",
        "<math><mi class=b>x</mi></math>",
        "<p data-x=a>",
        "<br>",
    ]);
    prop::collection::vec(tag, 0..30).prop_map(|tags| tags.concat())
}

fn selector() -> impl Strategy<Value = String> {
    let simple = || {
        prop::sample::select(vec![
            "p",
            "P",
            "div",
            "b",
            "*",
            ".a",
            ".b",
            ".c",
            ".A",
            "#a",
            "#b",
            "#c",
            "svg",
            "mi",
            "li",
            "[data-x]",
            ":first-child",
            ":not(.a)",
            ":is(.a, #b)",
            ":has(.a)",
            ":nth-child(2n)",
            "p.a",
            "div#b.b",
            ":root",
        ])
    };
    let compound = || {
        prop::collection::vec(simple(), 1..3).prop_filter_map("a name comes first", |parts| {
            let is_name = |part: &&str| part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '*');
            (!parts.iter().skip(1).any(is_name)).then(|| parts.concat())
        })
    };
    let combinator = prop::sample::select(vec![" ", " > ", " + ", " ~ "]);
    let complex =
        (compound(), prop::option::of((combinator, compound()))).prop_map(|(first, rest)| match rest {
            Some((combinator, second)) => format!("{first}{combinator}{second}"),
            None => first,
        });
    prop::collection::vec(complex, 1..4).prop_map(|list| list.join(" , "))
}

proptest! {
    #[test]
    fn the_index_finds_what_matching_one_by_one_finds(
        html in page(),
        list in prop::collection::vec(selector(), 1..4),
    ) {
        let (tree, never) = (tree(&html), Interrupt::never());
        let steps = Steps::of_page(1 << 20, &never);
        let selectors = Selectors::parse(&list).unwrap();
        let mut matcher = Matcher::new(&selectors, &tree, &steps);
        let indexed: Vec<bool> = tree.all_elements().map(|node| matcher.matches(node)).collect();
        prop_assert_eq!(indexed, matched_one_by_one(&list, &tree), "{:?} on {}", list, html);
    }
}
