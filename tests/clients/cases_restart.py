"""Cases of a host with `--data` that is killed or stopped in the middle of its jobs, and started again."""

import requests
from firecrawl.v2.types import PaginationConfig, WebhookConfig
from firecrawl.v2.utils import error_handler as errors

from fakes import HeldSite
from world import KEY, TIMEOUT, DurableHost, Receiver, expect_error, wait_until

# Pages of a site, and how many of them it serves before the host ends.
SITE_PAGES = 30
BEFORE = 10
# Events that the receiver accepts before the host ends.
ACCEPTED = 4
ONE_PAGE = PaginationConfig(auto_paginate=False)


def activities(host):
    """The ids of the ended jobs, the latest first."""
    listed = requests.get(f"{host.url}/v2/team/activity", headers={"Authorization": f"Bearer {KEY}"},
                          timeout=TIMEOUT)
    return [job["id"] for job in listed.json()["data"]]


def completed(status):
    """Waits until the job of this status function is completed, and returns its status."""
    return wait_until(lambda: (job := status()).status == "completed" and job)


def scrape_ids(documents):
    return [document.metadata.scrape_id for document in documents]


def case_restart_after_kill(world):
    """a crawl goes on after SIGKILL: status, paging by `next`, webhook events, the activity log"""
    site, receiver = HeldSite(SITE_PAGES, BEFORE), Receiver(accepts=ACCEPTED)
    with DurableHost(world) as host:
        client = host.client
        ended = client.start_batch_scrape(world.pages(2))
        wait_until(lambda: activities(host) == [ended.id])
        hook = WebhookConfig(url=receiver.url, metadata={"order": "8"}, headers={"X-Mine": "yes"})
        started = client.start_crawl(site.pages[0], limit=SITE_PAGES, webhook=hook)

        def first_page():
            job = client.get_crawl_status(started.id, pagination_config=ONE_PAGE)
            return len(job.data) == BEFORE and job
        first = wait_until(first_page)
        before = receiver.receive(ACCEPTED + 1)
        stored = {document.metadata.source_url for document in first.data}
        host.kill()

        host.start()
        site.release()
        receiver.release()
        job = completed(lambda: client.get_crawl_status(started.id))
        sources = [document.metadata.source_url for document in job.data]
        assert job.completed == job.total == job.credits_used == SITE_PAGES, job
        assert sorted(sources) == sorted(site.pages), "each page once"
        assert all(site.requests[page] == 1 for page in stored), "a stored page is requested again"
        assert max(site.requests.values()) <= 2, site.requests

        # The `next` of a response of the killed host.
        documents, address = list(first.data), first.next
        while address:
            page = client.get_crawl_status_page(address)
            documents, address = documents + page.data, page.next
        assert scrape_ids(documents) == scrape_ids(job.data), "paging goes on without a gap"

        deliveries = receiver.verified(before + receiver.receive_until("crawl.completed"))
        payloads = [payload for _, _, payload in deliveries]
        ids = [payload["webhookId"] for payload in payloads]
        # The receiver had the last event before the kill, but had not accepted it.
        assert ids.count(ids[ACCEPTED]) == 2 and len(set(ids)) == len(ids) - 1, ids
        repeat = ids.index(ids[ACCEPTED], ACCEPTED + 1)
        assert repeat == ACCEPTED + 1, "an event comes before an earlier one was accepted"
        assert deliveries[repeat][1] == deliveries[ACCEPTED][1], "a repeated event has other bytes"
        events = payloads[:repeat] + payloads[repeat + 1:]
        types = [event["type"] for event in events]
        assert types == ["crawl.started"] + ["crawl.page"] * SITE_PAGES + ["crawl.completed"], types
        pages = [event["data"][0]["metadata"]["scrapeId"] for event in events if event["data"]]
        assert pages == scrape_ids(job.data), "events are in the order of the documents, and none is lost"
        assert all(event["id"] == started.id and event["metadata"] == {"order": "8"} for event in events)
        assert all(headers["x-mine"] == "yes" for headers, _, _ in deliveries)

        wait_until(lambda: activities(host) == [started.id, ended.id])
        host.kill()
        host.start()
        again = client.get_crawl_status(started.id)
        assert again.status == "completed" and scrape_ids(again.data) == scrape_ids(job.data)
        wait_until(lambda: activities(host) == [started.id, ended.id])
    site.close()


def case_restart_after_stop(world):
    """a host ends on SIGTERM with status 0, and an ended job and a running one are there after it"""
    site = HeldSite(SITE_PAGES, BEFORE)
    with DurableHost(world) as host:
        batch = host.client.start_batch_scrape(world.pages(3))
        done = completed(lambda: host.client.get_batch_scrape_status(batch.id))
        started = host.client.start_crawl(site.pages[0], limit=SITE_PAGES)
        wait_until(lambda: host.client.get_crawl_status(started.id).completed == BEFORE)
        assert host.stop() == 0
        host.start()
        assert scrape_ids(host.client.get_batch_scrape_status(batch.id).data) == scrape_ids(done.data)
        site.release()
        job = completed(lambda: host.client.get_crawl_status(started.id))
        assert sorted(document.metadata.source_url for document in job.data) == sorted(site.pages)
    site.close()


def case_restart_and_append(world):
    """after SIGKILL, a batch accepts more pages, a used idempotency key is refused, and a job is cancelled"""
    site, key = HeldSite(SITE_PAGES, 0), "5a1f0d3e-8c8f-4c2c-9d0b-2f4f1f0c7a11"
    with DurableHost(world) as host:
        batch = host.client.start_batch_scrape(site.pages[:5], idempotency_key=key)
        other = host.client.start_batch_scrape(site.pages[5:8])
        host.kill()
        host.start()
        added = host.client.start_batch_scrape(site.pages[8:10], append_to_id=batch.id)
        assert added.id == batch.id
        expect_error(errors.FirecrawlError,
                     lambda: host.client.start_batch_scrape(site.pages[:5], idempotency_key=key), status=409)
        assert host.client.cancel_batch_scrape(other.id) is True
        site.release()
        job = completed(lambda: host.client.get_batch_scrape_status(batch.id))
        expected = site.pages[:5] + site.pages[8:10]
        assert sorted(document.metadata.source_url for document in job.data) == sorted(expected)
        assert host.client.get_batch_scrape_status(other.id).status == "cancelled"
    site.close()


def case_restart_of_an_extract(world):
    """an extract job that SIGKILL interrupts runs again from its request"""
    site = HeldSite(SITE_PAGES, 0)
    schema = {"type": "object", "properties": {"title": {"type": "string"}}}
    with DurableHost(world) as host:
        started = host.client.start_extract(site.pages[:1], schema=schema)
        wait_until(lambda: sum(site.requests.values()) > 0)
        assert host.client.get_extract_status(started.id).status == "processing"
        host.kill()
        host.start()
        site.release()
        job = completed(lambda: host.client.get_extract_status(started.id))
        assert isinstance(job.data, dict), job
        wait_until(lambda: activities(host) == [started.id])
    site.close()
