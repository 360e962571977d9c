"""Runs the cases of sdk.py, those below, and then looks whether a public method of the official client was left out.

Each is called by a case, or stands below with the reason why not; a method that is neither, such as a new one, fails the
run. What the client calls itself does not count. Takes the arguments of sdk.py; with names of cases alone, those are run
and nothing is held against the list.
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

CLIENTS = [FirecrawlClient, AsyncFirecrawlClient, V1FirecrawlApp, AsyncV1FirecrawlApp, Firecrawl, AsyncFirecrawl]

# Methods that ask for what the contract does not have, by what it lacks.
NOT_OFFERED = {
    "agents": ["agent", "start_agent", "get_agent_status", "cancel_agent", "list_agents", "get_agent_trace",
               "get_agent_snapshot", "get_agent_thread"],
    "sessions of a browser": ["browser", "browser_execute", "delete_browser", "list_browsers", "interact",
                              "stop_interaction", "stop_interactive_browser", "scrape_execute", "delete_scrape_browser"],
    "monitors": ["create_monitor", "list_monitors", "get_monitor", "update_monitor", "delete_monitor", "run_monitor",
                 "list_monitor_checks", "get_monitor_check"],
    "an index of the web": ["search", "developer_search", "gov_search", "search_github", "search_papers", "inspect_paper",
                            "read_paper", "related_papers", "scrape_alexandria", "find_tools"],
    "files that are sent along": ["parse", "get_parse_formats"],
    "usage of past months": ["get_credit_usage_historical", "get_token_usage_historical"],
    "deep research and llms.txt (v1)": ["deep_research", "async_deep_research", "check_deep_research_status",
                                        "generate_llms_text", "async_generate_llms_text",
                                        "check_generate_llms_text_status"],
}

# Methods that cannot work against any service, by what is wrong with them in this version of the client.
BROKEN = {
    ("AsyncV1FirecrawlApp", "crawl_url_and_watch"): "it gives two arguments too many to its own async_crawl_url",
    ("AsyncV1FirecrawlApp", "batch_scrape_urls_and_watch"): "it gives two arguments too many to its own async_batch_scrape_urls",
}


def methods(client):
    members = inspect.getmembers(client, callable)
    return {name: method for name, method in members if not name.startswith("_")}


class Calls:
    """Which methods of which classes were called from outside the client."""

    def __init__(self):
        self.made = set()
        known = {client: methods(client) for client in CLIENTS}
        for client, found in known.items():
            for name, method in found.items():
                setattr(client, name, self.counted(client, name, method))

    def counted(self, client, name, method):
        @functools.wraps(method)
        def call(*arguments, **options):
            caller = sys._getframe(1).f_globals.get("__name__", "")
            if caller.partition(".")[0] != "firecrawl":
                self.made.add((client.__name__, name))
            return method(*arguments, **options)
        return call

    def left_out(self):
        """Methods that were not called and are not listed, and listed ones that are not right."""
        excused = {name for names in NOT_OFFERED.values() for name in names}
        wrong, every = [], set()
        for client in CLIENTS:
            for name in methods(client):
                every.add(name)
                called = (client.__name__, name) in self.made
                broken = (client.__name__, name) in BROKEN
                if not called and not broken and name not in excused:
                    wrong.append(f"{client.__name__}.{name} is called by no case and not listed with a reason")
                elif called and (broken or name in excused):
                    wrong.append(f"{client.__name__}.{name} is listed as left out, and a case calls it")
        wrong += [f"{name} is listed as left out, and no client has it" for name in sorted(excused - every)]
        return wrong


# Cases of methods that those of sdk.py leave out


def ended(check, job):
    return sdk.until(lambda: (status := check(job)).status == "completed" and status)


def case_old_names(world):
    """the old names of v2's methods: scrape_url, crawl_url, map_url, batch_scrape_urls, their starts, statuses and errors"""
    client = world.client
    assert client.scrape_url(world.pages(1)[0]).markdown
    assert len(client.map_url(world.site_url, limit=3).links) == 3
    assert len(client.crawl_url(world.site_url, limit=3, poll_interval=1).data) == 3
    assert len(client.batch_scrape_urls(world.pages(2), poll_interval=1).data) == 2
    crawl, batch = client.async_crawl_url(world.site_url, limit=3), client.async_batch_scrape_urls(world.pages(2))
    assert len(ended(client.check_crawl_status, crawl.id).data) == 3
    assert len(ended(client.check_batch_scrape_status, batch.id).data) == 2
    assert client.check_crawl_errors(crawl.id).errors == client.check_batch_scrape_errors(batch.id).errors == []

    async def run():
        client = world.asynchronous()
        pages = (await client.scrape_url(world.pages(1)[0]), await client.map_url(world.site_url, limit=3),
                 await client.crawl_url(world.site_url, limit=3, poll_interval=1),
                 await client.batch_scrape_urls(world.pages(2), poll_interval=1))
        crawl = await client.async_crawl_url(world.site_url, limit=3)
        batch = await client.async_batch_scrape_urls(world.pages(2))
        statuses = (await client.check_crawl_status(crawl.id), await client.check_batch_scrape_status(batch.id))
        errors = (await client.check_crawl_errors(crawl.id), await client.check_batch_scrape_errors(batch.id))
        return pages, statuses, errors
    (page, links, crawl, batch), statuses, errors = asyncio.run(run())
    assert page.markdown and (len(links.links), len(crawl.data), len(batch.data)) == (3, 3, 2)
    assert all(status.status in ("scraping", "completed") for status in statuses)
    assert errors[0].errors == [] and errors[1]["errors"] == []


def case_waiting_for_a_job(world):
    """wait_crawl and wait_batch_scrape wait for a job that runs, and pages of a status are read one by one"""
    client = world.client
    started = client.start_crawl(world.site_url, limit=6)
    done = client.wait_crawl(started.id, poll_interval=1, timeout=sdk.PATIENCE)
    assert done.status == "completed" and len(done.data) == 6
    first = client.get_crawl_status_page(f"{started.url}?limit=2")
    second = client.get_crawl_status_page(first.next)
    both = [page.metadata.scrape_id for page in [*first.data, *second.data]]
    assert both == [page.metadata.scrape_id for page in done.data][:4]

    async def run():
        client = world.asynchronous()
        crawl = await client.start_crawl(world.site_url, limit=4)
        crawled = await client.wait_crawl(crawl.id, poll_interval=1, timeout=sdk.PATIENCE)
        batch = await client.start_batch_scrape(world.pages(4))
        scraped = await client.wait_batch_scrape(batch.id, poll_interval=1, timeout=sdk.PATIENCE)
        pages = (await client.get_crawl_status_page(f"{crawl.url}?limit=1"),
                 await client.get_batch_scrape_status_page(f"{batch.url}?limit=1"))
        active = await client.active_crawls()
        return crawled, scraped, pages, [found.id for found in active.crawls], crawl.id
    crawled, scraped, pages, active, crawl = asyncio.run(run())
    assert (len(crawled.data), len(scraped.data)) == (4, 4) and crawl not in active
    assert all(len(page.data) == 1 and page.next for page in pages)


def case_extract_async(world):
    """asynchronous v2 client: start_extract and get_extract_status, and crawl_params_preview"""
    boats = (world.with_model(), world.boatyard.url)[1]

    async def run():
        client = AsyncFirecrawl(api_key=sdk.KEY, api_url=world.host("--model-url", f"{world.reader.url}/v1", "--model", "reader"))
        started = await client.start_extract([f"{boats}/boats/heron"], schema=sdk.DESIGNER)
        while (job := await client.get_extract_status(started.id)).status == "processing":
            await asyncio.sleep(0.1)
        return job, await client.crawl_params_preview(boats, "only the boats")
    job, preview = asyncio.run(run())
    assert job.status == "completed" and job.data == {"designer": "Anna Berg", "owner": None}, job
    assert any("boats" in pattern for pattern in preview.include_paths), preview


def case_extract_v1(world):
    """v1: extract waits for its data, asynchronous as well, with its start and its status"""
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
    """v1, asynchronous client: credits and tokens under v1's names"""
    async def run():
        client = AsyncV1FirecrawlApp(api_key=sdk.KEY, api_url=world.host("--credits", "500"))
        return await client.get_credit_usage(), await client.get_token_usage()
    credits, tokens = asyncio.run(run())
    assert credits.data.plan_credits == 500 and tokens.data.plan_tokens == 7500


def case_batch_v1_watcher(world):
    """v1: the batch watcher reads every document and `done`"""
    async def run():
        watcher = world.v1.batch_scrape_urls_and_watch(world.pages(5))
        seen, done = [], []
        watcher.add_event_listener("document", lambda event: seen.append(event["data"]["metadata"]["sourceURL"]))
        watcher.add_event_listener("done", done.append)
        await asyncio.wait_for(watcher.connect(), sdk.PATIENCE)
        return seen, done
    seen, done = asyncio.run(run())
    assert len(done) == 1 and sorted(seen) == sorted(world.pages(5))


def main():
    calls = Calls()
    for name, case in globals().items():
        if name.startswith("case_"):
            assert not hasattr(sdk, name), f"{name} is a case of sdk.py too"
            setattr(sdk, name, case)
    status = sdk.main()
    # All cases, or nothing can be said of what they call.
    if all(argument in ("--host", "--site") or before in ("--host", "--site")
                           for before, argument in zip(sys.argv, sys.argv[1:])):
        left_out = calls.left_out()
        for line in left_out:
            print(f"FAIL {line}")
        every = sum(len(methods(client)) for client in CLIENTS)
        print(f"{len(calls.made)} of {every} public methods of the client were called, the rest is listed: {not left_out}")
        status = 1 if left_out else status
    return status


if __name__ == "__main__":
    sys.exit(main())
