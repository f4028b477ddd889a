"""Checks that the program still prints each message in docs/how-to/error-messages.md.

A message is the first cell of a row in a table with the head `message`; … stands for a variable part. All fixed parts must
occur in this order in one string of Sources, from its start or after a variable part. Concatenated strings are joined, and
interpolations count as variable parts.
"""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/how-to/error-messages.md"
OPENING = re.compile(r'(#*)("""|")')
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
# Advice that only the executables print is part of the message.
INLINE_ADVICE = re.compile(r'\\\(onCommandLine\("([^"\n]*)"\)\)')
ADVICE = re.compile(r'\bonCommandLine\(\s*(?=")')
ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0"}


def string(text, at, found):
    """The string that begins at `at`, and the position after it. Strings in its interpolations are added to `found`."""
    opening = OPENING.match(text, at)
    hashes, quotes = opening.groups()
    parts, at = [], opening.end()
    while at < len(text):
        if text.startswith(quotes + hashes, at):
            return "".join(parts), at + len(quotes + hashes)
        if text.startswith("\\" + hashes, at):
            at += 1 + len(hashes)
            if text[at] == "(":
                parts.append("…")
                at = code(text, at + 1, found, ends_at_parenthesis=True)
            elif text[at] == "\n":
                at = re.compile(r"\s*").match(text, at).end()
            else:
                parts.append(ESCAPES.get(text[at], text[at]))
                at += 1
        else:
            parts.append(text[at])
            at += 1
    return "".join(parts), at


def code(text, at, found, ends_at_parenthesis=False):
    """Adds the strings of the code from `at` to `found`, and returns its end."""
    depth, joined, is_joining = 0, None, False
    while at < len(text):
        if OPENING.match(text, at):
            literal, at = string(text, at, found)
            joined = joined + literal if joined is not None and is_joining else literal
            is_joining = False
            if joins := re.compile(r"\s*\+\s*(?=#*\")").match(text, at):
                at, is_joining = joins.end(), True
            else:
                found.append(joined)
            continue
        if comment := COMMENT.match(text, at):
            at = comment.end()
            continue
        if text[at] == "(":
            depth += 1
        elif text[at] == ")":
            if depth == 0 and ends_at_parenthesis:
                return at + 1
            depth -= 1
        at += 1
    return at


def messages(page):
    """Line number and text of each message."""
    is_table = False
    for number, line in enumerate(page.read_text().splitlines(), 1):
        cells = re.split(r"(?<!\\)\|", line)
        if len(cells) < 3:
            is_table = False
        elif cells[1].strip() == "message":
            is_table = True
        elif is_table and not re.fullmatch(r"[-: ]+", cells[1]):
            yield number, cells[1].strip().replace("\\|", "|")


def main():
    strings = []
    for path in sorted((ROOT / "Sources").rglob("*.swift")):
        text = INLINE_ADVICE.sub(lambda match: match[1], path.read_text())
        code(ADVICE.sub("", text), 0, strings)
    found = list(messages(PAGE))
    stale = 0
    for number, message in found:
        parts = [re.escape(part.strip()) for part in message.split("…") if part.strip()]
        pattern = re.compile(r"(?:^|…\W{0,3})" + ".*".join(parts), re.S)
        if not any(map(pattern.search, strings)):
            print(f"docs: {PAGE.relative_to(ROOT)}:{number}: no string in Sources is “{message}”.", file=sys.stderr)
            stale += 1
    if not found:
        print(f"docs: {PAGE.relative_to(ROOT)} has no table with the head `message`.", file=sys.stderr)
    sys.exit(1 if stale or not found else 0)


if __name__ == "__main__":
    main()
