//! Lists that a page shows: ingredients, steps, keywords, images; questions with their answers, reviews.
//!
//! A list is chosen by what names it: the heading or the label above it, its classes and ids, the relation of
//! its links. What its items look like decides whether it can be that list at all. Several lists that fit
//! equally well mean that the page shows many things, and then none is taken.

mod choice;
mod faq;
mod gallery;
mod image_key;
mod items;
mod labelled;
mod lists;
mod outline;
mod page_view;
mod question;
mod rating;
mod review;
mod stated;
mod subject;
mod trail;
mod vocabulary;

pub(crate) use page_view::PageView;

use std::ops::Range;

use serde_json::Value;

use self::items::html_range;
use self::outline::text_at;
use self::rating::MIN_SCORE;
use self::subject::Subject;
use self::vocabulary::ItemKind;
use super::pool::Choice;
use super::records::Record;
use super::target::TargetField;
use crate::evidence::Evidence;
use crate::normalise::normalise;
use crate::page::Method;
use crate::schema::Field;
use crate::typed::NumberStyle;

/// Upper bound on the values of a list.
const MAX_LIST: usize = 100;

/// A value of a list, with its proof.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ListedValue {
    pub(crate) value: Value,
    /// The page's own words.
    pub(crate) quote: String,
    /// Its range in the HTML, if known.
    pub(crate) html_range: Option<Range<usize>>,
    /// How likely the list is the one asked for, 0 to 1; the same for all its values.
    pub(crate) score: f64,
    pub(crate) method: Method,
}

/// A list before its values are normalised.
#[derive(Debug)]
struct FoundList {
    score: f64,
    method: Method,
    items: Vec<FoundItem>,
}

#[derive(Debug)]
struct FoundItem {
    text: String,
    quote: String,
    html_range: Option<Range<usize>>,
}

/// The plain values that a page shows for a list, in page order; empty if no list fits well enough. `target`
/// is a single value of the list.
pub(crate) fn plain(view: &PageView<'_, '_>, field_name: &str, target: &TargetField<'_>) -> Vec<ListedValue> {
    let Some(subject) = Subject::new(field_name, target) else { return Vec::new() };
    let found = match subject.kind {
        ItemKind::Images => gallery::read(view),
        ItemKind::Trail => trail::read(view.evidence),
        _ => on_page(view, &subject),
    };
    let Some(found) = found.filter(|found| found.score >= MIN_SCORE) else { return Vec::new() };
    let all = found.items.len().min(MAX_LIST);
    let values: Vec<ListedValue> = found
        .items
        .into_iter()
        .take(MAX_LIST)
        .filter_map(|item| {
            Some(ListedValue {
                value: normalise(&item.text, target.form, target.shape, NumberStyle::Prose)?,
                quote: item.quote,
                html_range: item.html_range,
                score: found.score,
                method: found.method,
            })
        })
        .collect();
    // A list whose items are mostly of another type is another list.
    if values.len() * 2 > all { values } else { Vec::new() }
}

/// The list of a property in lists, labelled texts and tables. Between equals a list comes first.
fn on_page(view: &PageView<'_, '_>, subject: &Subject) -> Option<FoundList> {
    let tree = &view.evidence.tree;
    let listed = choice::choose(view, subject).map(|(score, items)| FoundList {
        score,
        method: Method::Markup,
        items: items
            .into_iter()
            .map(|item| FoundItem {
                html_range: html_range(tree, item.node, &item.range),
                quote: text_at(tree, &item.range).to_owned(),
                text: item.text,
            })
            .collect(),
    });
    let labelled = labelled::read(view, subject);
    let best = match (listed, labelled) {
        (Some(listed), Some(labelled)) if labelled.score > listed.score => Some(labelled),
        (listed, labelled) => listed.or(labelled),
    };
    let categories = || trail::categories(view.evidence);
    best.or_else(|| (subject.kind == ItemKind::Categories).then(categories).flatten())
}

/// The terms of a text that states a whole list of short terms, such as `keywords` in JSON-LD; `None` if the
/// property asks for another kind of list or the text is one term.
pub(crate) fn stated_terms<'t>(
    field_name: &str,
    target: &TargetField<'_>,
    stated: &'t str,
) -> Option<Vec<&'t str>> {
    let subject = Subject::new(field_name, target)?;
    if !matches!(subject.kind, ItemKind::Keywords | ItemKind::Categories) {
        return None;
    }
    let terms = labelled::parts(stated);
    (terms.len() > 1).then_some(terms)
}

/// The values that structured data states for a list, each once. `target` is a single value of the list.
pub(crate) fn settled(field_name: &str, target: &TargetField<'_>, choices: Vec<Choice>) -> Vec<Choice> {
    stated::settled(field_name, target, choices)
}

/// The questions with their answers that structured data states; `None` if the fields do not ask for
/// questions.
pub(crate) fn stated_questions(evidence: &Evidence<'_>, fields: &[Field], name: &str) -> Option<Vec<Record>> {
    faq::stated_for(evidence, fields, name)
}

/// The objects that a page shows for a list: questions with their answers, or reviews. Empty if the fields
/// ask for neither, or nothing fits well enough.
pub(crate) fn pairs(view: &PageView<'_, '_>, fields: &[Field], name: &str) -> Vec<Record> {
    let questions = faq::read(view, fields, name);
    if questions.is_empty() { review::read(view, fields, name) } else { questions }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Page;
    use crate::schema::Shape;
    use gleaner_types::Interrupt;
    use serde_json::json;

    fn found(name: &str, view: &PageView<'_, '_>) -> Vec<ListedValue> {
        let shape = Shape::from_schema(&json!({ "type": "string" })).unwrap();
        let field = Field { name: name.to_owned(), shape, required: false };
        plain(view, name, &TargetField::new(String::new(), Vec::new(), &field))
    }

    fn values(name: &str, html: &str) -> Vec<Value> {
        let page = Page::new("https://site.example/cakes/apple".parse().unwrap(), html);
        let evidence = Evidence::read(&page);
        let found = found(name, &PageView::new(&evidence));
        for value in &found {
            let range = value.html_range.clone();
            let proof = range.map_or(value.quote.as_str(), |range| html.get(range).unwrap());
            assert!(!proof.is_empty(), "{value:?}");
        }
        found.into_iter().map(|found| found.value).collect()
    }

    /// The units of work to read a list and the questions of a page.
    fn work(html: String) -> u64 {
        let fields = Shape::from_schema(&json!({ "properties": {
            "question": { "type": "string" }, "answer": { "type": "string" },
        } }))
        .unwrap();
        let interrupt = Interrupt::armed();
        let page = Page::new("https://site.example/".parse().unwrap(), html).with_interrupt(&interrupt);
        let evidence = Evidence::read(&page);
        let before = interrupt.spent();
        let view = PageView::new(&evidence);
        assert!(found("ingredients", &view).len() <= MAX_LIST);
        pairs(&view, fields.fields(), "faq");
        interrupt.spent() - before
    }

    /// A page with menus, shared links and other recipes around a part.
    fn page(part: &str) -> String {
        format!(
            "<title>Apple cake</title><nav><ul><li><a href=/ingredients>Ingredients</a><li><a href=/tags>\
             Tags</a><li><a href=/method>Method</a></ul></nav><main><h1>Apple cake</h1><p>A cake that all \
             like, baked in an hour from what the garden gives in autumn.</p>{part}<ul class=share><li>\
             <a href=/s>Share</a><li><a href=/p>Print</a></ul></main><section><h2>Related recipes</h2><ul>\
             <li><a href=/1>2 plum cakes</a><li><a href=/2>3 pear pies</a></ul></section><footer><h4>Tags</h4>\
             <ul><li><a href=/tags/a>a</a><li><a href=/tags/b>b</a></ul></footer>"
        )
    }

    #[test]
    fn plain_lists_are_found_by_what_names_them() {
        let rows: [(&str, &str, &[&str]); 22] = [
            (
                "ingredients",
                "<h2>Ingredients</h2><ul><li>2 apples<li>100 g flour</ul>",
                &["2 apples", "100 g flour"],
            ),
            (
                "ingredients",
                "<h3>Zutaten</h3><h4>Für den Teig</h4><ul><li>100 g Mehl<li>2 Eier</ul><h4>Für den Belag</h4>\
                 <ul><li>3 Äpfel<li>Zimt</ul><h3>Zubereitung</h3><ol><li>Alles gut mischen.<li>Backen.</ol>",
                &["100 g Mehl", "2 Eier", "3 Äpfel", "Zimt"],
            ),
            (
                "instructions",
                "<h3>Zutaten</h3><ul><li>100 g Mehl<li>2 Eier</ul><h3>Zubereitung</h3><ol>\
                 <li>Alles gut mischen.<li>Eine Stunde backen.</ol>\
                 <h3>Tipps</h3><ul><li>Mit Sahne servieren.<li>Warm essen.</ul>",
                &["Alles gut mischen.", "Eine Stunde backen."],
            ),
            (
                "recipe_ingredients",
                "<p><strong>Ingrédients :</strong><br>2 pommes<br>100 g de farine<br>1 œuf</p>",
                &["2 pommes", "100 g de farine", "1 œuf"],
            ),
            (
                "ingredients",
                "<div class=recipe-ingredients><div class=row>2 apples</div><div class=row>1 egg</div>\
                 <div class=row>Advertisement</div><div class=row>3 g salt</div></div>",
                &["2 apples", "1 egg", "3 g salt"],
            ),
            (
                "ingredients",
                "<h2>材料（2人分）</h2><ul><li>りんご 2個<li>卵 1個</ul>",
                &["りんご 2個", "卵 1個"],
            ),
            ("ingredients", "<h2>Our shops</h2><ul><li>2 in Rome<li>1 in Oslo</ul>", &[]),
            (
                "steps",
                "<h2>Приготовление</h2><p>1. Нарежьте яблоки тонкими ломтиками.</p><p>\
                 2. Смешайте муку и яйца.</p><p>3. Выпекайте один час.</p>",
                &["Нарежьте яблоки тонкими ломтиками.", "Смешайте муку и яйца.", "Выпекайте один час."],
            ),
            (
                "keywords",
                "<footer>Filed in <a href=/c rel='category tag'>Cakes</a> Tagged <a href=/t/x rel=tag>\
                 Apples</a>, <a href=/t/y rel=tag>Autumn</a></footer>",
                &["Apples", "Autumn"],
            ),
            ("tags", "<p>Tags: apples, autumn, cakes</p>", &["apples", "autumn", "cakes"]),
            (
                "tags",
                "<dl><dt>Etiquetas<dd><a href=/1>manzana</a> <a href=/2>otoño</a></dl>",
                &["manzana", "otoño"],
            ),
            ("tags", "<p>Some text without any.</p>", &[]),
            ("tags", "<p><a rel=tag href=/category/cakes/>Cakes</a></p>", &[]),
            ("tags", "<p>Category: <a rel=tag href=/cakes>Cakes</a></p>", &[]),
            (
                "tags",
                "<blockquote>Look <a href='https://posts.example/tag/x'>#x</a> \
                 <a href='https://posts.example/tag/y'>#y</a></blockquote>",
                &[],
            ),
            (
                "performers",
                "<h3>Line-up</h3><p>Ada Holm<br>Bo Lind</p><p><a href=#>Save</a> <a href=#>Now</a></p>",
                &["Ada Holm", "Bo Lind"],
            ),
            (
                "features",
                "<div id=key-features><h3>Key features</h3><ul><li>Light<li>Strong</ul></div>",
                &["Light", "Strong"],
            ),
            (
                "performers",
                "<h3>Line-up</h3><ul><li><h4>Ada Holm</h4><p>Voice<li><h4>Bo Lind</h4><p>Harp</ul>",
                &["Ada Holm", "Bo Lind"],
            ),
            (
                "skills",
                "<table><tr><th>Skills<th>Level<tr><td>Baking<td>3<tr><td>Sales<td>1</table>",
                &["Baking", "Sales"],
            ),
            ("side_effects", "<h2>Side effects</h2><ul><li>Headache<li>Nausea</ul>", &["Headache", "Nausea"]),
            (
                "breadcrumbs",
                "<ol class=breadcrumb><li><a href=/>Home</a><li><a href=/cakes/>Cakes</a></ol>",
                &["Home", "Cakes"],
            ),
            ("items", "<h2>Items</h2><ul><li>a<li>b</ul>", &[]),
        ];
        for (name, part, expected) in rows {
            assert_eq!(values(name, &page(part)), expected, "{name}: {part}");
        }
    }

    #[test]
    fn a_page_about_many_things_gives_no_list() {
        let card = |at: usize| {
            format!(
                "<div class=card><h2>Cake {at}</h2><h3>Ingredients</h3><ul><li>{at} eggs<li>{at} g salt</ul>\
                 <p>{}</p></div>",
                "Words about it. ".repeat(200)
            )
        };
        let html: String = (1..=4).map(card).collect();
        assert!(values("ingredients", &html).is_empty());
    }

    #[test]
    fn hostile_lists_cost_no_more_than_their_size() {
        type Page = fn(usize) -> String;
        let pages: [(usize, Page); 6] = [
            (10_000, |size| "<ul class=ingredients><li>1 egg".repeat(size)),
            (50_000, |size| format!("<h2>Ingredients</h2><ul>{}</ul>", "<li>1 egg".repeat(size))),
            (10_000, |size| "<h2>Ingredients</h2><ul><li>1 egg<li>2 eggs</ul>".repeat(size)),
            (50_000, |size| format!("<h2>Ingredients</h2><p>{}", "1 egg<br>".repeat(size))),
            (25_000, |size| "<h3>Why?</h3>".repeat(size)),
            // Each question occurs twice, with all the others in between.
            (500, |size| {
                let all: String = (0..size).map(|at| format!("<p class=q{at}><b>Why?</b></p>")).collect();
                all.repeat(2)
            }),
        ];
        for (size, page) in pages {
            let (once, twice) = (work(page(size)), work(page(2 * size)));
            assert!(twice <= 3 * once, "{once} and {twice} units: {:.80}", page(1));
        }
    }
}
