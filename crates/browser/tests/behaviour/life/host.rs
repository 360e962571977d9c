//! The end of the program that uses the browser.

use std::env;
use std::future::pending;
use std::io::{BufRead as _, BufReader};
use std::num::NonZero;
use std::process::{Command, Stdio};

use gleaner_browser::Browser;
use gleaner_fetch::{Error, FollowAll, RenderedPage};
use gleaner_testkit::{KilledOnDrop, PageServer, ProcessGroup};
use serde_json::json;
use url::Url;

use super::{MARK, Profiles, running_page, until};
use crate::support::{builder, fetcher, request};

/// The environment variable with the folder for profiles, which only the child gets.
const FOLDER: &str = "GLEANER_TEST_PROFILES";

/// The text before the id of the browser's process in the output of the child.
const RESULT: &str = "CHILD ";

/// Pages that are open at the end of the child.
const PAGES: usize = 3;

#[tokio::test]
async fn a_killed_program_leaves_no_browser_behind() {
    if builder().is_none() {
        return;
    }
    let profiles = Profiles::new();
    let mut command = Command::new(env::current_exe().unwrap());
    command.args(["--ignored", "--exact", "life::host::child", "--nocapture"]);
    let child = command.env(FOLDER, profiles.path()).stdout(Stdio::piped()).spawn().unwrap();
    // It also ends with the test.
    let mut host = KilledOnDrop(child);
    let mut lines = BufReader::new(host.0.stdout.take().unwrap()).lines().map_while(Result::ok);
    let process = lines.find_map(|line| line.split_once(RESULT)?.1.parse().ok());
    let group = ProcessGroup::new(process.expect("the child names its browser"));
    assert!(group.running().len() > PAGES, "the processes of the browser are seen");
    // SIGKILL: the child cannot clean up.
    host.0.kill().unwrap();
    until("processes of the browser are left", async || group.running().is_empty()).await;
}

async fn render(browser: &Browser, server: &PageServer) -> Result<RenderedPage, Error> {
    let url = Url::parse(&server.base_url()).unwrap();
    fetcher().render(browser, &request(url, json!({"waitFor": 15_000})), &FollowAll).await
}

#[tokio::test]
#[ignore = "run in its own process, which is killed"]
#[expect(clippy::disallowed_methods, reason = "the parent passes the folder to its child")]
async fn child() {
    let Some(folder) = env::var_os(FOLDER) else { return };
    let builder = builder().unwrap().profile_folder(folder).max_pages(NonZero::new(PAGES).unwrap());
    let browser = builder.build().unwrap();
    let server = PageServer::start(running_page()).unwrap();
    let report = async {
        until("the pages do not run", async || server.requests(MARK) == PAGES).await;
        println!("{RESULT}{}", browser.stats().await.process_id.unwrap());
        pending::<()>().await;
    };
    let page = || render(&browser, &server);
    let pages = async { tokio::join!(page(), page(), page()) };
    tokio::select! {
        ended = pages => panic!("nobody killed this process: {ended:?}"),
        () = report => {}
    }
}
