"""Builds the documentation site: Markdown by cmark-gfm, uniform style, no scripts, no network. Called by `tools/docs site`.

Usage: site.py OUTPUT [--no-library]
"""
import html
import os
import pathlib
import re
import shutil
import subprocess
import sys
from urllib.parse import unquote

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
OUTPUT = pathlib.Path(sys.argv[1]).resolve()
HERE = pathlib.Path(__file__).resolve().parent


def place(source):
    """A page's location on the site; None for files that aren't on it."""
    if source == DOCS / "README.md":
        return "index.html"
    if source.suffix == ".md" and source.is_relative_to(DOCS):
        return str(source.relative_to(DOCS).with_suffix(".html"))
    if source.suffix == ".md" and source.parent == ROOT:
        return f"project/{source.stem.lower()}.html"
    if source.is_relative_to(DOCS) and source.suffix in (".json", ".png", ".svg"):
        return str(source.relative_to(DOCS))
    return None


PAGES = [ROOT / name for name in ("README.md", "CHANGELOG.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md")]
PAGES += sorted(DOCS.rglob("*.md"))


def anchor(title, taken):
    """A heading's anchor, as on GitHub."""
    name = re.sub(r"[^\w\- ]", "", html.unescape(re.sub(r"<[^>]+>", "", title)).lower()).replace(" ", "-")
    copy, number = name, 0
    while copy in taken:
        number += 1
        copy = f"{name}-{number}"
    taken.add(copy)
    return copy


def relative(target, source):
    return os.path.relpath(target, os.path.dirname(source) or ".")


def rendered(source):
    """A page's body, title, and second-level headings."""
    own = place(source)
    body = subprocess.run(
        ["cmark-gfm", "--unsafe", "-e", "table", "-e", "strikethrough", str(source)], check=True, capture_output=True,
        text=True).stdout
    taken, sections = set(), []

    def headline(match):
        level, title = match[1], match[2]
        name = anchor(title, taken)
        if level == "2":
            sections.append((name, title))
        return f'<h{level} id="{name}"><a href="#{name}">{title}</a></h{level}>' if level != "1" else f'<h1 id="{name}">{title}</h1>'

    def link(match):
        attribute, address = match[1], html.unescape(match[2])
        if re.match(r"[a-z][a-z0-9+.-]*:|#", address):
            return match[0]
        path, _, fragment = unquote(address).partition("#")
        target = place((source.parent / path).resolve())
        if target is None:
            # A source file, which isn't on the site.
            return f'{attribute}="#" class="source" title="in the sources: {html.escape(path)}"'
        return f'{attribute}="{html.escape(relative(target, own) + ("#" + fragment if fragment else ""))}"'

    titles = re.findall(r"<h1>(.*?)</h1>", body)
    body = re.sub(r"<h([1-6])>(.*?)</h\1>", headline, body, flags=re.S)
    body = re.sub(r'\b(href|src)="([^"]*)"', link, body)
    body = re.sub(r'<a href="#" class="source" (title="[^"]*")>(.*?)</a>', r"<span \1>\2</span>", body, flags=re.S)
    body = body.replace("<table>", '<div class="wide"><table>').replace("</table>", "</table></div>")
    return body, re.sub(r"<[^>]+>", "", titles[0]) if titles else source.stem, sections


def contents():
    """The lists of docs/README.md: headings, each with its pages and their names."""
    groups, entries = [], None
    for line in (DOCS / "README.md").read_text().split("\n"):
        if line.startswith("## "):
            entries = []
            groups.append((line[3:], entries))
        elif entries is not None and (match := re.match(r"- \[([^\]]+)\]\(([^)]+\.md)\)", line)):
            entries.append((match[1], place((DOCS / match[2]).resolve())))
    return [group for group in groups if group[1]]


def navigation(own, sections, library):
    parts = []
    for title, entries in contents():
        is_open = any(target == own for _, target in entries)
        parts.append(f"<details{' open' if is_open else ''}><summary>{html.escape(title)}</summary><ul>")
        for name, target in entries:
            here = ' aria-current="page"' if target == own else ""
            parts.append(f'<li><a href="{relative(target, own)}"{here}>{html.escape(name)}</a>')
            if target == own and 1 < len(sections) < 30:
                parts.append("<ul>" + "".join(f'<li><a href="#{name}">{title}</a></li>' for name, title in sections) + "</ul>")
            parts.append("</li>")
        parts.append("</ul></details>")
    more = [("What is new", "project/changelog.html"), ("Architecture", "project/architecture.html"),
            ("Contributing", "project/contributing.html"), ("Security", "project/security.html")]
    if library:
        more.insert(0, ("API reference", "library/index.html"))
    is_open = own.startswith(("project/", "library/"))
    parts.append(f"<details{' open' if is_open else ''}><summary>The project</summary><ul>")
    for name, target in more:
        here = ' aria-current="page"' if target == own else ""
        parts.append(f'<li><a href="{relative(target, own)}"{here}>{name}</a></li>')
    return "".join(parts) + "</ul></details>"


def write(own, title, body, sections, version, library):
    style, home, icon = (relative(target, own) for target in ("style.css", "index.html", "icon.svg"))
    name = "multicam" if own == "index.html" else f"{title} · multicam"
    file = OUTPUT / own
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{html.escape(html.unescape(name))}</title>
<link rel="icon" href="{icon}">
<link rel="stylesheet" href="{style}">
<header><a href="{home}"><img src="{icon}" alt="" width="32" height="32">multicam</a><span>{version}</span></header>
<div class="page">
<nav aria-label="Pages">{navigation(own, sections, library)}</nav>
<main>
{body}</main>
</div>
</html>
""")


def modules():
    """The output of `tools/docs library`, if built."""
    made = ROOT / ".build" / "documentation"
    return sorted(folder for folder in made.iterdir() if (folder / "index.html").exists()) if made.exists() else []


def check():
    """Checks that every link on the site points to an existing file and anchor."""
    bad, anchors = [], {}
    for file in OUTPUT.rglob("*.html"):
        if file.relative_to(OUTPUT).parts[0] != "library" or file == OUTPUT / "library" / "index.html":
            anchors[file] = set(re.findall(r'\bid="([^"]+)"', file.read_text()))
    for file in anchors:
        for address in re.findall(r'\b(?:href|src)="([^"]*)"', file.read_text()):
            address = html.unescape(address)
            if re.match(r"[a-z][a-z0-9+.-]*:", address):
                continue
            path, _, fragment = unquote(address).partition("#")
            target = (file.parent / path).resolve() if path else file
            if not target.exists():
                bad.append(f"{file.relative_to(OUTPUT)}: {address} leads to no file")
            elif fragment and target in anchors and fragment not in anchors[target]:
                bad.append(f"{file.relative_to(OUTPUT)}: {address} leads to no headline")
    return bad


shutil.rmtree(OUTPUT, ignore_errors=True)
OUTPUT.mkdir(parents=True)
version = re.search(r'current = "(.*?)"', (ROOT / "Sources/SessionFolder/Manifest/MulticamVersion.swift").read_text())[1]
for source in DOCS.rglob("*"):
    if source.suffix != ".md" and source.is_file() and (target := place(source)):
        (OUTPUT / target).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, OUTPUT / target)
shutil.copyfile(HERE / "style.css", OUTPUT / "style.css")
shutil.copyfile(ROOT / "tools/packaging/multicam.svg", OUTPUT / "icon.svg")
library = modules() if "--no-library" not in sys.argv else []
for source in PAGES:
    body, title, sections = rendered(source)
    write(place(source), title, body, sections, version, bool(library))
if library:
    items = []
    for folder in library:
        shutil.copytree(folder, OUTPUT / "library" / folder.name)
        items.append(f'<li><a href="{folder.name}/documentation/{folder.name.lower()}/index.html">{folder.name}</a></li>')
    body = ("<h1>API reference</h1><p>Tutorials and all public declarations of the library, from their comments. "
            'Start with <a href="../library.html">MulticamKit</a>. These pages need a web server and JavaScript: '
            "<code>python3 -m http.server -d .build/site</code>.</p><ul>" + "".join(items) + "</ul>\n")
    write("library/index.html", "API reference", body, [], version, True)
faults = check()
for fault in faults:
    print(f"docs: {fault}", file=sys.stderr)
print(f"docs: {len(PAGES)} pages, {'with' if library else 'without'} the API reference, are in {OUTPUT}", file=sys.stderr)
sys.exit(1 if faults else 0)
