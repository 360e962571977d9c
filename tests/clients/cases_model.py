"""Cases of extraction, without a model and with the fake one."""

import asyncio
import uuid

from firecrawl.v2.utils import error_handler as errors

from fakes import BOATS
from world import expect_error, wait_until


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
