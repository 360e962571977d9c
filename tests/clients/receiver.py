"""Sends events, duplicates and forgeries to the webhook receiver, which must accept each event once."""

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
    """Requests in order: a name, the body, the signature header, and the expected status and output line."""
    first, second = event(job, 1, "crawl.page", 1), event(job, 2, "crawl.completed", 0)
    accepted = f"crawl.page of {job}: success true, 1 documents"
    repeat = f"crawl.page of {job}: a repeat"
    forged = "refused: the signature is wrong"
    digest = signed(first).removeprefix("sha256=")
    return [
        ("a forgery before the event", first, signed(first, "another secret"), 401, forged),
        ("the event", first, signed(first), 200, accepted),
        ("a duplicate", first, signed(first), 200, repeat),
        ("a changed byte", first.replace(b"page 1", b"page 9"), signed(first), 401, forged),
        ("an added byte", first + b" ", signed(first), 401, forged),
        ("the signature of another event", second, signed(first), 401, forged),
        ("a truncated signature", first, signed(first)[:-2], 401, forged),
        ("another algorithm", first, f"sha512={digest}", 401, forged),
        ("no algorithm", first, digest, 401, forged),
        ("no signature", first, None, 401, forged),
        ("the next event", second, signed(second), 200,
         f"crawl.completed of {job}: success true, 0 documents"),
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
    command = [arguments.receiver, "127.0.0.1:0", SECRET]
    receiver = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
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
        assert rest == "", f"more than one line of output per request: {rest!r}"
    finally:
        receiver.kill()
        receiver.wait()
    print(f"webhook_receiver: {len(sent) - wrong} of {len(sent)} requests gave the expected result")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
