//! Small sites whose answer is shown only after a visitor acts: pages by a button, tabs, dialogs, filters and
//! others. Each comes with the fields to ask for, the steps of a visitor who knows the site, and the answer.
//!
//! Every page also has controls that nobody must use: a form that is submitted by POST, and buttons to buy
//! and to log out. They request a path below `/pressed/` or `/order`.

use crate::HostilePage;

/// What all pages share. A file in `pages` has the title in its first line, and then the content.
const SHELL: &str = include_str!("shell.html");

/// A site whose answer needs acting.
#[derive(Debug, Clone, Copy)]
pub struct ActingSite {
    /// Its name, which is the path of its start page without the slash.
    pub name: &'static str,
    /// Its start page.
    html: &'static str,
    /// Its other pages by target.
    others: &'static [(&'static str, &'static str)],
    /// The steps of a visitor who knows the site.
    pub steps: &'static [ActingStep],
    /// What the steps show.
    pub answer: ActingAnswer,
}

/// One step of a visitor.
#[derive(Debug, Clone, Copy)]
pub struct ActingStep {
    /// The texts of the controls to use, each with the text for a field or the option of a choice.
    pub moves: &'static [(&'static str, Option<&'static str>)],
    /// How often. More often than is possible on a page that ends by itself.
    pub times: u64,
}

/// What the steps show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActingAnswer {
    /// The field `founder`: [`FOUNDER`].
    Founder,
    /// A list `cups` with `name` and `colour`: [`CUPS`].
    Cups,
}

/// The founder on all sites that show one.
pub const FOUNDER: &str = "Ada Quill";

/// The names and colours of the cups on all sites that show them.
pub const CUPS: [(&str, &str); 11] = [
    ("Alder", "red"),
    ("Birch", "blue"),
    ("Cedar", "green"),
    ("Elm", "red"),
    ("Hazel", "blue"),
    ("Juniper", "green"),
    ("Larch", "red"),
    ("Maple", "blue"),
    ("Oak", "green"),
    ("Pine", "red"),
    ("Willow", "blue"),
];

const PEOPLE: &str = r#"[{"role":"Foreman","name":"Ida Berg"},{"role":"Founder","name":"Ada Quill"}]"#;

impl ActingSite {
    /// The target of its start page.
    #[must_use]
    pub fn start(&self) -> String {
        format!("/{}", self.name)
    }

    /// Its pages, for a [`PageServer`](crate::PageServer), the start page first.
    #[must_use]
    pub fn pages(&self) -> Vec<HostilePage> {
        let html = |target: &str, page: &str| {
            let (title, content) = page.split_once('\n').expect("a title and content");
            let body = SHELL.replace("{title}", title).replace("{content}", content);
            HostilePage::new(target, "text/html; charset=utf-8", body)
        };
        let mut pages = vec![html(&self.start(), self.html)];
        pages.extend(self.others.iter().map(|&(target, body)| html(target, body)));
        let cups = CUPS.map(|(name, colour)| format!(r#"["{name}","{colour}"]"#));
        let json = |target: &str, body: String| HostilePage::new(target, "application/json", body);
        pages.push(json("/people.json", PEOPLE.to_owned()));
        pages.push(json("/cups.json", format!("[{}]", cups.join(","))));
        pages
    }
}

macro_rules! site {
    (
        $name:literal, $answer:ident, [$($target:literal $file:literal),*],
        $($times:literal [$($moves:expr),+])+
    ) => {
        ActingSite {
            name: $name,
            html: include_str!(concat!("pages/", $name, ".html")),
            others: &[$(($target, include_str!(concat!("pages/", $file, ".html")))),*],
            steps: &[$(ActingStep { moves: &[$($moves),+], times: $times }),+],
            answer: ActingAnswer::$answer,
        }
    };
}

/// The sites.
pub const ACTING_SITES: &[ActingSite] = &[
    // A button shows the next page of a table, and is disabled on the last one.
    site!("paging", Cups, [], 9[("Next page", None)]),
    // A button adds rows to a table, and vanishes with the last ones.
    site!("load-more", Cups, [], 2[("Load more", None)]),
    // A search form with two fields.
    site!(
        "search-form", Founder, ["/find?q=founder&in=p" "search-form-found"],
        1 [("Name or role", Some("founder")), ("Section", Some("People")), ("Search", None)]
    ),
    // A search field without a form: a script reads it at Enter.
    site!("search-script", Founder, [], 1[("Find a person", Some("founder"))]),
    site!("tabs", Founder, [], 1[("People", None)]),
    // The text is loaded after the dialog is answered.
    site!("cookie-wall", Founder, [], 1[("Accept all cookies", None)]),
    site!("accordion", Founder, [], 1[("Who is the founder?", None)]),
    // An element `details` whose text is loaded when it opens.
    site!("details", Founder, [], 1[("Legal notice", None)]),
    // A choice shows another part.
    site!("filter", Founder, [], 1[("Place", Some("Office"))]),
    // A link without an address.
    site!("next-link", Founder, [], 3[("Next part", None)]),
    // An element at the end of a growing list, which loads for a moment.
    site!("endless", Founder, [], 4[("Older news", None)]),
    site!("dialog", Founder, [], 1[("Who is who", None)]),
    // A menu that opens under the pointer, and its entry.
    site!("menu", Founder, [], 1 [("Company", None)] 1 [("The founder", None)]),
    site!("toggle", Founder, [], 1[("Include former crew", None)]),
    // A button sets a cookie, without which the linked page shows nothing.
    site!(
        "gate", Founder, ["/gate/people" "gate-people"],
        1 [("Enter", None)] 1 [("People behind the gate", None)]
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_answer_is_written_on_a_start_page_and_every_first_control_is_named_there() {
        for site in ACTING_SITES {
            assert!(!site.html.contains(FOUNDER) && !site.html.contains(CUPS[0].0), "{}", site.name);
            for (label, _) in site.steps[0].moves {
                assert!(site.html.contains(label), "{}: {label}", site.name);
            }
            assert_eq!(site.pages()[0].target(), site.start());
        }
    }
}
