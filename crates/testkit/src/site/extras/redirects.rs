//! Redirects with every status: single, in chains, in loops, and endless.

use super::{Book, Reply};
use crate::site::SiteSpec;
use crate::site::truth::{PathTruth, RedirectTruth, Role};

const END: &str = "/redirects/end";

/// Number of hops of the long chain.
const CHAIN: usize = 5;

pub(super) fn add(book: &mut Book, _: &SiteSpec) {
    let mut chains: Vec<RedirectTruth> = [301, 302, 303, 307, 308]
        .map(|status| RedirectTruth {
            from: format!("/redirects/{status}"),
            statuses: vec![status],
            to: Some(END.to_owned()),
        })
        .into();
    for chain in &chains {
        redirect(book, &chain.from, chain.statuses[0], END);
    }

    let statuses = [301, 302, 307, 308, 303];
    for (nth, status) in statuses.into_iter().enumerate() {
        let to = if nth + 1 == CHAIN { END.to_owned() } else { format!("/redirects/chain/{}", nth + 1) };
        redirect(book, &format!("/redirects/chain/{nth}"), status, &to);
    }
    chains.push(RedirectTruth {
        from: "/redirects/chain/0".to_owned(),
        statuses: statuses.into(),
        to: Some(END.to_owned()),
    });

    redirect(book, "/redirects/loop/a", 302, "/redirects/loop/b");
    redirect(book, "/redirects/loop/b", 302, "/redirects/loop/a");
    redirect(book, "/redirects/self", 301, "/redirects/self");
    redirect(book, "/redirects/endless/0", 302, "/redirects/endless/1");
    for from in ["/redirects/loop/a", "/redirects/self", "/redirects/endless/0"] {
        chains.push(RedirectTruth { from: from.to_owned(), statuses: Vec::new(), to: None });
    }

    // A relative location, as RFC 9110 allows, with a fragment, which a request does not contain.
    redirect(book, "/redirects/relative", 302, "end#part");
    chains.push(RedirectTruth {
        from: "/redirects/relative".to_owned(),
        statuses: vec![302],
        to: Some(END.to_owned()),
    });

    let mut links: Vec<(&str, &str)> =
        chains.iter().map(|chain| (chain.from.as_str(), "A redirect")).collect();
    links.push((END, "Where the redirects end"));
    book.index("/redirects/", "Redirects", &links);
    book.document(PathTruth::new(END, Role::Document), "Where the redirects end", &[]);
    for path in book.paths.iter_mut().filter(|path| path.role == Role::Redirect) {
        let linked = chains.iter().any(|chain| chain.from == path.path);
        path.depth = linked.then_some(2);
    }
    book.truth.redirects = chains;
}

/// `/redirects/endless/N` redirects to `N + 1`, without end.
pub(crate) fn endless(path: &str) -> Option<Reply> {
    let number: u64 = path.strip_prefix("/redirects/endless/")?.parse().ok()?;
    Some(Reply::Redirect {
        status: 302,
        location: format!("/redirects/endless/{}", number.saturating_add(1)),
    })
}

fn redirect(book: &mut Book, from: &str, status: u16, location: &str) {
    let truth = PathTruth { status, ..PathTruth::new(from, Role::Redirect) };
    book.add(truth, Reply::Redirect { status, location: location.to_owned() });
}
