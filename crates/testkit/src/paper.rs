//! A generated newspaper. Its articles stand between furniture: teasers that change from page to page, boxes
//! of many shapes with the same texts, and a notice. Few names of elements tell them from the article, so one
//! page alone does not show what is furniture.

use std::io;

use crate::hostile::{HostilePage, PageServer};
use crate::site::prose;
use crate::site::random::Random;

/// Articles that other pages show as teasers.
const POOL: usize = 40;

/// Teasers of an article: two in the text, five after it, and five beside it.
const TEASERS: usize = 12;

/// Articles that the front page lists.
const FRONT_ITEMS: usize = 60;

const SECTIONS: [&str; 4] = ["Harbour", "Workshops", "Roads", "Records"];

/// The texts of the boxes, one on each article.
const APPEALS: [&str; 3] = [
    "Get the weekly letter with the best stories of the county, every Friday in your inbox",
    "Do you like what you read here? Our letter brings five new entries each week to nine thousand readers",
    "This paper has no owner but its readers, who pay four pounds a month to keep it open to all",
];

const NOTICE: &str =
    "All texts of this paper may be shared if the paper and the author are named, and not for money";

const MORE: &str = "More from the paper";

/// A page of a [`Paper`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaperPage {
    /// Its path.
    pub path: String,
    /// It lists articles, which are its content.
    pub is_list: bool,
    /// Texts of its main content.
    pub content: Vec<String>,
    /// Texts of its furniture. Lists have none.
    pub furniture: Vec<String>,
}

impl PaperPage {
    /// The share of the content that a text has.
    #[must_use]
    pub fn recall(&self, text: &str) -> f64 {
        share(&self.content, text)
    }

    /// The share of the furniture that a text has.
    #[must_use]
    pub fn leak(&self, text: &str) -> f64 {
        share(&self.furniture, text)
    }
}

fn share(wanted: &[String], text: &str) -> f64 {
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let found = wanted.iter().filter(|part| flat.contains(part.as_str())).count();
    found as f64 / wanted.len().max(1) as f64
}

/// A generated newspaper: a front page, four sections and their articles. The same seed gives the same bytes
/// on every machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paper {
    pages: Vec<PaperPage>,
    bodies: Vec<String>,
}

impl Paper {
    /// A newspaper of this many pages.
    ///
    /// # Panics
    /// With too few pages for the teasers of an article.
    #[must_use]
    pub fn generate(seed: u64, pages: usize) -> Self {
        let count = pages.saturating_sub(1 + SECTIONS.len());
        assert!(count > TEASERS, "an article has {TEASERS} teasers of other articles");
        let articles: Vec<Article> = (0..count).map(|number| Article::write(seed, number)).collect();
        let mut sheets = vec![list("/", "The County Paper", &articles[..count.min(FRONT_ITEMS)], seed)];
        for (at, section) in SECTIONS.iter().enumerate() {
            let own: Vec<Article> = articles.iter().skip(at).step_by(SECTIONS.len()).cloned().collect();
            sheets.push(list(&section_path(section), section, &own, seed + 1 + at as u64));
        }
        let pool = &articles[..count.min(POOL)];
        let own = articles.iter().enumerate();
        sheets.extend(own.map(|(number, article)| article.page(pool, stream(seed, number as u64 | 1 << 32))));
        let (pages, bodies): (Vec<PaperPage>, Vec<String>) = sheets.into_iter().map(Sheet::finish).unzip();
        Self { pages, bodies }
    }

    /// The pages: the front page, the sections, the articles.
    #[must_use]
    pub fn pages(&self) -> &[PaperPage] {
        &self.pages
    }

    /// The page with this path.
    #[must_use]
    pub fn page(&self, path: &str) -> Option<&PaperPage> {
        self.pages.iter().find(|page| page.path == path)
    }

    /// Serves the newspaper on 127.0.0.1.
    ///
    /// # Errors
    /// If no port can be bound or no thread started.
    pub fn serve(&self) -> io::Result<PageServer> {
        let pages = self.pages.iter().zip(&self.bodies);
        PageServer::start(pages.map(|(page, body)| HostilePage::html(&page.path, body.clone())).collect())
    }
}

/// A stream of random numbers. Those of one seed are shifted copies of each other, so each has its own seed.
fn stream(seed: u64, number: u64) -> Random {
    Random::new(Random::new(seed, number).next(), 0)
}

fn section_path(section: &str) -> String {
    format!("/{}", section.to_lowercase())
}

/// What is known of an article before its page is written.
#[derive(Debug, Clone)]
struct Article {
    number: usize,
    path: String,
    title: String,
    /// The sentences of its teaser.
    blurb: [String; 2],
    paragraphs: Vec<Vec<String>>,
}

impl Article {
    fn write(seed: u64, number: usize) -> Self {
        let random = &mut stream(seed, number as u64 | 1 << 33);
        let title = prose::title(random, number);
        // Some titles are as short as a label.
        let title =
            if number.is_multiple_of(4) { title } else { format!("{} and {title}", prose::heading(random)) };
        let blurb = [prose::sentence(random), prose::sentence(random)];
        let mut paragraph =
            || -> Vec<String> { (0..2 + random.below(4)).map(|_| prose::sentence(random)).collect() };
        let paragraphs: Vec<Vec<String>> = (0..4 + number % 7).map(|_| paragraph()).collect();
        let section = section_path(SECTIONS[number % SECTIONS.len()]);
        Self { number, path: format!("{section}/entry-{number}"), title, blurb, paragraphs }
    }

    /// Its page, with teasers of the pool.
    fn page(&self, pool: &[Self], mut random: Random) -> Sheet {
        let mut others: Vec<&Self> = pool.iter().filter(|other| other.number != self.number).collect();
        let mut teasers: Vec<&Self> =
            (0..TEASERS.min(others.len())).map(|_| others.swap_remove(random.below(others.len()))).collect();
        let mut sheet = Sheet::new(&self.path, false);
        sheet.start(&self.title);
        sheet.own(&format!("<p class=\"by\">By the desk, {} May 2024</p>", 1 + self.number % 28));
        for (at, paragraph) in self.paragraphs.iter().enumerate() {
            if at == self.paragraphs.len() / 2 {
                sheet.content("<h2>", "Background", "</h2>");
            }
            sheet.sentences("<p>", paragraph, "</p>");
            match at {
                0 => sheet.teaser(teasers.pop(), random.below(2)),
                1 => sheet.appeal(&mut random),
                2 => sheet.teaser(teasers.pop(), 1),
                _ => {}
            }
        }
        if self.number.is_multiple_of(3) {
            sheet.content("<h2>", "Figures", "</h2>");
            sheet.own("<table><tr><th>Year</th><th>Visits</th></tr><tr><td>2021</td><td>");
            let visits = 100_000 + random.below(900_000);
            sheet.content("", &visits.to_string(), "</td></tr></table>");
        }
        sheet.furniture("<p>", NOTICE, ".</p>");
        sheet.furniture("<h3>", MORE, "</h3>");
        for _ in 0..5 {
            sheet.teaser(teasers.pop(), 2);
        }
        sheet.own("</div><div class=\"side\"><h3>Most read</h3><ol>");
        for teaser in teasers {
            sheet.own(&format!("<li><a href=\"{}\">", teaser.path));
            sheet.furniture("", &teaser.title, "</a></li>");
        }
        sheet.own("</ol>");
        sheet
    }
}

/// A page that lists articles.
fn list(path: &str, title: &str, articles: &[Article], seed: u64) -> Sheet {
    let mut random = stream(seed, 1 << 34);
    let mut sheet = Sheet::new(path, true);
    sheet.start(title);
    sheet.sentences("<p>", &[prose::sentence(&mut random), prose::sentence(&mut random)], "</p>");
    for article in articles {
        sheet.own(&format!("<div class=\"item\"><h3><a href=\"{}\">", article.path));
        sheet.content("", &article.title, "</a></h3>");
        sheet.sentences("<p>", &article.blurb, "</p></div>");
    }
    sheet
}

/// A page that is being written.
struct Sheet {
    page: PaperPage,
    html: String,
}

impl Sheet {
    fn new(path: &str, is_list: bool) -> Self {
        let (content, furniture) = (Vec::new(), Vec::new());
        Self { page: PaperPage { path: path.to_owned(), is_list, content, furniture }, html: String::new() }
    }

    fn start(&mut self, title: &str) {
        let sections: String = SECTIONS
            .iter()
            .map(|section| format!("<li><a href=\"{}\">{section}</a></li>", section_path(section)))
            .collect();
        self.own(&format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <title>{title} | The County Paper</title>\n</head>\n<body>\n<header><a href=\"/\">The County \
             Paper</a><nav><ul>{sections}</ul></nav></header>\n<div class=\"page\"><div class=\"text\">"
        ));
        self.content("<h1>", title, "</h1>");
    }

    fn finish(mut self) -> (PaperPage, String) {
        self.own("</div></div>\n<footer><p>The County Paper, 2024</p></footer>\n</body>\n</html>\n");
        (self.page, self.html)
    }

    fn own(&mut self, html: &str) {
        self.html.push_str(html);
    }

    fn content(&mut self, before: &str, text: &str, after: &str) {
        self.html.push_str(&[before, text, after].concat());
        self.page.content.push(text.to_owned());
    }

    fn furniture(&mut self, before: &str, text: &str, after: &str) {
        self.html.push_str(&[before, text, after].concat());
        self.page.furniture.push(text.to_owned());
    }

    fn sentences(&mut self, before: &str, sentences: &[String], after: &str) {
        self.html.push_str(&[before, &sentences.join(" "), after].concat());
        self.page.content.extend_from_slice(sentences);
    }

    /// A box with an appeal, in one of several shapes.
    fn appeal(&mut self, random: &mut Random) {
        let text = random.pick(&APPEALS);
        let shapes = [
            (format!("<div class=\"b{}\"><h3>The letter</h3><p>", random.below(9)), ".</p></div>"),
            ("<p><em>".to_owned(), ".</em></p>"),
            ("<section><p><strong>The letter</strong></p><p>".to_owned(), ".</p></section>"),
            ("<blockquote><p>".to_owned(), ".</p></blockquote>"),
            ("<div><div><p>".to_owned(), ".</p></div></div>"),
        ];
        let (before, after) = &shapes[random.below(shapes.len())];
        self.furniture(before, text, after);
    }

    /// A teaser in one of three shapes.
    fn teaser(&mut self, article: Option<&Article>, shape: usize) {
        let Some(Article { path, title, blurb, .. }) = article else { return };
        let (before, after) = match shape {
            0 => ("<p><strong>Read also:</strong> ", "</p>"),
            1 => ("<div class=\"inset\"><p>", "</p>"),
            _ => ("<div><h4>", "</h4>"),
        };
        self.own(&format!("{before}<a href=\"{path}\">"));
        self.furniture("", title, &format!("</a>{after}"));
        if shape > 0 {
            self.own(&format!("<p>{}</p></div>", blurb.join(" ")));
            self.page.furniture.extend_from_slice(blurb);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pages_of_a_seed_are_stable_and_have_their_texts() {
        let paper = Paper::generate(1, 30);
        assert_eq!(paper, Paper::generate(1, 30));
        assert_ne!(paper, Paper::generate(2, 30));
        assert_eq!((paper.pages.len(), paper.page("/").unwrap().is_list), (30, true));
        for (page, body) in paper.pages.iter().zip(&paper.bodies) {
            assert_eq!(page.recall(body), 1.0, "{}", page.path);
            assert_eq!(page.leak(body), if page.is_list { 0.0 } else { 1.0 }, "{}", page.path);
            let own: String = page.content.join("\n");
            let mixed: Vec<&String> = page.furniture.iter().filter(|text| own.contains(*text)).collect();
            assert!(mixed.is_empty(), "{}: {mixed:?}", page.path);
        }
        let shown = |text: &str| paper.bodies.iter().filter(|body| body.contains(text)).count();
        assert_eq!(shown(NOTICE), 25);
        let first = &paper.pages[5].content[0];
        assert!((5..25).contains(&shown(first)), "{first} is a teaser of {} pages", shown(first));
    }
}
