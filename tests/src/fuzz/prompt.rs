//! Crawl options from a prompt. Input: the prompt, an empty line, and a model's answer.

use std::sync::Arc;

use gleaner_extract::model::scripted::{ScriptedModel, block_on};
use gleaner_extract::{CompiledCrawl, Extractor, MAX_CRAWL_PATTERNS, SiteUrl, compile_crawl};
use gleaner_types::plan::pattern_faults;
use url::Url;

use super::BASE;

/// Paths of the site.
const SITE: [&str; 10] = [
    "/",
    "/blog/one",
    "/blog/post-two",
    "/docs/start",
    "/docs/api/fetch",
    "/release-notes/3",
    "/shop/cups/red(1)",
    "/careers/baker",
    "/legal/privacy",
    "/%C3%BCber/uns",
];

/// Options match at least one page of the site, and their patterns pass the check of a request.
pub fn crawl_prompt(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let (prompt, answer) = text.split_once("\n\n").unwrap_or((&*text, ""));
    let Ok(base) = Url::parse(BASE) else { return };
    let site: Vec<SiteUrl> = SITE.iter().filter_map(|path| base.join(path).ok()).map(SiteUrl::new).collect();
    if let Ok(compiled) = compile_crawl(prompt, &site) {
        assert_valid(&compiled, &site);
        assert!(!compiled.by_model);
    }
    let compile_with_model = || {
        let answer = answer.to_owned();
        let model = ScriptedModel::with(move |_| Ok(answer.clone()));
        block_on(Extractor::new(Arc::new(model)).compile_crawl(prompt, &site)).ok()
    };
    let compiled = compile_with_model();
    if let Some(compiled) = &compiled {
        assert_valid(compiled, &site);
    }
    assert_eq!(compile_with_model(), compiled, "a second run differs");
}

fn assert_valid(compiled: &CompiledCrawl, site: &[SiteUrl]) {
    let options = &compiled.options;
    for patterns in [&options.include_paths, &options.exclude_paths] {
        assert!(patterns.len() <= MAX_CRAWL_PATTERNS, "{} patterns", patterns.len());
        assert_eq!(pattern_faults(patterns), [], "{patterns:?}");
    }
    assert!((1..=site.len()).contains(&compiled.matched), "{} pages", compiled.matched);
    assert_ne!(options.limit, Some(0));
}
