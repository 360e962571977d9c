//! What recurs on the pages of a site leaves their main content, and nothing else does.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "code of tests: a broken assumption ends the test"
)]

use gleaner_transform::{Input, Selection, SiteMemory, transform, transform_on_site};
use gleaner_types::Interrupt;
use gleaner_types::request::{Format, ScrapeOptions};

const WORDS: [&str; 24] = [
    "harbour", "lantern", "orchard", "ferry", "meadow", "market", "bridge", "kiln", "garden", "river",
    "valley", "loom", "chapel", "footpath", "bakery", "foundry", "island", "vineyard", "quarry", "canal",
    "pasture", "mill", "square", "railway",
];

/// A sentence of its own for each number.
fn sentence(number: usize) -> String {
    let word =
        |step: usize| WORDS[(number * (2 * step + 1) + number / WORDS.len() + step * step) % WORDS.len()];
    format!(
        "In the year {number} the {} by the {} was as old as the {}, and those who came from the {} to see the {} \
         told of it on every day that they spent near the {}.",
        word(1),
        word(2),
        word(3),
        word(4),
        word(5),
        word(6)
    )
}

fn paragraphs(number: usize) -> String {
    (0..4)
        .map(|part| format!("<p>{} {}</p>", sentence(8 * number + part), sentence(8 * number + part + 4)))
        .collect()
}

/// The title of an entry that other pages link to.
fn title(number: usize) -> String {
    sentence(7_000 + number)[..60].trim_end().to_owned()
}

const BOX: &str = "The mill is open from May to October, on every day but Monday.";

/// A page with its own text around `inner`.
fn page(number: usize, inner: &str) -> String {
    format!(
        "<!doctype html><html lang=en><head><title>Entry {number}</title></head><body><main><article>\
         <h1>Entry {number}</h1>{}{inner}{}</article></main></body></html>",
        paragraphs(2 * number),
        paragraphs(2 * number + 1)
    )
}

/// The Markdown of a page of a site.
fn visit(memory: &SiteMemory, path: &str, html: &str, options: &ScrapeOptions) -> String {
    let url = format!("https://example.org{path}").parse().unwrap();
    let input = Input::new(&url, Some("text/html"), html.as_bytes());
    let options = options.clone().check().unwrap();
    let selection = Selection::of(&options).unwrap();
    let page = transform_on_site(input, &options, &selection, usize::MAX, &Interrupt::never(), memory);
    page.unwrap().document.markdown.unwrap()
}

/// The Markdown of the same page by itself.
fn alone(path: &str, html: &str, options: &ScrapeOptions) -> String {
    let url = format!("https://example.org{path}").parse().unwrap();
    let input = Input::new(&url, Some("text/html"), html.as_bytes());
    transform(input, &options.clone().check().unwrap()).unwrap().document.markdown.unwrap()
}

/// The Markdown of twenty pages with this part, alone and of a site.
fn pages(inner: impl Fn(usize) -> String, options: &ScrapeOptions) -> Vec<(String, String)> {
    let memory = SiteMemory::default();
    let of = |number: usize| {
        let (path, html) = (format!("/entries/{number}"), page(number, &inner(number)));
        (alone(&path, &html, options), visit(&memory, &path, &html, options))
    };
    (0..20).map(of).collect()
}

#[test]
fn a_text_that_recurs_leaves_the_pages_after_the_first_six() {
    let shapes = [
        ("<p>", "</p>"),
        ("<blockquote><p>", "</p></blockquote>"),
        ("<div class=a><div><p>", "</p></div></div>"),
        ("<section><p><em>", "</em></p></section>"),
    ];
    let inner = |number: usize| {
        let (before, after) = shapes[number % 4];
        format!("{before}{BOX}{after}")
    };
    for (number, (alone, of_site)) in pages(inner, &ScrapeOptions::new()).into_iter().enumerate() {
        assert!(alone.contains(BOX), "{alone}");
        if number < 6 {
            assert_eq!(of_site, alone, "page {number}");
            continue;
        }
        assert!(!of_site.contains(BOX), "page {number}: {of_site}");
        let lines =
            |text: &str| text.lines().filter(|line| line.len() > 2).map(str::to_owned).collect::<Vec<_>>();
        let own: Vec<String> = lines(&alone).into_iter().filter(|line| !line.contains(BOX)).collect();
        assert_eq!(lines(&of_site), own, "nothing else is left out");
    }
}

#[test]
fn teasers_in_changing_combinations_leave() {
    let teaser = |number: usize| format!("<p><a href=/entries/9{number}>{}</a></p>", title(number));
    let inner = |number: usize| [1, 2, 3].map(|step| teaser(number * step % 7)).concat();
    for (number, (alone, of_site)) in pages(inner, &ScrapeOptions::new()).iter().enumerate().skip(15) {
        assert!(alone.contains("/entries/9") && !of_site.contains("/entries/9"), "page {number}: {of_site}");
        let own = 16 * number..16 * (number + 1);
        assert!(own.into_iter().all(|at| of_site.contains(&sentence(at))), "page {number}: {of_site}");
    }
}

/// Writes the part of the page with this number that recurs.
type Part = fn(usize) -> String;

#[test]
fn what_recurs_as_a_part_of_the_text_stays() {
    let rows: [(&str, Part); 11] = [
        ("a heading", |n| {
            format!("<h2>What the keeper of the mill told us then</h2><p>{}</p>", sentence(5_000 + n))
        }),
        ("a label", |n| format!("<p><b>What you need:</b></p><p>{}</p>", sentence(5_000 + n))),
        ("a table", |n| {
            format!("<table><tr><th>Year of the count<th>Number of visits<tr><td>1901<td>{}</table>", 700 + n)
        }),
        ("a list", |n| {
            format!("<ul><li>Flour of the mill, as much as you like<li>{}</ul>", sentence(5_000 + n))
        }),
        ("definitions", |n| format!("<dl><dt>The weight of all parts together<dd>{} kg</dl>", 30 + n)),
        ("a table of equal values", |_| {
            "<h2>Facts</h2><table><tr><th>Material<td>Oak and iron of the valley<tr><th>Age<td>Two hundred \
             years</table>"
                .to_owned()
        }),
        ("equal definitions", |_| {
            "<dl><dt>wait<dd>How long to wait for an answer of the mill, in seconds.</dl>".to_owned()
        }),
        ("a callout", |_| {
            format!("<div class='admonition warning'><p class=admonition-title>Warning<p>{BOX}</div>")
        }),
        ("code", |_| "<pre><code>let mill = open the gates of the mill();</code></pre>".to_owned()),
        ("a short text", |_| "<p>Open all day.</p>".to_owned()),
        ("a new link in each page", |n| {
            format!("<p><a href=/files/{n}>Read the report of year {n} here</a></p>")
        }),
    ];
    for (name, inner) in rows {
        for (number, (alone, of_site)) in pages(inner, &ScrapeOptions::new()).into_iter().enumerate() {
            assert_eq!(of_site, alone, "{name}, page {number}");
        }
    }
}

#[test]
fn pages_that_are_nearly_the_same_stay_whole() {
    let memory = SiteMemory::default();
    let options = ScrapeOptions::new();
    for number in 0..30 {
        // Variants of one product beside other pages.
        let (path, html) = match number % 3 {
            0 => (format!("/entries/{number}"), page(number, "")),
            _ => (format!("/kiln?size={number}"), page(1_000, &format!("<p>Size {number}, in stock.</p>"))),
        };
        assert_eq!(visit(&memory, &path, &html, &options), alone(&path, &html, &options), "{path}");
    }
}

#[test]
fn list_pages_keep_the_titles_that_other_pages_show_as_teasers() {
    let memory = SiteMemory::default();
    let options = ScrapeOptions::new();
    let item = |number: usize| {
        format!("<div class=item><h3><a href=/entries/9{number}>{}</a></h3></div>", title(number))
    };
    for number in 0..30 {
        let teasers = [1, 2, 3].map(|step| item(number * step % 7)).concat();
        visit(&memory, &format!("/entries/{number}"), &page(number, &teasers), &options);
    }
    let html = page(800, &(0..20).map(item).collect::<String>());
    let of_site = visit(&memory, "/entries", &html, &options);
    assert_eq!(of_site, alone("/entries", &html, &options));
    let kept = (0..20).filter(|number| of_site.contains(&title(*number))).count();
    assert!(kept >= 18, "{of_site}");
}

#[test]
fn list_pages_with_few_items_keep_those_that_other_pages_show_as_teasers() {
    let memory = SiteMemory::default();
    let options = ScrapeOptions::new();
    // The same card on all pages, in wrappers of its own.
    let card = |number: usize| {
        format!(
            "<div class=card><div class=inner><div class=body><div class=text><h3>\
             <a href=/entries/9{number}>{}</a></h3><p>{}</p></div></div></div></div>",
            title(number),
            sentence(6_000 + number)
        )
    };
    let teasers = |number: usize| [1, 2, 3].map(|step| card(number * step % 7)).concat();
    for number in 0..30 {
        visit(&memory, &format!("/entries/{number}"), &page(number, &teasers(number)), &options);
    }
    let article = visit(&memory, "/entries/30", &page(30, &teasers(30)), &options);
    assert!(!article.contains("/entries/9"), "{article}");
    let items: String = (0..12).map(card).collect();
    let html = format!(
        "<!doctype html><html lang=en><head><title>Entries</title></head><body><main><h1>Entries</h1>{items}\
         </main></body></html>"
    );
    assert_eq!(visit(&memory, "/list", &html, &options), alone("/list", &html, &options));
}

#[test]
fn the_result_is_the_same_in_every_run_and_differs_by_site() {
    let inner = |number: usize| {
        format!("<p>{BOX}</p><p><a href=/entries/9{}>{}</a></p>", number % 3, title(number % 3))
    };
    let options = ScrapeOptions::new();
    assert_eq!(pages(inner, &options), pages(inner, &options));
    let memory = SiteMemory::default();
    for number in 0..12 {
        visit(&memory, &format!("/{number}"), &page(number, &inner(number)), &options);
    }
    for (site, recurs) in [("https://example.org", true), ("https://example.com", false)] {
        let (url, html) = (format!("{site}/12").parse().unwrap(), page(12, &inner(12)));
        let input = Input::new(&url, Some("text/html"), html.as_bytes());
        let plan = options.clone().check().unwrap();
        let selection = Selection::of(&plan).unwrap();
        let page =
            transform_on_site(input, &plan, &selection, usize::MAX, &Interrupt::never(), &memory).unwrap();
        assert_eq!(!page.document.markdown.unwrap().contains(BOX), recurs, "{site}");
    }
}

#[test]
fn pages_are_judged_by_themselves_if_their_options_ask_for_it() {
    let inner = |_| format!("<p>{BOX}</p>");
    for (name, options) in [
        ("the whole page", ScrapeOptions::new().only_main_content(false)),
        ("chosen elements", ScrapeOptions::new().include_tags(["article"])),
        (
            "changes",
            ScrapeOptions::new().formats([Format::Markdown, Format::ChangeTracking(Default::default())]),
        ),
    ] {
        for (alone, of_site) in pages(inner, &options) {
            assert_eq!(of_site, alone, "{name}");
        }
    }
}

#[test]
fn work_that_was_interrupted_teaches_nothing() {
    let options = ScrapeOptions::new().check().unwrap();
    let url = "https://example.org/".parse().unwrap();
    let visit_until = |memory: &SiteMemory, number: usize, interrupt: &Interrupt| {
        let html = page(number, &format!("<p>{BOX}</p>"));
        let input = Input::new(&url, Some("text/html"), html.as_bytes());
        transform_on_site(input, &options, &Selection::default(), usize::MAX, interrupt, memory)
    };
    let memory = SiteMemory::default();
    for number in 0..10 {
        let whole = Interrupt::armed();
        visit_until(&SiteMemory::default(), number, &whole).unwrap();
        // The page is judged long before its last unit of work.
        let interrupt = Interrupt::after(whole.spent() - 1);
        let error = visit_until(&memory, number, &interrupt).unwrap_err();
        assert!(error.is_interrupted(), "{error}");
    }
    let page = visit_until(&memory, 10, &Interrupt::never()).unwrap();
    assert!(page.document.markdown.unwrap().contains(BOX));
}
