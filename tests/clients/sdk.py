"""Runs the unmodified official Python client against the host example, which serves the generated site.

Every function named `case_...` is a case; its docstring describes it. `--list` prints them all.
"""

import argparse
import asyncio
import base64
import contextlib
import hashlib
import hmac
import http.server
import json
import os
import queue
import re
import socket
import subprocess
import sys
import threading
import time
import traceback
import uuid
import warnings

import aiohttp
import firecrawl
import requests
from firecrawl import AsyncFirecrawl, Firecrawl
from firecrawl.v1.client import (
    AsyncV1FirecrawlApp, V1ClickAction, V1FirecrawlApp, V1PDFAction, V1ScrapeOptions, V1ScreenshotAction)
from firecrawl.v2.client_async import AsyncFirecrawlClient
from firecrawl.v2.types import (
    ClickAction, ExecuteJavascriptAction, PaginationConfig, PDFAction, PressAction, ScrapeAction,
    ScrapeOptions, ScreenshotAction, ScreenshotFormat, ScrollAction, WaitAction, WebhookConfig, WriteAction)
from firecrawl.v2.utils import error_handler as errors

from fakes import BOATS, boat_site, fake_model

warnings.simplefilter("ignore", DeprecationWarning)

VERSION = "4.55.0"
KEY = "key-of-the-tests"
SECRET = "secret of the tests"
PAGES = 400
# Timeouts only prevent hanging; they are not asserted.
TIMEOUT = 120


class Skipped(Exception):
    """A case cannot run here."""


class World:
    """The processes of a run: two sites, and one host per set of options."""

    def __init__(self, host_binary, site_binary):
        self.host_binary, self.site_binary = host_binary, site_binary
        self.stack = contextlib.ExitStack()
        self.hosts = {}

    def start(self, *command):
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.stack.callback(process.wait)
        self.stack.callback(process.kill)
        line = process.stdout.readline().strip()
        assert line.startswith("http://"), f"{command[0]} did not start: {line!r}"
        # Further output must not fill the pipe.
        threading.Thread(target=process.stdout.read, daemon=True).start()
        return line.rstrip("/")

    def site(self, extras):
        return self.start(self.site_binary, "--pages", str(PAGES), "--extras", extras)

    def host(self, *options):
        """A host with these options, started on first use."""
        if options not in self.hosts:
            common = ["--listen", "127.0.0.1:0", "--api-key", KEY, "--allow-private", "127.0.0.0/8"]
            if "--requests-per-minute" not in options:
                common += ["--requests-per-minute", "0"]
            if "--browser" not in options:
                common += ["--browser", "never"]
            self.hosts[options] = self.start(self.host_binary, *common, *options)
        return self.hosts[options]

    def __enter__(self):
        self.site_url = self.site("robots,sitemap")
        # A separate site, because hosts that fail get fewer requests from all jobs.
        self.failing_url = self.site("failures,slow")
        self.url = self.host("--webhook-secret", SECRET)
        self.client = Firecrawl(api_key=KEY, api_url=self.url)
        self.v1 = V1FirecrawlApp(api_key=KEY, api_url=self.url)
        return self

    def __exit__(self, *_):
        self.stack.close()

    def asynchronous(self):
        return AsyncFirecrawlClient(api_key=KEY, api_url=self.url)

    def asynchronous_v1(self):
        return AsyncV1FirecrawlApp(api_key=KEY, api_url=self.url)

    def with_model(self):
        """A client of a host with the fake model. Starts the boat site too."""
        if not hasattr(self, "boat_site"):
            self.boat_site, self.model = boat_site(), fake_model()
            self.stack.callback(self.boat_site.close)
            self.stack.callback(self.model.close)
        url = self.host("--model-url", f"{self.model.url}/v1", "--model", "reader")
        return Firecrawl(api_key=KEY, api_url=url)

    def browser_host(self):
        """The URL of a host with a browser. Without one, skips the case; with CI=true, that is a failure."""
        url = self.host("--browser", "auto")
        if not hasattr(self, "has_browser"):
            try:
                Firecrawl(api_key=KEY, api_url=url).scrape(self.pages(1)[0], formats=["screenshot"])
                self.has_browser = True
            except errors.BadRequestError as error:
                assert error.code == "SCRAPE_SCREENSHOT_NOT_SUPPORTED", error
                self.has_browser = False
        if not self.has_browser:
            assert os.environ.get("CI") != "true", "the host has no browser"
            raise Skipped("the host has no browser")
        return url

    def with_browser(self):
        """A client of a host with a browser."""
        return Firecrawl(api_key=KEY, api_url=self.browser_host())

    def application(self):
        """The URL of an application whose pages are built by scripts, and its pages with their titles."""
        if not hasattr(self, "application_url"):
            self.application_url = self.site("script-built") + "/app/"
        pages, left = {}, [self.application_url]
        while left:
            page = left.pop()
            name = page.rpartition("/")[2] or "start"
            data = requests.get(f"{self.application_url}data/{name}.json", timeout=TIMEOUT).json()
            pages[page] = data["title"]
            found = {requests.compat.urljoin(page, link) for link, _ in data["links"]}
            left += [link for link in found if link not in pages and link not in left]
        return self.application_url, pages

    def pages(self, count, start=1):
        return [f"{self.site_url}/p/{number}" for number in range(start, start + count)]


class Receiver:
    """Receives webhooks and keeps their headers and exact bytes."""

    def __init__(self):
        self.deliveries = queue.Queue()
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                receiver.deliveries.put((dict(self.headers), body))
                self.send_response(200)
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/hook"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def receive_until(self, last):
        """All deliveries up to the first one of this type."""
        found = []
        while True:
            headers, body = self.deliveries.get(timeout=TIMEOUT)
            headers = {name.lower(): value for name, value in headers.items()}
            found.append((headers, body, json.loads(body)))
            if found[-1][2]["type"] == last:
                return found

    def verified(self, deliveries):
        """Verifies the signature of each delivery over its exact bytes."""
        for headers, body, _ in deliveries:
            digest = hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
            assert hmac.compare_digest(headers["x-service-signature"], f"sha256={digest}")
            changed = hmac.new(SECRET.encode(), body + b" ", hashlib.sha256).hexdigest()
            assert not hmac.compare_digest(headers["x-service-signature"], f"sha256={changed}")
        return deliveries


def expect_error(kind, act, *, status=None, code=None, text=None):
    """Asserts that `act` raises an error of exactly this class, and returns it."""
    try:
        result = act()
    except Exception as error:  # noqa: BLE001 - the class is what is asserted
        assert type(error) is kind, f"{type(error).__name__}, not {kind.__name__}: {error}"
        if status is not None:
            assert error.status_code == status, error.status_code
        if code is not None:
            assert error.code == code, error.code
        if text is not None:
            assert text in str(error), str(error)
        return error
    raise AssertionError(f"no error, but the result {result!r}")


def wait_until(condition):
    deadline = time.monotonic() + TIMEOUT
    while not (result := condition()):
        assert time.monotonic() < deadline, "the condition never became true"
        time.sleep(0.05)
    return result


def source_urls(job):
    return sorted(document.metadata.source_url for document in job.data)


# Scrape


def case_scrape(world):
    """a scrape gives Markdown, metadata with status and title, one credit and a scrape id"""
    page = world.client.scrape(world.pages(1)[0])
    assert len(page.markdown) > 200 and page.html is None
    assert page.metadata.status_code == 200 and page.metadata.source_url == world.pages(1)[0]
    assert page.metadata.title and page.metadata.credits_used == 1
    uuid.UUID(page.metadata.scrape_id)


def case_scrape_formats(world):
    """requested formats are present, links are absolute, and Markdown is absent if not requested"""
    page = world.client.scrape(world.site_url, formats=["html", "rawHtml", "links", "images"])
    assert "<h1" in page.html and page.raw_html.lower().startswith("<!doctype")
    assert page.links and all(link.startswith("http") for link in page.links)
    assert page.images is not None and page.markdown is None


def case_scrape_options(world):
    """options of every kind are accepted: content, tags, location, headers, timeout, cache, parsers"""
    whole = world.client.scrape(world.pages(1)[0], only_main_content=False)
    main = world.client.scrape(
        world.pages(1)[0], only_main_content=True, exclude_tags=["nav"], headers={"X-Test": "1"},
        timeout=20000, max_age=0, location={"country": "DE", "languages": ["de"]}, parsers=["pdf"],
        mobile=True, skip_tls_verification=False, remove_base64_images=True, block_ads=True, proxy="basic",
        store_in_cache=False, fast_mode=True)
    assert len(whole.markdown) > len(main.markdown) > 100


def case_scrape_of_an_error_page(world):
    """a page with status 404 is a document with that status, not an error"""
    page = world.client.scrape(f"{world.failing_url}/fail/404")
    assert page.metadata.status_code == 404


def case_scrape_async(world):
    """the asynchronous client gives the same document as the synchronous one"""
    async def run():
        return await world.asynchronous().scrape(world.pages(1)[0])
    assert asyncio.run(run()).markdown == world.client.scrape(world.pages(1)[0]).markdown


def case_scrape_v1(world):
    """v1: scrape_url gives Markdown and metadata, synchronously and asynchronously"""
    page = world.v1.scrape_url(world.pages(1)[0], formats=["markdown", "links"], only_main_content=True)
    assert page.markdown and page.links and page.metadata["statusCode"] == 200

    async def run():
        return await world.asynchronous_v1().scrape_url(world.pages(1)[0], formats=["markdown"])
    assert asyncio.run(run()).markdown == page.markdown


# Browser


def picture(uri):
    """The media type of a picture, and its width and height if it is a PNG."""
    kind, _, data = uri.partition(";base64,")
    data = base64.b64decode(data)
    magic = {"data:image/png": b"\x89PNG\r\n\x1a\n", "data:image/jpeg": b"\xff\xd8\xff"}[kind]
    assert data.startswith(magic), data[:16]
    size = (int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big"))
    return kind.removeprefix("data:"), size if kind == "data:image/png" else None


def case_screenshot(world):
    """a screenshot is a data URI: of the window, of the whole page, as a JPEG, in every client"""
    client, url = world.with_browser(), world.pages(1)[0]
    page = client.scrape(url, formats=["screenshot"])
    kind, window = picture(page.screenshot)
    assert kind == "image/png" and page.markdown is None and page.metadata.status_code == 200
    viewport = {"width": 800, "height": 600}
    whole = client.scrape(url, formats=[{"type": "screenshot", "fullPage": True, "viewport": viewport}])
    kind, (width, height) = picture(whole.screenshot)
    assert kind == "image/png" and width == 800 and height > 600 and window != (width, height)
    small = client.scrape(url, formats=["markdown", ScreenshotFormat(quality=40, viewport=viewport)])
    assert picture(small.screenshot) == ("image/jpeg", None) and small.markdown
    job = client.batch_scrape(world.pages(2), formats=["screenshot"], poll_interval=1)
    assert [picture(page.screenshot)[0] for page in job.data] == ["image/png"] * 2

    async def run():
        asynchronous = AsyncFirecrawlClient(api_key=KEY, api_url=world.browser_host())
        return await asynchronous.scrape(url, formats=["screenshot"])
    assert picture(asyncio.run(run()).screenshot) == ("image/png", window)
    v1 = V1FirecrawlApp(api_key=KEY, api_url=world.browser_host())
    assert picture(v1.scrape_url(url, formats=["screenshot"]).screenshot) == ("image/png", window)
    kind, (_, height) = picture(v1.scrape_url(url, formats=["screenshot@fullPage"]).screenshot)
    assert height > window[1]


FORM = """
document.body.innerHTML = `<main><h1>Form</h1><p>A page that a script made for the tests.</p><input id=q>
  <button id=b onclick="document.querySelector('h1').textContent = q.value">B</button></main>`;
'made'
"""


def case_actions(world):
    """actions of all nine kinds run in their order, and have their results"""
    actions = [
        ExecuteJavascriptAction(script=FORM), WaitAction(selector="#q"), WaitAction(milliseconds=5),
        ScrapeAction(), ClickAction(selector="#q"), WriteAction(text="tea"), PressAction(key="!"),
        ClickAction(selector="#b"), ScrollAction(direction="down"), ScreenshotAction(),
        ScreenshotAction(full_page=True, quality=50), ScrapeAction(),
        ExecuteJavascriptAction(
            script="({ heading: document.querySelector('h1').textContent, list: [1, null] })"),
        PDFAction(format="A4", landscape=True, scale=0.5)]
    url = world.pages(1)[0]
    page = world.with_browser().scrape(url, formats=["markdown"], actions=actions)
    results = page.actions
    assert set(results) == {"screenshots", "scrapes", "javascriptReturns", "pdfs"}, set(results)
    assert [picture(uri)[0] for uri in results["screenshots"]] == ["image/png", "image/jpeg"]
    assert [value["type"] for value in results["javascriptReturns"]] == ["string", "object"]
    assert [value["value"] for value in results["javascriptReturns"]] == [
        "made", {"heading": "tea!", "list": [1, None]}]
    before, after = results["scrapes"]
    assert before["url"] == after["url"] == url
    assert "<h1>Form</h1>" in before["html"] and "<h1>tea!</h1>" in after["html"]
    kind, _, data = results["pdfs"][0].partition(";base64,")
    assert kind == "data:application/pdf" and base64.b64decode(data).startswith(b"%PDF-")
    assert "tea!" in page.markdown and len(results["pdfs"]) == 1


def case_actions_v1(world):
    """v1: pictures and PDFs of actions"""
    client = V1FirecrawlApp(api_key=KEY, api_url=world.browser_host())
    page = client.scrape_url(world.pages(1)[0], formats=["markdown"],
                             actions=[V1ScreenshotAction(type="screenshot"), V1PDFAction(type="pdf")])
    assert picture(page.actions.screenshots[0])[0] == "image/png"
    assert page.actions.pdfs[0].startswith("data:application/pdf;base64,")
    error = expect_error(requests.exceptions.HTTPError, lambda: client.scrape_url(
        world.pages(1)[0], actions=[V1ClickAction(type="click", selector="#gone")]))
    assert error.response.status_code == 422


def case_failed_action(world):
    """a failed action is an error with its index, kind and selector, and the page of no other"""
    client = world.with_browser()
    actions = [ScrollAction(direction="down"), ClickAction(selector="#gone")]
    expect_error(errors.FirecrawlError, lambda: client.scrape(world.pages(1)[0], actions=actions), status=422,
                 code="SCRAPE_ACTION_ERROR", text="action 1 failed: click \"#gone\"")
    started = client.start_batch_scrape(world.pages(1), actions=actions)
    wait_until(lambda: client.get_batch_scrape_status(started.id).status == "completed")
    listed = client.get_batch_scrape_errors(started.id).errors
    assert [(error.url, error.code) for error in listed] == [(world.pages(1)[0], "SCRAPE_ACTION_ERROR")]


def case_crawl_of_an_application(world):
    """a crawl finds all pages that scripts build, without any option; without a browser it warns"""
    start, pages = world.application()
    alone = world.client.crawl(start, poll_interval=1)
    assert source_urls(alone) == [start] and "browser" in alone.data[0].warning, alone.data[0].warning
    client = world.with_browser()
    job = client.crawl(start, poll_interval=1, timeout=TIMEOUT)
    assert source_urls(job) == sorted(pages) and job.credits_used == len(pages), source_urls(job)
    for document in job.data:
        title = pages[document.metadata.source_url]
        assert title in document.metadata.title and title in document.markdown, document.metadata
    links = {link.url for link in client.map(start).links}
    assert len(links & set(pages)) > 3, links


# Crawl


def case_crawl_waits(world):
    """crawl waits for the end: completed, exactly `limit` distinct pages, and their credits"""
    job = world.client.crawl(world.site_url, limit=30, poll_interval=1, timeout=TIMEOUT)
    assert job.status == "completed" and job.completed == job.total == len(job.data) == 30
    assert len(set(source_urls(job))) == 30 and job.credits_used == 30
    assert all(document.markdown for document in job.data)


def case_crawl_options(world):
    """crawl options are accepted and applied: paths, depth, sitemap, concurrency, scrape options"""
    job = world.client.crawl(
        world.site_url, limit=20, include_paths=["^/p/[0-9]$"], exclude_paths=["^/p/7$"],
        max_discovery_depth=3, sitemap="skip", ignore_query_parameters=True, crawl_entire_domain=True,
        allow_subdomains=False, max_concurrency=5, deduplicate_similar_urls=True,
        scrape_options={"formats": ["links"]}, poll_interval=1)
    paths = [address.removeprefix(world.site_url) for address in source_urls(job)]
    assert paths and all(re.fullmatch("/p/[0-9]", path) and path != "/p/7" for path in paths), paths
    assert all(document.links and not document.markdown for document in job.data)


def case_crawl_start_and_status(world):
    """start_crawl gives a UUID and the absolute status URL; polling ends in completed"""
    started = world.client.start_crawl(world.site_url, limit=10)
    assert started.url == f"{world.url}/v2/crawl/{uuid.UUID(started.id)}"
    job = wait_until(lambda: (job := world.client.get_crawl_status(started.id)).status == "completed" and job)
    assert job.completed == 10 and len(job.data) == 10 and job.next is None
    response = requests.get(started.url, headers={"Authorization": f"Bearer {KEY}"})
    assert response.json()["status"] == "completed"


def case_crawl_cancel(world):
    """cancel_crawl ends a running crawl and can be repeated; a completed crawl gives False"""
    started = world.client.start_crawl(world.site_url, limit=300, delay=1)
    assert world.client.cancel_crawl(started.id) is True
    job = world.client.get_crawl_status(started.id)
    assert job.status == "cancelled" and len(job.data) == job.completed < 300
    assert world.client.cancel_crawl(started.id) is True
    done = world.client.crawl(world.site_url, limit=1, poll_interval=1)
    assert world.client.cancel_crawl(done.id) is False


def case_crawl_errors(world):
    """get_crawl_errors lists pages with broken connections, with code and time"""
    started = world.client.start_crawl(f"{world.failing_url}/fail/", limit=20, sitemap="skip",
                                       include_paths=["^/fail/(reset|closed)$"])
    job = wait_until(lambda: (job := world.client.get_crawl_status(started.id)).status == "completed" and job)
    listed = world.client.get_crawl_errors(started.id)
    failed = {error.url.removeprefix(world.failing_url) for error in listed.errors}
    assert failed == {"/fail/reset", "/fail/closed"} and job.data == [] and job.total == 0, failed
    assert all(error.id and error.timestamp and error.error for error in listed.errors)


def case_crawl_robots_blocked(world):
    """pages forbidden by robots.txt are in robots_blocked and not fetched"""
    started = world.client.start_crawl(world.site_url, limit=PAGES + 100)
    job = wait_until(lambda: (job := world.client.get_crawl_status(started.id)).status == "completed" and job)
    blocked = world.client.get_crawl_errors(started.id).robots_blocked
    assert blocked and not set(blocked) & set(source_urls(job)), blocked


def case_crawl_active(world):
    """get_active_crawls lists a crawl with its URL and options only while it runs"""
    started = world.client.start_crawl(world.site_url, limit=300, delay=1)
    active = {crawl.id: crawl for crawl in world.client.get_active_crawls().crawls}
    assert active[started.id].url == world.site_url and active[started.id].options["limit"] == 300
    world.client.cancel_crawl(started.id)
    assert started.id not in [crawl.id for crawl in world.client.active_crawls().crawls]


def case_crawl_watcher(world):
    """the watcher gets every document once over the WebSocket, and `done` at the end"""
    started = world.client.start_crawl(world.site_url, limit=25)
    seen, done = [], threading.Event()
    watcher = world.client.watcher(started.id, kind="crawl", poll_interval=TIMEOUT, timeout=TIMEOUT)
    watcher.add_event_listener(
        "document", lambda event: seen.append(event["data"]["metadata"]["sourceURL"]))
    watcher.add_event_listener("done", lambda event: done.set())
    watcher.start()
    assert done.wait(TIMEOUT)
    watcher.stop()
    assert len(seen) == len(set(seen)) == 25 and watcher.status == "completed"


def case_watcher_of_an_ended_crawl(world):
    """a watcher of an ended crawl gets all its documents, or the status cancelled"""
    done = world.client.crawl(world.site_url, limit=150, poll_interval=1)
    started = world.client.start_crawl(world.site_url, limit=300, delay=1)
    world.client.cancel_crawl(started.id)
    for job, status, documents in ((done.id, "completed", 150), (started.id, "cancelled", None)):
        seen = []
        watcher = world.client.watcher(job, kind="crawl", poll_interval=TIMEOUT, timeout=TIMEOUT)
        watcher.add_event_listener(
            "document", lambda event: seen.append(event["data"]["metadata"]["sourceURL"]))
        watcher.start()
        # The client calls listeners of `done` only for completed jobs.
        wait_until(lambda: watcher.status in ("completed", "failed", "cancelled"))
        watcher.stop()
        assert watcher.status == status, watcher.status
        assert documents is None or len(seen) == len(set(seen)) == documents, len(seen)


def case_crawl_watcher_async(world):
    """the asynchronous watcher yields snapshots up to the completed one"""
    async def run():
        client = world.asynchronous()
        started = await client.start_crawl(world.site_url, limit=10)
        last = None
        async for snapshot in client.watcher(started.id, kind="crawl", timeout=TIMEOUT):
            last = snapshot
        return last
    assert asyncio.run(run()).status == "completed"


def case_crawl_async(world):
    """the asynchronous client runs, starts, reads and cancels crawls like the synchronous one"""
    async def run():
        client = world.asynchronous()
        job = await client.crawl(url=world.site_url, limit=10, poll_interval=1)
        started = await client.start_crawl(world.site_url, limit=300, delay=1)
        status = await client.get_crawl_status(started.id)
        active = await client.get_active_crawls()
        cancelled = await client.cancel_crawl(started.id)
        listed = await client.get_crawl_errors(started.id)
        return job, status, started.id in [crawl.id for crawl in active.crawls], cancelled, listed
    job, status, was_active, cancelled, listed = asyncio.run(run())
    assert len(job.data) == 10 and status.status == "scraping" and was_active and cancelled
    assert isinstance(listed.errors, list)


def case_crawl_v1(world):
    """v1: crawl_url, async_crawl_url, status, errors and cancel, with v1 options"""
    options = V1ScrapeOptions(formats=["markdown"])
    job = world.v1.crawl_url(world.site_url, limit=10, max_depth=5, ignore_sitemap=True,
                             allow_backward_links=True, scrape_options=options, poll_interval=1)
    assert job.status == "completed" and len(job.data) == 10 and job.data[0].markdown
    started = world.v1.async_crawl_url(world.site_url, limit=300, delay=1)
    assert started.success and started.url == f"{world.url}/v1/crawl/{started.id}"
    assert world.v1.check_crawl_status(started.id).status == "scraping"
    assert world.v1.check_crawl_errors(started.id).errors == []
    assert world.v1.cancel_crawl(started.id)["status"] == "cancelled"


def case_crawl_v1_async(world):
    """v1, asynchronous client: crawl, start, status, errors and cancel"""
    async def run():
        client = world.asynchronous_v1()
        job = await client.crawl_url(world.site_url, limit=5, poll_interval=1)
        started = await client.async_crawl_url(world.site_url, limit=300, delay=1)
        status = await client.check_crawl_status(started.id)
        listed = await client.check_crawl_errors(started.id)
        cancelled = await client.cancel_crawl(started.id)
        return job, status, listed, cancelled
    job, status, listed, cancelled = asyncio.run(run())
    assert len(job.data) == 5 and status.status == "scraping" and cancelled["status"] == "cancelled"
    assert listed["errors"] == []


def case_crawl_v1_watcher(world):
    """v1: the crawl watcher gets every document and `done`"""
    async def run():
        watcher = world.v1.crawl_url_and_watch(world.site_url, limit=10)
        seen, done = [], []
        watcher.add_event_listener(
            "document", lambda event: seen.append(event["data"]["metadata"]["sourceURL"]))
        watcher.add_event_listener("done", done.append)
        await asyncio.wait_for(watcher.connect(), TIMEOUT)
        return seen, done
    seen, done = asyncio.run(run())
    assert len(done) == 1 and len(set(seen)) == 10


# Batch


def case_batch_waits(world):
    """batch_scrape waits for the end and gives exactly the requested pages"""
    job = world.client.batch_scrape(world.pages(20), formats=["markdown"], poll_interval=1,
                                    wait_timeout=TIMEOUT)
    assert job.status == "completed" and source_urls(job) == sorted(world.pages(20))
    assert job.completed == job.total == job.credits_used == 20


def case_batch_start_and_status(world):
    """start_batch_scrape returns an id; polling ends in completed, without errors"""
    started = world.client.start_batch_scrape(world.pages(5), max_concurrency=2)
    assert started.url == f"{world.url}/v2/batch/scrape/{uuid.UUID(started.id)}"
    assert started.invalid_urls is None
    job = wait_until(
        lambda: (job := world.client.get_batch_scrape_status(started.id)).status == "completed" and job)
    assert len(job.data) == 5 and world.client.get_batch_scrape_errors(started.id).errors == []


def case_batch_invalid_urls(world):
    """invalid URLs are listed by default, and refused with ignore_invalid_urls=False"""
    invalid = ["https://", "http://a b/"]
    started = world.client.start_batch_scrape([*world.pages(2), *invalid])
    assert started.invalid_urls == invalid
    job = wait_until(
        lambda: (job := world.client.get_batch_scrape_status(started.id)).status == "completed" and job)
    assert len(job.data) == 2
    expect_error(errors.BadRequestError,
            lambda: world.client.start_batch_scrape(invalid, ignore_invalid_urls=False), status=400)


def case_batch_append(world):
    """append_to_id adds pages to a running batch with the same id"""
    slow = [f"{world.failing_url}/slow/{number}" for number in (2000, 2001)]
    started = world.client.start_batch_scrape(slow)
    added = world.client.start_batch_scrape(world.pages(3), append_to_id=started.id)
    assert added.id == started.id
    job = wait_until(
        lambda: (job := world.client.get_batch_scrape_status(started.id)).status == "completed" and job)
    assert len(job.data) == 5


def case_batch_cancel(world):
    """cancel_batch_scrape ends a running batch and can be repeated; a completed batch gives 409"""
    started = world.client.start_batch_scrape([f"{world.failing_url}/slow/{n}" for n in range(4000, 4010)])
    assert world.client.cancel_batch_scrape(started.id) is True
    assert world.client.get_batch_scrape_status(started.id).status == "cancelled"
    assert world.client.cancel_batch_scrape(started.id) is True
    done = world.client.start_batch_scrape(world.pages(1))
    wait_until(lambda: world.client.get_batch_scrape_status(done.id).status == "completed")
    expect_error(errors.FirecrawlError, lambda: world.client.cancel_batch_scrape(done.id), status=409)


def case_batch_errors(world):
    """get_batch_scrape_errors lists failed pages by URL and code"""
    urls = [f"{world.failing_url}/fail/closed", *world.pages(1)]
    started = world.client.start_batch_scrape(urls)
    job = wait_until(
        lambda: (job := world.client.get_batch_scrape_status(started.id)).status == "completed" and job)
    assert source_urls(job) == world.pages(1)
    assert [error.url for error in world.client.get_batch_scrape_errors(started.id).errors] == urls[:1]


def case_batch_watcher(world):
    """the batch watcher gets every document once, and `done`"""
    started = world.client.start_batch_scrape(world.pages(15))
    seen, done = [], threading.Event()
    watcher = world.client.watcher(started.id, kind="batch", poll_interval=TIMEOUT, timeout=TIMEOUT)
    watcher.add_event_listener(
        "document", lambda event: seen.append(event["data"]["metadata"]["sourceURL"]))
    watcher.add_event_listener("done", lambda event: done.set())
    watcher.start()
    assert done.wait(TIMEOUT)
    watcher.stop()
    assert sorted(seen) == sorted(world.pages(15))


def case_batch_async(world):
    """asynchronous client: batch_scrape, start, status, errors and cancel"""
    async def run():
        client = world.asynchronous()
        job = await client.batch_scrape(world.pages(5), poll_interval=1)
        started = await client.start_batch_scrape([f"{world.failing_url}/slow/4000"])
        status = await client.get_batch_scrape_status(started.id)
        cancelled = await client.cancel_batch_scrape(started.id)
        listed = await client.get_batch_scrape_errors(started.id)
        return job, status, cancelled, listed
    job, status, cancelled, listed = asyncio.run(run())
    assert source_urls(job) == sorted(world.pages(5)) and status.status == "scraping" and cancelled
    assert listed["errors"] == []


def case_batch_v1(world):
    """v1: batch_scrape_urls, its start, status and errors; invalid URLs are refused by default"""
    job = world.v1.batch_scrape_urls(world.pages(5), formats=["markdown"], poll_interval=1)
    assert job.status == "completed" and len(job.data) == 5
    started = world.v1.async_batch_scrape_urls(world.pages(3), formats=["markdown"])
    wait_until(lambda: world.v1.check_batch_scrape_status(started.id).status == "completed")
    assert world.v1.check_batch_scrape_errors(started.id).errors == []
    error = expect_error(requests.exceptions.HTTPError,
                         lambda: world.v1.async_batch_scrape_urls(["https://"]))
    assert error.response.status_code == 400

    async def run():
        return await world.asynchronous_v1().batch_scrape_urls(world.pages(2), poll_interval=1)
    assert len(asyncio.run(run()).data) == 2


def case_pagination(world):
    """more than 10 MB of results come in pages of at most 10,000,000 bytes, each document once"""
    urls = world.pages(PAGES - 1)
    # Each page several times in several formats, so that the sum exceeds the limit.
    formats = ["markdown", "html", "rawHtml", "links"]
    started = world.client.start_batch_scrape(urls + [f"{url}?copy={n}" for n in range(3) for url in urls],
                                              formats=formats, only_main_content=False)
    headers = {"Authorization": f"Bearer {KEY}"}
    wait_until(
        lambda: requests.get(f"{started.url}?limit=1", headers=headers).json()["status"] == "completed")
    sizes, sources, address = [], [], started.url
    while address:
        answer = requests.get(address, headers=headers)
        sizes.append(len(answer.content))
        sources += [document["metadata"]["scrapeId"] for document in answer.json()["data"]]
        address = answer.json().get("next")
    assert sum(sizes) > 10_000_000 and len(sizes) > 1 and max(sizes) <= 10_000_000, sizes
    assert len(sources) == len(set(sources)) == 4 * len(urls)
    gathered = world.client.get_batch_scrape_status(started.id)
    assert [document.metadata.scrape_id for document in gathered.data] == sources
    one_page = PaginationConfig(auto_paginate=False)
    first = world.client.get_batch_scrape_status(started.id, pagination_config=one_page)
    second = world.client.get_batch_scrape_status_page(first.next)
    assert first.next.startswith(f"{started.url}?skip={len(first.data)}")
    assert second.data[0].metadata.scrape_id == sources[len(first.data)]
    print(f"     {sum(sizes):,} bytes in {len(sizes)} pages, the largest {max(sizes):,}")


# Map


def case_map(world):
    """map lists at most `limit` URLs of the site, ranked by the search words, with sitemap modes"""
    links = world.client.map(world.site_url, limit=50).links
    assert len(links) == 50 and all(link.url.startswith(world.site_url) for link in links)
    assert len({link.url for link in links}) == 50
    assert world.client.map(world.site_url, sitemap="only", include_subdomains=False).links
    assert world.client.map(world.site_url, search="p 7", limit=5).links


def case_map_async_and_v1(world):
    """the asynchronous client gives link objects; v1 gives strings"""
    async def run():
        return (await world.asynchronous().map(world.site_url, limit=5),
                await world.asynchronous_v1().map_url(world.site_url, limit=5))
    v2, v1 = asyncio.run(run())
    assert len(v2.links) == 5
    for result in (v1, world.v1.map_url(world.site_url, limit=5),
                   world.v1.map_url(world.site_url, limit=5, use_index=True)):
        assert result.success and len(result.links) == 5
        assert all(isinstance(link, str) for link in result.links)


# Webhooks


def case_webhooks_of_a_crawl(world):
    """events of a crawl arrive in order, with our metadata and header, and verify"""
    receiver = Receiver()
    hook = WebhookConfig(url=receiver.url, metadata={"order": "7"}, headers={"X-Mine": "yes"},
                         events=["started", "page", "completed"])
    started = world.client.start_crawl(world.site_url, limit=6, webhook=hook)
    deliveries = receiver.verified(receiver.receive_until("crawl.completed"))
    payloads = [payload for _, _, payload in deliveries]
    types = [payload["type"] for payload in payloads]
    assert types == ["crawl.started"] + ["crawl.page"] * 6 + ["crawl.completed"]
    assert all(payload["id"] == started.id and payload["metadata"] == {"order": "7"} for payload in payloads)
    assert all(headers["x-mine"] == "yes" for headers, _, _ in deliveries)
    assert len({payload["webhookId"] for payload in payloads}) == len(payloads)
    page_ids = [payload["data"][0]["metadata"]["scrapeId"] for payload in payloads
                if payload["type"] == "crawl.page"]
    job = world.client.get_crawl_status(started.id)
    documents = [document.metadata.scrape_id for document in job.data]
    assert page_ids == documents, "pages are in order of completion"


def case_webhooks_of_a_batch(world):
    """a batch sends only the chosen events; a plain URL gets all of them"""
    receiver = Receiver()
    world.client.batch_scrape(world.pages(3), webhook=WebhookConfig(url=receiver.url, events=["completed"]),
                              poll_interval=1)
    assert len(receiver.verified(receiver.receive_until("batch_scrape.completed"))) == 1
    world.client.batch_scrape(world.pages(3), webhook=receiver.url, poll_interval=1)
    deliveries = receiver.verified(receiver.receive_until("batch_scrape.completed"))
    types = [payload["type"] for _, _, payload in deliveries]
    assert types == ["batch_scrape.started"] + ["batch_scrape.page"] * 3 + ["batch_scrape.completed"]


def case_webhooks_to_a_private_address(world):
    """a webhook to a forbidden address is refused at submission with 403"""
    expect_error(errors.WebsiteNotSupportedError,
                 lambda: world.client.start_batch_scrape(world.pages(1), webhook="http://169.254.169.254/"),
                 status=403)


# Errors


def case_error_400(world):
    """an invalid request is BadRequestError with the field and the reason; so is a missing browser"""
    expect_error(errors.BadRequestError, lambda: world.client.scrape(world.site_url, timeout=300001),
                 status=400, code="BAD_REQUEST", text="timeout")
    expect_error(errors.BadRequestError,
                 lambda: world.client.start_crawl(world.site_url, include_paths=["("]),
                 status=400, code="BAD_REQUEST", text="includePaths")
    expect_error(errors.BadRequestError, lambda: world.client.scrape(world.site_url, formats=["screenshot"]),
            status=400, code="SCRAPE_SCREENSHOT_NOT_SUPPORTED")


def case_error_401(world):
    """an unknown API key is UnauthorizedError for every kind of call"""
    stranger = Firecrawl(api_key="unknown", api_url=world.url)
    for act in (lambda: stranger.scrape(world.site_url), stranger.get_credit_usage,
                lambda: stranger.get_crawl_status(str(uuid.uuid4()))):
        expect_error(errors.UnauthorizedError, act, status=401, text="Invalid token")
    assert requests.get(f"{world.url}/v2/concurrency-check").json()["error"] == "Unauthorized: Token missing"


def case_error_402(world):
    """too few credits is PaymentRequiredError: a crawl for its limit, a batch for its pages"""
    poor = Firecrawl(api_key=KEY, api_url=world.host("--credits", "5"))
    expect_error(errors.PaymentRequiredError, lambda: poor.start_crawl(world.site_url, limit=6), status=402)
    expect_error(errors.PaymentRequiredError, lambda: poor.start_batch_scrape(world.pages(6)), status=402)
    assert poor.scrape(world.pages(1)[0]).markdown
    wait_until(lambda: poor.get_credit_usage().remaining_credits == 4)


def case_credits_run_out(world):
    """a job that runs out of credits fails and keeps the documents that were paid for"""
    schema = {"type": "object", "properties": {"name": {"type": "string"}}}
    formats = [{"type": "json", "schema": schema}]
    for act in (lambda client: client.batch_scrape(world.pages(6), formats=formats, poll_interval=1),
                lambda client: client.crawl(world.site_url, limit=6, poll_interval=1,
                                            scrape_options=ScrapeOptions(formats=formats))):
        # A page with data costs five credits and reserves one, so 12 credits are enough for two pages.
        poor = Firecrawl(api_key=KEY, api_url=world.host("--credits", "12"))
        job = act(poor)
        assert (job.status, job.completed, job.credits_used) == ("failed", 2, 10), job
        assert len(job.data) == 2 and all(page.metadata.credits_used == 5 for page in job.data)
        wait_until(lambda: poor.get_credit_usage().remaining_credits == 2)
        world.hosts.pop(("--credits", "12"))


def case_error_403(world):
    """a target refused by the egress guard is WebsiteNotSupportedError without the resolved address"""
    expect_error(errors.WebsiteNotSupportedError,
                 lambda: world.client.scrape("http://169.254.169.254/latest/"),
                 status=403, code="SCRAPE_BLOCKED")


def case_error_404(world):
    """an unknown job gives 404: crawl, batch, extract, their errors and cancels"""
    unknown_job = str(uuid.uuid4())
    for act in (world.client.get_crawl_status, world.client.get_crawl_errors, world.client.cancel_crawl,
                world.client.get_batch_scrape_status, world.client.get_batch_scrape_errors,
                world.client.cancel_batch_scrape, world.client.get_extract_status):
        for unknown in (unknown_job, "no-uuid"):
            expect_error(errors.FirecrawlError, lambda: act(unknown), status=404, text="Job not found")
    started = world.client.start_batch_scrape(world.pages(1))
    expect_error(errors.FirecrawlError, lambda: world.client.get_extract_status(started.id), status=404)


def case_batch_read_as_a_crawl(world):
    """a batch can be read at the crawl routes of v1 and v2, where v1 clients read it"""
    started = world.client.start_batch_scrape(world.pages(3))
    job = wait_until(lambda: (job := world.client.get_crawl_status(started.id)).status == "completed" and job)
    assert source_urls(job) == sorted(world.pages(3))
    assert world.client.get_crawl_errors(started.id).errors == []
    old = world.v1.check_crawl_status(started.id)
    assert old.status == "completed" and len(old.data) == 3


def case_scrape_by_its_id(world):
    """GET /v1|v2/scrape/{id} gives the document of a scrape and of a crawled page by its id"""
    crawled = world.client.crawl(world.site_url, limit=2, poll_interval=1).data
    documents = [world.client.scrape(world.pages(1)[0]), *crawled]
    for document in documents:
        for version in ("v1", "v2"):
            answer = requests.get(f"{world.url}/{version}/scrape/{document.metadata.scrape_id}",
                                  headers={"Authorization": f"Bearer {KEY}"}, timeout=TIMEOUT).json()
            assert answer["success"] and answer["data"]["markdown"] == document.markdown, answer


def case_error_408(world):
    """a page slower than the timeout of the request is RequestTimeoutError"""
    slow = f"{world.failing_url}/slow/5000"
    expect_error(errors.RequestTimeoutError, lambda: world.client.scrape(slow, timeout=1000),
                 status=408, code="SCRAPE_TIMEOUT")


def case_error_409(world):
    """a second batch with the same idempotency key gives 409, and no second job starts"""
    key = str(uuid.uuid4())
    world.client.start_batch_scrape(world.pages(1), idempotency_key=key)
    expect_error(errors.FirecrawlError,
                 lambda: world.client.start_batch_scrape(world.pages(1), idempotency_key=key), status=409)


def case_error_422(world):
    """unresolved names and failed connections give 422 with their own class or code"""
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
    expect_error(errors.FirecrawlError, lambda: world.client.scrape(f"http://127.0.0.1:{port}/"), status=422,
            code="SCRAPE_SITE_ERROR")
    expect_error(errors.DNSResolutionError, lambda: world.client.scrape("http://nowhere.invalid/"),
                 status=422)


def case_error_429(world):
    """beyond the rate limit of the team the error is RateLimitError with Retry-After"""
    limited = Firecrawl(api_key=KEY, api_url=world.host("--requests-per-minute", "2"))
    for _ in range(2):
        limited.scrape(world.pages(1)[0])
    error = expect_error(errors.RateLimitError, lambda: limited.scrape(world.pages(1)[0]), status=429)
    assert 1 <= int(error.response.headers["retry-after"]) <= 31


def case_error_v1(world):
    """v1 clients get status and message of 400, 401, 404 and 408"""
    stranger = V1FirecrawlApp(api_key="unknown", api_url=world.url)
    slow = f"{world.failing_url}/slow/5000"
    for status, act in (
            (400, lambda: world.v1.scrape_url(world.site_url, timeout=300001)),
            (401, lambda: stranger.scrape_url(world.site_url)),
            (404, lambda: world.v1.check_crawl_status(str(uuid.uuid4()))),
            (404, lambda: world.v1.check_crawl_status("no-uuid")),
            (408, lambda: world.v1.scrape_url(slow, timeout=1000))):
        assert expect_error(requests.exceptions.HTTPError, act).response.status_code == status


# The team


def case_team(world):
    """concurrency, credits, tokens and queue are readable, synchronously and asynchronously"""
    rich = world.host("--credits", "500")
    client = Firecrawl(api_key=KEY, api_url=rich)
    client.scrape(world.pages(1)[0])
    wait_until(lambda: client.get_credit_usage().remaining_credits == 499)
    credits, tokens = client.get_credit_usage(), client.get_token_usage()
    assert credits.plan_credits == 500 and tokens.remaining_tokens == 499 * 15 and tokens.plan_tokens == 7500
    assert client.get_concurrency().max_concurrency == 50 and client.get_concurrency().concurrency == 0
    queue_status = client.get_queue_status()
    assert queue_status.jobs_in_queue == 0 and queue_status.max_concurrency == 50
    assert queue_status.most_recent_success is not None

    async def run():
        asynchronous = AsyncFirecrawl(api_key=KEY, api_url=rich)
        return (await asynchronous.get_credit_usage(), await asynchronous.get_token_usage(),
                await asynchronous.get_concurrency(), await asynchronous.get_queue_status())
    usage, token_usage, concurrency, waiting = asyncio.run(run())
    assert usage == credits and token_usage == tokens
    assert concurrency.max_concurrency == 50 and waiting.jobs_in_queue == 0


def case_team_without_a_limit(world):
    """an unlimited team gets a large number of credits and the flag `unlimited`"""
    unlimited = 2 ** 53 - 1
    assert world.client.get_credit_usage().remaining_credits == unlimited
    assert world.client.get_token_usage().remaining_tokens == unlimited
    assert world.v1.get_credit_usage().data.remaining_credits == unlimited
    response = requests.get(f"{world.url}/v2/team/credit-usage",
                            headers={"Authorization": f"Bearer {KEY}"}, timeout=TIMEOUT)
    assert response.json()["data"]["unlimited"] is True


def case_team_v1(world):
    """v1: credits and tokens"""
    client = V1FirecrawlApp(api_key=KEY, api_url=world.host("--credits", "500"))
    assert client.get_credit_usage().data.plan_credits == 500
    assert client.get_token_usage().data.plan_tokens == 7500


# Extract


def case_extract_with_a_schema(world):
    """an extract with a schema completes without a model, in every client"""
    schema = {"type": "object", "properties": {"name": {"type": "string"}}}
    started = world.client.start_extract(world.pages(1), schema=schema, show_sources=True)
    uuid.UUID(started.id)
    job = wait_until(
        lambda: (job := world.client.get_extract_status(started.id)).status != "processing" and job)
    assert job.status == "completed" and job.success and isinstance(job.data, dict), job
    assert world.client.extract(world.pages(1), schema=schema, poll_interval=1).data == job.data
    started = world.v1.async_extract(world.pages(1), schema=schema)
    old = wait_until(lambda: (job := world.v1.get_extract_status(started.id)).status != "processing" and job)
    assert old.status == "completed" and old.data == job.data

    async def run():
        return await world.asynchronous().extract(world.pages(1), schema=schema, poll_interval=1)
    assert asyncio.run(run()).data == job.data


# Without a model


def case_without_a_model(world):
    """extracts and crawls by prompt give MODEL_NOT_CONFIGURED in every client"""
    prompt = {"prompt": "the names of the teas"}
    for act in (lambda: world.client.extract([world.site_url], **prompt),
                lambda: world.client.start_extract([world.site_url], **prompt),
                lambda: world.client.start_extract(**prompt),
                lambda: world.client.crawl_params_preview(world.site_url, "only the teas"),
                lambda: world.client.start_crawl(world.site_url, **prompt),
                lambda: world.client.scrape(world.site_url, formats=[{"type": "json", **prompt}])):
        expect_error(errors.BadRequestError, act, status=400, code="MODEL_NOT_CONFIGURED")

    async def run(act):
        return await act(world.asynchronous())
    expect_error(errors.BadRequestError, lambda: asyncio.run(
        run(lambda client: client.crawl_params_preview(world.site_url, "only the teas"))),
                 status=400, code="MODEL_NOT_CONFIGURED")
    # The asynchronous client raises no error for extracts but returns the response.
    for act in (lambda client: client.extract([world.site_url], **prompt),
                lambda client: client.start_extract([world.site_url], **prompt)):
        answer = asyncio.run(run(act))
        assert answer.success is False and answer.id is None and "model" in answer.error
    # v1 turns every failure of an extract into a ValueError with the message of the response.
    expect_error(ValueError, lambda: world.v1.async_extract([world.site_url], **prompt),
                 text="language model")
    expect_error(ValueError, lambda: world.v1.extract([world.site_url], **prompt), text="language model")


# With a model


DESIGNER = {"type": "object", "properties": {"designer": {"type": ["string", "null"]},
                                             "owner": {"type": ["string", "null"]}}}


def case_json_format(world):
    """format json works with a schema and with a prompt; invented values become null with a warning"""
    client, boats = world.with_model(), world.boat_site.url
    page = client.scrape(f"{boats}/boats/heron", formats=[{"type": "json", "schema": DESIGNER}, "markdown"])
    assert page.json == {"designer": "Anna Berg", "owner": None}, page.json
    assert "owner" in page.warning and "Anna Berg" in page.markdown
    page = client.scrape(f"{boats}/boats/tern", formats=[{"type": "json", "prompt": "Who drew the boat?"}])
    assert page.json == {"designer": "Carl Dahl"}, page.json
    product = {"type": "object", "properties": {"name": {"type": "string"}}}
    without = world.client.scrape(world.pages(1)[0], formats=[{"type": "json", "schema": product}])
    assert isinstance(without.json, dict), "a schema needs no model"


def case_extract_with_a_model(world):
    """extracts work with a prompt and with a schema, over listed pages and a wildcard"""
    client, boats = world.with_model(), world.boat_site.url
    done = client.extract([f"{boats}/boats/eider"], prompt="Who drew the boat?", poll_interval=1)
    assert done.status == "completed" and done.data == {"designer": "Eva Falk"}, done
    started = client.start_extract([f"{boats}/boats/heron"], schema=DESIGNER, show_sources=True)
    job = wait_until(lambda: (job := client.get_extract_status(started.id)).status != "processing" and job)
    assert job.data == {"designer": "Anna Berg", "owner": None} and job.success, job
    assert job.sources["designer"] == [f"{boats}/boats/heron"], job.sources
    assert job.tokens_used and job.tokens_used > 0
    rows = {"type": "object", "properties": {"boats": {"type": "array", "items": {
        "type": "object", "properties": {"designer": {"type": ["string", "null"]}}}}}}
    done = client.extract([f"{boats}/boats/*"], schema=rows, prompt="the boats and who drew them",
                          poll_interval=1)
    named = {boat["designer"] for boat in done.data["boats"]}
    assert named == {"Anna Berg", "Carl Dahl", "Eva Falk"}, done


def case_crawl_by_prompt(world):
    """crawls by prompt get patterns that match the site, and crawl only those pages"""
    client, boats = world.with_model(), world.boat_site.url
    preview = client.crawl_params_preview(boats, "only the boats")
    assert any("boats" in pattern for pattern in preview.include_paths), preview
    done = client.crawl(boats, prompt="only the boats", poll_interval=1)
    assert {page.metadata.url for page in done.data} == {f"{boats}/boats/{name}" for name in BOATS}, done
    # Words that match parts of paths need no model.
    assert world.client.crawl_params_preview(boats, "only the boats").include_paths == preview.include_paths


def cases():
    return {name.removeprefix("case_"): case for name, case in globals().items() if name.startswith("case_")}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--host", help="the built host example")
    parser.add_argument("--site", help="the built site example")
    parser.add_argument("--list", action="store_true", help="print the cases and their descriptions")
    parser.add_argument("only", nargs="*", help="run only these cases")
    arguments = parser.parse_args()
    if arguments.list:
        for name, case in cases().items():
            print(f"{name}: {case.__doc__}")
        return 0
    assert firecrawl.__version__ == VERSION, f"the client has version {firecrawl.__version__}, not {VERSION}"
    chosen = {name: case for name, case in cases().items() if not arguments.only or name in arguments.only}
    failed, skipped = [], []
    with World(arguments.host, arguments.site) as world:
        for name, case in chosen.items():
            began = time.monotonic()
            try:
                case(world)
                print(f"ok   {name}: {case.__doc__} ({time.monotonic() - began:.1f} s)", flush=True)
            except Skipped as reason:
                skipped.append(name)
                print(f"SKIPPED {name}: {reason}", flush=True)
            except Exception:  # noqa: BLE001 - all cases are run
                failed.append(name)
                print(f"FAIL {name}: {case.__doc__}", flush=True)
                traceback.print_exc()
    passed = len(chosen) - len(failed) - len(skipped)
    print(f"{passed} of {len(chosen)} cases passed with firecrawl-py {VERSION}, {len(skipped)} were skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
