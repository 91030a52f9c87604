"""The page on which widgets are shown, served from this process on a loopback port.

Scripts come by HTTP, not through Playwright, so that Chromium keeps what it has compiled for the
pages of the next files: that saves a second a page.
"""

import re
import sys
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

HERE = Path(__file__).parent
NODE_MODULES = HERE / "node_modules"
NBEXTENSIONS = Path(sys.prefix) / "share/jupyter/nbextensions"


@cache
def address() -> str:
    """Where the page is; the server ends with the process."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/"


@cache
def scripts() -> dict[str, bytes]:
    """By path: require.js, html-manager, bqplot's front end and our end of the wire."""
    manager = NODE_MODULES / "@jupyter-widgets/html-manager/dist/libembed-amd.js"
    found = {"require": (NODE_MODULES / "requirejs/require.js").read_text()}
    found["manager"] = manager.read_text()
    for name in ("bqplot", "bqscales", "anywidget"):
        bundle = (NBEXTENSIONS / name / "index.js").read_text()
        anonymous = r"(?<![\w.$])define\(\s*\["
        found[name] = re.sub(anonymous, f'define("{name}",[', bundle, count=1)
    found["bridge"] = (HERE / "bridge.js").read_text()
    return {f"/{name}.js": script.encode() for name, script in found.items()}


def page_html() -> bytes:
    """A page without a widget."""
    tags = "".join(f'<script src="{path}"></script>' for path in scripts())
    head = f'<html lang="en"><meta charset="utf-8"><title>dpviz</title>{tags}'
    return f"<!doctype html>{head}<body>".encode()


class Handler(BaseHTTPRequestHandler):
    """Answers with the page, its scripts, or nothing."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Send a file; what is not there is empty, not an error."""
        if self.path == "/":
            self.answer(page_html(), "text/html")
        elif self.path in scripts():
            self.answer(scripts()[self.path], "text/javascript")
        else:
            self.send_response(204)
            self.end_headers()

    def answer(self, content: bytes, kind: str) -> None:
        """Send content that stays the same while the process lives."""
        self.send_response(200)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Cache-Control", "max-age=86400, immutable")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_args: object) -> None:
        """Say nothing on the terminal."""
