//! The links of a page without a tree: one pass of the tokenizer, for pages that are crawled for their links alone.
//!
//! Addresses are resolved at the end, because a `<base>` counts for what stands before it too.

use std::borrow::Cow;

use url::Url;

use super::links::{Collector, PageLinks};
use crate::address::Resolver;
use crate::tree::{Content, Tag, Token, Tokenizer, decode_references};

enum Found<'a> {
    Link { href: Cow<'a, str>, rel: Cow<'a, str> },
    Head { href: Cow<'a, str>, rel: Cow<'a, str> },
    Meta { name: Cow<'a, str>, content: Cow<'a, str> },
}

/// All links of a page; `text` is as [`prepare`](crate::tree::prepare) leaves it.
pub(crate) fn links(text: &str, url: &Url) -> PageLinks {
    let mut tokenizer = Tokenizer::new(text);
    let mut found = Vec::new();
    let mut base = None;
    while let Some(token) = tokenizer.next(false) {
        let Token::Start { name, .. } = token else { continue };
        let written = name.of(text);
        if written.len() > 9 {
            continue;
        }
        let tag = if written.bytes().any(|byte| byte.is_ascii_uppercase()) {
            Tag::lookup(&written.to_ascii_lowercase()).0
        } else {
            Tag::lookup(written).0
        };
        let value = |wanted: &str| {
            tokenizer
                .attributes()
                .iter()
                .find(|attribute| attribute.name.of(text).eq_ignore_ascii_case(wanted))
                .map(|attribute| decode_references(attribute.value.of(text), true))
        };
        match tag {
            Tag::A | Tag::Area => {
                if let Some(href) = value("href") {
                    found.push(Found::Link { href, rel: value("rel").unwrap_or_default() });
                }
            }
            Tag::Frame => {
                if let Some(href) = value("src") {
                    found.push(Found::Link { href, rel: Cow::Borrowed("") });
                }
            }
            Tag::Base if base.is_none() => base = value("href"),
            Tag::Link => {
                if let Some(rel) = value("rel").filter(|rel| rel.to_ascii_lowercase().contains("canonical")) {
                    found.push(Found::Head { href: value("href").unwrap_or_default(), rel });
                }
            }
            Tag::Meta => {
                if let Some(name) = value("name").or_else(|| value("http-equiv")) {
                    found.push(Found::Meta { name, content: value("content").unwrap_or_default() });
                }
            }
            Tag::Script => tokenizer.set_content(Content::Script),
            Tag::Style | Tag::Xmp | Tag::Iframe | Tag::Noembed | Tag::Noframes => {
                tokenizer.set_content(Content::Rawtext);
            }
            Tag::Title | Tag::Textarea => tokenizer.set_content(Content::Rcdata),
            Tag::Plaintext => tokenizer.set_content(Content::Plaintext),
            _ => {}
        }
    }
    let mut collector = Collector::new(Resolver::new(url, base.as_deref()));
    for item in &found {
        match item {
            Found::Link { href, rel } => collector.link(href, rel),
            Found::Head { href, rel } => collector.head_link(href, rel),
            Found::Meta { name, content } => collector.meta(name, content),
        }
    }
    collector.finish()
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
    fn the_pass_and_the_tree_agree() {
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
    fn a_refresh_is_a_way_on() {
        let url = Url::parse("https://example.org/").unwrap();
        for content in ["0;url=/next", "5; URL='/next'", "0, /next"] {
            let page = format!("<meta http-equiv=refresh content=\"{content}\">");
            assert_eq!(links(&page, &url).refresh.unwrap().as_str(), "https://example.org/next", "{content}");
        }
        assert_eq!(links("<meta http-equiv=refresh content=30>", &url).refresh, None);
    }
}
