//! Sitemaps and feeds in XML.

use quick_xml::Reader;
use quick_xml::escape::unescape;
use quick_xml::events::{BytesRef, BytesStart, Event};
use url::Url;

use super::{MAX_ALTERNATES, SitemapBuilder, SitemapEntry, SitemapWarning, date};
use crate::scope::MAX_URL_BYTES;

/// Maximum number of attributes that are read per element.
const MAX_ATTRIBUTES: usize = 32;

/// Maximum length of a resolved `xml:base`, in bytes; a longer one does not count. Every page of the file may
/// repeat it.
const MAX_BASE_BYTES: usize = 2_048;

/// The format, by the root element.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// `urlset` or `sitemapindex`. Real files mix their entries, so both are read in the same way.
    Sitemap,
    /// RSS 1.0 (`RDF`) or 2.0.
    Rss,
    Atom,
}

impl Form {
    /// Whether elements of this name are entries: pages or child sitemaps.
    fn is_entry(self, local: &str) -> bool {
        match self {
            Self::Sitemap => matches!(local, "url" | "sitemap"),
            Self::Rss => local == "item",
            Self::Atom => local == "entry",
        }
    }
}

/// The element whose text is being collected.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Field {
    Location,
    /// An RSS `guid`: the location of an item without `link`.
    Guid,
    Date,
    Priority,
}

/// The current entry.
#[derive(Default)]
struct Item {
    /// It is a child sitemap, not a page.
    is_child: bool,
    /// The depth of its element.
    depth: usize,
    location: Option<String>,
    guid: Option<String>,
    last_modified: Option<i64>,
    priority: Option<u8>,
    alternates: Vec<Url>,
    /// The `xml:base` of the entry and of its link, the outer one first.
    bases: Vec<String>,
}

impl Item {
    fn open(local: &str, depth: usize, element: &BytesStart<'_>) -> Self {
        let bases = link_attributes(element).base.into_iter().collect();
        Self { is_child: local == "sitemap", depth, bases, ..Self::default() }
    }
}

struct Parser<'r, 'b> {
    builder: &'r mut SitemapBuilder<'b>,
    form: Option<Form>,
    /// The namespace prefix of the root element: `image:loc` is not `loc`.
    prefix: String,
    depth: usize,
    /// The `xml:base` around the entries.
    base: Option<Url>,
    item: Option<Item>,
    field: Option<(Field, usize)>,
    text: String,
}

pub(super) fn read(text: &str, builder: &mut SitemapBuilder<'_>) {
    let mut reader = Reader::from_str(text);
    let config = reader.config_mut();
    config.allow_dangling_amp = true;
    config.allow_unmatched_ends = true;
    config.check_end_names = false;
    let mut parser = Parser {
        builder,
        form: None,
        prefix: String::new(),
        depth: 0,
        base: None,
        item: None,
        field: None,
        text: String::new(),
    };
    loop {
        let continues = match reader.read_event() {
            Ok(Event::Start(element)) => {
                parser.depth += 1;
                parser.open(&element)
            }
            Ok(Event::Empty(element)) => {
                parser.depth += 1;
                parser.open(&element) && parser.close()
            }
            Ok(Event::End(_)) => parser.close(),
            Ok(Event::Text(text)) => parser.append(&text.into_inner()),
            Ok(Event::CData(text)) => parser.append(&text.into_inner()),
            Ok(Event::GeneralRef(reference)) => parser.append_reference(&reference),
            Ok(Event::Eof) => false,
            Ok(Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_)) => true,
            Err(_) => {
                parser.builder.warn(SitemapWarning::Malformed { position: reader.error_position() });
                false
            }
        };
        if !continues {
            break;
        }
    }
    // The file may end inside an entry whose location is known.
    if let Some(item) = parser.item.take() {
        parser.builder.warn(SitemapWarning::Malformed { position: reader.buffer_position() });
        if item.location.is_some() {
            parser.add(item);
        }
    } else if parser.form.is_none() {
        parser.builder.warn(SitemapWarning::NotASitemap);
    }
}

// The `bool` results mean: continue reading.
impl Parser<'_, '_> {
    fn open(&mut self, element: &BytesStart<'_>) -> bool {
        let name = element.name();
        let prefix = name.prefix();
        let prefix = prefix.as_ref().map_or("", |prefix| prefix.as_ref());
        let local = name.local_name();
        let local: &str = local.as_ref();
        let Some(form) = self.form else {
            self.base = self.base_of(element);
            return self.open_root(local, prefix);
        };
        if self.item.is_none() {
            if form.is_entry(local) {
                self.item = Some(Item::open(local, self.depth, element));
            } else if form == Form::Rss && local == "channel" {
                self.base = self.base_of(element);
            }
            return true;
        }
        // Entries are not nested: an unclosed entry ends where the next begins.
        if prefix == self.prefix && form.is_entry(local) {
            let done = self.item.replace(Item::open(local, self.depth, element));
            self.field = None;
            return done.is_none_or(|done| self.add(done));
        }
        let Some(item) = &self.item else { return true };
        if self.depth != item.depth + 1 {
            return true;
        }
        let own = prefix == self.prefix || prefix.is_empty();
        let field = match (form, local) {
            (Form::Sitemap, "loc") if own => Field::Location,
            (Form::Sitemap, "lastmod") if own => Field::Date,
            (Form::Sitemap, "priority") if own => Field::Priority,
            (Form::Sitemap, "link") => {
                self.alternate(element);
                return true;
            }
            (Form::Rss, "link") if own => Field::Location,
            (Form::Rss, "guid") if own => Field::Guid,
            (Form::Rss, "pubDate" | "date") => Field::Date,
            (Form::Atom, "link") if own => {
                self.atom_link(element);
                return true;
            }
            (Form::Atom, "updated") if own => Field::Date,
            _ => return true,
        };
        self.text.clear();
        self.field = Some((field, self.depth));
        true
    }

    /// The base of an element around the entries: its own `xml:base`, or else the one around it (XML Base,
    /// section 3). `None` is the URL of the sitemap.
    fn base_of(&self, element: &BytesStart<'_>) -> Option<Url> {
        let own = link_attributes(element).base;
        own.and_then(|base| self.resolve_base(&base, self.base.as_ref())).or_else(|| self.base.clone())
    }

    fn resolve_base(&self, base: &str, outer: Option<&Url>) -> Option<Url> {
        let resolved = outer.unwrap_or(self.builder.base).join(base).ok();
        resolved.filter(|url| url.as_str().len() <= MAX_BASE_BYTES)
    }

    fn open_root(&mut self, local: &str, prefix: &str) -> bool {
        self.form = match local {
            "urlset" | "sitemapindex" => Some(Form::Sitemap),
            "rss" | "RDF" => Some(Form::Rss),
            "feed" => Some(Form::Atom),
            _ => None,
        };
        // In RSS 1.0 only the root element has the prefix of RDF.
        self.prefix = if local == "RDF" { String::new() } else { prefix.to_owned() };
        self.form.is_some()
    }

    fn close(&mut self) -> bool {
        if let Some((field, depth)) = self.field
            && depth >= self.depth
        {
            self.field = None;
            self.store_field(field);
        }
        self.depth = self.depth.saturating_sub(1);
        match self.item.take_if(|item| item.depth > self.depth) {
            Some(item) => self.add(item),
            None => true,
        }
    }

    fn store_field(&mut self, field: Field) {
        let Some(item) = &mut self.item else { return };
        let text = self.text.trim();
        match field {
            Field::Location if item.location.is_none() => item.location = Some(text.to_owned()),
            Field::Guid if text.starts_with("http") => item.guid = Some(text.to_owned()),
            Field::Date => item.last_modified = item.last_modified.or_else(|| date::parse(text)),
            Field::Priority => item.priority = hundredths(text),
            Field::Location | Field::Guid => {}
        }
    }

    fn add(&mut self, item: Item) -> bool {
        let location = item.location.filter(|location| !location.is_empty()).or(item.guid);
        let text = location.as_deref().unwrap_or_default();
        let mut base: Option<Url> = None;
        for own in &item.bases {
            base = self.resolve_base(own, base.as_ref().or(self.base.as_ref())).or(base);
        }
        let base = base.as_ref().or(self.base.as_ref());
        let Some(url) = self.builder.url_from(text, base) else { return true };
        if item.is_child {
            return self.builder.add_child(url);
        }
        let Item { last_modified, priority, alternates, .. } = item;
        self.builder.add_page(SitemapEntry { url, last_modified, priority, alternates })
    }

    fn append(&mut self, text: &str) -> bool {
        if self.field.is_some() {
            // One byte more than the longest URL, so that a longer one is recognized as too long.
            let remaining = (MAX_URL_BYTES + 1).saturating_sub(self.text.len());
            let mut end = remaining.min(text.len());
            while !text.is_char_boundary(end) {
                end -= 1;
            }
            self.text.push_str(text.get(..end).unwrap_or_default());
        }
        true
    }

    fn append_reference(&mut self, reference: &BytesRef<'_>) -> bool {
        if self.field.is_none() {
            return true;
        }
        let resolved = match reference.resolve_char_ref() {
            Ok(Some(character)) => Some(character),
            _ => match reference.as_ref() {
                "amp" => Some('&'),
                "lt" => Some('<'),
                "gt" => Some('>'),
                "quot" => Some('"'),
                "apos" => Some('\''),
                _ => None,
            },
        };
        match resolved {
            Some(character) => self.append(character.encode_utf8(&mut [0; 4])),
            None => {
                self.builder.unknown_entities += 1;
                true
            }
        }
    }

    /// `<xhtml:link rel="alternate" hreflang="de" href="..."/>`.
    fn alternate(&mut self, element: &BytesStart<'_>) {
        let has_capacity = self.item.as_ref().is_some_and(|item| item.alternates.len() < MAX_ALTERNATES);
        let LinkAttributes { rel, href, .. } = link_attributes(element);
        if !has_capacity || rel.as_deref() != Some("alternate") {
            return;
        }
        let url = self.builder.url(href.as_deref().unwrap_or_default());
        if let (Some(item), Some(url)) = (&mut self.item, url) {
            item.alternates.push(url);
        }
    }

    /// `<link href="..."/>`, with no `rel` or with `rel="alternate"` (RFC 4287, section 4.2.7.2).
    fn atom_link(&mut self, element: &BytesStart<'_>) {
        let LinkAttributes { rel, href, base } = link_attributes(element);
        if let Some(item) = &mut self.item
            && item.location.is_none()
            && rel.is_none_or(|rel| rel == "alternate")
            && let Some(href) = href
        {
            item.location = Some(href);
            item.bases.extend(base);
        }
    }
}

/// Attributes of an element.
#[derive(Default)]
struct LinkAttributes {
    rel: Option<String>,
    href: Option<String>,
    /// `xml:base`.
    base: Option<String>,
}

/// The attributes are scanned once, without the reader's check for duplicate names, which takes quadratic
/// time.
fn link_attributes(element: &BytesStart<'_>) -> LinkAttributes {
    let mut found = LinkAttributes::default();
    for attribute in element.attributes().with_checks(false).flatten().take(MAX_ATTRIBUTES) {
        let value = match attribute.key.as_ref() {
            "rel" => &mut found.rel,
            "href" => &mut found.href,
            "xml:base" => &mut found.base,
            _ => continue,
        };
        if attribute.value.len() <= 2 * MAX_URL_BYTES {
            *value = Some(unescape(&attribute.value).unwrap_or_default().trim().to_owned());
        }
    }
    found
}

/// Reads `0.8` as 80. Values out of range are clamped.
fn hundredths(text: &str) -> Option<u8> {
    let value: f32 = text.parse().ok()?;
    if value.is_nan() {
        return None;
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 100 after the clamp")]
    Some((value.clamp(0.0, 1.0) * 100.0).round() as u8)
}
