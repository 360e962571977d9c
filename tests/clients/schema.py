"""Runs schemathesis against the host example with the OpenAPI document that it serves.

Twice. First with the document as it is, against a host for which nothing is opened: generated addresses lead nowhere, and
may not, so this is about requests that are refused. Then against a host that may read a small site and has a model, with
the addresses and job ids of the document narrowed to those that exist: this is about answers with something in them, and
fails where an operation never gave one.

Every operation gets the same number of generated requests, so the time is bounded. Asserted are: no answer of 5xx, and
every answer of a documented status, of the documented content type and of the documented schema.
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

from fakes import BOATS, boatyard, reader

KEY = "key-of-the-tests"
CHECKS = ",".join([
    "not_a_server_error", "status_code_conformance", "content_type_conformance", "response_schema_conformance",
    "response_headers_conformance", "unsupported_method", "allow_header_conformance", "ignored_auth",
])
# Waits are bounds against hanging, not expectations.
PATIENCE = 60
# Options that the host refuses, that make it wait, or that take a text which random ones seldom are.
LEFT_OUT = {
    "actions", "agent", "appendToId", "auditMetadata", "changeTrackingOptions", "checkPromptInjection", "delay",
    "excludePaths", "excludeTags", "headers", "includePaths", "includeTags", "integration", "jsonOptions", "location",
    "lockdown", "maxAge", "minAge", "onlyCleanContent", "origin", "parsers", "profile", "redactPII", "robotsUserAgent",
    "safeMode", "scrapeOptions", "search", "threatProtection", "timeout", "useMock", "waitFor", "webhook",
}
SCHEMA = {"type": "object", "properties": {"designer": {"type": ["string", "null"]}}}
FORMATS = ["markdown", "html", "rawHtml", "links"]
FORMATS_OF_V2 = FORMATS + ["images", "summary", {"type": "json", "schema": SCHEMA}]


@contextlib.contextmanager
def host(binary, *options):
    command = [binary, "--listen", "127.0.0.1:0", "--api-key", KEY, "--requests-per-minute", "0", *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        url = process.stdout.readline().strip()
        threading.Thread(target=process.stdout.read, daemon=True).start()
        yield url
    finally:
        process.kill()
        process.wait()


def schemathesis(program, document, url, *options):
    command = [program, "run", document, "--url", url, "--checks", CHECKS, "--header", f"Authorization: Bearer {KEY}",
               "--seed", "1", "--request-timeout", "40", "--generation-database", "none",
               "--suppress-health-check", "all", "--no-color", *options]
    with tempfile.TemporaryDirectory() as folder:
        return subprocess.run(command, cwd=pathlib.Path(folder), timeout=600, check=False).returncode


def call(url, method, path, body=None):
    headers = {"Authorization": f"Bearer {KEY}", "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"{url}{path}", data=data, headers=headers, method=method)
    with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
        return json.load(answer)


def ended_jobs(url, pages):
    """One job of each kind that has ended: by the part of the path that stands before its id."""
    jobs = {
        "crawl": call(url, "POST", "/v2/crawl", {"url": pages[0], "limit": 5})["id"],
        "batch/scrape": call(url, "POST", "/v2/batch/scrape", {"urls": pages})["id"],
        "extract": call(url, "POST", "/v2/extract", {"urls": pages[1:], "schema": SCHEMA, "showSources": True})["id"],
    }
    give_up = time.monotonic() + PATIENCE
    for kind, job in jobs.items():
        while call(url, "GET", f"/v2/{kind}/{job}")["status"] in ("scraping", "processing"):
            assert time.monotonic() < give_up, f"the {kind} does not end"
            time.sleep(0.1)
    return jobs


def with_scrape(url, pages, ids):
    """The ids of jobs, and that of a scrape: last, because its part of the path ends others too."""
    scraped = call(url, "POST", "/v2/scrape", {"url": pages[0]})
    return {**ids, "scrape": scraped["data"]["metadata"]["scrapeId"]}


def narrowed(document, pages, jobs):
    """The document for requests that lead somewhere."""
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
            "urls": {"type": "array", "minItems": 1, "maxItems": 3, "items": {"type": "string", "enum": pages}},
            "formats": {"type": "array", "items": {"enum": FORMATS if name.startswith("V1") else FORMATS_OF_V2}},
            "schema": {"const": SCHEMA},
            "prompt": {"const": "only the boats"},
            "limit": {"type": "integer", "minimum": 1, "maximum": 9},
        }
        properties = {key: given.get(key, value) for key, value in schema["properties"].items() if key not in LEFT_OUT}
        schema["properties"] = properties
        required = set(schema.get("required", []))
        if "Extract" in name:
            required |= {"urls", "schema"}
        schema["required"] = sorted(required)
    return document


def unanswered(document, har):
    """The operations that never gave an answer of 200, and how often the others did."""
    answers = collections.Counter()
    patterns = {path: re.compile(re.sub(r"\{\w+\}", "[^/]+", path)) for path in document["paths"]}
    for entry in json.loads(har.read_text())["log"]["entries"]:
        path = urllib.parse.urlsplit(entry["request"]["url"]).path
        known = path if path in patterns else next((name for name, it in patterns.items() if it.fullmatch(path)), None)
        if known and entry["response"]["status"] == 200:
            answers[entry["request"]["method"], known] += 1
    operations = [(method.upper(), path) for path, item in document["paths"].items() for method in item
                  if method in ("get", "post")]
    print("answers of 200:", *(f"{method} {path} {answers[method, path]}" for method, path in operations), sep="\n  ")
    return [operation for operation in operations if not answers[operation]]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--host", required=True, help="the built host example")
    parser.add_argument("--schemathesis", default="schemathesis", help="the program")
    parser.add_argument("--examples", type=int, default=50, help="generated requests of each operation and phase")
    arguments = parser.parse_args()
    examples = str(arguments.examples)
    with host(arguments.host) as url:
        failed = schemathesis(arguments.schemathesis, f"{url}/openapi.json", url, "--phases", "examples,coverage,fuzzing",
                              "--mode", "all", "--max-examples", examples)
        if failed:
            return failed
    with contextlib.closing(boatyard()) as site, contextlib.closing(reader()) as model, \
            host(arguments.host, "--allow-private", "127.0.0.0/8", "--model-url", f"{model.url}/v1", "--model",
                 "reader") as url, tempfile.TemporaryDirectory() as folder:
        pages = [f"{site.url}/"] + [f"{site.url}/boats/{name}" for name in BOATS]
        document = narrowed(call(url, "GET", "/openapi.json"), pages, with_scrape(url, pages, ended_jobs(url, pages)))
        file, har = pathlib.Path(folder, "openapi.json"), pathlib.Path(folder, "answers.har")
        file.write_text(json.dumps(document))
        failed = schemathesis(arguments.schemathesis, str(file), url, "--phases", "fuzzing", "--mode", "positive",
                              "--max-examples", examples, "--report-har-path", str(har))
        missing = unanswered(document, har)
        for method, path in missing:
            print(f"FAIL {method} {path} never gave an answer of 200")
        return failed or bool(missing)


if __name__ == "__main__":
    sys.exit(main())
