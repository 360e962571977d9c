"""The processes of a run, a receiver of webhooks, and checks that cases share."""

import contextlib
import hashlib
import hmac
import http.server
import json
import os
import queue
import subprocess
import tempfile
import threading
import time

import requests
from firecrawl import Firecrawl
from firecrawl.v1.client import AsyncV1FirecrawlApp, V1FirecrawlApp
from firecrawl.v2.client_async import AsyncFirecrawlClient
from firecrawl.v2.utils import error_handler as errors

from cluster import Postgres, RoundRobin
from fakes import boat_site, fake_model

KEY = "key-of-the-tests"
SECRET = "secret of the tests"
PAGES = 400
# Timeouts only prevent hanging; they are not asserted.
TIMEOUT = 120


class Skipped(Exception):
    """A case cannot run here."""


class World:
    """The processes of a run: two sites, and one host per set of options. With `in_database`, it is two hosts
    on one database, and each connection of a client goes to the next one."""

    def __init__(self, host_binary, site_binary, in_database=False):
        self.host_binary, self.site_binary = host_binary, site_binary
        self.stack = contextlib.ExitStack()
        self.hosts = {}
        self.in_database = in_database

    def start(self, *command):
        return self.launch(*command)[1]

    def launch(self, *command):
        """A process that ends with the run, and its URL."""
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.stack.callback(process.wait)
        self.stack.callback(process.kill)
        line = process.stdout.readline().strip()
        assert line.startswith("http://"), f"{command[0]} did not start: {line!r}"
        # Further output must not fill the pipe.
        threading.Thread(target=process.stdout.read, daemon=True).start()
        return process, line.rstrip("/")

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
            self.hosts[options] = self.start_hosts(options, [self.host_binary, *common, *options])
        return self.hosts[options]

    def start_hosts(self, options, command):
        if not self.in_database:
            return self.start(*command)
        # A database of its own, because hosts with other options cannot do all of its jobs.
        command = [*command, "--database", self.postgres.create()]
        # The example keeps balances and rates in the memory of each host.
        is_counted = "--credits" in options or "--requests-per-minute" in options
        urls = [self.start(*command) for _ in range(1 if is_counted else 2)]
        return self.balanced(urls)

    def balanced(self, urls):
        """The URL of a proxy in front of these hosts."""
        proxy = RoundRobin(urls)
        self.stack.callback(proxy.close)
        return proxy.url

    def __enter__(self):
        if self.in_database:
            self.postgres = Postgres()
            self.stack.callback(self.postgres.close)
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


class DurableHost:
    """A host that keeps its jobs in a folder, or two with one database. They can be ended, and started again
    on their ports."""

    def __init__(self, world):
        self.world, self.folder = world, tempfile.TemporaryDirectory()
        self.data = os.path.join(self.folder.name, "data")
        if world.in_database:
            self.ports, self.place = [0, 0], ["--database", world.postgres.create()]
        else:
            self.ports, self.place = [0], ["--data", self.data]

    def start(self):
        started = [self.world.launch(
            self.world.host_binary, "--listen", f"127.0.0.1:{port}", "--api-key", KEY, *self.place,
            "--allow-private", "127.0.0.0/8", "--requests-per-minute", "0", "--browser", "never",
            "--webhook-secret", SECRET) for port in self.ports]
        self.processes = [process for process, _ in started]
        urls = [url for _, url in started]
        if 0 in self.ports:
            self.ports = [url.rpartition(":")[2] for url in urls]
            self.url = self.world.balanced(urls) if self.world.in_database else urls[0]
        if not self.world.in_database:
            assert os.stat(self.data).st_mode & 0o777 == 0o700, "only the owner may read the folder"

    def kill(self):
        for process in self.processes:
            process.kill()
        for process in self.processes:
            process.wait()

    def stop(self):
        """Ends the hosts in order, and returns the highest exit status."""
        for process in self.processes:
            process.terminate()
        return max(process.wait(TIMEOUT) for process in self.processes)

    def __enter__(self):
        self.start()
        # The same client before and after the host is started again.
        self.client = Firecrawl(api_key=KEY, api_url=self.url)
        return self

    def __exit__(self, *_):
        self.kill()
        self.folder.cleanup()


class Receiver:
    """Receives webhooks and keeps their headers and exact bytes. With `accepts`, it responds to that many at
    once, and to the others after `release`."""

    def __init__(self, accepts=None):
        self.deliveries = queue.Queue()
        self.released = threading.Event()
        receiver, left = self, iter(range(accepts or 0))
        if accepts is None:
            self.release()

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                receiver.deliveries.put((dict(self.headers), body))
                if next(left, None) is None:
                    receiver.released.wait()
                self.send_response(200)
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/hook"
        # A killed host closes the connection of a delivery without a response.
        self.server.handle_error = lambda *_: None
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def release(self):
        self.released.set()

    def receive(self, count):
        """The next deliveries: their headers, bytes and payloads."""
        found = []
        for _ in range(count):
            headers, body = self.deliveries.get(timeout=TIMEOUT)
            headers = {name.lower(): value for name, value in headers.items()}
            found.append((headers, body, json.loads(body)))
        return found

    def receive_until(self, last):
        """All deliveries up to the first one of this type."""
        found = self.receive(1)
        while found[-1][2]["type"] != last:
            found += self.receive(1)
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
