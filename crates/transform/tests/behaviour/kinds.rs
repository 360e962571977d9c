//! The kind of a page, and what follows its text: comments are content of a discussion and none of an article.

#![expect(clippy::unwrap_used, reason = "code of tests: a broken assumption ends the test")]

use gleaner_transform::{Input, transform};
use gleaner_types::request::ScrapeOptions;
use gleaner_types::{Document, PageKind};

const TITLE: &str = "Neue Brücke öffnet im Frühjahr";

const TEXTS: [&str; 4] = [
    "Der Stadtrat hat am Montag beschlossen, dass die neue Brücke über den Fluss im Frühjahr öffnet. Nach Jahren \
     der Verzögerung sind die Kosten auf das Doppelte gestiegen, und die Anwohner hoffen auf weniger Verkehr.",
    "Die Bauleiterin sagte, die letzten Arbeiten an den Geländern seien in einer Woche fertig. Danach wird die \
     Fahrbahn geprüft, und ein Schiff mit Sand fährt mehrmals unter den Bögen hindurch.",
    "Wer in der Altstadt wohnt, bekommt bis zum Sommer einen Ausweis, mit dem die Überfahrt nichts kostet. Alle \
     anderen zahlen einen Euro, und am ersten Sonntag im Monat ist die Brücke für Fußgänger frei.",
    "Die alte Brücke bleibt stehen. Sie soll im nächsten Jahr saniert werden und dann nur noch dem Fahrrad und \
     dem Bus gehören, wie es der Stadtrat vor zwei Jahren beschlossen hat.",
];

const COMMENTS: [&str; 6] = [
    "Endlich, ich warte seit zehn Jahren darauf und fahre jeden Tag den Umweg über die alte Brücke am Bahnhof.",
    "Das Geld hätte man besser in den Bus gesteckt, der am Abend schon um acht nicht mehr in den Osten fährt.",
    "Wer hat eigentlich die Geländer entworfen? Sie sehen aus wie am Bahnhof, und das ist wirklich kein Lob.",
    "Ein Euro ist nicht viel, aber an jedem Tag im Jahr ist es dann doch mehr als die Karte für den Zug.",
    "Im Sommer war ich auf der Baustelle, und die Leute dort haben uns alles gezeigt und viel Geduld gehabt.",
    "Hoffentlich bleibt der Weg am Ufer offen, sonst kommt man mit dem Kinderwagen nicht mehr zum Spielplatz.",
];

const NEXT: &str = "Der Markt auf dem alten Platz zieht im Herbst vor den Bahnhof, weil das Pflaster erneuert wird. \
    Die Händler bekommen dort feste Stände mit Wasser und Strom, und die Zeiten bleiben gleich. Für die Kundschaft \
    ändert sich wenig, sagte der Sprecher der Händler.";

fn read(html: &str) -> Document {
    let url = "https://zeitung.example/orte/neue-bruecke".parse().unwrap();
    let options = ScrapeOptions::default().check().unwrap();
    let input = Input::new(&url, Some("text/html; charset=utf-8"), html.as_bytes());
    transform(input, &options).unwrap().document
}

fn texts() -> String {
    TEXTS.iter().map(|text| format!("<p>{text}</p>")).collect()
}

fn page(head: &str, main: &str) -> String {
    format!(
        "<!doctype html><html lang=de><head><title>{TITLE}</title>{head}</head><body><header><ul><li><a href=/>Start</a>\
         <li><a href=/a>Orte</a></ul></header><main>{main}</main><footer><p>© 2024 Anzeiger</p></footer></body></html>"
    )
}

/// A text with comments, whose classes say nothing.
fn with_comments(head: &str) -> String {
    let comment = |(day, text): (usize, &&str)| {
        format!(
            "<div class=y2><div class=y3><b>Ida</b> <time>{}. Mai 2024</time></div><p>{text}</p>\
             <a href='#a{day}'>Antworten</a></div>",
            day + 3
        )
    };
    let comments: String = COMMENTS.iter().enumerate().map(comment).collect();
    let main = format!(
        "<h1>{TITLE}</h1><div class=y0>{}</div><section class=y1>{comments}<form><textarea></textarea>\
         <button>Senden</button></form></section>",
        texts()
    );
    page(head, &main)
}

#[test]
fn comments_are_content_of_a_discussion_and_none_of_an_article() {
    let json_ld = |kind: &str| format!("<script type=application/ld+json>{{\"@type\":\"{kind}\"}}</script>");
    let rows = [
        ("NewsArticle", PageKind::Article, false),
        ("BlogPosting", PageKind::Article, false),
        ("DiscussionForumPosting", PageKind::Discussion, true),
        ("QAPage", PageKind::Discussion, true),
    ];
    for (name, kind, keeps) in rows {
        let document = read(&with_comments(&json_ld(name)));
        assert_eq!(document.metadata.page_kind, Some(kind), "{name}");
        let markdown = document.markdown.unwrap();
        assert!(TEXTS.iter().all(|text| markdown.contains(text)), "{name}: {markdown}");
        assert!(COMMENTS.iter().all(|text| markdown.contains(text) == keeps), "{name}: {markdown}");
    }
}

#[test]
fn the_next_article_of_an_endless_page_is_left_out() {
    let head = "<meta property=article:published_time content=2024-05-02>";
    let article = |title: &str, text: &str| format!("<article><h1>{title}</h1>{text}</article>");
    let next = article("Markt zieht um", &format!("<p>{NEXT}</p><p>{NEXT}</p>"));
    let markdown = read(&page(head, &(article(TITLE, &texts()) + &next))).markdown.unwrap();
    assert!(TEXTS.iter().all(|text| markdown.contains(text)), "{markdown}");
    assert!(!markdown.contains("Markt"), "{markdown}");
}
