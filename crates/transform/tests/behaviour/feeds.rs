//! Feeds: RSS, Atom, RDF, JSON Feed, with the vocabularies of podcasts and media; and sitemaps.

#![expect(clippy::unwrap_used, reason = "code of tests: a broken assumption ends the test")]

use gleaner_transform::{Input, links, transform};
use gleaner_types::Document;
use gleaner_types::request::{Format, ScrapeOptions};

const RSS: &str = "application/rss+xml";
const ATOM: &str = "application/atom+xml";

fn read(body: &str, content_type: &str) -> Document {
    let url = "https://example.org/feeds/all".parse().unwrap();
    let input = Input::new(&url, Some(content_type), body.as_bytes());
    let formats = [Format::Markdown, Format::Links, Format::Images];
    let page = transform(input, &ScrapeOptions::new().formats(formats).check().unwrap()).unwrap();
    assert_eq!(links(input).unwrap(), page.links, "{body}");
    page.document
}

fn rss(channel: &str) -> Document {
    read(&format!("<?xml version='1.0'?><rss version='2.0'><channel>{channel}</channel></rss>"), RSS)
}

#[test]
fn the_picture_of_a_channel_is_not_the_channel() {
    for inner in [
        "<image><url>https://m.example/logo.png</url><title>Logo</title><link>https://m.example/logo</link></image>",
        "<textInput><title>Search</title><description>Words</description><link>https://m.example/s</link></textInput>",
        "<itunes:owner><itunes:name>W</itunes:name></itunes:owner><atom:link rel='self' href='https://m.example/feed'/>",
        "<x:title>Other</x:title><x:box><title>Boxed</title></x:box>",
    ] {
        let document = rss(&format!(
            "{inner}<title>Mill news</title><link>https://m.example/</link><description>All</description>
             <language>en-gb</language><item><title>One</title><link>https://m.example/1</link></item>"
        ));
        assert_eq!(document.metadata.title.as_deref(), Some("Mill news"), "{inner}");
        assert_eq!(document.metadata.description.as_deref(), Some("All"), "{inner}");
        assert_eq!(document.metadata.language.as_deref(), Some("en-gb"), "{inner}");
        assert_eq!(document.links.unwrap(), ["https://m.example/", "https://m.example/1"], "{inner}");
    }
}

#[test]
fn the_source_and_the_author_of_an_entry_are_not_the_entry() {
    let document = read(
        "<feed xmlns='http://www.w3.org/2005/Atom'><title>Planet</title><entry>
         <source><title>Other</title><link href='https://o.example/'/><updated>2001-01-01</updated></source>
         <author><name>W</name><uri>https://w.example</uri></author><updated>2024-02-02</updated>
         <published>2024-01-01</published><title>The weir</title><link rel='self' href='/api/1'/>
         <link rel='related' href='/other'/><link rel='alternate' href='/1'/><summary>It is shut.</summary></entry></feed>",
        ATOM,
    );
    assert_eq!(
        document.markdown.unwrap(),
        "# Planet\n\n## [The weir](https://example.org/1)\n\n2024-01-01\n\nIt is shut."
    );
    assert_eq!(document.links.unwrap(), ["https://example.org/1"]);
}

#[test]
fn an_identifier_is_a_link_unless_the_feed_says_that_it_is_none() {
    for (item, expected) in [
        ("<guid>https://m.example/2</guid>", Some("https://m.example/2")),
        ("<guid isPermaLink='true'>https://m.example/2</guid>", Some("https://m.example/2")),
        ("<guid isPermaLink='false'>https://m.example/2</guid>", None),
        ("<guid>ep-2</guid>", None),
        ("<guid>https://m.example/?p=2</guid><link>https://m.example/2</link>", Some("https://m.example/2")),
        ("<link/><guid>https://m.example/2</guid>", Some("https://m.example/2")),
        ("<link>../2</link>", Some("https://example.org/2")),
    ] {
        let links = rss(&format!("<item><title>Two</title>{item}</item>")).links.unwrap();
        assert_eq!(links, expected.into_iter().collect::<Vec<_>>(), "{item}");
    }
}

#[test]
fn bases_nest_and_end_with_their_elements() {
    let feed = "<feed xmlns='http://www.w3.org/2005/Atom' xml:base='https://b.example/notes/'><title>N</title>
        <link href='./'/><entry xml:base='2024/'><title>A</title><link href='weir'/><content type='xhtml'>
        <div>See <a href='gate'>the gate</a>, <b xml:base='old/'><a href='lock'>the lock</a></b> and <a href='mill'>the
        mill</a>.</div></content></entry><entry><title>B</title><link href='b'/>
        <content type='html' xml:base='/c/'>&lt;a href='d'>d&lt;/a> &lt;img src='p.png'></content></entry></feed>";
    let document = read(feed, ATOM);
    let base = "https://b.example/notes";
    let links = [format!("{base}/"), format!("{base}/2024/weir"), format!("{base}/b")];
    assert_eq!(document.links.unwrap(), links);
    let markdown = document.markdown.unwrap();
    for address in ["/notes/2024/gate", "/notes/2024/old/lock", "/notes/2024/mill", "/c/d", "/c/p.png"] {
        assert!(markdown.contains(&format!("(https://b.example{address})")), "{address}: {markdown}");
    }
    assert_eq!(document.images.unwrap(), ["https://b.example/c/p.png"]);
}

#[test]
fn recordings_belong_to_their_entries() {
    for enclosure in [
        "<enclosure url='https://m.example/ep1.mp3' length='1' type='audio/mpeg'/>",
        "<media:content url='https://m.example/ep1.mp3' type='audio/mpeg'/>",
        "<media:group><media:content url='https://m.example/ep1.mp3'/></media:group>",
        "<atom:link rel='enclosure' href='https://m.example/ep1.mp3'/>",
        "<enclosure url='https://m.example/ep1.mp3'/><media:content url='https://m.example/ep1.mp3'/>",
    ] {
        let document = rss(&format!(
            "<title>Talk</title><item><itunes:title>Episode 1</itunes:title><guid isPermaLink='false'>1</guid>
             <itunes:subtitle>Short</itunes:subtitle><itunes:summary>On water.</itunes:summary>{enclosure}</item>"
        ));
        assert_eq!(
            document.markdown.unwrap(),
            "# Talk\n\n## Episode 1\n\nOn water.\n\n[ep1.mp3](https://m.example/ep1.mp3)",
            "{enclosure}"
        );
        assert_eq!(document.links.unwrap(), ["https://m.example/ep1.mp3"], "{enclosure}");
    }
}

#[test]
fn texts_and_pictures_of_media_are_shown() {
    // A channel of videos has all its texts in a group.
    let document = read(
        "<feed xmlns:media='http://search.yahoo.com/mrss/' xmlns='http://www.w3.org/2005/Atom'><title>Films</title>
         <entry><title>The mill</title><link rel='alternate' href='/watch'/><media:group><media:title>No</media:title>
         <media:thumbnail url='https://i.example/t.jpg'/><media:description>First line.\n\nSecond line.</media:description>
         </media:group></entry></feed>",
        ATOM,
    );
    let markdown = document.markdown.unwrap();
    assert!(markdown.contains("First line.\n\nSecond line.\n\n![](https://i.example/t.jpg)"), "{markdown}");
    assert!(!markdown.contains("No"), "{markdown}");
    assert_eq!(document.images.unwrap(), ["https://i.example/t.jpg"]);

    // A gallery: each picture has its text; the prefix is the author's.
    let document = read(
        "<rss xmlns:m='http://search.yahoo.com/mrss/'><channel><item><m:title>Kept apart</m:title><title>Gallery</title>
         <description>Two pictures.</description>
         <m:content url='https://i.example/1.jpg' medium='image'><m:title>One</m:title><m:description>The weir.</m:description></m:content>
         <m:content url='https://i.example/2.jpg' type='image/jpeg'><m:description type='html'>The &lt;b>gate&lt;/b>.</m:description></m:content>
         </item></channel></rss>",
        RSS,
    );
    let markdown = document.markdown.unwrap();
    for text in [
        "## Gallery",
        "Two pictures.",
        "![One](https://i.example/1.jpg)\n\nThe weir.",
        "![](https://i.example/2.jpg)\n\nThe **gate**.",
    ] {
        assert!(markdown.contains(text), "{text}: {markdown}");
    }
    assert_eq!(document.images.unwrap(), ["https://i.example/1.jpg", "https://i.example/2.jpg"]);

    // What is in the text already is not repeated.
    let markdown = rss("<item><title>A</title><description><![CDATA[<img src='https://i.example/1.jpg'> The weir.]]></description>
        <media:content url='https://i.example/1.jpg' medium='image'/><media:description>The weir.</media:description></item>")
    .markdown
    .unwrap();
    assert_eq!(
        (markdown.matches("1.jpg").count(), markdown.matches("The weir.").count()),
        (1, 1),
        "{markdown}"
    );
}

#[test]
fn a_feed_is_one_whatever_its_type_and_faults() {
    let feed = "<?xml version='1.0'?><!-- x --><rss version='2.0'><channel><title>A & B</title>
        <item><title>New stones</title><link>https://m.example/?a=1&b=2</link></item></channel></rss>";
    for content_type in
        ["text/html; charset=UTF-8", "text/xml", "text/plain", "application/octet-stream", RSS]
    {
        let document = read(feed, content_type);
        assert_eq!(document.metadata.title.as_deref(), Some("A & B"), "{content_type}");
        assert_eq!(document.links.unwrap(), ["https://m.example/?a=1&b=2"], "{content_type}");
        assert!(document.markdown.unwrap().contains("## [New stones]"), "{content_type}");
    }
}

#[test]
fn rdf_and_prefixed_feeds_are_read() {
    let document = read(
        "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns='http://purl.org/rss/1.0/' xmlns:dc='http://purl.org/dc/elements/1.1/'>
         <channel rdf:about='x'><title>Mill</title><link>https://m.example/</link><items><rdf:Seq><rdf:li resource='y'/></rdf:Seq></items></channel>
         <image><title>Logo</title></image><item rdf:about='z'><title>One</title><link>https://m.example/1</link><dc:date>2024-05-01</dc:date></item></rdf:RDF>",
        "application/rdf+xml",
    );
    assert_eq!(document.markdown.unwrap(), "# Mill\n\n## [One](https://m.example/1)\n\n2024-05-01");
    let document = read(
        "<a:feed xmlns:a='http://www.w3.org/2005/Atom'><a:title>Mill</a:title><a:entry><a:title>One</a:title><a:link href='/1'/></a:entry></a:feed>",
        ATOM,
    );
    assert_eq!(document.links.unwrap(), ["https://example.org/1"]);
}

#[test]
fn json_feeds_are_read_as_the_others() {
    let feed = serde_json::json!({
        "version": "https://jsonfeed.org/version/1.1",
        "title": "Mill",
        "home_page_url": "https://m.example/",
        "language": "de",
        "items": [
            { "id": "1", "url": "/1", "title": "One", "content_html": "<p>The <b>weir</b>.</p>", "date_published": "2024-05-01",
              "attachments": [{ "url": "https://m.example/1.mp3", "mime_type": "audio/mpeg", "title": "Listen" }] },
            { "id": "https://m.example/2", "content_text": "One <line>.\nTwo.", "image": "https://m.example/2.png" },
        ],
    });
    for content_type in ["application/feed+json", "application/json"] {
        let document = read(&feed.to_string(), content_type);
        assert_eq!(
            document.markdown.unwrap(),
            "# Mill\n\n## [One](https://example.org/1)\n\n2024-05-01\n\nThe **weir**.\n\n[Listen](https://m.example/1.mp3)\n\n\
             ## [Untitled](https://m.example/2)\n\nOne \\<line>.\n\nTwo.\n\n![](https://m.example/2.png)"
        );
        let links =
            ["https://m.example/", "https://example.org/1", "https://m.example/1.mp3", "https://m.example/2"];
        assert_eq!(document.links.unwrap(), links);
        assert_eq!(document.images.unwrap(), ["https://m.example/2.png"]);
        assert_eq!(document.metadata.language.as_deref(), Some("de"));
    }
    let other = read("{\"version\": \"https://jsonfeed.org/version/1\"}", "application/json");
    assert!(other.markdown.unwrap().starts_with("```json\n"));
}

#[test]
fn a_sitemap_is_a_list_of_its_addresses() {
    let document = read(
        "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' xmlns:n='http://www.google.com/schemas/sitemap-news/0.9'
          xmlns:image='http://www.google.com/schemas/sitemap-image/1.1'>
         <url><loc>https://m.example/a</loc><lastmod>2024-05-01</lastmod><image:image><image:loc>/i.png</image:loc></image:image></url>
         <url><loc>/b</loc><n:news><n:publication><n:name>M</n:name></n:publication><n:title>The weir</n:title></n:news></url></urlset>",
        "application/xml",
    );
    assert_eq!(
        document.markdown.unwrap(),
        "- [https://m.example/a](https://m.example/a) 2024-05-01\n- [The weir](https://example.org/b)"
    );
    assert_eq!(document.links.unwrap(), ["https://m.example/a", "https://example.org/b"]);
    let index = "<sitemapindex><sitemap><loc>https://m.example/s1.xml</loc></sitemap></sitemapindex>";
    assert_eq!(read(index, "text/xml").links.unwrap(), ["https://m.example/s1.xml"]);
}
