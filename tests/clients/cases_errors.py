"""Cases of errors and of the figures of a team."""

import asyncio
import socket
import uuid

import requests
from firecrawl import AsyncFirecrawl, Firecrawl
from firecrawl.v1.client import V1FirecrawlApp
from firecrawl.v2.types import ScrapeOptions
from firecrawl.v2.utils import error_handler as errors

from world import KEY, TIMEOUT, expect_error, source_urls, wait_until


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
