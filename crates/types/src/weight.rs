//! The approximate memory use of a document, in bytes.
//!
//! Every field is named here, so a field that is added to the contract must be counted, or this does not
//! compile.

use std::io::{self, Write};

use serde_json::Value;

use crate::document::{ActionResults, Document, MetaValue, Metadata};

/// The approximate memory use of a document, in bytes.
#[must_use]
pub fn weight(document: &Document) -> usize {
    weight_up_to(document, usize::MAX)
}

/// Whether a document takes more than `than` bytes, so that writing it as JSON takes long. The check itself
/// is fast.
#[must_use]
pub fn is_heavier(document: &Document, than: usize) -> bool {
    weight_up_to(document, than) > than
}

/// The weight of a document. JSON values are counted only until the document is heavier than `limit`.
fn weight_up_to(document: &Document, limit: usize) -> usize {
    let Document {
        markdown,
        html,
        raw_html,
        links,
        images,
        screenshot,
        summary,
        json,
        extract,
        change_tracking,
        branding,
        attributes,
        actions,
        warning,
        metadata,
    } = document;
    let texts = [markdown, html, raw_html, screenshot, summary, warning];
    let lists = [links, images];
    let values = [json, extract, change_tracking, branding, attributes];
    size_of::<Document>()
        + texts.into_iter().flatten().map(String::len).sum::<usize>()
        + lists.into_iter().flatten().map(|list| strings_weight(list)).sum::<usize>()
        + values.into_iter().flatten().map(|json| json_weight(json, limit)).sum::<usize>()
        + actions.as_ref().map_or(0, |results| action_results_weight(results, limit))
        + metadata_weight(metadata)
}

fn strings_weight(list: &[String]) -> usize {
    list.iter().map(|text| size_of::<String>() + text.len()).sum()
}

fn action_results_weight(results: &ActionResults, limit: usize) -> usize {
    let ActionResults { screenshots, scrapes, javascript_returns, pdfs } = results;
    let values = scrapes.iter().chain(javascript_returns);
    strings_weight(screenshots)
        + strings_weight(pdfs)
        + values.map(|json| json_weight(json, limit)).sum::<usize>()
}

/// The length of a value as JSON. Its tree in memory takes a small multiple of it.
fn json_weight(value: &Value, limit: usize) -> usize {
    let mut counter = ByteCounter { bytes: 0, limit };
    // An error only means that `limit` was reached.
    let _ = serde_json::to_writer(&mut counter, value);
    counter.bytes
}

struct ByteCounter {
    bytes: usize,
    limit: usize,
}

impl Write for ByteCounter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes += bytes.len();
        if self.bytes > self.limit {
            return Err(io::ErrorKind::WriteZero.into());
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn metadata_weight(metadata: &Metadata) -> usize {
    let Metadata {
        title,
        description,
        language,
        keywords,
        robots,
        favicon,
        og_title,
        og_description,
        og_url,
        og_image,
        og_audio,
        og_determiner,
        og_locale,
        og_site_name,
        og_video,
        dc_date,
        dc_date_created,
        dc_terms_created,
        dc_description,
        dc_subject,
        dc_terms_subject,
        dc_type,
        dc_terms_type,
        dc_terms_audience,
        dc_terms_keywords,
        article_tag,
        article_section,
        published_time,
        modified_time,
        og_locale_alternate,
        source_url,
        url,
        status_code: _,
        content_type,
        scrape_id,
        error,
        num_pages: _,
        engine: _,
        proxy_used: _,
        cache_state: _,
        cached_at,
        credits_used: _,
        concurrency_limited: _,
        duration: _,
        other,
    } = metadata;
    let texts = [
        title,
        description,
        language,
        keywords,
        robots,
        favicon,
        og_title,
        og_description,
        og_url,
        og_image,
        og_audio,
        og_determiner,
        og_locale,
        og_site_name,
        og_video,
        dc_date,
        dc_date_created,
        dc_terms_created,
        dc_description,
        dc_subject,
        dc_terms_subject,
        dc_type,
        dc_terms_type,
        dc_terms_audience,
        dc_terms_keywords,
        article_tag,
        article_section,
        published_time,
        modified_time,
        source_url,
        url,
        content_type,
        scrape_id,
        error,
        cached_at,
    ];
    let other = other.iter().map(|(name, content)| {
        let content = match content {
            MetaValue::One(text) => text.len(),
            MetaValue::Many(texts) => strings_weight(texts),
        };
        size_of::<(String, MetaValue)>() + name.len() + content
    });
    texts.into_iter().flatten().map(String::len).sum::<usize>()
        + strings_weight(og_locale_alternate)
        + other.sum::<usize>()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_text_of_a_document_is_counted() {
        const TEXT: &str = "a text of thirty characters...";
        let empty = weight(&Document::default());
        let fields = ["markdown", "html", "rawHtml", "screenshot", "summary", "warning"];
        let lists = ["links", "images"];
        let values = ["json", "extract", "changeTracking", "branding", "attributes"];
        let metadata =
            ["title", "ogImage", "dcTermsKeywords", "articleTag", "cachedAt", "sourceURL", "x-other"];
        let actions = ["screenshots", "scrapes", "javascriptReturns", "pdfs"];
        let documents = (fields.iter().map(|name| json!({*name: TEXT})))
            .chain(lists.iter().map(|name| json!({*name: [TEXT]})))
            .chain(values.iter().map(|name| json!({*name: {"a": [TEXT]}})))
            .chain(actions.iter().map(|name| json!({"actions": {*name: [TEXT]}})))
            .chain(metadata.iter().map(|name| json!({"metadata": {*name: TEXT}})))
            .chain([json!({"metadata": {"ogLocaleAlternate": [TEXT]}})])
            .chain([json!({"metadata": {"x-other": [TEXT, "b"]}})]);
        for json in documents {
            let document: Document = serde_json::from_value(json.clone()).unwrap();
            assert!(weight(&document) >= empty + TEXT.len(), "{json}");
            assert!(is_heavier(&document, TEXT.len()) && !is_heavier(&document, weight(&document)), "{json}");
        }
    }

    #[test]
    fn a_large_document_is_recognized_without_counting_all_of_it() {
        let list = json!(vec!["x"; 100_000]);
        assert!(json_weight(&list, 1_000) < 1_100 && json_weight(&list, usize::MAX) > 400_000);
        for document in [json!({"links": list}), json!({"attributes": list}), json!({"changeTracking": list})]
        {
            let document: Document = serde_json::from_value(document).unwrap();
            assert!(is_heavier(&document, 100_000));
        }
    }
}
