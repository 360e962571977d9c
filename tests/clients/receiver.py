"""Runs the example receiver of webhooks and sends it an event, the same again, and forged ones: it acts on one, once."""

import argparse
import hashlib
import hmac
import http.client
import json
import subprocess
import sys
import uuid

SECRET = "secret of the receiver"


def signed(body, secret=SECRET):
    return "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def event(job, number, kind, documents):
    payload = {"success": True, "type": kind, "id": job, "webhookId": str(uuid.uuid4()), "metadata": {},
               "data": [{"markdown": f"page {number}", "metadata": {}}] * documents}
    return json.dumps(payload).encode()


def rows(job):
    """What is sent in turn: a name, the body, the signature's header, and the status and the line that are right."""
    first, second = event(job, 1, "crawl.page", 1), event(job, 2, "crawl.completed", 0)
    taken = f"crawl.page of {job}: success true, 1 documents"
    repeat = f"crawl.page of {job}: seen already"
    forged = "refused: the signature is wrong"
    digest = signed(first).removeprefix("sha256=")
    return [
        ("forged, before the true one", first, signed(first, "another secret"), 401, forged),
        ("true", first, signed(first), 200, taken),
        ("the same again", first, signed(first), 200, repeat),
        ("a byte changed", first.replace(b"page 1", b"page 9"), signed(first), 401, forged),
        ("a byte more", first + b" ", signed(first), 401, forged),
        ("the signature of another event", second, signed(first), 401, forged),
        ("the signature cut short", first, signed(first)[:-2], 401, forged),
        ("another algorithm's name", first, f"sha512={digest}", 401, forged),
        ("no algorithm's name", first, digest, 401, forged),
        ("no signature", first, None, 401, forged),
        ("the next", second, signed(second), 200, f"crawl.completed of {job}: success true, 0 documents"),
    ]


def post(address, body, signature):
    connection = http.client.HTTPConnection(address, timeout=60)
    headers = {} if signature is None else {"X-Service-Signature": signature}
    connection.request("POST", "/hook", body, headers)
    status = connection.getresponse().status
    connection.close()
    return status


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--receiver", required=True, help="the built webhook_receiver example")
    arguments = parser.parse_args()
    receiver = subprocess.Popen([arguments.receiver, "127.0.0.1:0", SECRET], stdout=subprocess.PIPE, text=True)
    wrong = 0
    try:
        address = receiver.stdout.readline().strip().removeprefix("listening on ")
        sent = rows(str(uuid.uuid4()))
        for name, body, signature, status, line in sent:
            found = (post(address, body, signature), receiver.stdout.readline().strip())
            if found != (status, line):
                wrong += 1
                print(f"FAIL {name}: {found}, not {(status, line)}")
        receiver.kill()
        rest = receiver.stdout.read()
        assert rest == "", f"it said more than one line for each request: {rest!r}"
    finally:
        receiver.kill()
        receiver.wait()
    print(f"webhook_receiver: {len(sent) - wrong} of {len(sent)} requests were answered and told as they should be")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
