use gleaner_types::request::*;
use gleaner_types::plan::*;
use serde_json::json;
#[test]
fn smoke() {
    for b in [json!({"url":"example.com","limit":-5,"maxDepth":3,"scrapeOptions":{"formats":["markdwn",{"type":"screenshot","quality":500},"json","attributes"],"timeout":1000,"waitFor":900,"headers":{"a b":"x","ok":5}},"includePaths":["(","a{9999}"],"useMock":"x"}),
      json!({"url":5,"scrapeOptions":[],"webhook":{"url":"ftp://x","events":["page","batch_scrape.page"]},"only_main_content":true,"onlyMainContent":true}),
      json!([]), json!({}), json!({"url":"a.b","scrapeOptions":{"actions":[{"type":"wait"},{"type":"clik"},{"selector":"a"},5,{"type":"wait","milliseconds":50000},{"type":"wait","milliseconds":20000}],"formats":["changeTracking"],"location":{"country":"UK","languages":["en_US"]}}})] {
        match CrawlPlan::from_json(&b) { Ok(p) => println!("{p:#?}"), Err(f) => for x in f.as_slice() { println!("{:16} {:30} {}", x.code, x.path, x.message) } }
        println!();
    }
    for p in [r"\w".repeat(1000), r"\pL".repeat(600), "(a{999}){999}".into(), "(?i)".to_owned()+&"[^x]".repeat(490), r"\w{50}".repeat(6), r"[\w&&[^a]]".repeat(200)] {
        for n in [1, 100, 1000] {
        let t = std::time::Instant::now();
        let r = CrawlPlan::from_json(&json!({"url":"a.b","includePaths":vec![p.as_str();n]}));
        println!("{} x{n} {:?} {}", &p[..8], t.elapsed(), r.map(|_| "ok".to_string()).unwrap_or_else(|f| f.as_slice()[0].message.clone()));
        }
    }
    let s = std::time::Instant::now();
    let big = json!({"urls": (0..100_000).map(|n| format!("https://example.com/{n}")).collect::<Vec<_>>()});
    let p = BatchPlan::from_json(&big).unwrap(); println!("{} {:?}", p.targets.len(), s.elapsed());
}
