//! The route table: which operation serves which method and path.

use gleaner::JobKind;
use http::Method;

use crate::failure::Failure;
use crate::operation::Operation::{
    self, ActiveCrawls, Activity, Batch, Cancel, Concurrency, Crawl, CrawlParams, CreditUsage, Errors,
    Extract, ExtractStatus, Map, OpenApi, QueueStatus, Scrape, ScrapedDocument, Status, TokenUsage,
};
use crate::operation::Version::{V1, V2};

/// A method, a path and their operation.
pub(crate) struct Route {
    pub(crate) method: Method,
    /// `{id}` matches a segment that is not empty.
    pub(crate) path: &'static str,
    pub(crate) operation: Operation,
}

const fn get(path: &'static str, operation: Operation) -> Route {
    Route { method: Method::GET, path, operation }
}

const fn post(path: &'static str, operation: Operation) -> Route {
    Route { method: Method::POST, path, operation }
}

const fn delete(path: &'static str, operation: Operation) -> Route {
    Route { method: Method::DELETE, path, operation }
}

/// All routes: those in section 4 of the contract, further ones that its clients call, and those of v1. The
/// first path that matches is used, so fixed segments come before `{id}`.
pub(crate) static ROUTES: &[Route] = &[
    get("/openapi.json", OpenApi),
    post("/v2/scrape", Scrape(V2)),
    get("/v2/scrape/{id}", ScrapedDocument),
    post("/v2/batch/scrape", Batch(V2)),
    get("/v2/batch/scrape/{id}", Status(JobKind::BatchScrape)),
    delete("/v2/batch/scrape/{id}", Cancel(JobKind::BatchScrape)),
    get("/v2/batch/scrape/{id}/errors", Errors(JobKind::BatchScrape)),
    post("/v2/crawl", Crawl(V2)),
    get("/v2/crawl/active", ActiveCrawls),
    get("/v2/crawl/ongoing", ActiveCrawls),
    post("/v2/crawl/params-preview", CrawlParams),
    get("/v2/crawl/{id}", Status(JobKind::Crawl)),
    delete("/v2/crawl/{id}", Cancel(JobKind::Crawl)),
    get("/v2/crawl/{id}/errors", Errors(JobKind::Crawl)),
    post("/v2/map", Map(V2)),
    post("/v2/extract", Extract(V2)),
    get("/v2/extract/{id}", ExtractStatus),
    delete("/v2/extract/{id}", Cancel(JobKind::Extract)),
    get("/v2/team/credit-usage", CreditUsage(V2)),
    get("/v2/team/token-usage", TokenUsage(V2)),
    get("/v2/team/queue-status", QueueStatus),
    get("/v2/team/activity", Activity),
    get("/v2/concurrency-check", Concurrency),
    post("/v1/scrape", Scrape(V1)),
    get("/v1/scrape/{id}", ScrapedDocument),
    post("/v1/batch/scrape", Batch(V1)),
    get("/v1/batch/scrape/{id}", Status(JobKind::BatchScrape)),
    delete("/v1/batch/scrape/{id}", Cancel(JobKind::BatchScrape)),
    get("/v1/batch/scrape/{id}/errors", Errors(JobKind::BatchScrape)),
    post("/v1/crawl", Crawl(V1)),
    get("/v1/crawl/active", ActiveCrawls),
    get("/v1/crawl/ongoing", ActiveCrawls),
    get("/v1/crawl/{id}", Status(JobKind::Crawl)),
    delete("/v1/crawl/{id}", Cancel(JobKind::Crawl)),
    get("/v1/crawl/{id}/errors", Errors(JobKind::Crawl)),
    post("/v1/map", Map(V1)),
    post("/v1/extract", Extract(V1)),
    get("/v1/extract/{id}", ExtractStatus),
    delete("/v1/extract/{id}", Cancel(JobKind::Extract)),
    get("/v1/team/credit-usage", CreditUsage(V1)),
    get("/v1/team/token-usage", TokenUsage(V1)),
    get("/v1/concurrency-check", Concurrency),
];

/// The route of a request, and its `{id}`. HEAD uses the route of GET; the server that sends the response
/// leaves out its body (RFC 9110, 9.3.2).
pub(crate) fn find<'a>(method: &Method, path: &'a str) -> Result<(&'static Route, Option<&'a str>), Failure> {
    let found = ROUTES.iter().find_map(|route| Some((route.path, match_path(route.path, path)?)));
    let (template, id) = found.ok_or_else(Failure::unknown_route)?;
    let siblings = || ROUTES.iter().filter(|route| route.path == template);
    let wanted = if *method == Method::HEAD { &Method::GET } else { method };
    match siblings().find(|route| route.method == *wanted) {
        Some(route) => Ok((route, id)),
        None => {
            let head = |route: &Route| (route.method == Method::GET).then_some("HEAD");
            let methods = |route: &'static Route| std::iter::once(route.method.as_str()).chain(head(route));
            let allowed: Vec<&str> = siblings().flat_map(methods).collect();
            Err(Failure::wrong_method(&allowed.join(", ")))
        }
    }
}

/// Matches a path against a template. The inner option is the value of `{id}`.
fn match_path<'a>(template: &str, path: &'a str) -> Option<Option<&'a str>> {
    let mut segments = path.split('/');
    let mut id = None;
    for wanted in template.split('/') {
        let segment = segments.next()?;
        if wanted == "{id}" && !segment.is_empty() {
            id = Some(segment);
        } else if wanted != segment {
            return None;
        }
    }
    segments.next().is_none().then_some(id)
}

#[cfg(test)]
mod tests {
    use http::StatusCode;

    use super::*;

    #[test]
    fn requests_are_routed_to_their_operations() {
        for (method, path, want) in [
            (Method::POST, "/v2/scrape", Ok((Scrape(V2), None))),
            (Method::POST, "/v1/map", Ok((Map(V1), None))),
            (Method::GET, "/v1/scrape/abc", Ok((ScrapedDocument, Some("abc")))),
            (Method::GET, "/v1/concurrency-check", Ok((Concurrency, None))),
            (Method::GET, "/v2/crawl/active", Ok((ActiveCrawls, None))),
            (Method::GET, "/v2/crawl/abc", Ok((Status(JobKind::Crawl), Some("abc")))),
            (Method::DELETE, "/v1/batch/scrape/abc", Ok((Cancel(JobKind::BatchScrape), Some("abc")))),
            (Method::GET, "/v2/crawl/abc/errors", Ok((Errors(JobKind::Crawl), Some("abc")))),
            (Method::HEAD, "/v2/crawl/active", Ok((ActiveCrawls, None))),
            (Method::GET, "/v1/crawl/ongoing", Ok((ActiveCrawls, None))),
            (Method::HEAD, "/v2/scrape", Err("POST")),
            (Method::DELETE, "/v2/crawl/active", Err("GET, HEAD")),
            (Method::GET, "/v2/scrape", Err("POST")),
            (Method::PUT, "/v2/crawl/abc", Err("GET, HEAD, DELETE")),
            (Method::OPTIONS, "/openapi.json", Err("GET, HEAD")),
            (Method::POST, "/v2/crawl/", Err("")),
            (Method::POST, "/v2/scrape/", Err("")),
            (Method::GET, "/v2/crawl/a/b", Err("")),
            (Method::GET, "/v3/crawl/a", Err("")),
            (Method::GET, "", Err("")),
            (Method::GET, "*", Err("")),
        ] {
            let found = find(&method, path).map(|(route, id)| (route.operation, id));
            match (found, want) {
                (Ok(found), Ok(want)) => assert_eq!(found, want, "{method} {path}"),
                (Err(failure), Err(allowed)) => {
                    let response = failure.into_response();
                    let allow = response.headers().get("allow").map_or("", |value| value.to_str().unwrap());
                    assert_eq!(allow, allowed, "{method} {path}");
                    let status = if allowed.is_empty() {
                        StatusCode::NOT_FOUND
                    } else {
                        StatusCode::METHOD_NOT_ALLOWED
                    };
                    assert_eq!(response.status(), status, "{method} {path}");
                }
                (found, _) => panic!("{method} {path}: {:?}", found.ok()),
            }
        }
    }

    #[test]
    fn no_route_hides_another() {
        for route in ROUTES {
            let path = route.path.replace("{id}", "0195c0de-0000-7000-8000-000000000000");
            let (found, _) = find(&route.method, &path).unwrap();
            assert!(std::ptr::eq(found, route), "{}", route.path);
        }
    }
}
