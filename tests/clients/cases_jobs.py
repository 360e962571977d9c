"""Cases of crawls, batches, maps and webhooks."""

import asyncio
import re
import threading
import uuid

import requests
from firecrawl.v1.client import V1ScrapeOptions
from firecrawl.v2.types import PaginationConfig, WebhookConfig
from firecrawl.v2.utils import error_handler as errors

from world import KEY, PAGES, TIMEOUT, Receiver, expect_error, source_urls, wait_until


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
