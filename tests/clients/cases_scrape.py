"""Cases of scrapes, without a browser and with one."""

import asyncio
import base64
import uuid

import requests
from firecrawl.v1.client import V1ClickAction, V1FirecrawlApp, V1PDFAction, V1ScreenshotAction
from firecrawl.v2.client_async import AsyncFirecrawlClient
from firecrawl.v2.types import (
    ClickAction, ExecuteJavascriptAction, PDFAction, PressAction, ScrapeAction, ScreenshotAction,
    ScreenshotFormat, ScrollAction, WaitAction, WriteAction)
from firecrawl.v2.utils import error_handler as errors

from world import KEY, TIMEOUT, expect_error, source_urls, wait_until


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
