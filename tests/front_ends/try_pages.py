"""Show dpviz.mjs in pages of MyST, Quarto, reveal.js, Markdown and HTML: `.ci/prove pages`.

The only argument is a folder with the npm packages of these. Each page has two views of different
claims, as `dpviz.embed` writes them; in Chromium one must move within a frame, the other not at
all, and nothing may be loaded from elsewhere. Where a tool cannot be had without its network, what
it does to such lines is done with its parts: the directive by mystmd and the renderer of its
themes, Quarto's pages and slides by pandoc.
"""

import json
import shutil
import subprocess
import sys
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pypandoc
from playwright.sync_api import Page, expect, sync_playwright

import dpviz
from dpviz.theory import GaussianDP

ROOT = Path(__file__).parents[2]
HEAD = '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>two claims</title>'
PHONE = '<meta name="viewport" content="width=device-width, initial-scale=1">'
PHONE += '<meta name="color-scheme" content="light dark">'
MYST_PAGE = """
import { createElement } from "react";
import { createRoot } from "react-dom/client";
import { ANY_RENDERERS } from "@myst-theme/anywidget";
import page from "PAGE";

const found = [];
const search = (node) => {
  if (node.type === "anywidget") found.push(node);
  node.children?.forEach(search);
};
search(page.mdast);
const shown = found.map((node) => createElement(ANY_RENDERERS.anywidget, { node, key: node.id }));
createRoot(document.getElementById("root")).render(shown);
"""
FRAMES = """async (host) => {
  const [slider, path] = ["[type=range]", "[id$=claim_region-0]"].map(
    (each) => host.shadowRoot.querySelector(each));
  const before = path.getAttribute("d");
  slider.value = Number(slider.value) + 1;
  slider.dispatchEvent(new Event("input", { bubbles: true }));
  for (let frames = 0; frames < 60; frames++) {
    if (path.getAttribute("d") !== before) return frames;
    await new Promise(requestAnimationFrame);
  }
}"""


class Silent(SimpleHTTPRequestHandler):
    """A server of files that writes no line for each."""

    def log_message(self, *_: object) -> None:
        """Write nothing."""


def lines(form: str, folder: Path) -> str:
    """Return the lines of two views with different claims, and write their files."""
    first = dpviz.embed(epsilon=1.0, delta=1e-5, view="region", form=form, folder=folder)
    gaussian = dpviz.embed(claim=GaussianDP(mu=2.0), view="board", form=form, folder=folder)
    return f"{first}\n{gaussian}"


def build(npm: Path, site: Path) -> list[str]:
    """Write the pages; return their names."""
    shutil.rmtree(site, ignore_errors=True)
    site.mkdir(parents=True)
    (site / "html.html").write_text(f"{HEAD}{PHONE}</head><body>{lines('html', site)}</body>")
    for name, form, source, target in [
        ("markdown", "markdown", "gfm", "html5"),
        ("quarto", "quarto", "markdown", "html5"),
        ("quarto_slides", "quarto", "markdown", "revealjs"),
    ]:
        text = f"# One\n\n{lines(form, site)}" if target == "html5" else slides(site)
        options = ["--standalone", "--metadata", "pagetitle=two claims"]
        options += ["--variable", "revealjs-url=reveal.js"] if target == "revealjs" else []
        pypandoc.convert_text(
            text, target, source, extra_args=options, outputfile=str(site / f"{name}.html")
        )
    shutil.copytree(npm / "node_modules" / "reveal.js" / "dist", site / "reveal.js" / "dist")
    plugins = site / "reveal.js" / "plugin"
    for name in ("notes", "search", "zoom"):  # which pandoc's template names
        (plugins / name).mkdir(parents=True)
        (plugins / name / f"{name}.js").write_text(f"window.Reveal{name.title()} = {{}};")
    (site / "reveal.html").write_text(
        f'{HEAD}<link rel="stylesheet" href="reveal.js/dist/reveal.css">'
        '<link rel="stylesheet" href="reveal.js/dist/theme/white.css"></head><body>'
        f'<div class="reveal"><div class="slides">{lines("reveal", site)}</div></div>'
        '<script src="reveal.js/dist/reveal.js"></script>'
        "<script>Reveal.initialize({ transition: 'none' });</script></body>"
    )
    myst(npm, site)
    return ["html", "markdown", "quarto", "quarto_slides", "reveal", "myst"]


def slides(site: Path) -> str:
    """Return two slides of Quarto."""
    first, second = lines("quarto", site).split("\n\n", 1)
    return f"## One\n\n{first}\n\n## Two\n\n{second}"


def myst(npm: Path, site: Path) -> None:
    """Write the page of MyST: mystmd reads the Markdown, its themes' renderer shows the widgets."""
    project = npm / "project"
    shutil.rmtree(project, ignore_errors=True)
    project.mkdir()
    (project / "index.md").write_text(f"# Two claims\n\n{lines('myst', project)}")
    (project / "myst.yml").write_text("version: 1\nproject:\n  title: Two claims\nsite: {}\n")
    # It ends with an error: the theme comes from a server. What it read is written before.
    command = [npm / "node_modules" / ".bin" / "myst", "build", "--site"]
    subprocess.run(command, cwd=project, check=False, capture_output=True)
    built = project / "_build" / "site"
    for file in (built / "public").glob("dpviz-*.mjs"):
        shutil.copy(file, site)
    page = built / "content" / "index.json"
    assert len(json.dumps(json.loads(page.read_text("utf-8"))["mdast"])) > 0
    (npm / "page.jsx").write_text(MYST_PAGE.replace("PAGE", str(page)))
    bundle = [
        ROOT / "js" / "node_modules" / ".bin" / "esbuild",
        "page.jsx",
        "--bundle",
        "--format=esm",
    ]
    subprocess.run([*bundle, f"--outfile={site / 'myst.js'}"], cwd=npm, check=True)
    root = '<div id="root"></div><script type="module" src="myst.js"></script>'
    (site / "myst.html").write_text(f"{HEAD}{PHONE}</head><body>{root}</body>")


def look(page: Page, address: str, name: str) -> None:
    """Open a page, move the claim of one view, and see what follows."""
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on(
        "request",
        lambda request: None if request.url.startswith(address) else wrong.append(request.url),
    )
    page.goto(f"{address}{name}.html")
    views = page.locator(".dpviz-page")
    expect(views).to_have_count(2)
    region, board = views.first, views.last
    boxes = [each.locator("[type=text]").first for each in (region, board)]
    expect(boxes[0]).to_have_value("1")
    region.locator("[type=range]").first.focus()
    page.keyboard.press("ArrowRight")
    expect(boxes[0]).to_have_value("1.05")
    frames = region.evaluate(FRAMES)
    assert frames in (0, 1), f"{name}: {frames} frames"
    expect(boxes[0]).to_have_value("1.1")
    expect(boxes[1]).to_have_value("2")
    if page.evaluate("'Reveal' in window"):
        assert page.evaluate("Reveal.getIndices().h") == 0, name
        height = page.evaluate("Reveal.getConfig().height")
        card = region.locator("figure")
        assert card.evaluate("each => each.offsetTop + each.offsetHeight") < height, name
        page.evaluate("Reveal.configure({ transition: 'none' })")
        page.mouse.click(4, 4)
        page.keyboard.press("PageDown")
        assert page.evaluate("Reveal.getIndices().h") == 1, name
        drag(page)
    assert not wrong, f"{name}: {wrong}"


def drag(page: Page) -> None:
    """Drag the point of a region on a slide, whose pictures are scaled: it stays at the pointer."""
    handle = page.locator(".dpviz-page").last.locator(".handle").first
    before = handle.bounding_box()
    assert before is not None
    x, y = before["x"] + before["width"] / 2, before["y"] + before["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 20, y - 10)
    page.mouse.up()
    after = handle.bounding_box()
    assert after is not None
    assert abs(after["x"] - before["x"] - 20) < 2
    assert abs(after["y"] - before["y"] + 10) < 2


def main() -> None:
    """Write the pages, serve them, and look at each."""
    npm = Path(sys.argv[1]).resolve()
    names = build(npm, npm / "site")
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Silent, directory=npm / "site"))
    Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}/"
    with sync_playwright() as playwright:
        path = shutil.which("chromium") or shutil.which("chromium-browser")
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        for name in names:
            look(browser.new_page(viewport={"width": 1200, "height": 900}), address, name)
            sys.stdout.write(f"{name}: two claims move apart, within a frame\n")
        browser.close()
    server.shutdown()


if __name__ == "__main__":
    main()
