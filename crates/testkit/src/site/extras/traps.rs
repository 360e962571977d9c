//! Traps: pages that link to new pages without end.
//!
//! They are rendered at each request, because their number is unbounded.

use super::{Book, Reply, page};
use crate::site::SiteSpec;
use crate::site::extras::Extras;
use crate::site::prose::MONTHS;
use crate::site::truth::{PathTruth, Role, TrapTruth};

const CALENDAR: &str = "/calendar/";
const CALENDAR_ENTRANCE: &str = "/calendar/2026/11/";
const SESSION: &str = "/session/";
const DEEPER: &str = "/deeper/";
const FACETS: &str = "/facets/";

/// Maximum length of path and query. Longer ones get 404, as real servers limit the length too.
const LONGEST_PATH: usize = 8_000;

/// The filters of the facets, each with its values.
const FILTERS: [(&str, [&str; 4]); 4] = [
    ("colour", ["red", "green", "blue", "grey"]),
    ("size", ["s", "m", "l", "xl"]),
    ("maker", ["north", "south", "east", "west"]),
    ("sort", ["name", "price", "age", "rating"]),
];

pub(super) fn add(book: &mut Book, spec: &SiteSpec) {
    let Extras { calendar, sessions, deeper, facets, .. } = spec.extras;
    let traps = [
        (calendar, CALENDAR_ENTRANCE, CALENDAR, "November 2026"),
        (sessions, SESSION, SESSION, "Session"),
        (deeper, DEEPER, DEEPER, "Deeper"),
        (facets, FACETS, FACETS, "Facets"),
    ];
    for (on, entrance, prefix, title) in traps {
        if on {
            book.indexes.push((entrance.to_owned(), title.to_owned()));
            let mut truth = PathTruth::new(entrance, Role::Trap);
            truth.depth = Some(1);
            title.clone_into(&mut truth.title);
            book.paths.push(truth);
            let trap = TrapTruth { entrance: entrance.to_owned(), prefix: prefix.to_owned() };
            book.truth.traps.push(trap);
        }
    }
}

/// The reply of the trap that `path` (with `query`) belongs to, if it is on. `serial` is new at each request.
pub(crate) fn dynamic(extras: Extras, path: &str, query: Option<&str>, serial: u64) -> Option<Reply> {
    if path.len() + query.map_or(0, str::len) > LONGEST_PATH {
        return None;
    }
    if let Some(rest) = path.strip_prefix(CALENDAR).filter(|_| extras.calendar) {
        return calendar(rest);
    }
    if let Some(rest) = path.strip_prefix(SESSION).filter(|_| extras.sessions) {
        return session(rest, serial);
    }
    if path.starts_with(DEEPER) && path.ends_with('/') && extras.deeper {
        return Some(deeper(path));
    }
    (path == FACETS && extras.facets).then(|| facets(query.unwrap_or_default()))
}

/// `YYYY/MM/` or `YYYY/MM/DD/`.
fn calendar(rest: &str) -> Option<Reply> {
    let parts: Vec<u32> =
        rest.strip_suffix('/')?.split('/').map(|part| part.parse().ok()).collect::<Option<_>>()?;
    let (year, month, day) = match parts[..] {
        [year, month] => (year, month, None),
        [year, month, day] => (year, month, Some(day)),
        _ => return None,
    };
    if !(1..=9999).contains(&year)
        || !(1..=12).contains(&month)
        || day.is_some_and(|day| !(1..=31).contains(&day))
    {
        return None;
    }
    let own = format!("{CALENDAR}{rest}");
    if let Some(day) = day {
        let title = format!("{day} {} {year}", MONTHS[month as usize - 1]);
        let text = format!("<h1>{title}</h1>\n<p>No events are planned for {title}.</p>\n");
        let up = format!("{CALENDAR}{year}/{month:02}/");
        return Some(Reply::html(page(&title, &own, "", &text, &[(&up, "Back to the month")])));
    }
    let title = format!("{} {year}", MONTHS[month as usize - 1]);
    let (next_year, next_month) = if month == 12 { (year + 1, 1) } else { (year, month + 1) };
    let (last_year, last_month) = if month == 1 { (year - 1, 12) } else { (year, month - 1) };
    let days: String = (1..=28)
        .map(|day| format!("<a href=\"{CALENDAR}{year}/{month:02}/{day:02}/\">{day}</a>\n"))
        .collect();
    let text = format!("<h1>{title}</h1>\n<p>Choose a day of {title}.</p>\n<div>{days}</div>\n");
    let next = format!("{CALENDAR}{next_year}/{next_month:02}/");
    let last = format!("{CALENDAR}{last_year}/{last_month:02}/");
    Some(Reply::html(page(&title, &own, "", &text, &[(&last, "Earlier"), (&next, "Later")])))
}

/// Three rooms whose texts never change. The links of each response have a new session id.
fn session(rest: &str, serial: u64) -> Option<Reply> {
    let rooms = ["", "one", "two"];
    if !rooms.contains(&rest) {
        return None;
    }
    let links = rooms.map(|room| format!("{SESSION}{room}?sid={serial:016x}"));
    let links: Vec<(&str, &str)> = links.iter().map(|link| (link.as_str(), "A room")).collect();
    let text = format!("<h1>Session</h1>\n<p>This room {rest} has the same text for everyone.</p>\n");
    let html = page("Session", &format!("{SESSION}{rest}"), "", &text, &links);
    // No canonical link: with one, the session ids would be no trap.
    let html: String =
        html.lines().filter(|line| !line.contains("canonical")).map(|line| format!("{line}\n")).collect();
    Some(Reply::html(html))
}

fn deeper(path: &str) -> Reply {
    let depth = path.matches('/').count() - 2;
    let title = if depth == 0 { "Deeper".to_owned() } else { format!("Deeper by {depth}") };
    let text = format!("<h1>{title}</h1>\n<p>This is {title}, and there is always one more.</p>\n");
    Reply::html(page(&title, path, "", &text, &[("a/", "Left"), ("b/", "Right")]))
}

/// Links that add each filter to the query.
fn facets(query: &str) -> Reply {
    let joint = if query.is_empty() { "" } else { "&amp;" };
    let set = query.replace('&', "&amp;").replace(['"', '<', '>'], "");
    let links: Vec<String> = FILTERS
        .iter()
        .flat_map(|(name, values)| values.map(|value| format!("{FACETS}?{set}{joint}{name}={value}")))
        .collect();
    let links: Vec<(&str, &str)> = links.iter().map(|link| (link.as_str(), "Filter")).collect();
    let text = "<h1>Facets</h1>\n<p>Twelve things in every order.</p>\n";
    Reply::html(page("Facets", FACETS, "", text, &links))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn html(path: &str, query: Option<&str>, serial: u64) -> Option<String> {
        match dynamic(Extras::all(), path, query, serial)? {
            Reply::Body { body, .. } => Some(String::from_utf8(body.bytes("").to_vec()).unwrap()),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_calendar_has_no_end() {
        let page = html("/calendar/2026/12/", None, 0).unwrap();
        assert!(page.contains("/calendar/2027/01/") && page.contains("/calendar/2026/11/"));
        assert!(html("/calendar/2026/12/05/", None, 0).unwrap().contains("5 December 2026"));
        for path in
            ["/calendar/", "/calendar/2026/", "/calendar/2026/13/", "/calendar/2026/12/32/", "/calendar/x/1/"]
        {
            assert!(html(path, None, 0).is_none(), "{path}");
        }
    }

    #[test]
    fn session_ids_change_with_each_response() {
        let (first, second) = (html("/session/", None, 1).unwrap(), html("/session/", None, 2).unwrap());
        assert_ne!(first, second);
        assert!(!first.contains("canonical"));
    }

    #[test]
    fn paths_and_queries_grow_up_to_the_limit() {
        assert!(html("/deeper/a/b/", None, 0).unwrap().contains("Deeper by 2"));
        assert!(html("/facets/", Some("a=1"), 0).unwrap().contains("/facets/?a=1&amp;size=xl"));
        let long = format!("/deeper/{}", "a/".repeat(LONGEST_PATH));
        assert!(html(&long, None, 0).is_none());
    }

    #[test]
    fn a_trap_that_is_off_is_not_found() {
        assert!(dynamic(Extras::default(), CALENDAR_ENTRANCE, None, 0).is_none());
    }
}
