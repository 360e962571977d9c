//! How long pages wait when a browser hangs: stopped while it is idle, or with pages that take all its time.

use std::num::NonZero;
use std::time::{Duration, Instant};

use futures_util::future::{join, join_all};
use gleaner_testkit::{HostilePage, PageServer};
use rustix::process::{Pid, Signal, kill_process};
use tokio::time::sleep;
use url::Url;

use crate::Failure;
use crate::figures::{figure, title};
use crate::renderer::{Renderer, builder};

/// Pages that are open at once.
const LANES: NonZero<usize> = NonZero::<usize>::MIN.saturating_add(2);
/// Renders without a fault, whose slowest one is the normal time.
const NORMAL_RENDERS: usize = 10;
/// Browsers that are stopped.
const STOPS: usize = 3;
/// The browser is stopped this long after its last page.
const IDLE: Duration = Duration::from_secs(2);
/// Busy pages, and the workers of each.
const BUSY_PAGES: usize = 2;
const WORKERS: usize = 200;
/// The time of a busy page.
const BUSY_TIME: Duration = Duration::from_secs(5);
/// Other pages are rendered for this long from the start of the busy ones.
const WATCHED: Duration = Duration::from_secs(40);
/// Pause before another attempt of a page whose browser failed.
const RETRY_PAUSE: Duration = Duration::from_millis(50);
/// A page that takes longer is given up.
const LATEST: Duration = Duration::from_secs(60);
/// Maximum time that other pages may wait beyond the normal time.
const GOAL: Duration = Duration::from_secs(5);

pub(crate) async fn measure() -> Result<(), Failure> {
    let busy = format!(
        "<!doctype html><p>busy</p><script>
         const work = URL.createObjectURL(new Blob(['for (;;);'], {{type: 'text/javascript'}}));
         for (let number = 0; number < {WORKERS}; number++) new Worker(work);
         </script>"
    );
    let pages = vec![HostilePage::html("/", "<!doctype html><p>text</p>"), HostilePage::html("/busy", busy)];
    let server = PageServer::start(pages)?;
    let url: Url = server.base_url().parse()?;
    let renderer = Renderer::new(builder().max_pages(LANES))?;
    until_rendered(&renderer, &url).await?;
    let mut normal = Duration::ZERO;
    for _ in 0..NORMAL_RENDERS {
        normal = normal.max(until_rendered(&renderer, &url).await?);
    }
    let goal = format!("at most {}", seconds(normal + GOAL));
    figure("slowest of a few pages without a fault", seconds(normal), "none");
    stopped(&renderer, &url, &goal).await?;
    busied(&renderer, &url, &goal).await?;
    let stats = renderer.browser.stats().await;
    figure("browsers that were killed", stats.crashed, "none");
    renderer.browser.close().await;
    Ok(())
}

async fn stopped(renderer: &Renderer, url: &Url, goal: &str) -> Result<(), Failure> {
    title(&format!("{STOPS} browsers that are stopped (SIGSTOP) while they are idle"));
    let mut slowest = Duration::ZERO;
    for _ in 0..STOPS {
        until_rendered(renderer, url).await?;
        sleep(IDLE).await;
        let process = renderer.browser.stats().await.process_id.ok_or("no browser runs")?;
        let id = Pid::from_raw(process.cast_signed()).ok_or("no browser runs")?;
        kill_process(id, Signal::STOP)?;
        slowest = slowest.max(until_rendered(renderer, url).await?);
    }
    figure("greatest time until the next page is rendered", seconds(slowest), goal);
    Ok(())
}

async fn busied(renderer: &Renderer, url: &Url, goal: &str) -> Result<(), Failure> {
    title(&format!(
        "{BUSY_PAGES} pages of {WORKERS} busy workers each, with a time of {}; other pages for {}",
        seconds(BUSY_TIME),
        seconds(WATCHED)
    ));
    let busy = url.join("/busy")?;
    let busy_pages = (0..BUSY_PAGES).map(|_| renderer.render_within(BUSY_TIME, &busy, BUSY_TIME));
    let others = async {
        let (began, mut slowest, mut count) = (Instant::now(), Duration::ZERO, 0);
        while began.elapsed() < WATCHED {
            slowest = slowest.max(until_rendered(renderer, url).await?);
            count += 1;
        }
        Ok::<_, Failure>((slowest, count))
    };
    let (outcomes, others) = join(join_all(busy_pages), others).await;
    let (slowest, count) = others?;
    figure("busy pages that failed", outcomes.iter().filter(|page| page.is_err()).count(), "none");
    figure("other pages that were rendered", count, "none");
    figure("greatest time until one of them is rendered", seconds(slowest), goal);
    Ok(())
}

/// The time until a page is rendered, also after errors.
async fn until_rendered(renderer: &Renderer, url: &Url) -> Result<Duration, Failure> {
    let began = Instant::now();
    while let Err(error) = renderer.render(url, Duration::ZERO).await {
        if began.elapsed() > LATEST {
            return Err(error.into());
        }
        sleep(RETRY_PAUSE).await;
    }
    Ok(began.elapsed())
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}
