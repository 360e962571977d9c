//! Lists of questions with their answers.

use hashbrown::HashSet;
use std::ops::Range;

use serde_json::{Map, Value};

use super::items::html_range;
use super::outline::text_at;
use super::page_view::PageView;
use super::question::{self, Question};
use crate::bind::entity::{scalar, values};
use crate::bind::page::leaves;
use crate::bind::pool::Candidate;
use crate::bind::records::Record;
use crate::bind::target::TargetField;
use crate::bind::text_nodes::TextNodes;
use crate::bind::words::folded;
use crate::evidence::Evidence;
use crate::markup::{Kind, NodeId, Tree};
use crate::normalise::{fold_spaces, normalise};
use crate::page::Method;
use crate::schema::Field;
use crate::typed::NumberStyle;

/// Score of questions in structured data.
const STATED_SCORE: f64 = 0.85;
/// Score of questions in the page's text.
const SHOWN_SCORE: f64 = 0.6;
/// Upper bound on the questions of a list.
const MAX_QUESTIONS: usize = 500;
/// Names of a list of questions, in folded words.
const LIST_NAMES: &str = "\
    faq|faqs|fa qs|faq list|faq items|questions|question|qa|q a|q as|q and a|question answers|\
    questions and answers|frequently asked questions|fragen|preguntas|perguntas|domande|vragen|otázky|\
    pytania|вопросы|質問|问题|질문";
/// Names of a question.
const QUESTION_NAMES: &str = "\
    question|questions|q|question text|question title|faq question|frage|pregunta|pergunta|domanda|vraag|\
    otázka|pytanie|вопрос|питання|fråga|spørgsmål|spørsmål|soru|質問|問題|问题|질문";
/// Names of an answer.
const ANSWER_NAMES: &str = "\
    answer|answers|a|answer text|faq answer|accepted answer|response|reply|antwort|réponse|respuesta|\
    resposta|risposta|antwoord|odpověď|odpoveď|odpowiedź|ответ|відповідь|svar|cevap|回答|答え|答案|답변";
/// Names of a question in a list of questions.
const TITLE_NAMES: &str = "title|name|heading|headline|topic|header|summary";
/// Names of an answer in a list of questions.
const TEXT_NAMES: &str = "text|content|body|description|details|html|value";
/// Words before a question.
const QUESTION_PREFIXES: &str =
    "q|question|faq|f|frage|p|pregunta|pergunta|d|domanda|v|vraag|в|вопрос|問|질문";
/// Words before an answer.
const ANSWER_PREFIXES: &str =
    "a|answer|antwort|r|réponse|respuesta|resposta|risposta|antwoord|о|ответ|答|답|답변";

/// The fields of a question and of its answer.
struct Fields<'t, 's> {
    question: &'t TargetField<'s>,
    answer: Option<&'t TargetField<'s>>,
}

/// The questions that the page states or shows; empty if the fields do not ask for questions.
pub(super) fn read(view: &PageView<'_, '_>, fields: &[Field], name: &str) -> Vec<Record> {
    let evidence = view.evidence;
    let (targets, _) = leaves(fields);
    let Some(fields) = asked(&targets, name) else { return Vec::new() };
    let stated = stated(evidence, &fields);
    if !stated.is_empty() {
        return stated;
    }
    let questions = question::read(view).into_iter().take(MAX_QUESTIONS);
    questions.filter_map(|one| shown(evidence, view.texts(), &one, &fields)).collect()
}

/// The questions that structured data states; `None` if the fields do not ask for questions.
pub(super) fn stated_for(evidence: &Evidence<'_>, fields: &[Field], name: &str) -> Option<Vec<Record>> {
    let (targets, _) = leaves(fields);
    Some(stated(evidence, &asked(&targets, name)?))
}

/// The fields for questions and answers; `None` if the list asks for something else.
fn asked<'t, 's>(targets: &'t [TargetField<'s>], name: &str) -> Option<Fields<'t, 's>> {
    let named = |names: &str| {
        targets.iter().find(|target| {
            let own = folded(target.name);
            target.scope.is_empty() && is_one_of(names, &own)
        })
    };
    let is_list = is_one_of(LIST_NAMES, &folded(name));
    let (question, answer) = (named(QUESTION_NAMES), named(ANSWER_NAMES));
    let is_pair = is_list || (question.is_some() && answer.is_some());
    let question = question.or_else(|| named(TITLE_NAMES).filter(|_| is_pair || answer.is_some()))?;
    let answer = answer.or_else(|| named(TEXT_NAMES).filter(|_| is_pair));
    let asked = 1 + usize::from(answer.is_some());
    ((is_list || answer.is_some()) && asked * 2 >= targets.len()).then_some(Fields { question, answer })
}

fn is_one_of(names: &str, name: &str) -> bool {
    names.split('|').any(|known| known == name)
}

/// The questions of structured data.
fn stated(evidence: &Evidence<'_>, fields: &Fields<'_, '_>) -> Vec<Record> {
    let mut objects: Vec<(Method, &Map<String, Value>)> = Vec::new();
    for item in evidence.items.iter().filter(|item| item.types.iter().any(|name| name == "FAQPage")) {
        let inner = values(&item.properties, "main entity");
        objects.extend(inner.into_iter().filter_map(|value| Some((item.method, value.as_object()?))));
    }
    if objects.is_empty() {
        let is_question = |names: &[String]| names.iter().any(|name| name == "Question");
        let items = evidence.items.iter().filter(|item| is_question(&item.types));
        objects.extend(items.map(|item| (item.method, &item.properties)));
    }
    let of_path = |object: &Map<String, Value>, paths: &[&str]| {
        let found = paths.iter().find_map(|path| values(object, path).into_iter().find_map(scalar))?;
        Some(plain(&evidence.tree, &found))
    };
    let mut records: Vec<Record> = Vec::new();
    let mut known: HashSet<String> = HashSet::new();
    for (method, object) in objects.into_iter().take(MAX_QUESTIONS) {
        let Some(question) = of_path(object, &["name", "text"]) else { continue };
        // Two notations or two parts of a page may state the same questions.
        if !known.insert(folded(&question)) {
            continue;
        }
        let answer = of_path(object, &["accepted answer.text", "suggested answer.text"]);
        let answer = answer.map(|answer| match answer.strip_prefix(question.as_str()) {
            Some(rest) if rest.contains(char::is_alphanumeric) => rest.trim_start().to_owned(),
            _ => answer,
        });
        let part = |target: &TargetField<'_>, text: String| {
            let value = normalise(&text, target.form, target.shape, NumberStyle::Data)?;
            let candidate = Candidate { value, quote: text, method, score: STATED_SCORE, html_range: None };
            Some((target.pointer.clone(), candidate))
        };
        let Some(question) = part(fields.question, question) else { continue };
        let answer = fields.answer.zip(answer).and_then(|(target, text)| part(target, text));
        records.push(Record { values: std::iter::once(question).chain(answer).collect() });
    }
    records
}

/// A text without the tags that structured data may write.
fn plain(tree: &Tree<'_>, text: &str) -> String {
    if !text.contains(['<', '&']) {
        return text.to_owned();
    }
    fold_spaces(Tree::parse(text, tree.interrupt()).text())
}

/// The record of a question that the page shows.
fn shown(
    evidence: &Evidence<'_>,
    texts: &TextNodes,
    question: &Question,
    fields: &Fields<'_, '_>,
) -> Option<Record> {
    let tree = &evidence.tree;
    let part = |target: &TargetField<'_>, text: &str, html_range: Option<Range<usize>>| {
        let value = normalise(text, target.form, target.shape, NumberStyle::Prose)?;
        let quote = text.to_owned();
        let candidate = Candidate { value, quote, method: Method::Markup, score: SHOWN_SCORE, html_range };
        Some((target.pointer.clone(), candidate))
    };
    let text = without_prefix(text_at(tree, &question.text), QUESTION_PREFIXES);
    let asked = part(fields.question, text, html_range(tree, question.node, &question.text))?;
    let answered = fields.answer.zip(question.answer.as_ref()).and_then(|(target, range)| {
        let text = without_prefix(text_at(tree, range), ANSWER_PREFIXES);
        let within = texts.within(range);
        let html = |at: Option<&(Range<usize>, NodeId)>| match tree.kind(at?.1)? {
            Kind::Text { at, end } => Some(at..end),
            _ => None,
        };
        let ends = html(within.first()).zip(html(within.last()));
        let html_range = ends.map(|(first, last)| first.start..last.end);
        part(target, text, html_range)
    });
    Some(Record { values: std::iter::once(asked).chain(answered).collect() })
}

/// A text without a number or a word such as "Q:" before it.
fn without_prefix<'t>(text: &'t str, words: &str) -> &'t str {
    let word_end = text.find(|found: char| !found.is_alphabetic()).unwrap_or(text.len());
    let (word, after) = text.split_at_checked(word_end).unwrap_or(("", text));
    let digits = after.bytes().take_while(u8::is_ascii_digit).count();
    let behind = after.get(digits..).unwrap_or_default();
    let is_prefix =
        if word.is_empty() { (1..=3).contains(&digits) } else { is_one_of(words, &word.to_lowercase()) };
    let rest = behind.trim_start_matches(['.', ':', ')', '．', '：', '）', '、']);
    let is_marked = rest.len() < behind.len() && !rest.starts_with(|found: char| found.is_ascii_digit());
    if is_prefix && is_marked { rest.trim_start() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Page;
    use crate::schema::Shape;
    use serde_json::json;

    fn questions(html: &str, schema: &Value, name: &str) -> Vec<(String, String)> {
        let page = Page::new("https://site.example/help".parse().unwrap(), html);
        let shape = Shape::from_schema(schema).unwrap();
        let records = read(&PageView::new(&Evidence::read(&page)), shape.fields(), name);
        let text = |record: &Record, at: usize| {
            record.values.get(at).and_then(|(_, value)| value.value.as_str()).unwrap_or_default().to_owned()
        };
        records.iter().map(|record| (text(record, 0), text(record, 1))).collect()
    }

    #[test]
    fn questions_are_read_from_any_markup() {
        let schema = json!({ "properties": {
            "question": { "type": "string" }, "answer": { "type": "string" },
        } });
        let both = [("Is it new?", "Yes, it is."), ("Wie teuer?", "Zehn Euro. Mehr nicht.")];
        let rows: [(&str, &[(&str, &str)]); 12] = [
            (
                "<h2>FAQ</h2><details><summary>Is it new?</summary><p>Yes, it is.</p></details><details>\
                 <summary>Wie teuer?</summary><p>Zehn Euro.</p><p>Mehr nicht.</p></details><p>Call us.</p>",
                &both,
            ),
            (
                "<h2>Häufige Fragen</h2><h3>Is it new?</h3><p>Yes, it is.</p><h3>Wie teuer?</h3>\
                 <p>Zehn Euro.</p><p>Mehr nicht.</p><h2>Kontakt</h2><p>Hier.</p>",
                &both,
            ),
            (
                "<div class=faq><dl><dt>Is it new?<dd>Yes, it is.<dt>Wie teuer?<dd>Zehn Euro. Mehr nicht.\
                 </dl></div>",
                &both,
            ),
            (
                "<div class='accordion'><div><h3><button aria-expanded=false>Is it new? <i>+</i></button>\
                 </h3><div><p>Yes, it is.</p></div></div><div><h3><button aria-expanded=false>Wie teuer? \
                 <i>+</i></button></h3><div><p>Zehn Euro. Mehr nicht.</p></div></div></div>",
                &both,
            ),
            (
                "<h3>Frequently asked questions</h3><p><b>Q1. Is it new?</b></p><p>A: Yes, it is.</p>\
                 <p><b>Q2. Wie teuer?</b></p><p>A: Zehn Euro. Mehr nicht.</p>",
                &both,
            ),
            (
                "<h2>よくある質問</h2><ul><li><b>新しいですか？</b><br>はい、新品です。<li><b>いくらですか？</b><br>十ユーロ。</ul>",
                &[("新しいですか？", "はい、新品です。"), ("いくらですか？", "十ユーロ。")],
            ),
            (
                "<h2>FAQ</h2><h3>Is it new?</h3><p>Yes, it is.</p><h3>Wie teuer?</h3><p>Zehn Euro. Mehr \
                 nicht.</p><h3>Ready to buy?</h3><p><a href=/buy>Go to the shop</a></p>",
                &both,
            ),
            (
                "<h3>Is it old?</h3><p>No.</p><h3>Is it far?</h3><p>It is.</p><p>FAQ</p><h4>Is it new?</h4>\
                 <p>Yes, it is.</p><h4>Wie teuer?</h4><p>Zehn Euro. Mehr nicht.</p>",
                &both,
            ),
            (
                "<div class=faq><details><summary>How we work</summary>Well.</details><details><summary>\
                 Is it new?</summary>Yes, it is.</details><details><summary>Wie teuer?</summary>\
                 Zehn Euro. Mehr nicht.</details></div>",
                &both,
            ),
            ("<h2>News</h2><p>Is it new?</p><p>Yes.</p><p>Wie teuer?</p><p>Nein.</p>", &[]),
            (
                "<div class=accordion><details><summary>Shipping</summary><p>Fast.</p></details><details>\
                 <summary>Returns</summary><p>Free.</p></details></div>",
                &[],
            ),
            (
                "<script type=application/ld+json>{\"@type\":\"FAQPage\",\"mainEntity\":[{\"@type\":\
                 \"Question\",\"name\":\"Is it new?\",\
                 \"acceptedAnswer\":{\"text\":\"<p>Yes, it is.</p>\"}}]}</script>",
                &[("Is it new?", "Yes, it is.")],
            ),
        ];
        for (html, expected) in rows {
            let found = questions(html, &schema, "faq");
            let found: Vec<(&str, &str)> =
                found.iter().map(|(one, two)| (one.as_str(), two.as_str())).collect();
            assert_eq!(found, expected, "{html}");
        }
    }

    #[test]
    fn only_lists_of_questions_are_filled() {
        let html = "<h2>FAQ</h2><details><summary>Is it new?</summary>Yes, it is.</details><details><summary>\
                    Why?</summary>So.</details>";
        let schema = json!({ "properties": { "title": { "type": "string" }, "text": { "type": "string" } } });
        assert_eq!(questions(html, &schema, "faqs").len(), 2);
        assert!(questions(html, &schema, "news").is_empty());
    }
}
