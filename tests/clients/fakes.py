"""A small site with known facts, and a fake model that reads it, both servers on loopback."""

import collections
import http.server
import json
import threading


class Server:
    """Responds with `answer(method, path, body)`: a content type and a body, or `None` for 404."""

    def __init__(self, answer):
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def respond(self):
                body = self.rfile.read(int(self.headers.get("content-length", 0)))
                found = answer(self.command, self.path, body)
                kind, text = found or ("text/plain", "not found")
                data = text.encode()
                self.send_response(200 if found else 404)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            do_GET = do_POST = respond

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"

    def close(self):
        self.server.shutdown()
        self.server.server_close()


BOATS = {"heron": ("Anna Berg", 12), "tern": ("Carl Dahl", 9), "eider": ("Eva Falk", 15)}


def boat_site():
    """A site with a start page that links to three boats and two other pages."""
    paths = [f"/boats/{name}" for name in BOATS] + ["/news/one", "/news/two"]

    def answer(_, path, __):
        if path == "/":
            links = "".join(f'<li><a href="{link}">{link}</a></li>' for link in paths)
            return "text/html", f"<main><h1>The boatyard</h1><ul>{links}</ul></main>"
        name = path.removeprefix("/boats/")
        if name in BOATS:
            builder, metres = BOATS[name]
            return "text/html", (
                f"<main><h1>The {name}</h1><p>She was drawn by {builder} and is {metres} metres long. "
                "She lies at the second quay, and may be visited on any day of the week.</p></main>")
        if path in paths:
            return "text/html", f"<main><h1>News</h1><p>There is nothing new about {path} today.</p></main>"
        return None

    return Server(answer)


def fake_model():
    """An OpenAI-compatible endpoint that extracts the designer of a boat, and invents an owner."""
    def complete(request):
        system, page = request["messages"][0]["content"], request["messages"][-1]["content"]
        if "design a table" in system:
            fields = [{"name": "designer", "kind": "text", "list": False, "description": "Who drew it"}]
            return {"many": False, "entity": "boat", "fields": fields}
        if "web crawl" in system:
            return {}
        designer = next((builder for builder, _ in BOATS.values() if builder in page), None)
        quote = f"drawn by {designer}" if designer else None
        return {"designer": {"value": designer, "quote": quote},
                "owner": {"value": "Gustav Hein", "quote": "of Gustav Hein"}}

    def answer(method, path, body):
        if method != "POST" or path != "/v1/chat/completions":
            return None
        message = {"role": "assistant", "content": json.dumps(complete(json.loads(body)))}
        usage = {"prompt_tokens": 300, "completion_tokens": 30, "total_tokens": 330}
        choices = [{"index": 0, "finish_reason": "stop", "message": message}]
        reply = {"id": "1", "object": "chat.completion", "choices": choices, "usage": usage}
        return "application/json", json.dumps(reply)

    return Server(answer)


class HeldSite:
    """A site whose start page links to all its pages. It serves the first `free` requests of pages, and holds
    the others until `release`."""

    def __init__(self, count, free):
        self.requests = collections.Counter()
        self.released, lock = threading.Event(), threading.Lock()
        paths = ["/"] + [f"/held/{number}" for number in range(1, count)]
        links = "".join(f'<li><a href="{path}">{path}</a></li>' for path in paths)

        def answer(_, path, __):
            if path not in paths:
                return None
            with lock:
                is_free = sum(self.requests.values()) < free
                self.requests[self.server.url + path] += 1
            if not is_free:
                self.released.wait()
            return "text/html", f"<title>Page {path}</title><main><h1>Page {path}</h1><ul>{links}</ul></main>"

        self.server = Server(answer)
        # A killed host closes the connections of held requests.
        self.server.server.handle_error = lambda *_: None
        self.url = self.server.url
        self.pages = [self.url + path for path in paths]

    def release(self):
        self.released.set()

    def close(self):
        self.release()
        self.server.close()
