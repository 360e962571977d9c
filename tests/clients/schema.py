"""Runs schemathesis against the host example with its OpenAPI document.

It runs twice. The first run uses the document unchanged, with a host that may not connect to anything, and
tests refusals. The second run uses a host with a small site and a model, and a document whose URLs and job
ids exist. It tests successful responses and fails if an operation never gave one.

Every operation gets the same number of generated requests, which bounds the time. The checks are that no
response is a 5xx, and that each has a documented status, content type and schema.
"""

import argparse
import collections
import contextlib
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import urllib.request

from fakes import BOATS, boat_site, fake_model

KEY = "key-of-the-tests"
CHECKS = ",".join([
    "not_a_server_error", "status_code_conformance", "content_type_conformance",
    "response_schema_conformance", "response_headers_conformance", "unsupported_method",
    "allow_header_conformance", "ignored_auth",
])
# Timeouts only prevent hanging; they are not asserted.
TIMEOUT = 60
# Options that the host refuses, that delay it, or for which random strings are rarely valid.
OMITTED_OPTIONS = {
    "actions", "agent", "appendToId", "auditMetadata", "changeTrackingOptions", "checkPromptInjection",
    "delay", "excludePaths", "excludeTags", "headers", "includePaths", "includeTags", "integration",
    "jsonOptions", "location", "lockdown", "maxAge", "minAge", "onlyCleanContent", "origin", "parsers",
    "profile", "redactPII", "robotsUserAgent", "safeMode", "scrapeOptions", "search", "threatProtection",
    "timeout", "useMock", "waitFor", "webhook",
}
SCHEMA = {"type": "object", "properties": {"designer": {"type": ["string", "null"]}}}
FORMATS = ["markdown", "html", "rawHtml", "links"]
FORMATS_V2 = FORMATS + ["images", "summary", {"type": "json", "schema": SCHEMA}]


@contextlib.contextmanager
def host(binary, *options):
    command = [binary, "--listen", "127.0.0.1:0", "--api-key", KEY, "--requests-per-minute", "0",
               "--browser", "never", *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        url = process.stdout.readline().strip()
        threading.Thread(target=process.stdout.read, daemon=True).start()
        yield url
    finally:
        process.kill()
        process.wait()


def schemathesis(program, document, url, *options):
    command = [program, "run", document, "--url", url, "--checks", CHECKS,
               "--header", f"Authorization: Bearer {KEY}",
               "--seed", "1", "--request-timeout", "40", "--generation-database", "none",
               "--suppress-health-check", "all", "--no-color", *options]
    with tempfile.TemporaryDirectory() as folder:
        return subprocess.run(command, cwd=pathlib.Path(folder), timeout=600, check=False).returncode


def call(url, method, path, body=None):
    headers = {"Authorization": f"Bearer {KEY}", "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"{url}{path}", data=data, headers=headers, method=method)
    with urllib.request.urlopen(request, timeout=TIMEOUT) as response:
        return json.load(response)


def finished_jobs(url, pages):
    """Finished jobs of each kind, by the part of the path before the id."""
    extract = {"urls": pages[1:], "schema": SCHEMA, "showSources": True}
    jobs = {
        "crawl": call(url, "POST", "/v2/crawl", {"url": pages[0], "limit": 5})["id"],
        "batch/scrape": call(url, "POST", "/v2/batch/scrape", {"urls": pages})["id"],
        "extract": call(url, "POST", "/v2/extract", extract)["id"],
    }
    deadline = time.monotonic() + TIMEOUT
    for kind, job in jobs.items():
        while call(url, "GET", f"/v2/{kind}/{job}")["status"] in ("scraping", "processing"):
            assert time.monotonic() < deadline, f"the {kind} does not end"
            time.sleep(0.1)
    return jobs


def with_scrape(url, pages, ids):
    """The ids of jobs and of a scrape, which is last because its path suffix matches other routes too."""
    scraped = call(url, "POST", "/v2/scrape", {"url": pages[0]})
    return {**ids, "scrape": scraped["data"]["metadata"]["scrapeId"]}


def narrow(document, pages, jobs):
    """The document with URLs and ids that exist."""
    requests = set()
    for path, operations in document["paths"].items():
        for operation in operations.values():
            for parameter in operation.get("parameters", []):
                kind = next((kind for kind in jobs if f"/{kind}/" in path), None)
                if parameter["name"] == "id" and kind:
                    parameter["schema"] = {"type": "string", "enum": [jobs[kind]]}
                if parameter["name"] in ("skip", "limit"):
                    parameter["schema"] = {"type": "integer", "minimum": 1, "maximum": 3}
            content = operation.get("requestBody", {}).get("content", {})
            for body in content.values():
                requests.add(body["schema"]["$ref"].rsplit("/", 1)[-1])
    for name in requests:
        schema = document["components"]["schemas"][name]
        given = {
            "url": {"type": "string", "enum": pages},
            "urls": {"type": "array", "minItems": 1, "maxItems": 3,
                     "items": {"type": "string", "enum": pages}},
            "formats": {"type": "array", "items": {"enum": FORMATS if name.startswith("V1") else FORMATS_V2}},
            "schema": {"const": SCHEMA},
            "prompt": {"const": "only the boats"},
            "limit": {"type": "integer", "minimum": 1, "maximum": 9},
        }
        properties = {key: given.get(key, value) for key, value in schema["properties"].items()
                      if key not in OMITTED_OPTIONS}
        schema["properties"] = properties
        required = set(schema.get("required", []))
        if "Extract" in name:
            required |= {"urls", "schema"}
        schema["required"] = sorted(required)
    return document


def without_success(document, har):
    """Prints how often each operation gave status 200, and returns those that never did."""
    successes = collections.Counter()
    patterns = {path: re.compile(re.sub(r"\{\w+\}", "[^/]+", path)) for path in document["paths"]}
    for entry in json.loads(har.read_text())["log"]["entries"]:
        path = urllib.parse.urlsplit(entry["request"]["url"]).path
        matching = (name for name, pattern in patterns.items() if pattern.fullmatch(path))
        route = path if path in patterns else next(matching, None)
        if route and entry["response"]["status"] == 200:
            successes[entry["request"]["method"], route] += 1
    operations = [(method.upper(), path) for path, item in document["paths"].items() for method in item
                  if method in ("get", "post")]
    counts = (f"{method} {path} {successes[method, path]}" for method, path in operations)
    print("responses with status 200:", *counts, sep="\n  ")
    return [operation for operation in operations if not successes[operation]]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--host", required=True, help="the built host example")
    parser.add_argument("--schemathesis", default="schemathesis", help="the schemathesis program")
    parser.add_argument("--examples", type=int, default=50, help="generated requests per operation and phase")
    arguments = parser.parse_args()
    examples = str(arguments.examples)
    with host(arguments.host) as url:
        failed = schemathesis(arguments.schemathesis, f"{url}/openapi.json", url,
                              "--phases", "examples,coverage,fuzzing", "--mode", "all",
                              "--max-examples", examples)
        if failed:
            return failed
    with contextlib.closing(boat_site()) as site, contextlib.closing(fake_model()) as model, \
            host(arguments.host, "--allow-private", "127.0.0.0/8", "--model-url", f"{model.url}/v1",
                 "--model", "reader") as url, tempfile.TemporaryDirectory() as folder:
        pages = [f"{site.url}/"] + [f"{site.url}/boats/{name}" for name in BOATS]
        ids = with_scrape(url, pages, finished_jobs(url, pages))
        document = narrow(call(url, "GET", "/openapi.json"), pages, ids)
        file, har = pathlib.Path(folder, "openapi.json"), pathlib.Path(folder, "responses.har")
        file.write_text(json.dumps(document))
        failed = schemathesis(arguments.schemathesis, str(file), url, "--phases", "fuzzing",
                              "--mode", "positive", "--max-examples", examples, "--report-har-path", str(har))
        missing = without_success(document, har)
        for method, path in missing:
            print(f"FAIL {method} {path} never gave status 200")
        return failed or bool(missing)


if __name__ == "__main__":
    sys.exit(main())
