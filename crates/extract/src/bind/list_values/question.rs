//! Questions that a page shows with their answers.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use hashbrown::{HashMap, HashSet};
use std::ops::{Range, RangeInclusive};

use super::outline::{label_before, rank, text_at, trimmed};
use super::page_view::PageView;
use crate::bind::element_names::names_of;
use crate::bind::phrases::PhraseSet;
use crate::bind::text_nodes::TextNodes;
use crate::evidence::Evidence;
use crate::markup::{NodeId, Tree};
use crate::plan::to_f64;

/// Lower bound on the score of a group of questions.
const MIN_SCORE: f64 = 0.5;
/// Upper bound on the questions of a page.
const MAX_QUESTIONS: usize = 2_000;
/// Shortest and longest question, in bytes.
const QUESTION_BYTES: RangeInclusive<usize> = 4..=300;
/// Longest answer, in bytes.
const MAX_ANSWER_BYTES: usize = 10_000;
/// Upper bound on the nodes that follow a question as its answer; more are the rest of the page.
const MAX_ANSWER_SIBLINGS: usize = 200;
/// Upper bound on the elements around a question that may name or mark it.
const MAX_CLIMB: usize = 8;
/// Longest heading of a part with questions, in words.
const MAX_HEADING_WORDS: usize = 9;
/// Longest line above questions that names them, in words.
const MAX_LABEL_WORDS: usize = 4;
/// Difference in bytes up to which a control is all of an answer.
const MAX_CONTROL_REST: usize = 4;
/// Signs that open and close an answer, which stand behind a question.
const CONTROL_SIGNS: &str = "+-–−×✕▾▼▲⌄⌃›>»↓↑";
/// Words in the classes and ids of parts with questions.
const PART_NAMES: [&str; 9] =
    ["faq", "faqs", "question", "questions", "accordion", "accordions", "qa", "qna", "faqpage"];
/// Headings of parts with questions, in lower case.
const HEADINGS: &[&str] = &[
    "faq",
    "faqs",
    "fa qs",
    "frequently asked questions",
    "common questions",
    "questions and answers",
    "häufige fragen",
    "häufig gestellte fragen",
    "fragen und antworten",
    "questions fréquentes",
    "foire aux questions",
    "questions réponses",
    "preguntas frecuentes",
    "perguntas frequentes",
    "domande frequenti",
    "domande e risposte",
    "veelgestelde vragen",
    "veel gestelde vragen",
    "často kladené otázky",
    "časté dotazy",
    "často kladené dotazy",
    "časté otázky",
    "najczęściej zadawane pytania",
    "częste pytania",
    "pytania i odpowiedzi",
    "gyakori kérdések",
    "gyakran ismételt kérdések",
    "întrebări frecvente",
    "često postavljana pitanja",
    "pogosta vprašanja",
    "частые вопросы",
    "часто задаваемые вопросы",
    "вопросы и ответы",
    "часті запитання",
    "поширені запитання",
    "често задавани въпроси",
    "vanliga frågor",
    "frågor och svar",
    "ofte stillede spørgsmål",
    "ofte stilte spørsmål",
    "usein kysytyt kysymykset",
    "usein kysyttyä",
    "sıkça sorulan sorular",
    "sık sorulan sorular",
    "συχνές ερωτήσεις",
    "よくある質問",
    "よくあるご質問",
    "常见问题",
    "常見問題",
    "자주 묻는 질문",
    "שאלות נפוצות",
    "الأسئلة الشائعة",
    "سوالات متداول",
    "pertanyaan umum",
    "câu hỏi thường gặp",
];

/// A question of a page.
#[derive(Debug, Clone)]
pub(super) struct Question {
    /// The smallest element with the question.
    pub(super) node: NodeId,
    /// Its range in [`Tree::text`].
    pub(super) text: Range<usize>,
    /// The range of its answer, if it is visible.
    pub(super) answer: Option<Range<usize>>,
    /// Whether it ends with a question mark.
    asks: bool,
    /// Whether it is a heading or in bold.
    is_heading: bool,
    /// Whether it opens its answer.
    is_control: bool,
    /// Whether a heading above it or a class around it says that there are questions.
    is_named: bool,
    /// Whether its answer starts with the question again: it is a copy of the one that has the answer.
    is_copy: bool,
}

static PHRASE_SET: LazyLock<PhraseSet> = LazyLock::new(|| PhraseSet::new(HEADINGS));

/// The questions with the same markup that are most likely the page's; empty if there are fewer than two.
pub(super) fn read(view: &PageView<'_, '_>) -> Vec<Question> {
    let tree = &view.evidence.tree;
    let mut best: Vec<Question> = Vec::new();
    let mut best_score = MIN_SCORE;
    for mut group in groups(view).into_values() {
        name_below_label(tree, &mut group);
        let mut group = kept(group);
        if group.len() < 2 {
            continue;
        }
        answer(tree, &mut group);
        drop_calls(tree, view.texts(), &mut group);
        if group.len() < 2 {
            continue;
        }
        let all = to_f64(group.len());
        let share =
            |is: fn(&Question) -> bool| to_f64(group.iter().filter(|question| is(question)).count()) / all;
        let answered = share(|question| question.answer.is_some());
        let is_control = share(|question| question.is_control) > 0.5;
        let is_heading = share(|question| question.is_heading) > 0.5;
        if answered < 0.5 && !is_control {
            continue;
        }
        let weight = |is: bool, weight: f64| if is { weight } else { 0.0 };
        let score = 0.35 * share(|question| question.is_named)
            + weight(is_control, 0.2)
            + weight(is_heading, 0.2)
            + 0.15 * share(|question| question.asks)
            + 0.1 * answered
            + weight(group.len() > 2, 0.1)
            - 0.2 * share(|question| question.is_copy);
        if score > best_score || (score >= best_score && group.len() > best.len()) {
            (best, best_score) = (group, score);
        }
    }
    best
}

/// Names the questions of a group from the first one on that stands right below a line such as "FAQ".
fn name_below_label(tree: &Tree<'_>, group: &mut [Question]) {
    let is_labelled = |question: &Question| {
        label_before(tree, question.text.start).is_some_and(|line| PHRASE_SET.matches(line, MAX_LABEL_WORDS))
    };
    if let Some(first) = group.iter().position(is_labelled) {
        group.iter_mut().skip(first).for_each(|question| question.is_named = true);
    }
}

/// Drops questions that a link or a button alone follows, as in "Ready to start? Contact us", and an answer
/// that most questions share, which is such a control too.
fn drop_calls(tree: &Tree<'_>, texts: &TextNodes, questions: &mut Vec<Question>) {
    let is_call = |range: &Range<usize>| {
        let Some(node) = smallest(tree, texts, range) else { return false };
        let around = std::iter::once(node).chain(tree.ancestors(node)).take(MAX_CLIMB);
        let is_whole =
            |node: &NodeId| trimmed(tree, tree.text_range(*node)).len() <= range.len() + MAX_CONTROL_REST;
        around.take_while(is_whole).any(|node| tree.is(node, &["a", "button"]))
    };
    questions.retain(|question| !question.answer.as_ref().is_some_and(is_call));
    let mut known: HashMap<&str, usize> = HashMap::new();
    for range in questions.iter().filter_map(|question| question.answer.as_ref()) {
        *known.entry(text_at(tree, range)).or_default() += 1;
    }
    let shared = known.into_iter().find(|(_, count)| *count > 1 && count * 2 > questions.len());
    let Some((shared, _)) = shared else { return };
    for question in questions {
        question.answer = question.answer.take().filter(|range| text_at(tree, range) != shared);
    }
}

/// Those of a group that are questions, or topics between questions that open like most of them. Topics
/// before and after all questions are other parts of the page.
fn kept(group: Vec<Question>) -> Vec<Question> {
    let asking = group.iter().filter(|question| question.asks).count();
    let is_most = asking * 2 >= group.len();
    let is_kept = |question: &Question| {
        let is_marked = question.is_heading || question.is_control || question.is_named;
        is_marked && (question.asks || (question.is_control && is_most))
    };
    let mut kept: Vec<Question> = group.into_iter().filter(is_kept).collect();
    if kept.iter().filter(|question| question.is_named).count() > 1 {
        kept.retain(|question| question.is_named);
    }
    kept.truncate(kept.iter().rposition(|question| question.asks).map_or(0, |last| last + 1));
    kept.into_iter().skip_while(|question| !question.asks).collect()
}

/// The lines that may be questions, by the name and the first class of their elements.
fn groups<'a>(view: &PageView<'_, 'a>) -> BTreeMap<(&'a str, &'a str), Vec<Question>> {
    let evidence = view.evidence;
    let tree = &evidence.tree;
    let mut lines: BTreeMap<usize, Range<usize>> = BTreeMap::new();
    let mut start = 0;
    for line in tree.text().split_inclusive('\n') {
        if tree.interrupt().spend(1) {
            break;
        }
        let range = without_signs(tree, start..start + line.len());
        start += line.len();
        if asks(text_at(tree, &range)) {
            lines.insert(range.start, range);
        }
    }
    for node in tree.nodes() {
        let length = tree.text_of(node).len();
        if QUESTION_BYTES.contains(&length) && !tree.is_hidden(node) && opens(tree, node) {
            let range = without_signs(tree, tree.text_range(node));
            lines.entry(range.start).or_insert(range);
        }
    }
    let (outline, unrelated, texts) = (view.outline(), view.evidence.unrelated(), view.texts());
    let mut groups: BTreeMap<(&'a str, &'a str), Vec<Question>> = BTreeMap::new();
    let fitting = lines
        .into_values()
        .filter(|range| QUESTION_BYTES.contains(&range.len()) && !text_at(tree, range).contains('\n'));
    for range in fitting.take(MAX_QUESTIONS) {
        let Some(node) = smallest(tree, texts, &range) else { continue };
        let is_menu = |node: NodeId| tree.is(node, &["nav", "select"]);
        if unrelated.in_related_section(node) || tree.ancestors(node).any(is_menu) {
            continue;
        }
        let mut question = Question {
            node,
            asks: asks(text_at(tree, &range)),
            text: range,
            answer: None,
            is_heading: false,
            is_control: false,
            is_named: false,
            is_copy: false,
        };
        mark(evidence, &mut question);
        question.is_named = question.is_named
            || outline
                .above(node)
                .any(|heading| PHRASE_SET.matches(text_at(tree, &heading.text), MAX_HEADING_WORDS));
        groups.entry(markup(tree, &question)).or_default().push(question);
    }
    groups
}

/// Whether an element opens another one or is a term with its definition.
fn opens(tree: &Tree<'_>, node: NodeId) -> bool {
    tree.is(node, &["summary", "dt"])
        || tree.attributes(node).iter().copied().any(|(key, value)| {
            ["aria-expanded", "aria-controls"].iter().any(|known| key.eq_ignore_ascii_case(known))
                || (key.eq_ignore_ascii_case("class") && value.contains("question"))
        })
}

fn asks(text: &str) -> bool {
    text.ends_with(['?', '？', '؟', '՞', '\u{37e}'])
}

/// A range without white space at its ends and without signs of controls behind it.
fn without_signs(tree: &Tree<'_>, range: Range<usize>) -> Range<usize> {
    let range = trimmed(tree, range);
    let text = text_at(tree, &range);
    let text = text.trim_end_matches(|found: char| found.is_whitespace() || CONTROL_SIGNS.contains(found));
    range.start..range.start + text.len()
}

/// The smallest element that contains a range of the visible text.
pub(super) fn smallest(tree: &Tree<'_>, texts: &TextNodes, range: &Range<usize>) -> Option<NodeId> {
    let within = texts.within(range);
    let (_, first) = within.first()?;
    let (last, _) = within.last()?;
    tree.ancestors(*first).find(|node| tree.text_range(*node).end >= last.end)
}

/// Whether an element contains a question and nothing else that is read.
fn is_all(tree: &Tree<'_>, node: NodeId, text: &Range<usize>) -> bool {
    let own = trimmed(tree, tree.text_range(node));
    let behind = tree.text().get(text.end..own.end);
    own.start == text.start && behind.is_some_and(|behind| !behind.contains(char::is_alphanumeric))
}

/// Sets what the elements around a question say about it.
fn mark(evidence: &Evidence<'_>, question: &mut Question) {
    let tree = &evidence.tree;
    let around = std::iter::once(question.node).chain(tree.ancestors(question.node)).take(MAX_CLIMB);
    for node in around {
        if is_all(tree, node, &question.text) {
            question.is_heading |= rank(tree, node).is_some() || tree.is(node, &["b", "strong", "dt"]);
            question.is_control |= opens(tree, node) || tree.is(node, &["button"]);
        }
        let is_part = || names_of(evidence, node).flatten().any(|word| PART_NAMES.contains(&word.as_str()));
        question.is_named = question.is_named || is_part();
    }
}

/// The name and the first class of a question's element, outside spans without a class.
fn markup<'a>(tree: &Tree<'a>, question: &Question) -> (&'a str, &'a str) {
    let class = |node: NodeId| -> &'a str {
        let mut classes =
            tree.attributes(node).iter().copied().filter(|(key, _)| key.eq_ignore_ascii_case("class"));
        classes.next().and_then(|(_, value)| value.split_ascii_whitespace().next()).unwrap_or_default()
    };
    let mut node = question.node;
    while tree.is(node, &["span", "b", "strong", "em", "i", "u", "font", "a"])
        && class(node).is_empty()
        && let Some(parent) = tree.parent(node)
        && is_all(tree, parent, &question.text)
    {
        node = parent;
    }
    (tree.name(node), class(node))
}

/// Finds the answers of questions in page order: what follows a question in its own part or, if that is the
/// question alone, what follows the part.
fn answer(tree: &Tree<'_>, questions: &mut [Question]) {
    let nodes: Vec<NodeId> = questions.iter().map(|question| question.node).collect();
    let mut kinds: HashSet<(&str, String)> = HashSet::new();
    for (at, question) in questions.iter_mut().enumerate() {
        let before = at.checked_sub(1).and_then(|before| nodes.get(before)).copied();
        let after = nodes.get(at + 1).copied();
        let holds = |node: NodeId, other: Option<NodeId>| {
            other.is_some_and(|other| node <= other && other < tree.end(node))
        };
        let mut part = question.node;
        while let Some(parent) = tree.parent(part)
            && !holds(parent, before)
            && !holds(parent, after)
        {
            part = parent;
        }
        let inside = without_opening(tree, question.text.end..tree.text_range(part).end);
        let range = if inside.is_empty() {
            let own = rank(tree, question.node);
            let parent_end = tree.parent(part).map_or(NodeId(u32::MAX), |parent| tree.end(parent));
            let mut found: Option<Range<usize>> = None;
            let mut siblings = 0;
            let mut next = tree.end(part);
            while next < parent_end && !holds(next, after) && !tree.interrupt().spend(1) {
                let is_section = rank(tree, next).is_some_and(|other| other <= own.unwrap_or(3));
                if is_section || siblings > MAX_ANSWER_SIBLINGS {
                    break;
                }
                let class = tree.attribute(next, "class").unwrap_or_default();
                let class = class.split_ascii_whitespace().next().unwrap_or_default().to_owned();
                let kind = (tree.name(next), class);
                // Behind the last answer may follow anything.
                if after.is_none() && !kinds.contains(&kind) {
                    break;
                }
                kinds.insert(kind);
                let text = trimmed(tree, tree.text_range(next));
                if !text.is_empty() {
                    found = Some(found.map_or(text.start, |known| known.start)..text.end);
                }
                next = tree.end(next);
                siblings += 1;
            }
            found.filter(|_| siblings <= MAX_ANSWER_SIBLINGS).map(|found| without_opening(tree, found))
        } else {
            Some(inside)
        };
        let asked = text_at(tree, &question.text);
        let range = range.map(|range| {
            let Some(rest) = text_at(tree, &range).strip_prefix(asked) else { return range };
            question.is_copy = true;
            without_opening(tree, range.end - rest.len()..range.end)
        });
        question.answer = range.filter(|range| (2..=MAX_ANSWER_BYTES).contains(&range.len()));
    }
}

/// A range from its first letter or digit on; empty if it has none.
fn without_opening(tree: &Tree<'_>, range: Range<usize>) -> Range<usize> {
    let range = trimmed(tree, range);
    let text = tree.text().get(range.clone()).unwrap_or_default();
    let is_opening = |found: char| found.is_whitespace() || CONTROL_SIGNS.contains(found);
    let rest = text.trim_start_matches(is_opening);
    let length = if rest.contains(char::is_alphanumeric) { rest.len() } else { 0 };
    range.end - length..range.end
}
