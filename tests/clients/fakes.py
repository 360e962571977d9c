"""A small site with known facts and a model that reads it, each a server on loopback."""

import http.server
import json
import threading


class Server:
    """Answers each request by `answer(method, path, body)`, which gives a content type and a body, or `None` for 404."""

    def __init__(self, answer):
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def respond(self):
                body = self.rfile.read(int(self.headers.get("content-length", 0)))
                said = answer(self.command, self.path, body)
                kind, text = said or ("text/plain", "not found")
                data = text.encode()
                self.send_response(200 if said else 404)
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


def boatyard():
    """A start page that links to three boats and two pages of other kinds."""
    paths = [f"/boats/{name}" for name in BOATS] + ["/news/one", "/news/two"]

    def answer(_, path, __):
        if path == "/":
            links = "".join(f'<li><a href="{link}">{link}</a></li>' for link in paths)
            return "text/html", f"<main><h1>The boatyard</h1><ul>{links}</ul></main>"
        name = path.removeprefix("/boats/")
        if name in BOATS:
            builder, metres = BOATS[name]
            return "text/html", (f"<main><h1>The {name}</h1><p>She was drawn by {builder} and is {metres} metres long. "
                                 "She lies at the second quay, and may be visited on any day of the week.</p></main>")
        if path in paths:
            return "text/html", f"<main><h1>News</h1><p>Nothing new of {path} can be told, and so nothing is.</p></main>"
        return None

    return Server(answer)


def reader():
    """An OpenAI-compatible endpoint. It reads who drew a boat off the page that it is shown, and adds what no page says."""
    def complete(asked):
        rules, shown = asked["messages"][0]["content"], asked["messages"][-1]["content"]
        if "design a table" in rules:
            fields = [{"name": "designer", "kind": "text", "list": False, "description": "Who drew it"}]
            return {"many": False, "entity": "boat", "fields": fields}
        if "web crawl" in rules:
            return {}
        found = next((builder for builder, _ in BOATS.values() if builder in shown), None)
        quote = f"drawn by {found}" if found else None
        return {"designer": {"value": found, "quote": quote}, "owner": {"value": "Gustav Hein", "quote": "of Gustav Hein"}}

    def answer(method, path, body):
        if method != "POST" or path != "/v1/chat/completions":
            return None
        message = {"role": "assistant", "content": json.dumps(complete(json.loads(body)))}
        usage = {"prompt_tokens": 300, "completion_tokens": 30, "total_tokens": 330}
        choices = [{"index": 0, "finish_reason": "stop", "message": message}]
        return "application/json", json.dumps({"id": "1", "object": "chat.completion", "choices": choices, "usage": usage})

    return Server(answer)
