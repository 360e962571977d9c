//! From HTML to a page, with or without a tree.

use std::borrow::Cow;

use gleaner_types::plan::{Formats, ScrapeOptionsPlan};
use gleaner_types::{Document, Interrupt};
use url::Url;

use super::{Input, Page, Settings, html_to_markdown_within};
use crate::page::{attributes, images, json_ld, link_pass, links, metadata, shell, state};
use crate::resolver::Resolver;
use crate::select::{STEPS_EXHAUSTED, Steps};
use crate::tree::{Attr, NodeId, ParseOptions, Tag, Tree, parse_within, prepare};
use crate::view::View;
use crate::{ad_block, body, branding, charset, content, html, markdown, summary, unseen};

/// The warning of a page without main content.
const NO_MAIN_CONTENT: &str =
    "No main content was found: the whole page is given, as with `onlyMainContent: false`.";

/// The warning of a page with too many elements.
const TRUNCATED: &str =
    "The page exceeds the limit on elements or on memory: its end is given as text alone.";

/// The warning of a page that leaves formatting elements open too often.
const FORMATTING_STOPPED: &str =
    "The page leaves formatting elements open too often: its end is given without formatting.";

/// The warning of a page whose text comes from its JSON-LD.
const FROM_JSON_LD: &str = "The page shows almost no text: the text of its JSON-LD is given instead.";

/// The warning of a shell whose text comes from the state of its scripts begins with this.
const SHOWS_NOTHING: &str = "The page as served shows almost no text:";

/// The warning of another page whose text comes from there begins with this.
const SHOWS_LITTLE: &str = "The page as served shows little of its text:";

/// The id of the element with the text of a state.
const ARTICLE_ID: &str = "embedded-state";

/// The text of JSON-LD has no structure. It is preferred to that of a state if it has more than this many
/// bytes for each letter of the state's.
const MAX_JSON_LD_SHARE: usize = 2;

/// Bytes of `<title>` that headings are compared with.
const MAX_TITLE_BYTES: usize = 2_000;

/// With less Markdown than this, in bytes, the text of a page may be inserted by scripts.
const MAX_SHORT_BYTES: usize = 300;

/// Transforms an HTML body.
pub(super) fn page(input: Input<'_>, settings: Settings<'_>) -> Page {
    let charset::Decoded { text, encoding, .. } = charset::decode(input.body, input.content_type);
    let encoding = charset::query_encoding(input.content_type, encoding);
    of_source(prepare(text), input.url, Settings { encoding, ..settings })
}

/// Transforms a body of XHTML.
pub(super) fn xml_page(input: Input<'_>, settings: Settings<'_>) -> Page {
    let charset::Decoded { text, encoding, .. } = charset::decode(input.body, input.content_type);
    let html = prepare(Cow::Owned(body::xhtml::html(&text)));
    let mut page = of_source(html, input.url, Settings { encoding, ..settings });
    page.document.raw_html = settings.options.formats.raw_html.then(|| text.into_owned());
    page
}

fn of_source(text: Cow<'_, str>, url: &Url, settings: Settings<'_>) -> Page {
    if !needs_no_tree(settings.options) {
        return from_text(&text, url, settings);
    }
    let link_pass::LinkPage { mut document, links, is_shell, needs_scripts } =
        link_pass::page(&text, url, settings.encoding, settings.interrupt);
    // The text that fills a shell has links too.
    if is_shell && state::may_fill(&text, settings.interrupt) {
        return from_text(&text, url, settings);
    }
    if settings.options.formats.raw_html {
        document.raw_html = Some(text.into_owned());
    }
    Page { document, links, needs_scripts, ..Page::default() }
}

/// True if only the links (and the raw HTML) are requested. Then one pass over the tags is enough, and the
/// metadata are those that tags give.
fn needs_no_tree(options: &ScrapeOptionsPlan) -> bool {
    let formats = &options.formats;
    let bare = Formats { links: true, raw_html: formats.raw_html, ..Formats::default() };
    *formats == bare && options.include_tags.is_empty() && options.exclude_tags.is_empty()
}

/// Transforms HTML as [`prepare`] leaves it. A page that shows little of its text gives that of its state.
pub(super) fn from_text(text: &str, url: &Url, settings: Settings<'_>) -> Page {
    let options = settings.options;
    let tree = parse_page(text, settings);
    let is_shell = shell::is_shell(&tree);
    let selects = !options.include_tags.is_empty();
    if !is_shell {
        let may_add = gives_text(&options.formats) && !selects;
        // The text of the page is compared with that of its state, whatever formats are requested.
        let keeps_markdown = may_add && !has_markdown(&options.formats) && state::may_hide(text);
        let fill = Fill { keeps_markdown, ..Fill::default() };
        let mut page = of_tree(&tree, text, url, settings, fill);
        let written = page.document.markdown.as_deref().filter(|_| may_add);
        let found =
            written.and_then(|written| state::read_hidden(&tree, text, written, url, settings.interrupt));
        if keeps_markdown {
            page.document.markdown = None;
        }
        let Some(found) = found else { return page };
        drop(tree);
        return filled(&found, text, url, settings, false).unwrap_or(page);
    }
    let fill = Fill { is_shell, ..Fill::default() };
    let linked = json_ld::main_text(&tree).map_or(0, |text| text.len());
    let found = state::read(&tree, text, url, settings.interrupt);
    let found = found.filter(|found| linked <= found.letters.saturating_mul(MAX_JSON_LD_SHARE));
    let Some(found) = found else { return of_tree(&tree, text, url, settings, fill) };
    if !selects {
        // The memory of a page is that of one tree.
        drop(tree);
        return filled(&found, text, url, settings, true)
            .unwrap_or_else(|| of_tree(&parse_page(text, settings), text, url, settings, fill));
    }
    // Tags select from the page as served, but a crawl follows all its links.
    let mut page = of_tree(&tree, text, url, settings, fill);
    drop(tree);
    let source = with_state(&found, text);
    page.links = link_pass::page(&source, url, settings.encoding, settings.interrupt).links;
    page
}

/// The source of a page with the text of a state behind it.
fn with_state(found: &state::Found, text: &str) -> String {
    let linked = match found.json_ld.as_str() {
        "" => String::new(),
        json_ld => format!("<script type=application/ld+json>{json_ld}</script>"),
    };
    let (name, html) = (found.tag().name(), &found.html);
    prepare(Cow::Owned(format!("{text}{linked}<{name} id={ARTICLE_ID}>{html}</{name}>"))).into_owned()
}

/// Transforms a page with the text of a state added to it, so that everything is read from there: links and
/// pictures too. `None` if the page leaves an element open that hides the text.
fn filled(
    found: &state::Found,
    text: &str,
    url: &Url,
    settings: Settings<'_>,
    is_shell: bool,
) -> Option<Page> {
    let source = with_state(found, text);
    let mut tree = parse_page(&source, settings);
    if !is_shell {
        // Without a tree it is unknown whether the page shows little, and links do not depend on the formats.
        tree.link_tags.keep_before(text.len());
    }
    let is_ours = |node: &NodeId| tree.attribute(*node, Attr::Id) == Some(ARTICLE_ID);
    let article = tree.elements_with_tag(found.tag()).filter(is_ours).last()?;
    if rest_of(&tree, article).all(|node| tree.folded_text(node, 1).is_empty()) {
        return None;
    }
    // A short text is better than none, and a browser may give more. It also gives more links and pictures.
    let gives_text = gives_text(&settings.options.formats);
    let fill = Fill {
        is_shell: is_shell && !(gives_text && found.is_long()),
        article: (!found.is_page).then_some(article),
        ..Fill::default()
    };
    let mut page = of_tree(&tree, &source, url, settings, fill);
    let document = &mut page.document;
    document.raw_html = document.raw_html.take().map(|_| text.to_owned());
    if !gives_text {
        return Some(page);
    }
    let what = if is_shell { SHOWS_NOTHING } else { SHOWS_LITTLE };
    let origin = match found.origin {
        state::Origin::Data => "JSON in a script",
        state::Origin::Program => "a value in a script",
        state::Origin::Stream => "the stream of its components",
        state::Origin::Attribute => "JSON in an attribute",
    };
    let own = format!("{what} the text of its embedded state ({origin}) is given instead.");
    document.warning = Some(match document.warning.take() {
        Some(more) => format!("{own} {more}"),
        None => own,
    });
    Some(page)
}

/// An element and the elements after it. A text at the end of a page may close the element around it.
fn rest_of(tree: &Tree, element: NodeId) -> impl Iterator<Item = NodeId> + '_ {
    let next = move |node: &NodeId| tree.next_sibling(*node);
    let after = move |node: NodeId| std::iter::successors(next(&node), next);
    let around = std::iter::once(element).chain(tree.ancestors(element)).flat_map(after);
    // A part of the page that was moved behind is older.
    let is_newer = move |node: &NodeId| tree.is_element(*node) && node.index() > element.index();
    std::iter::once(element).chain(around.filter(is_newer))
}

/// What a state has to do with a page.
#[derive(Debug, Clone, Copy, Default)]
struct Fill {
    /// The page is an empty shell: a browser gives more of it.
    is_shell: bool,
    /// The main content is known: a text from the state.
    article: Option<NodeId>,
    /// The document keeps the Markdown if it is not requested too.
    keeps_markdown: bool,
}

fn parse_page(text: &str, settings: Settings<'_>) -> Tree {
    let Settings { options, memory, interrupt, .. } = settings;
    let selects = !options.include_tags.is_empty()
        || !options.exclude_tags.is_empty()
        || !options.formats.attributes.is_empty();
    let all_attributes = selects || options.formats.html;
    parse_within(text, ParseOptions { all_attributes, memory: Some(memory) }, interrupt)
}

/// Transforms the tree of a text.
fn of_tree(tree: &Tree, text: &str, url: &Url, settings: Settings<'_>, fill: Fill) -> Page {
    let Settings { options, selection, interrupt, .. } = settings;
    let formats = &options.formats;
    let resolver = Resolver::of_tree(url, tree).with_encoding(settings.encoding);
    let mut document = Document::default();
    document.metadata = metadata::read(tree, url, &resolver);
    let mut warnings = Vec::new();
    let mut summary_warning = None;
    let mut is_blank = false;
    let mut is_cut = false;
    let mut visit = None;

    let steps = Steps::of_page(text.len(), interrupt);
    let tagged = selection.view(tree, &steps);
    let collector = links::collect(text, &tree.link_tags, resolver.with_full_budget(), interrupt);
    if formats.links {
        let is_whole = options.include_tags.is_empty() && options.exclude_tags.is_empty();
        let part = || links::of_view(tree, &tagged, &resolver);
        document.links = Some(if is_whole { collector.texts() } else { part() });
    }
    if formats.images {
        document.images = Some(images::of_view(tree, &tagged, &resolver));
    }
    if !formats.attributes.is_empty() {
        let wanted = &formats.attributes;
        document.attributes = Some(attributes::read(tree, wanted, &selection.attributes, &steps));
    }
    if formats.raw_html {
        document.raw_html = Some(text.to_owned());
    }
    if formats.branding {
        document.branding = Some(branding::read(tree, text, &resolver));
    }
    let wants_text = wants_text(formats);
    if wants_text || formats.html {
        let selected = || {
            let mut view = in_body(tree, tagged.clone());
            unseen::hide_in_lines(tree, text, &mut view);
            view
        };
        let whole = || {
            let mut view = selected();
            if options.block_ads {
                ad_block::hide(tree, &mut view);
            }
            view
        };
        // The main content model recognizes advertisements by itself.
        let narrows = options.only_main_content && options.include_tags.is_empty();
        let mut view = if narrows { selected() } else { whole() };
        let mut is_whole = !narrows;
        if let Some(article) = fill.article.filter(|_| narrows) {
            view.roots = rest_of(tree, article).collect();
        } else if narrows {
            let metadata = &document.metadata;
            let full_title =
                tree.elements_with_tag(Tag::Title).next().map(|node| tree.folded_text(node, MAX_TITLE_BYTES));
            let names = content::PageNames {
                title: metadata.title.as_deref().unwrap_or_default(),
                full_title: full_title.as_deref().unwrap_or_default(),
                og_title: metadata.og_title.as_deref().unwrap_or_default(),
                site_name: metadata.og_site_name.as_deref().unwrap_or_default(),
                host: url.host_str().unwrap_or_default(),
            };
            visit = settings.visit(url);
            let narrowed = content::narrow(tree, &mut view, url, &names, visit.as_mut());
            if !narrowed.found {
                view = whole();
                is_whole = true;
            } else if narrowed.cut {
                warnings.push(content::CUT);
            }
        }
        let mut write = |view: &View| {
            let resolver = resolver.with_full_budget();
            let options = markdown::Options {
                resolver: &resolver,
                remove_base64_images: options.remove_base64_images,
                faithful: false,
            };
            let output = markdown::write(tree, view, options);
            is_cut |= output.cut;
            output.text
        };
        let mut written = if wants_text { write(&view) } else { String::new() };
        if wants_text && written.is_empty() && !is_whole {
            view = whole();
            written = write(&view);
            is_whole = true;
        }
        if wants_text
            && written.len() < MAX_SHORT_BYTES
            && options.include_tags.is_empty()
            && let Some(text) = json_ld::main_text(tree)
        {
            written = json_ld_markdown(&text, url, interrupt);
            warnings.push(FROM_JSON_LD);
            is_whole = false;
        }
        if narrows && is_whole && !written.is_empty() {
            warnings.push(NO_MAIN_CONTENT);
        }
        let not_requested = (fill.keeps_markdown && !wants_text).then(|| write(&view));
        if formats.html {
            let names_iframe = |selector: &String| selector.to_ascii_lowercase().contains("iframe");
            let html_options = html::Options {
                remove_base64_images: options.remove_base64_images,
                iframes: options.include_tags.iter().any(names_iframe),
            };
            let output = html::write(tree, &view, &resolver.with_full_budget(), html_options);
            is_cut |= output.cut;
            document.html = Some(output.text);
        }
        is_blank = written.is_empty() && options.include_tags.is_empty() && options.exclude_tags.is_empty();
        if formats.summary {
            document.summary = Some(summary::of_markdown(&written));
            summary_warning = Some(summary::WARNING);
        }
        document.markdown =
            not_requested.or_else(|| (has_markdown(formats) || fill.keeps_markdown).then_some(written));
    }
    let needs_scripts = !tagged.noscript && fill.is_shell && json_ld::main_text(tree).is_none();
    if wants_text && is_blank && !needs_scripts {
        warnings.push(super::NO_TEXT);
    }
    if steps.is_exhausted() {
        warnings.push(STEPS_EXHAUSTED);
    }
    let limits =
        [(tree.truncated, TRUNCATED), (tree.formatting_stopped, FORMATTING_STOPPED), (is_cut, super::CUT)];
    warnings.extend(limits.into_iter().filter(|(reached, _)| *reached).map(|(_, warning)| warning));
    document.warning = (!warnings.is_empty()).then(|| warnings.join(" "));
    let links = collector.finish();
    // The page comes again if it is rendered or its transform restarts.
    if let Some(visit) = visit.filter(|_| !needs_scripts && !interrupt.is_raised()) {
        visit.learn();
    }
    Page { document, links, needs_scripts, summary_warning, ..Page::default() }
}

impl<'s> Settings<'s> {
    /// The page as one of its site; `None` if it is transformed by itself. A page that is compared with an
    /// earlier crawl must not depend on the order of this one.
    fn visit(&self, url: &Url) -> Option<content::Visit<'s>> {
        let site = self.site.filter(|_| self.options.formats.change_tracking.is_none())?;
        Some(site.visit(url))
    }
}

/// True if the document has the Markdown.
const fn has_markdown(formats: &Formats) -> bool {
    formats.markdown || formats.json.is_some() || formats.change_tracking.is_some()
}

/// True if a requested format is derived from the Markdown.
pub(super) const fn wants_text(formats: &Formats) -> bool {
    has_markdown(formats) || formats.summary
}

/// True if the document gives the text of the page.
const fn gives_text(formats: &Formats) -> bool {
    wants_text(formats) || formats.html
}

/// Leaves out the head.
fn in_body(tree: &Tree, mut view: View) -> View {
    if view.roots == [NodeId::DOCUMENT]
        && let Some(root) = tree.find(Tag::Body).or_else(|| tree.find(Tag::Frameset))
    {
        view.roots = vec![root];
    }
    view
}

/// Markdown of a text from JSON-LD, which is HTML or lines of plain text.
fn json_ld_markdown(text: &str, url: &Url, interrupt: &Interrupt) -> String {
    html_to_markdown_within(&html::of_text(text), Some(url), interrupt)
}
