//! The frames of a page, to find the document that causes a request.

use std::collections::HashMap;
use std::sync::LazyLock;

use url::Url;

/// A document of another origin than every other.
static OPAQUE: LazyLock<Option<Url>> = LazyLock::new(|| Url::parse("data:,").ok());

/// Upper bound on frames that are followed. Requests of further ones count as those of a foreign frame.
const MAX_FRAMES: usize = 1_000;

/// The frames of a page below its main frame, by their ids. They tell which document causes a request.
#[derive(Debug, Default)]
pub(super) struct FrameTree {
    frames: HashMap<String, Node>,
    /// Whether there are frames that are not followed.
    is_full: bool,
}

#[derive(Debug)]
struct Node {
    parent: Option<String>,
    /// `None` if it has shown no document of its own yet.
    document: Option<Url>,
}

impl FrameTree {
    /// A frame begins with an empty document, which has the origin of its parent.
    pub(super) fn attach(&mut self, frame: String, parent: String) {
        match self.frames.get_mut(&frame) {
            Some(node) => node.parent = Some(parent),
            None => self.insert(frame, Node { parent: Some(parent), document: None }),
        }
    }

    /// A frame gets the answer from `url`. A document of another origin than `main` counts at once, because
    /// its first requests can come before the event of its navigation.
    pub(super) fn answered(&mut self, frame: &str, url: &Url, main: Option<&Url>) {
        if main.is_some_and(|main| main.origin() == url.origin()) {
            return;
        }
        match self.frames.get_mut(frame) {
            Some(node) => node.document = Some(url.clone()),
            None => self.insert(frame.to_owned(), Node { parent: None, document: Some(url.clone()) }),
        }
    }

    fn insert(&mut self, frame: String, node: Node) {
        if self.frames.len() < MAX_FRAMES {
            self.frames.insert(frame, node);
        } else {
            self.is_full = true;
        }
    }

    /// A frame shows another document. An empty one has the origin of whoever navigates, which may be the
    /// document before it, so that one still counts.
    pub(super) fn navigate(&mut self, frame: String, parent: String, document: Option<Url>) {
        self.attach(frame.clone(), parent);
        let document = document.filter(|url| url.scheme() != "about");
        if let Some(node) = self.frames.get_mut(&frame)
            && document.is_some()
        {
            node.document = document;
        }
    }

    pub(super) fn detach(&mut self, frame: &str) {
        self.frames.remove(frame);
    }

    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// The document that causes a request of a frame: `main`, which the main frame shows, or a document of
    /// another origin in the frame or around it. If the frame is not known, every frame may be the one.
    pub(super) fn cause<'a>(
        &'a self,
        frame: Option<&str>,
        main_frame: Option<&str>,
        main: &'a Url,
    ) -> &'a Url {
        let foreign = |node: &'a Node| node.document.as_ref().filter(|url| url.origin() != main.origin());
        if frame.is_some() && frame == main_frame {
            return main;
        }
        let Some(mut node) = frame.and_then(|frame| self.frames.get(frame)) else {
            let unknown = OPAQUE.as_ref().filter(|_| self.is_full);
            return self.frames.values().find_map(foreign).or(unknown).unwrap_or(main);
        };
        // A path has at most as many steps as there are frames.
        for _ in 0..self.frames.len() {
            if let Some(document) = foreign(node) {
                return document;
            }
            match node.parent.as_ref().and_then(|parent| self.frames.get(parent)) {
                Some(parent) => node = parent,
                None => break,
            }
        }
        main
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_caused_by_the_foreign_document_in_or_around_its_frame() {
        let url = |url: &str| Url::parse(url).unwrap();
        let main = url("https://first.example/");
        let mut frames = FrameTree::default();
        let mut add = |frame: &str, parent: &str, document: &str| {
            frames.attach(frame.to_owned(), parent.to_owned());
            frames.navigate(frame.to_owned(), parent.to_owned(), Some(url(document)));
        };
        add("own", "main", "https://first.example/frame");
        add("empty", "main", "about:blank");
        add("foreign", "main", "https://evil.example/");
        add("emptied", "main", "https://evil.example/2");
        add("emptied", "main", "about:blank");
        add("data", "main", "data:text/html,x");
        add("inner", "foreign", "https://first.example/inner");
        add("inner empty", "foreign", "about:srcdoc");
        for (frame, expected) in [
            ("main", "https://first.example/"),
            ("own", "https://first.example/"),
            ("empty", "https://first.example/"),
            ("foreign", "https://evil.example/"),
            ("emptied", "https://evil.example/2"),
            ("data", "data:text/html,x"),
            ("inner", "https://evil.example/"),
            ("inner empty", "https://evil.example/"),
        ] {
            assert_eq!(frames.cause(Some(frame), Some("main"), &main).as_str(), expected, "{frame}");
        }
        for frame in [None, Some("unknown")] {
            assert_ne!(frames.cause(frame, Some("main"), &main), &main, "{frame:?}");
        }
        frames.clear();
        assert_eq!(frames.cause(None, Some("main"), &main), &main);
        for number in 0..=MAX_FRAMES {
            frames.attach(number.to_string(), "main".to_owned());
        }
        assert_ne!(frames.cause(Some("the last"), Some("main"), &main), &main);
    }

    #[test]
    fn a_foreign_document_counts_from_its_answer() {
        let url = |url: &str| Url::parse(url).unwrap();
        let (main, evil) = (url("https://first.example/"), url("https://evil.example/"));
        let mut frames = FrameTree::default();
        frames.attach("known".to_owned(), "main".to_owned());
        for frame in ["known", "unknown"] {
            frames.answered(frame, &evil, Some(&main));
            assert_eq!(frames.cause(Some(frame), Some("main"), &main), &evil, "{frame}");
        }
        // The foreign document is there until the next one is shown.
        frames.answered("known", &main, Some(&main));
        assert_eq!(frames.cause(Some("known"), Some("main"), &main), &evil);
        frames.navigate("known".to_owned(), "main".to_owned(), Some(main.clone()));
        assert_eq!(frames.cause(Some("known"), Some("main"), &main), &main);
        // A frame whose event comes late has its parent.
        frames.attach("unknown".to_owned(), "foreign".to_owned());
        frames.answered("foreign", &evil, Some(&main));
        frames.navigate("unknown".to_owned(), "foreign".to_owned(), Some(main.clone()));
        assert_eq!(frames.cause(Some("unknown"), Some("main"), &main), &evil);
    }
}
