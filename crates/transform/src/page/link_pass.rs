//! Reads links in one pass of the tokenizer, for pages that are crawled only for their links.
//!
//! A tree costs several times as much, and links and `<meta>` elements need none. Which tags are links is the
//! rule of [`LinkTags`], as for a tree. URLs are resolved at the end, because a `<base>` also applies to links
//! before it.

use gleaner_types::{Document, Interrupt};
use url::Url;

use super::links::{self, Collector, PageLinks};
use super::tag_metadata::TagMetadata;
use crate::memory::page_memory;
use crate::resolver::Resolver;
use crate::tree::{Attributes, ContentModel, LONGEST_NAME, LinkTags, Token, Tokenizer};

/// All links of a page; `text` is as [`prepare`](crate::tree::prepare) leaves it, and `encoding` names what
/// it was decoded from.
pub(crate) fn links(text: &str, url: &Url, encoding: &str) -> PageLinks {
    read(text, url, encoding, None, &Interrupt::never()).finish()
}

/// A page that is read for its links.
pub(crate) struct LinkPage {
    /// The `links` format, and the metadata. Authors and dates in the text are left open, because only a tree
    /// gives them.
    pub(crate) document: Document,
    /// Without those in the text of a state.
    pub(crate) links: PageLinks,
    /// It is an empty shell as served.
    pub(crate) is_shell: bool,
    /// It is a shell, and no JSON-LD has its text.
    pub(crate) needs_scripts: bool,
}

/// The links of a page and its metadata.
pub(crate) fn page(text: &str, url: &Url, encoding: &str, interrupt: &Interrupt) -> LinkPage {
    let mut tag_metadata = TagMetadata::default();
    let collector = read(text, url, encoding, Some(&mut tag_metadata), interrupt);
    let mut document = Document::default();
    document.links = Some(collector.texts());
    let is_shell = tag_metadata.is_shell();
    let (metadata, needs_scripts) = tag_metadata.finish(url, collector.resolver());
    document.metadata = metadata;
    LinkPage { document, links: collector.finish(), is_shell, needs_scripts }
}

fn read(
    text: &str,
    url: &Url,
    encoding: &str,
    mut tag_metadata: Option<&mut TagMetadata>,
    interrupt: &Interrupt,
) -> Collector {
    let mut tokenizer = Tokenizer::new(text).with_interrupt(interrupt);
    let mut link_tags = LinkTags::default();
    while let Some(token) = tokenizer.next(link_tags.is_foreign()) {
        let (name, start) = match token {
            Token::Start { name, source, self_closing } => {
                (name.of(text), Some((source.start, self_closing)))
            }
            Token::End { name } => (name.of(text), None),
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
                tag_metadata.long_tag(name, start.is_none());
            }
            continue;
        };
        lower.copy_from_slice(name.as_bytes());
        lower.make_ascii_lowercase();
        let tag: &[u8] = lower;
        let Some((at, self_closing)) = start else {
            link_tags.end(tag);
            if let Some(tag_metadata) = &mut tag_metadata {
                tag_metadata.end(tag);
            }
            continue;
        };
        match tag {
            _ if link_tags.is_foreign() => {}
            b"script" => tokenizer.set_content_model(ContentModel::Script),
            b"style" | b"xmp" | b"iframe" | b"noembed" | b"noframes" => {
                tokenizer.set_content_model(ContentModel::Rawtext);
            }
            b"title" | b"textarea" => tokenizer.set_content_model(ContentModel::Rcdata),
            b"plaintext" => tokenizer.set_content_model(ContentModel::Plaintext),
            _ => {}
        }
        let attributes = Attributes { text, raw: tokenizer.attributes() };
        // The title of a drawing is not that of the page.
        let is_title_of_page = tag != b"title" || !link_tags.is_foreign();
        link_tags.start(tag, at, self_closing, attributes);
        if let Some(tag_metadata) = &mut tag_metadata {
            if is_title_of_page {
                tag_metadata.start(tag, attributes);
            }
            // Only elements of SVG and MathML have no content then; the text in an `svg` is not shown.
            if self_closing && tag == b"svg" {
                tag_metadata.end(tag);
            }
        }
    }
    let resolver = Resolver::new(url, link_tags.base())
        .with_encoding(encoding)
        .with_limits(page_memory(text.len()), interrupt);
    links::collect(text, &link_tags, resolver, interrupt)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::links::LinkKind;
    use crate::tree::{ParseOptions, parse};

    fn links(text: &str, url: &Url) -> PageLinks {
        super::links(text, url, "UTF-8")
    }

    fn by_tree(html: &str, url: &Url) -> PageLinks {
        let tree = parse(html, ParseOptions::default());
        let resolver = Resolver::of_tree(url, &tree);
        links::collect(html, &tree.link_tags, resolver, &Interrupt::never()).finish()
    }

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
        assert_eq!(pass, by_tree(PAGE, &url));
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
    fn links_beyond_the_bound_are_dropped() {
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
            assert_eq!(pass, by_tree(html, &url), "{row}");
            let found: Vec<_> =
                pass.links.iter().map(|link| (link.url.path(), link.nofollow, link.kind)).collect();
            assert_eq!(found, want, "{row}");
            let anchors: Vec<_> = want.iter().filter(|(.., kind)| *kind == Anchor).collect();
            let LinkPage { document, .. } = page(html, &url, "UTF-8", &Interrupt::never());
            assert_eq!(document.links.unwrap().len(), anchors.len(), "{row}: format `links`");
        }
    }

    /// Seen as 63 of 100 links, links of drawings that only one reader found, and templates that were followed.
    #[test]
    fn odd_markup_has_the_same_links_with_and_without_a_tree() {
        let url = Url::parse("https://example.org/a/").unwrap();
        let unclosed = |tag: &str| {
            (0..600).map(|n| format!("<{tag}><a href=/{n}>x</a> text")).collect::<String>()
                + "<a href=/end>x</a>"
        };
        for tag in [
            "font color=navy",
            "b",
            "a name=x",
            "span",
            "div",
            "p",
            "li",
            "table><tr><td",
            "svg><g",
            "math><mi",
        ] {
            let html = unclosed(tag);
            let pass = links(&html, &url);
            assert_eq!(pass, by_tree(&html, &url), "{tag}");
            assert_eq!(pass.links.len(), 601, "{tag}");
        }
        for (html, expected) in [
            // Drawings.
            (
                "<svg><a xlink:href=/x><path/></a><a href=/y xlink:href=/no /></svg><a xlink:href=/no>",
                "/x /y",
            ),
            ("<svg><a XLink:Href=/x>t</a></svg><a href=/y>", "/x /y"),
            ("<svg><foreignObject><a href=/x xlink:href=/no></a></foreignObject><a xlink:href=/y>", "/x /y"),
            ("<svg/><a xlink:href=/no><a href=/x>", "/x"),
            (
                "<svg><title><a href=/x></a></title><style><a href=/y></style><a xlink:href=/z></svg>",
                "/x /y /z",
            ),
            ("<svg><![CDATA[<a href=/no>]]><a href=/x></svg><![CDATA[<a href=/no>]]>", "/x"),
            ("<svg><p><a xlink:href=/no><a href=/x>", "/x"),
            ("<svg><base href=/b/><image href=/no></svg><a href=x>", "/a/x"),
            ("<math><a href=/no>x</a><mi><a href=/x></mi></math><area href=/y>", "/x /y"),
            // Templates.
            ("<template><a href=/no></template><a href=/x>", "/x"),
            (
                "<template><template><a href=/no></template><a href=/no></template></template><a href=/x>",
                "/x",
            ),
            ("<template shadowrootmode=open><a href=/x><template><a href=/no></template></template>", "/x"),
            ("<template SHADOWROOTMODE=Closed><a href=/x></template><a href=/y>", "/x /y"),
            ("<template shadowrootmode><a href=/no></template><a href=/x>", "/x"),
            ("<template shadowrootmode='open '><a href=/no></template><a href=/x>", "/x"),
            ("<template shadowrootmode=yes><a href=/no></template><a href=/x>", "/x"),
            (
                "<template><base href=/b/><meta http-equiv=refresh content='0;url=/no'></template><a href=x>",
                "/a/x",
            ),
            ("<a href=/x><template><a href=/no>", "/x"),
            // Text that looks like tags.
            ("<!-- <a href=/no> --!><a href=/x><!--><a href=/y><!-- <a href=/no>", "/x /y"),
            ("<textarea><a href=/no></textarea><title><a href=/no></title><xmp><a href=/no></xmp>", ""),
            ("<script><!--<script><a href=/no></script><a href=/no>--></script><a href=/x>", "/x"),
            ("<noframes><a href=/no></noframes><noembed><a href=/no></noembed><a href=/x>", "/x"),
            ("<a href=/x><plaintext><a href=/no></plaintext>", "/x"),
            ("<noscript><a href=/x></noscript>", "/x"),
            ("<iframe srcdoc='<a href=/no>' src=/no></iframe><iframe src=/x></iframe>", "/x"),
            // Places where the tree has none.
            ("<select><option><a href=/x>x</a></select><a href=/y>", "/x /y"),
            ("<table><a href=/x>x</a><tr><a href=/y>y</a></table>", "/x /y"),
            ("<a href=/x>x<a href=/y>y</a></a><button><a href=/z>", "/x /y /z"),
            ("<head><a href=/x></head><body><a href=/y></body></html><a href=/z>", "/x /y /z"),
            ("<frameset><frame src=/x><a href=/y></frameset>", "/x /y"),
            ("<map><area href=/x><AREA HREF = '/y' ></map>", "/x /y"),
            // Attributes.
            ("<a href=/x href=/no>x</a><a HREF=/y>y</a><a href = \"/z\"w>", "/x /y /z"),
            ("<a href='&#47;x&amp;y&quest;z'>x</a><a href=\"\n/y\t\"><a/href=/z>", "/x&y?z /y /z"),
            ("<base target=x><base href=/b/><a href=x><base href=/c/>", "/b/x"),
            ("<a title='>' href=/x><a href=/y", "/x"),
        ] {
            let pass = links(html, &url);
            assert_eq!(pass, by_tree(html, &url), "{html}");
            let found: Vec<&str> = pass
                .links
                .iter()
                .map(|link| link.url.as_str().trim_start_matches("https://example.org"))
                .collect();
            assert_eq!(found.join(" "), expected, "{html}");
            assert_eq!(pass.refresh, None, "{html}");
        }
    }

    #[test]
    fn robots_words_may_be_apart_in_any_way() {
        let url = Url::parse("https://example.org/").unwrap();
        for (attributes, noindex, nofollow) in [
            ("name=robots content='noindex,nofollow'", true, true),
            ("name=ROBOTS content='NOINDEX\tNoFollow'", true, true),
            ("name=' robots\n' content='\n  noindex\n  ,\n  nofollow\n'", true, true),
            ("content=noindex&#44;nofollow name=robots", true, true),
            ("name=robots content='all; none'", true, true),
            ("name=robots http-equiv=refresh content=nofollow", false, true),
            ("name=robots content='index, follow'", false, false),
            ("name=robots content='noindexing max-snippet:none'", false, false),
            ("name=description content=noindex", false, false),
            ("property=robots content=noindex", false, false),
        ] {
            let html = format!("<meta {attributes}>");
            let found = links(&html, &url);
            assert_eq!((found.robots_noindex, found.robots_nofollow), (noindex, nofollow), "{attributes}");
            assert_eq!(found, by_tree(&html, &url), "{attributes}");
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
            ("text in a shadow tree", "<x-a><template shadowrootmode=Open><p>text</p></template></x-a>"),
            ("text in a template", "<x-a><template shadowrootmode=no><p>text</p></template></x-a>"),
        ] {
            let html = format!("{HEAD}{body}");
            let LinkPage { document: pass, links: found, needs_scripts, .. } =
                page(&html, &url, "UTF-8", &Interrupt::never());
            let tree = parse(&html, ParseOptions::default());
            let resolver = Resolver::of_tree(&url, &tree);
            assert_eq!(found, by_tree(&html, &url), "{row}");
            let view = crate::view::View::whole(&tree);
            assert_eq!(pass.links, Some(links::of_view(&tree, &view, &resolver)), "{row}");
            assert_eq!(pass.metadata, super::super::metadata::read(&tree, &url, &resolver), "{row}");
            assert_eq!(needs_scripts, super::super::shell::is_shell(&tree), "{row}");
        }
    }

    #[test]
    fn the_title_of_a_drawing_is_not_that_of_the_page() {
        let url = Url::parse("https://example.org/a/").unwrap();
        for html in [
            "<body><svg><title>Drawing</title></svg><title>Tea</title><p>text",
            "<title>Tea</title><svg><title>Drawing</title></svg><p>text",
        ] {
            let pass = page(html, &url, "UTF-8", &Interrupt::never());
            assert_eq!(pass.document.metadata.title.as_deref(), Some("Tea"), "{html}");
            let tree = parse(html, ParseOptions::default());
            let resolver = Resolver::of_tree(&url, &tree);
            assert_eq!(
                pass.document.metadata,
                super::super::metadata::read(&tree, &url, &resolver),
                "{html}"
            );
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
