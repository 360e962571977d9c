use std::net::IpAddr;
use std::sync::Arc;

use gleaner_fetch::{FollowAll, Request};

use super::support::{Names, Site, builder, fetcher, page, redirect};

#[tokio::test]
async fn a_response_has_the_address_that_was_dialled() {
    let loopback = Some(IpAddr::from([127, 0, 0, 1]));
    let site = Site::serve(|seen| if seen.path() == "/" { redirect(302, "/end") } else { page("end") }).await;
    let fetcher = fetcher();
    for connection in ["new", "reused"] {
        let response = fetcher.fetch(Request::get(site.url("a.test", "/")), &FollowAll).await.unwrap();
        assert_eq!(response.address, loopback, "{connection}");
        assert!(!format!("{response:?}").contains("127.0.0.1"), "{response:?}");
    }
    assert_eq!(site.connections(), 1);

    let names = Names { table: [("b.test", vec![IpAddr::from([127, 0, 0, 2])])].into(), ..Names::default() };
    let elsewhere = Site::serve_on("127.0.0.2:0", None, |_| page("b")).await;
    let fetcher = builder().resolver(Arc::new(names)).build().unwrap();
    let response = fetcher.fetch(Request::get(elsewhere.url("b.test", "/")), &FollowAll).await.unwrap();
    assert_eq!(response.address, Some(IpAddr::from([127, 0, 0, 2])));
}

#[tokio::test]
async fn connections_above_the_limit_serve_one_request() {
    let mut sites = Vec::new();
    for _ in 0..4 {
        sites.push(Site::serve(|_| page("")).await);
    }
    let fetcher = builder().max_kept_connections(2).build().unwrap();
    for _ in 0..3 {
        for site in &sites {
            fetcher.fetch(Request::get(site.url("a.test", "/")), &FollowAll).await.unwrap();
        }
    }
    let connections: Vec<usize> = sites.iter().map(Site::connections).collect();
    assert_eq!(connections, [1, 1, 3, 3]);
}
