"""Runs schemathesis against the host example with the OpenAPI document that it serves.

Every operation gets the same number of generated requests, valid and invalid ones, so the time is bounded. Asserted are:
no answer of 5xx, and every answer of a documented status, of the documented content type and of the documented schema.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

KEY = "key-of-the-tests"
CHECKS = ",".join([
    "not_a_server_error", "status_code_conformance", "content_type_conformance", "response_schema_conformance",
    "response_headers_conformance", "unsupported_method", "allow_header_conformance", "ignored_auth",
])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--host", required=True, help="the built host example")
    parser.add_argument("--schemathesis", default="schemathesis", help="the program")
    parser.add_argument("--examples", type=int, default=50, help="generated requests of each operation and phase")
    arguments = parser.parse_args()
    # Nothing is opened for the engine: generated addresses lead nowhere, and may not.
    command = [arguments.host, "--listen", "127.0.0.1:0", "--api-key", KEY, "--requests-per-minute", "0"]
    host = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        url = host.stdout.readline().strip()
        with tempfile.TemporaryDirectory() as folder:
            return subprocess.run(
                [arguments.schemathesis, "run", f"{url}/openapi.json", "--url", url, "--checks", CHECKS,
                 "--header", f"Authorization: Bearer {KEY}", "--max-examples", str(arguments.examples),
                 "--phases", "examples,coverage,fuzzing", "--mode", "all", "--seed", "1", "--request-timeout", "40",
                 "--generation-database", "none", "--suppress-health-check", "all", "--no-color"],
                cwd=pathlib.Path(folder), timeout=600, check=False).returncode
    finally:
        host.kill()
        host.wait()


if __name__ == "__main__":
    sys.exit(main())
