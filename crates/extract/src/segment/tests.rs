//! Tests of segments, their labels and their places.

use std::ops::Deref;

use super::place::Place;
use super::*;
use crate::page::Page;

/// A segment with its place.
#[derive(Debug)]
struct Placed {
    segment: Segment,
    place: Place,
}

impl Deref for Placed {
    type Target = Segment;

    fn deref(&self) -> &Segment {
        &self.segment
    }
}

fn segments(html: &str) -> Vec<Placed> {
    let page = Page::new("https://www.acme.example/cups/red-cup".parse().unwrap(), html);
    let evidence = Evidence::read(&page);
    let (segments, places) = read(&evidence);
    let place = |segment: &Segment| places.of(segment).unwrap().clone();
    segments.into_iter().map(|segment| Placed { place: place(&segment), segment }).collect()
}

/// The number of a feature.
fn feature(segment: &Placed, name: &str) -> f32 {
    let at = PLACE_FEATURES.iter().position(|known| *known == name).unwrap();
    segment.place.0[at]
}

fn has(segment: &Placed, name: &str) -> bool {
    feature(segment, name) != 0.0
}

/// The segment with this text, and this origin among others.
fn find<'s>(segments: &'s [Placed], text: &str, origin: &str) -> Option<&'s Placed> {
    segments.iter().find(|segment| segment.text == text && has(segment, &format!("from_{origin}")))
}

#[test]
fn values_have_the_labels_that_the_page_gives_them() {
    let rows = [
        ("<p><b>Brand:</b> Acme</p>", "Acme", "brand", LabelKind::Colon),
        ("<dl><dt>Brand<dd>Acme</dl>", "Acme", "brand", LabelKind::Term),
        ("<table><tr><th>Brand<td>Acme</table>", "Acme", "brand", LabelKind::Term),
        ("<p><span>Brand</span><span>Acme</span></p>", "Acme", "brand", LabelKind::Sibling),
        ("<p>Brand:</p><p>Acme</p>", "Acme", "brand", LabelKind::LineAbove),
        ("<p>SKU: 12 | Brand: Acme</p>", "Acme", "brand", LabelKind::Colon),
        ("<p>Brands: <a>Acme</a>, <a>Bolt</a></p>", "Bolt", "brands", LabelKind::Colon),
        ("<p>Last updated <i>4 May 2021</i></p>", "4 May 2021", "last updated", LabelKind::Inline),
        (
            "<h2>Story</h2><p>Made by hand in Delft.</p>",
            "Made by hand in Delft.",
            "story",
            LabelKind::HeadingAbove,
        ),
        ("<img src=/cup.jpg alt='Red cup'>", "/cup.jpg", "red cup", LabelKind::Attribute),
    ];
    for (html, text, words, kind) in rows {
        let found = segments(&format!("<h1>Red cup</h1>{html}"));
        let labelled = found.iter().any(|segment| {
            segment.text == text
                && segment.label.as_ref().is_some_and(|label| label.words == words && label.kind == kind)
        });
        assert!(labelled, "{html}: {found:?}");
    }
    let found = segments("<h1>Red cup</h1><p>Brand:</p>");
    assert!(found.iter().all(|segment| segment.label.is_none()), "a label is no value: {found:?}");
}

#[test]
fn bylines_are_cut_at_their_elements_and_lose_their_first_words() {
    let found = segments("<h1>Tides</h1><p>By <a rel=author href=/people/ada>Ada Holm</a>, 4 May 2021</p>");
    let author = find(&found, "Ada Holm", "element").unwrap();
    assert!(has(author, "link_author") && has(author, "link_same_host") && has(author, "link_has_word"));
    assert!(has(author, "line_has_affix") && feature(author, "bytes_before") > 0.0);
    let date = find(&found, "4 May 2021", "text_node").unwrap();
    assert!(has(date, "whole_date") && has(date, "from_typed") && !has(date, "in_link"));
    let line = find(&found, "By Ada Holm, 4 May 2021", "line").unwrap();
    assert!(has(line, "has_affix") && has(line, "has_date") && !has(line, "whole_date"));
    let bare = segments("<h1>Tides</h1><p>By Ada Holm</p>");
    assert!(find(&bare, "Ada Holm", "affix").is_some(), "{bare:?}");
}

#[test]
fn titles_are_split_and_lose_the_name_of_the_site() {
    let found = segments("<title>Red cup - large | Acme</title><h1>Red cup</h1><p>Red</p>");
    for text in ["Red cup - large | Acme", "Red cup - large", "large", "Acme"] {
        assert!(find(&found, text, "title").is_some(), "{text}: {found:?}");
    }
    let own = find(&found, "Red cup - large", "title").unwrap();
    assert!(has(own, "is_title_without_site") && own.range.is_none());
    assert!(has(find(&found, "Acme", "title").unwrap(), "is_site_name"));
    let heading = find(&found, "Red cup", "element").unwrap();
    assert!(has(heading, "equals_heading") && has(heading, "in_main_heading") && has(heading, "title_part"));
    let other = find(&found, "Red", "element").unwrap();
    assert!(!has(other, "equals_heading") && has(other, "words_in_title") && has(other, "words_in_path"));
}

#[test]
fn the_last_step_of_a_breadcrumb_trail_is_marked() {
    for html in [
        "<div class=my-breadcrumbs><a>Home</a><a>Cups</a><span>Red cup</span></div><h1>Red cup</h1>",
        "<nav><a>Home</a> › <a>Cups</a> › Red cup</nav><h1>Red cup</h1>",
        "<p id=BreadCrumb>Home / Cups / Red cup</p><h1>Red cup</h1>",
    ] {
        let found = segments(html);
        let steps: Vec<(&str, bool)> = found
            .iter()
            .filter(|segment| segment.origin == Origin::Breadcrumb)
            .map(|segment| (segment.text.as_str(), has(segment, "is_last_step")))
            .collect();
        assert_eq!(steps, [("Home", false), ("Cups", false), ("Red cup", true)], "{html}");
    }
    let menu = segments("<nav><a>Home</a> <a>Cups</a></nav><h1>Red cup</h1>");
    assert!(menu.iter().all(|segment| segment.origin != Origin::Breadcrumb));
}

#[test]
fn typed_values_are_found_in_longer_texts() {
    let found = segments(
        "<h1>Talk</h1><p>Doors open on 4 May 2021 and tickets cost 12,50 € each; \
         write to info@acme.example.</p><p>5 June 2021</p>",
    );
    for (text, feature) in
        [("4 May 2021", "whole_date"), ("12,50 €", "whole_money"), ("info@acme.example", "whole_email")]
    {
        let segment = find(&found, text, "typed").unwrap_or_else(|| panic!("{text}: {found:?}"));
        assert!(has(segment, feature), "{text}");
        assert_eq!(segment.range.as_ref().map(Range::len), Some(text.len()));
    }
    let (first, second) = (find(&found, "4 May 2021", "typed"), find(&found, "5 June 2021", "element"));
    let nth = |segment: Option<&Placed>| feature(segment.unwrap(), "type_nth");
    assert!(nth(first) < nth(second), "dates are numbered from the heading on");
}

#[test]
fn attributes_state_values_but_those_of_controls_do_not() {
    let found = segments(
        "<h1>Red cup</h1><time datetime=2021-05-04>yesterday</time><a href='mailto:a@b.example?x'>write</a>\
         <img src=/cup.jpg><img src=/icon.png width=16><div data-product-sku=AB-12 data-theme=7></div>\
         <form><input name=sku value=CD-34 data-sku=CD-34><select data-id=EF-56><option value=9>nine</select>\
         <button data-id=GH-78 title='4.5 out of 5'>Buy</button></form>",
    );
    let stated: Vec<&str> = found
        .iter()
        .filter(|segment| segment.origin == Origin::Attribute)
        .map(|segment| segment.text.as_str())
        .collect();
    assert_eq!(stated, ["2021-05-04", "a@b.example", "/cup.jpg", "AB-12"]);
    assert!(found.iter().all(|segment| segment.text != "nine"), "choices are no values");
}

#[test]
fn longer_texts_are_the_main_text_its_start_and_the_sections() {
    let long = "The cup is thrown by hand and fired twice, so that no two of them are alike.";
    let found = segments(&format!(
        "<nav><p>{long}</p></nav><main><h1>Red cup</h1><p>{long}</p><p>Each of them takes a week to make.</p>\
         <h2>Care</h2><ul><li>Wash by hand</li><li>Dry at once</li></ul><h2>Size</h2><p>Holds a quarter of a \
         litre, or a little more than that.</p></main><div class=product-description>{long} Really.</div>"
    ));
    let text_of = |name: &str| {
        let own: Vec<&Placed> = found.iter().filter(|segment| has(segment, name)).collect();
        own.first().map(|segment| segment.text.clone())
    };
    assert_eq!(text_of("is_first_paragraph").as_deref(), Some(long));
    let main = text_of("is_main_text").unwrap();
    assert!(main.starts_with(long) && main.ends_with("than that."), "{main}");
    assert_eq!(text_of("is_section").as_deref(), Some("Wash by hand\nDry at once"));
    assert_eq!(text_of("is_named_text"), Some(format!("{long} Really.")));
}

#[test]
fn hostile_pages_stay_within_bounds() {
    let rows = [
        "<div>x".repeat(100_000),
        "<p>x</p>".repeat(100_000),
        "<b>a: 1,</b>".repeat(100_000),
        "<h2>a</h2>4 May 2021 ".repeat(30_000),
        format!("<h1>{}</h1>", "a | ".repeat(100_000)),
        format!("<div class=breadcrumb>{}", "a › ".repeat(100_000)),
        format!("<p>{}", "1 € ".repeat(100_000)),
        format!("<dl>{}", "<dt>a<dd>b".repeat(50_000)),
    ];
    for html in rows {
        let found = segments(&html);
        let start: String = html.chars().take(20).collect();
        assert!(found.len() <= MAX_SEGMENTS, "{start}");
        for segment in &found {
            assert!(segment.text.len() <= MAX_TEXT_BYTES || segment.origin == Origin::Paragraphs, "{start}");
            assert!(segment.place.0.iter().all(|value| value.is_finite()), "{start}");
        }
    }
}

#[test]
fn the_name_of_the_site_is_what_several_places_state() {
    let found = segments(
        "<head><title>Red cup | Acme</title><link rel=alternate type=application/rss+xml title='Acme &raquo; Feed'>\
         </head><a href=/><img src=/logo.svg alt='ACME logo'></a><h1>Red cup</h1><p>Bolt</p>\
         <footer>© 2021 Acme Inc. All rights reserved.</footer>",
    );
    let site = find(&found, "Acme", "site_name").unwrap();
    for place in ["site_title", "site_feed", "site_home", "site_logo", "site_copyright", "site_host"] {
        assert!(has(site, place), "{place}");
    }
    assert!(feature(site, "site_lead") > 4.0 && site.range.is_none());
    assert!(!has(find(&found, "Bolt", "element").unwrap(), "site_weight"));
}

#[test]
fn images_that_load_late_and_backgrounds_have_their_addresses() {
    let rows = [
        "<img src='data:image/gif;base64,R0' data-lazy-src=/cup.jpg>",
        "<div style=\"background-image: url('/cup.jpg')\">Cup</div>",
        "<link rel=preload as=image href=/cup.jpg>",
    ];
    for html in rows {
        let found = segments(&format!("<head>{html}</head><h1>Red cup</h1>{html}"));
        assert!(find(&found, "/cup.jpg", "attribute").is_some(), "{html}");
    }
}

#[test]
fn menus_and_footers_far_from_the_heading_have_no_values_but_figures_and_labels() {
    let filler = "<p>Made by hand in a small workshop near the sea, from steel and glass.</p>".repeat(20);
    let html = format!(
        "<h1>Red cup</h1>{filler}<footer><ul><li><a href=/a>Returns</a><li><a href=/b>Careers</a></ul>\
         <p>+49 30 123456</p><dl><dt>Brand<dd>Acme</dl></footer>"
    );
    let found = segments(&html);
    let texts: Vec<&str> = found.iter().map(|segment| segment.text.as_str()).collect();
    assert!(!texts.contains(&"Returns") && !texts.contains(&"Careers"), "{texts:?}");
    assert!(texts.contains(&"+49 30 123456") && texts.contains(&"Acme"), "{texts:?}");
}
