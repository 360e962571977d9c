//! Reads links in one pass of the tokenizer, for pages that are crawled only for their links.
//!
//! A tree costs several times as much, and links and `<meta>` elements need none. URLs are resolved at the
//! end, because a `<base>` also applies to links before it.

use std::borrow::Cow;

use gleaner_types::{Document, Interrupt};
use url::Url;

use super::links::{self, Collector, LinkKind, PageLinks};
use super::tag_metadata::TagMetadata;
use crate::memory::page_memory;
use crate::resolver::Resolver;
use crate::tree::{ContentModel, RawAttribute, Token, Tokenizer, decode_references};

/// Unresolved links take at most this share of the page's memory: a quarter.
const RAW_LINK_SHARE: usize = 4;

/// The length of the longest tag name with a meaning here.
const LONGEST_NAME: usize = 9;

/// An element with a link, before its URL is resolved.
enum RawLink<'a> {
    Link { href: Cow<'a, str>, rel: Cow<'a, str>, kind: LinkKind },
    Head { href: Cow<'a, str>, rel: Cow<'a, str> },
    Meta { name: Cow<'a, str>, content: Cow<'a, str> },
}

/// All links of a page; `text` is as [`prepare`](crate::tree::prepare) leaves it.
pub(crate) fn links(text: &str, url: &Url) -> PageLinks {
    read(text, url, None, &Interrupt::never()).finish()
}

/// A page that is read for its links.
pub(crate) struct LinkPage {
    /// The `links` format, and the metadata. Authors and dates in the text are left open, because only a tree
    /// gives them.
    pub(crate) document: Document,
    pub(crate) links: PageLinks,
    /// It is an empty shell as served.
    pub(crate) needs_scripts: bool,
}

/// The links of a page and its metadata.
pub(crate) fn page(text: &str, url: &Url, interrupt: &Interrupt) -> LinkPage {
    let mut tag_metadata = TagMetadata::default();
    let collector = read(text, url, Some(&mut tag_metadata), interrupt);
    let links = Some(collector.texts());
    let (metadata, needs_scripts) = tag_metadata.finish(url, collector.resolver());
    let document = Document { links, metadata, ..Document::default() };
    LinkPage { document, links: collector.finish(), needs_scripts }
}

/// The attributes of a start tag.
#[derive(Clone, Copy)]
pub(super) struct Attributes<'t, 'a> {
    text: &'t str,
    raw: &'a [RawAttribute],
}

impl<'t> Attributes<'t, '_> {
    /// The first of this name, references decoded.
    pub(super) fn get(&self, wanted: &str) -> Option<Cow<'t, str>> {
        let found =
            self.raw.iter().find(|attribute| attribute.name.of(self.text).eq_ignore_ascii_case(wanted));
        found.map(|attribute| decode_references(attribute.value.of(self.text), true))
    }
}

fn read(
    text: &str,
    url: &Url,
    mut tag_metadata: Option<&mut TagMetadata>,
    interrupt: &Interrupt,
) -> Collector {
    let mut tokenizer = Tokenizer::new(text).with_interrupt(interrupt);
    let memory = page_memory(text.len());
    let max_links = memory / RAW_LINK_SHARE / size_of::<RawLink<'_>>();
    let mut raw_links = Vec::new();
    let mut base = None;
    while let Some(token) = tokenizer.next(false) {
        let mut is_self_closing = false;
        let (name, end) = match token {
            Token::Start { name, self_closing, .. } => {
                is_self_closing = self_closing;
                (name.of(text), false)
            }
            Token::End { name } => (name.of(text), true),
            Token::Text { span, references } => {
                if let Some(tag_metadata) = &mut tag_metadata {
                    tag_metadata.text(span.of(text), references);
                }
                continue;
            }
            Token::Doctype { .. } => continue,
        };
        let mut lower = [0; LONGEST_NAME];
        let Some(lower) = lower.get_mut(..name.len()) else {
            if let Some(tag_metadata) = &mut tag_metadata {
                tag_metadata.long_tag(name, end);
            }
            continue;
        };
        lower.copy_from_slice(name.as_bytes());
        lower.make_ascii_lowercase();
        let tag: &[u8] = lower;
        if end {
            if let Some(tag_metadata) = &mut tag_metadata {
                tag_metadata.end(tag);
            }
            continue;
        }
        match tag {
            b"script" => tokenizer.set_content_model(ContentModel::Script),
            b"style" | b"xmp" | b"iframe" | b"noembed" | b"noframes" => {
                tokenizer.set_content_model(ContentModel::Rawtext);
            }
            b"title" | b"textarea" => tokenizer.set_content_model(ContentModel::Rcdata),
            b"plaintext" => tokenizer.set_content_model(ContentModel::Plaintext),
            _ => {}
        }
        let attributes = Attributes { text, raw: tokenizer.attributes() };
        match tag {
            b"base" if base.is_none() => base = attributes.get("href"),
            _ if raw_links.len() >= max_links => {}
            b"a" | b"area" => {
                if let Some(href) = attributes.get("href") {
                    let rel = attributes.get("rel").unwrap_or_default();
                    raw_links.push(RawLink::Link { href, rel, kind: LinkKind::Anchor });
                }
            }
            b"frame" | b"iframe" => {
                if let Some(href) = attributes.get("src") {
                    let kind = if tag == b"frame" { LinkKind::Frame } else { LinkKind::Inline };
                    raw_links.push(RawLink::Link { href, rel: Cow::Borrowed(""), kind });
                }
            }
            b"link" => {
                if let Some(rel) = attributes.get("rel").filter(|rel| links::is_relevant_rel(rel)) {
                    raw_links.push(RawLink::Head { href: attributes.get("href").unwrap_or_default(), rel });
                }
            }
            b"meta" => {
                if let Some(name) = attributes.get("name").or_else(|| attributes.get("http-equiv")) {
                    let content = attributes.get("content").unwrap_or_default();
                    raw_links.push(RawLink::Meta { name, content });
                }
            }
            _ => {}
        }
        if let Some(tag_metadata) = &mut tag_metadata {
            tag_metadata.start(tag, attributes);
            // Only elements of SVG and MathML have no content then; the text in an `svg` is not shown.
            if is_self_closing && tag == b"svg" {
                tag_metadata.end(tag);
            }
        }
    }
    let resolver = Resolver::new(url, base.as_deref()).with_limits(memory, interrupt);
    let mut collector = Collector::new(resolver);
    for item in &raw_links {
        if interrupt.spend(1) {
            break;
        }
        match item {
            RawLink::Link { href, rel, kind } => collector.link(href, rel, *kind),
            RawLink::Head { href, rel } => collector.head_link(href, rel),
            RawLink::Meta { name, content } => collector.meta(name, content),
        }
    }
    collector
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::links::of_page;
    use crate::tree::{ParseOptions, parse};

    const PAGE: &str = "<!doctype html><html><head><title><a href=/no>x</a></title>
        <link rel='stylesheet' href=/s.css><link rel=canonical href='/self'>
        <meta name=Robots content='noindex, NOFOLLOW'></head><body>
        <a href='/one?a=1&amp;b=2'>1</a><A HREF=/two rel='x nofollow'>2</A><a href=/two>again</a>
        <!-- <a href=/comment> --><script>'<a href=/script>'</script>
        <a href='#part'>p</a><a href='#/route'>r</a><a href=''>e</a><a name=x>n</a>
        <a href='javascript:x'>j</a><a href='mailto:a@b.example'>m</a><a href=/one?a=1&b=2>dup</a>
        <map><area href=/area></map><noscript><a href=/noscript>n</a></noscript>
        <base href=/docs/><base href=/ignored/><a href=three>3</a>";

    #[test]
    fn the_pass_and_the_tree_give_the_same_links() {
        let url = Url::parse("https://example.org/a/").unwrap();
        let pass = links(PAGE, &url);
        let tree = parse(PAGE, ParseOptions::default());
        let resolver = Resolver::of_tree(&url, &tree);
        assert_eq!(pass, of_page(&tree, &resolver));
        let shown: Vec<_> = pass.links.iter().map(|link| (link.url.as_str(), link.nofollow)).collect();
        assert_eq!(
            shown,
            [
                ("https://example.org/one?a=1&b=2", false),
                ("https://example.org/two", false),
                ("https://example.org/docs/#/route", false),
                ("https://example.org/area", false),
                ("https://example.org/noscript", false),
                ("https://example.org/docs/three", false),
            ]
        );
        assert_eq!(pass.canonical.unwrap().as_str(), "https://example.org/self");
        assert!(pass.robots_nofollow && pass.robots_noindex);
    }

    #[test]
    fn links_beyond_the_memory_share_are_dropped() {
        let url = Url::parse("https://example.org/a/").unwrap();
        let found = |times: usize| {
            let html = format!("<a href=x>{}<a href=last>", "<a href=x>".repeat(times));
            links(&html, &url).links.len()
        };
        assert_eq!((found(50_000), found(500_000)), (2, 1));
    }

    #[test]
    fn every_kind_of_link_is_read() {
        use LinkKind::{Anchor, Frame, Inline, Series};
        let url = Url::parse("https://example.org/a/").unwrap();
        for (row, html, want) in [
            ("an anchor", "<a href=/x>x</a>", vec![("/x", false, Anchor)]),
            ("an area", "<map><area href=/x rel=NoFollow></map>", vec![("/x", true, Anchor)]),
            ("a word within another", "<a href=/x rel=donofollow>x</a>", vec![("/x", false, Anchor)]),
            (
                "a series",
                "<link rel=prev href=1><link rel='NEXT' href=3>",
                vec![("/a/1", false, Series), ("/a/3", false, Series)],
            ),
            ("no series", "<link rel=stylesheet href=/s><link rel=nextish href=/n>", vec![]),
            (
                "a series with anchors",
                "<link rel=next href=/x><a href=/x rel=nofollow>x</a><a href=/y rel=nofollow>y</a>",
                vec![("/x", false, Anchor), ("/y", true, Anchor)],
            ),
            ("an iframe", "<iframe src=/x><a href=/no></a></iframe>", vec![("/x", false, Inline)]),
            (
                "empty iframes",
                "<iframe></iframe><iframe src=''></iframe><iframe src=about:blank></iframe>",
                vec![],
            ),
            (
                "an iframe after a link",
                "<a href=/x rel=nofollow>x</a><iframe src=/x></iframe>",
                vec![("/x", true, Anchor)],
            ),
            (
                "an iframe before a link",
                "<iframe src=/x></iframe><a href=/x rel=nofollow>x</a>",
                vec![("/x", true, Anchor)],
            ),
            (
                "frames",
                "<frameset><frame src=/x><frame src=/y></frameset><noframes><a href=/no></a></noframes>",
                vec![("/x", false, Frame), ("/y", false, Frame)],
            ),
        ] {
            let pass = links(html, &url);
            let tree = parse(html, ParseOptions::default());
            assert_eq!(pass, of_page(&tree, &Resolver::of_tree(&url, &tree)), "{row}");
            let found: Vec<_> =
                pass.links.iter().map(|link| (link.url.path(), link.nofollow, link.kind)).collect();
            assert_eq!(found, want, "{row}");
            let anchors: Vec<_> = want.iter().filter(|(.., kind)| *kind == Anchor).collect();
            let LinkPage { document, .. } = page(html, &url, &Interrupt::never());
            assert_eq!(document.links.unwrap().len(), anchors.len(), "{row}: format `links`");
        }
    }

    #[test]
    fn the_pass_and_the_tree_give_the_same_metadata() {
        const HEAD: &str = "<!DOCTYPE html><HTML Lang='de'><head><title>Tea &amp; more | Example</title>
            <meta name=Description content='What &quot;it&quot; is'><meta property=og:title content=OG>
            <meta property=article:published_time content='2024-05-01'><meta name=author content=Ann>
            <meta name=author content=Bob><meta http-equiv=Content-Language content=fr>
            <link rel=ICON href=i.svg><link rel='shortcut icon' href=old.ico><meta charset=utf-8></head>";
        const LONG: &str =
            "<p>Long enough a text that it is no shell, with many words in it that say nothing at all.";
        let url = Url::parse("https://example.org/a/").unwrap();
        for (row, body) in [
            ("a heading", "<body><h1 id=x>Tea <b>&amp;</b>\n more</h1><p>text"),
            ("two headings", "<h1>Example</h1><h1>Tea &amp; more<span> ¶</span></h1><p>text"),
            ("no heading", "<p>text</p>"),
            ("a heading in a script", "<script>'<h1>no</h1>'</script><h1>Tea</h1>"),
            ("a frame", "<frameset><frame src=/f><frame src=/a></frameset>"),
            ("a frame and a link", "<a href=/x>x</a><a href=/a>a</a><a href=/x#p>x</a>"),
            ("a shell", "<div id=root></div><script src=m.js></script>"),
            ("a custom shell", "<app-shell></app-shell><script type=module src=m.js></script>"),
            ("a page that asks", "<noscript>Please enable JavaScript.</noscript><script src=m.js></script>"),
            ("a script for data", "<script type=application/json>{}</script>"),
            ("text", LONG),
        ] {
            let html = format!("{HEAD}{body}");
            let LinkPage { document: pass, links: found, needs_scripts } =
                page(&html, &url, &Interrupt::never());
            let tree = parse(&html, ParseOptions::default());
            let resolver = Resolver::of_tree(&url, &tree);
            assert_eq!(found, of_page(&tree, &resolver), "{row}");
            let view = crate::view::View::whole(&tree);
            assert_eq!(pass.links, Some(links::of_view(&tree, &view, &resolver)), "{row}");
            assert_eq!(pass.metadata, super::super::metadata::read(&tree, &url, &resolver), "{row}");
            assert_eq!(needs_scripts, super::super::shell::is_shell(&tree), "{row}");
        }
    }

    #[test]
    fn a_refresh_leads_to_another_page() {
        let url = Url::parse("https://example.org/").unwrap();
        for content in ["0;url=/next", "5; URL='/next'", "0, /next"] {
            let page = format!("<meta http-equiv=refresh content=\"{content}\">");
            assert_eq!(links(&page, &url).refresh.unwrap().as_str(), "https://example.org/next", "{content}");
        }
        assert_eq!(links("<meta http-equiv=refresh content=30>", &url).refresh, None);
    }
}
