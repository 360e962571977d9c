"""Runs the cases of sdk.py and those below, and checks that every public method of the client is covered.

A case calls each method, or the method is listed below with a reason. A method that is neither, such as a new
one, fails the run. Calls from within the client do not count. The arguments are those of sdk.py. If cases are
named, only those run and coverage is not checked.
"""

import asyncio
import functools
import inspect
import sys

from firecrawl import AsyncFirecrawl, Firecrawl
from firecrawl.v1.client import AsyncV1FirecrawlApp, V1FirecrawlApp
from firecrawl.v2.client import FirecrawlClient
from firecrawl.v2.client_async import AsyncFirecrawlClient

import sdk
from cases_model import DESIGNER
from world import KEY, TIMEOUT, wait_until

CLIENTS = [FirecrawlClient, AsyncFirecrawlClient, V1FirecrawlApp, AsyncV1FirecrawlApp, Firecrawl,
           AsyncFirecrawl]

# Methods for features that the contract does not have, by feature.
NOT_OFFERED = {
    "agents": ["agent", "start_agent", "get_agent_status", "cancel_agent", "list_agents", "get_agent_trace",
               "get_agent_snapshot", "get_agent_thread"],
    "browser sessions": ["browser", "browser_execute", "delete_browser", "list_browsers", "interact",
                              "stop_interaction", "stop_interactive_browser", "scrape_execute",
                              "delete_scrape_browser"],
    "monitors": ["create_monitor", "list_monitors", "get_monitor", "update_monitor", "delete_monitor",
                 "run_monitor", "list_monitor_checks", "get_monitor_check"],
    "a web index": ["search", "developer_search", "gov_search", "search_github", "search_papers",
                    "inspect_paper", "read_paper", "related_papers", "scrape_alexandria", "find_tools"],
    "uploaded files": ["parse", "get_parse_formats"],
    "usage of past months": ["get_credit_usage_historical", "get_token_usage_historical"],
    "deep research and llms.txt (v1)": ["deep_research", "async_deep_research", "check_deep_research_status",
                                        "generate_llms_text", "async_generate_llms_text",
                                        "check_generate_llms_text_status"],
}

# Methods that work with no service, with the fault in this version of the client.
BROKEN = {
    ("AsyncV1FirecrawlApp", "crawl_url_and_watch"):
        "it passes two extra arguments to its own async_crawl_url",
    ("AsyncV1FirecrawlApp", "batch_scrape_urls_and_watch"):
        "it passes two extra arguments to its own async_batch_scrape_urls",
}


def methods(client):
    members = inspect.getmembers(client, callable)
    return {name: method for name, method in members if not name.startswith("_")}


class Calls:
    """Records which methods of which classes are called from outside the client."""

    def __init__(self):
        self.called = set()
        members = {client: methods(client) for client in CLIENTS}
        for client, found in members.items():
            for name, method in found.items():
                setattr(client, name, self.recorded(client, name, method))

    def recorded(self, client, name, method):
        @functools.wraps(method)
        def call(*arguments, **options):
            caller = sys._getframe(1).f_globals.get("__name__", "")
            if caller.partition(".")[0] != "firecrawl":
                self.called.add((client.__name__, name))
            return method(*arguments, **options)
        return call

    def uncovered(self):
        """Problems: methods that are neither called nor listed, and wrong entries of the lists."""
        excluded = {name for names in NOT_OFFERED.values() for name in names}
        wrong, every = [], set()
        for client in CLIENTS:
            for name in methods(client):
                every.add(name)
                is_called = (client.__name__, name) in self.called
                broken = (client.__name__, name) in BROKEN
                if not is_called and not broken and name not in excluded:
                    wrong.append(f"{client.__name__}.{name} is neither called by a case nor listed")
                elif is_called and (broken or name in excluded):
                    wrong.append(f"{client.__name__}.{name} is listed, but a case calls it")
        wrong += [f"{name} is listed, but no client has it" for name in sorted(excluded - every)]
        return wrong


# Cases for methods that sdk.py does not call


def wait_for_end(check, job):
    return wait_until(lambda: (status := check(job)).status == "completed" and status)


def case_old_names(world):
    """the old names of v2 methods: scrape_url, crawl_url, map_url, batch_scrape_urls and others"""
    client = world.client
    assert client.scrape_url(world.pages(1)[0]).markdown
    assert len(client.map_url(world.site_url, limit=3).links) == 3
    assert len(client.crawl_url(world.site_url, limit=3, poll_interval=1).data) == 3
    assert len(client.batch_scrape_urls(world.pages(2), poll_interval=1).data) == 2
    crawl = client.async_crawl_url(world.site_url, limit=3)
    batch = client.async_batch_scrape_urls(world.pages(2))
    assert len(wait_for_end(client.check_crawl_status, crawl.id).data) == 3
    assert len(wait_for_end(client.check_batch_scrape_status, batch.id).data) == 2
    assert client.check_crawl_errors(crawl.id).errors == []
    assert client.check_batch_scrape_errors(batch.id).errors == []

    async def run():
        client = world.asynchronous()
        pages = (await client.scrape_url(world.pages(1)[0]), await client.map_url(world.site_url, limit=3),
                 await client.crawl_url(world.site_url, limit=3, poll_interval=1),
                 await client.batch_scrape_urls(world.pages(2), poll_interval=1))
        crawl = await client.async_crawl_url(world.site_url, limit=3)
        batch = await client.async_batch_scrape_urls(world.pages(2))
        statuses = (await client.check_crawl_status(crawl.id),
                    await client.check_batch_scrape_status(batch.id))
        errors = (await client.check_crawl_errors(crawl.id), await client.check_batch_scrape_errors(batch.id))
        return pages, statuses, errors
    (page, links, crawl, batch), statuses, errors = asyncio.run(run())
    assert page.markdown and (len(links.links), len(crawl.data), len(batch.data)) == (3, 3, 2)
    assert all(status.status in ("scraping", "completed") for status in statuses)
    assert errors[0].errors == [] and errors[1]["errors"] == []


def case_waiting_for_a_job(world):
    """wait_crawl and wait_batch_scrape wait for a job; status pages are read one by one"""
    client = world.client
    started = client.start_crawl(world.site_url, limit=6)
    done = client.wait_crawl(started.id, poll_interval=1, timeout=TIMEOUT)
    assert done.status == "completed" and len(done.data) == 6
    first = client.get_crawl_status_page(f"{started.url}?limit=2")
    second = client.get_crawl_status_page(first.next)
    both = [page.metadata.scrape_id for page in [*first.data, *second.data]]
    assert both == [page.metadata.scrape_id for page in done.data][:4]

    async def run():
        client = world.asynchronous()
        crawl = await client.start_crawl(world.site_url, limit=4)
        crawled = await client.wait_crawl(crawl.id, poll_interval=1, timeout=TIMEOUT)
        batch = await client.start_batch_scrape(world.pages(4))
        scraped = await client.wait_batch_scrape(batch.id, poll_interval=1, timeout=TIMEOUT)
        pages = (await client.get_crawl_status_page(f"{crawl.url}?limit=1"),
                 await client.get_batch_scrape_status_page(f"{batch.url}?limit=1"))
        active = await client.active_crawls()
        return crawled, scraped, pages, [found.id for found in active.crawls], crawl.id
    crawled, scraped, pages, active, crawl = asyncio.run(run())
    assert (len(crawled.data), len(scraped.data)) == (4, 4) and crawl not in active
    assert all(len(page.data) == 1 and page.next for page in pages)


def case_extract_async(world):
    """asynchronous v2 client: start_extract, get_extract_status and crawl_params_preview"""
    boats = (world.with_model(), world.boat_site.url)[1]

    async def run():
        url = world.host("--model-url", f"{world.model.url}/v1", "--model", "reader")
        client = AsyncFirecrawl(api_key=KEY, api_url=url)
        started = await client.start_extract([f"{boats}/boats/heron"], schema=DESIGNER)
        while (job := await client.get_extract_status(started.id)).status == "processing":
            await asyncio.sleep(0.1)
        return job, await client.crawl_params_preview(boats, "only the boats")
    job, preview = asyncio.run(run())
    assert job.status == "completed" and job.data == {"designer": "Anna Berg", "owner": None}, job
    assert any("boats" in pattern for pattern in preview.include_paths), preview


def case_extract_v1(world):
    """v1: extract waits for its data, synchronously and asynchronously, with start and status"""
    schema = {"type": "object", "properties": {"name": {"type": "string"}}}
    waited = world.v1.extract(world.pages(1), schema=schema)
    assert waited.success and isinstance(waited.data, dict), waited

    async def run():
        client = world.asynchronous_v1()
        done = await client.extract(world.pages(1), schema=schema)
        started = await client.async_extract(world.pages(1), schema=schema)
        while (job := await client.get_extract_status(started["id"]))["status"] == "processing":
            await asyncio.sleep(0.1)
        return done, job
    done, job = asyncio.run(run())
    assert done.data == job["data"] == waited.data and job["status"] == "completed", (done, job)


def case_batch_v1_async(world):
    """v1, asynchronous client: start, status and errors of a batch"""
    async def run():
        client = world.asynchronous_v1()
        started = await client.async_batch_scrape_urls(world.pages(3))
        while (job := await client.check_batch_scrape_status(started.id)).status == "scraping":
            await asyncio.sleep(0.1)
        return job, await client.check_batch_scrape_errors(started.id)
    job, errors = asyncio.run(run())
    assert job.status == "completed" and len(job.data) == 3 and errors["errors"] == []


def case_team_v1_async(world):
    """v1, asynchronous client: credits and tokens"""
    async def run():
        client = AsyncV1FirecrawlApp(api_key=KEY, api_url=world.host("--credits", "500"))
        return await client.get_credit_usage(), await client.get_token_usage()
    credits, tokens = asyncio.run(run())
    assert credits.data.plan_credits == 500 and tokens.data.plan_tokens == 7500


def case_batch_v1_watcher(world):
    """v1: the batch watcher gets every document and `done`"""
    async def run():
        watcher = world.v1.batch_scrape_urls_and_watch(world.pages(5))
        seen, done = [], []
        watcher.add_event_listener(
            "document", lambda event: seen.append(event["data"]["metadata"]["sourceURL"]))
        watcher.add_event_listener("done", done.append)
        await asyncio.wait_for(watcher.connect(), TIMEOUT)
        return seen, done
    seen, done = asyncio.run(run())
    assert len(done) == 1 and sorted(seen) == sorted(world.pages(5))


def main():
    calls = Calls()
    sdk.MODULES.append(sys.modules[__name__])
    status = sdk.main()
    # Coverage is known only if all cases ran.
    if all(argument in ("--host", "--site") or before in ("--host", "--site")
                           for before, argument in zip(sys.argv, sys.argv[1:])):
        uncovered = calls.uncovered()
        for line in uncovered:
            print(f"FAIL {line}")
        every = sum(len(methods(client)) for client in CLIENTS)
        count = len(calls.called)
        print(f"{count} of {every} public methods were called, the rest is listed: {not uncovered}")
        status = 1 if uncovered else status
    return status


if __name__ == "__main__":
    sys.exit(main())
