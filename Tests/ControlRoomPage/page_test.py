#!/usr/bin/env python3
"""Uses every element of the control room's page in Chromium, with a running `multicam studio --virtual`.

    page_test.py --address 'http://127.0.0.1:8470/#token=…' [--only WORDS] [--chromium PATH] [--failures DIR] [--mock]

Give the studio separate folders (XDG_CONFIG_HOME, XDG_STATE_HOME, --output): the test saves a scene and a profile, and records. Needs
playwright and axe-core-python. Prints a line for each check and the counts; exit status 1 if a check fails. `--mock` also tests states that
require a mock server.
"""

import argparse
import json
import os
import sys
import time
import traceback
import urllib.request
from urllib.parse import urlsplit

from axe_core_python.sync_playwright import Axe
from playwright.sync_api import TimeoutError as NotInTime, sync_playwright

TESTS = []


class Skip(Exception):
    """A prerequisite of the check is missing."""


def holds(sentence, mock=False):
    def add(test):
        TESTS.append((sentence, test, mock))
        return test
    return add


class Room:
    """A page in a browser context, with helpers for tests."""

    def __init__(self, browser, arguments, path="/", logs_in=True, script=None, **options):
        parts = urlsplit(arguments.address)
        self.base = f"{parts.scheme}://{parts.netloc}"
        options.setdefault("viewport", {"width": 1440, "height": 900})
        options.setdefault("locale", "en-GB")
        options.setdefault("ignore_https_errors", True)
        self.context = browser.new_context(**options)
        self.page = self.context.new_page()
        if script:
            self.page.add_init_script(script)
        self.patience = arguments.patience
        self.failures = getattr(arguments, "failures", None)
        self.page.set_default_timeout(30_000 * self.patience)
        self.complaints = []
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("console", self._console)
        self.page.goto(self.base + path + (f"#{parts.fragment}" if logs_in else ""))
        if logs_in:
            self.until("the page has contact", lambda: self.data("contact") == "yes" and self.data("state") != "contact")

    def _console(self, message):
        expected = ("WebSocket connection", "ERR_INTERNET_DISCONNECTED", "net::ERR", "vibrate", "status of 4", "Canvas2D: Multiple readback")
        if message.type in ("error", "warning") and not any(word in message.text for word in expected):
            self.complaints.append(message.text)

    def close(self):
        self.context.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def data(self, name):
        return self.page.evaluate("name => document.documentElement.dataset[name] ?? null", name)

    def status(self):
        return self.page.evaluate("fetch('/api/v1/status').then(answer => answer.json())")

    def shown(self):
        program = self.status().get("program") or {}
        return program.get("shown", [])

    def layout(self):
        return (self.status().get("program") or {}).get("layout")

    def microphone(self, role):
        return next(one for one in self.status()["microphones"] if one["role"] == role)

    def command(self, *words):
        return self.page.evaluate(
            """words => fetch('/api/v1/command', {method: 'POST', headers: {'Content-Type': 'application/json'},
            body: JSON.stringify({words})}).then(answer => answer.json())""", list(words))

    def until(self, what, test, seconds=15):
        end = time.monotonic() + seconds * self.patience
        while time.monotonic() < end:
            if test():
                return
            self.page.wait_for_timeout(50)
        raise AssertionError(f"waited {seconds} s in vain until {what}")

    def roles(self):
        return [camera["role"] for camera in self.status()["cameras"]]

    def two(self):
        roles = self.roles()
        if len(roles) < 2:
            raise Skip("it needs two cameras")
        return roles

    def pip(self):
        """The first camera as main, the second as inset."""
        one, two = self.two()[:2]
        self.command("layout", "pip")
        self.command("show", one, two)
        self.until("two cameras are shown", lambda: self.shown() == [one, two] and self.layout() == "pip")
        self.until("the page shows it", lambda: self.data("shown") == f"{one} {two}")
        return one, two

    def bus(self, role):
        return self.page.locator(f'mc-tile[data-role="{role}"] .bus')

    def frame(self, role):
        return self.page.locator(f'mc-tile[data-role="{role}"]').get_attribute("data-frame")

    def line(self):
        return self.page.locator("mc-line .message").inner_text()

    def record(self):
        if self.status()["state"] != "recording":
            self.page.locator(".bar .record").click()
        self.until("it records", lambda: self.data("state") == "recording")
        self.until("Stop is alive", lambda: self.page.locator(".bar .stop").get_attribute("aria-disabled") is None)

    def end(self):
        if self.status()["state"] == "recording":
            self.page.locator(".bar .stop").click()
            self.page.locator(".bar .end").click()
        self.until("it is on standby again", lambda: self.data("state") == "standby", 30)

    def mock(self, **what):
        body = json.dumps(what).encode()
        urllib.request.urlopen(urllib.request.Request(self.base + "/mock", data=body, method="POST")).read()


def frames(page, selector):
    return int(page.locator(selector).get_attribute("data-frames") or 0)


def assert_accessible(room, name):
    # Colors in transition have insufficient contrast.
    room.page.wait_for_timeout(200)
    result = Axe().run(room.page)
    found = [f"{one['id']}: {node['target']} {node.get('failureSummary', '')[:160]}" for one in result["violations"] for node in one["nodes"][:3]]
    assert not found, f"{name}: " + "; ".join(found)


# Access

@holds("The page logs in with the link's fragment and removes it from the URL.")
def _(room, browser, arguments):
    assert "#" not in room.page.url, room.page.url
    cookies = [one for one in room.context.cookies() if one["name"].startswith("multicam-")]
    assert cookies and cookies[0]["httpOnly"] and cookies[0]["sameSite"] == "Strict", cookies


@holds("A page without a token shows only how to get access.")
def _(room, browser, arguments):
    other = Room(browser, arguments, logs_in=False)
    try:
        # The server may respond with its login page.
        other.until("it says how", lambda: "multicam studio" in other.page.inner_text("body"))
        assert other.page.locator("main:visible").count() == 0
    finally:
        other.close()


@holds("A reloaded page has access through the cookie.")
def _(room, browser, arguments):
    room.page.reload()
    room.until("the page has contact", lambda: room.data("contact") == "yes" and room.data("state") != "contact")


# Images

@holds("Every camera has a tile with a moving image and exposure times.")
def _(room, browser, arguments):
    for role in room.roles():
        canvas = f'canvas[data-role="{role}"]'
        room.until(f"{role} is painted", lambda: frames(room.page, canvas) > 2)
        before, at = frames(room.page, canvas), int(room.page.locator(canvas).get_attribute("data-at-ns"))
        room.until(f"{role} moves", lambda: frames(room.page, canvas) > before + 3)
        assert int(room.page.locator(canvas).get_attribute("data-at-ns")) > at


@holds("The program is displayed on standby.")
def _(room, browser, arguments):
    room.until("the program is painted", lambda: frames(room.page, 'canvas[data-role="program"]') > 3)
    assert room.page.locator("mc-program").get_attribute("data-frame") == ("air" if room.data("state") == "recording" else "program")


@holds("The preview is composed in the page.")
def _(room, browser, arguments):
    room.two()
    canvas = room.page.locator('canvas[data-role="next"]')
    bright = canvas.evaluate("canvas => { const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data; let sum = 0; for (let at = 0; at < pixels.length; at += 400) sum += pixels[at]; return sum; }")
    assert bright > 0


@holds("A tile's accessible name contains number, role, program state and losses.")
def _(room, browser, arguments):
    one, two = room.pip()
    label = room.bus(one).get_attribute("aria-label")
    assert one in label and "1" in label and "lost" in label, label
    assert "program" in label or "on air" in label, label


# Switching

@holds("Clicking a tile cuts to its camera, and the tile immediately shows the pending cut.")
def _(room, browser, arguments):
    one, two = room.pip()
    room.page.evaluate("""role => { window.wasPending = false; const tile = document.querySelector(`mc-tile[data-role="${role}"]`);
        new MutationObserver(() => { if (tile.hasAttribute('data-pending')) window.wasPending = true; }).observe(tile, { attributes: true }); }""", two)
    room.bus(two).click()
    room.until("the recorder has cut", lambda: room.shown()[:1] == [two])
    room.until("the page shows it", lambda: room.data("shown").split()[:1] == [two])
    assert room.shown() == [two, one], "a camera that is shown changes places"
    assert room.page.evaluate("window.wasPending")
    room.until("nothing is pending", lambda: room.page.locator("mc-tile[data-pending]").count() == 0)


@holds("The keys 1 to 9 cut to cameras.")
def _(room, browser, arguments):
    one, two = room.pip()
    room.page.keyboard.press("2")
    room.until("key 2 cut", lambda: room.shown()[:1] == [two])
    room.page.keyboard.press("1")
    room.until("key 1 cut", lambda: room.shown()[:1] == [one])


@holds("Shift-click, and Shift with a digit, put a camera into the inset.")
def _(room, browser, arguments):
    roles = room.two()
    if len(roles) < 3:
        raise Skip("it needs three cameras")
    one, two = room.pip()
    room.bus(roles[2]).click(modifiers=["Shift"])
    room.until("the third is the inset", lambda: room.shown() == [one, roles[2]])
    room.until("the page knows", lambda: room.data("shown") == f"{one} {roles[2]}")
    room.page.keyboard.press("Shift+Digit2")
    room.until("the second is the inset", lambda: room.shown() == [one, two])


@holds("Each layout can be selected by its icon.")
def _(room, browser, arguments):
    room.pip()
    names = room.page.evaluate("async () => (await import('/page/layout-table.js')).layouts.map(layout => layout.name)")
    for name in [name for name in names if name != "pip"] + ["pip"]:
        button = room.page.locator(f'button[data-layout="{name}"]')
        button.click()
        room.until(f"the layout is {name}", lambda: room.layout() == name)
        room.until("the drawing is selected", lambda: button.get_attribute("aria-pressed") == "true")
    room.pip()


@holds("The keys Q, W, E and T select layouts.")
def _(room, browser, arguments):
    room.pip()
    for key, name in [("w", "side-by-side"), ("e", "grid"), ("t", "single"), ("q", "pip")]:
        room.page.keyboard.press(key)
        room.until(f"the layout is {name}", lambda: room.layout() == name)


@holds("The grid shows every camera.")
def _(room, browser, arguments):
    roles = room.two()
    room.pip()
    room.page.keyboard.press("e")
    room.until("all are shown", lambda: room.layout() == "grid" and sorted(room.shown()) == sorted(roles[:len(room.shown())]) and len(room.shown()) == len(roles))
    room.pip()


@holds("Buttons set the inset's corner and size.")
def _(room, browser, arguments):
    room.pip()
    if not (room.status().get("arrangement") or {}).get("corner"):
        raise Skip("the status has no corner")
    room.page.locator('button[data-layout="inset"]').click()
    for corner in ["top-left", "top-right", "bottom-left", "bottom-right"]:
        room.page.locator(f'.inset-panel [data-corner="{corner}"]').click()
        room.until(corner, lambda: room.status()["arrangement"]["corner"] == corner)
        room.until("the page knows", lambda: room.page.locator(f'.inset-panel [data-corner="{corner}"]').get_attribute("aria-pressed") == "true")
    before = room.status()["arrangement"]["scale"]
    room.page.locator('[data-size="larger"]').click()
    room.until("it is larger", lambda: abs(room.status()["arrangement"]["scale"] - before - 0.05) < 0.001)
    room.until("the page knows", lambda: room.page.locator(".inset-share").inner_text().startswith(str(round((before + 0.05) * 100))))
    room.page.locator('[data-size="smaller"]').click()
    room.until("it is smaller", lambda: abs(room.status()["arrangement"]["scale"] - before) < 0.001)
    room.page.locator('button[data-layout="inset"]').click()


@holds("The inset can be dragged to a corner, and resized.")
def _(room, browser, arguments):
    room.pip()
    if not (room.status().get("arrangement") or {}).get("corner"):
        raise Skip("the status has no corner")
    room.command("corner", "bottom-right")
    room.command("scale", "0.25")
    grip = room.page.locator(".inset-grip")
    room.until("it stands there", lambda: grip.get_attribute("data-corner") == "bottom-right")
    program = room.page.locator("mc-program .picture-box").bounding_box()
    box = grip.bounding_box()
    mouse = room.page.mouse
    mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    mouse.down()
    mouse.move(program["x"] + 80, program["y"] + 60, steps=6)
    assert room.page.locator(".inset-ghost").is_visible()
    mouse.up()
    room.until("it is in the corner", lambda: room.status()["arrangement"]["corner"] == "top-left")
    room.until("the page knows", lambda: grip.get_attribute("data-corner") == "top-left")
    handle = room.page.locator(".inset-size").bounding_box()
    mouse.move(handle["x"] + handle["width"] / 2, handle["y"] + handle["height"] / 2)
    mouse.down()
    mouse.move(handle["x"] + program["width"] * 0.12, handle["y"] + 40, steps=6)
    mouse.up()
    room.until("it is larger", lambda: room.status()["arrangement"]["scale"] > 0.3)
    scale = room.status()["arrangement"]["scale"]
    assert abs(scale * 20 - round(scale * 20)) < 0.001, "steps of 5 %"
    room.command("corner", "bottom-right")
    room.command("scale", "0.25")


@holds("AUTO and MANUAL select the switching mode, and V toggles it.")
def _(room, browser, arguments):
    def is_on(mode):
        pressed = {name: room.page.locator(f".switching-mode .{name}").get_attribute("aria-pressed") == "true" for name in ("auto", "manual")}
        return room.status()["program"]["switching"] == mode and pressed == {"auto": mode == "voice", "manual": mode == "manual"}

    if "switching" not in room.status()["program"]:
        raise Skip("no microphone is assigned to a camera")
    room.until("it is manual", lambda: is_on("manual"))
    room.page.locator(".switching-mode .auto").click()
    room.until("it is automatic", lambda: is_on("voice"))
    room.page.keyboard.press("v")
    room.until("V turns it off", lambda: is_on("manual"))
    room.page.keyboard.press("v")
    room.until("V turns it on", lambda: is_on("voice"))
    room.page.locator(".switching-mode .manual").click()
    room.until("it is manual again", lambda: is_on("manual"))


@holds("A manual cut pauses automatic switching, and AUTO or V resumes it.")
def _(room, browser, arguments):
    one, two = room.pip()
    if "switching" not in room.status()["program"]:
        raise Skip("no microphone is assigned to a camera")
    button = room.page.locator(".switching-mode .auto")
    room.command("switching", "voice")
    try:
        for resume in [button.click, lambda: room.page.keyboard.press("v")]:
            room.until("it is automatic", lambda: button.inner_text() == "AUTO")
            room.page.keyboard.press("2" if room.shown()[0] == one else "1")
            room.until("the time until it resumes is shown", lambda: "AUTO resumes in" in button.inner_text())
            assert 0 < room.status()["program"]["switching_resumes_ns"] <= 10e9
            for width in (1280, 1600):
                room.page.set_viewport_size({"width": width, "height": 800})
                assert button.evaluate("button => button.scrollWidth <= button.clientWidth"), f"cut off at {width}"
                name = room.page.locator("mc-program .name")
                assert name.evaluate("name => name.clientWidth") > 60, f"no room for the name at {width}"
            assert_accessible(room, "paused automatic switching")
            resume()
            room.until("it has resumed", lambda: "switching_resumes_ns" not in room.status()["program"] and room.status()["program"]["switching"] == "voice")
        wall = Room(browser, arguments, path="/multiview", viewport={"width": 1600, "height": 900})
        try:
            wall.until("the multiview shows it", lambda: wall.page.locator("mc-program .mode").inner_text() == "AUTO")
        finally:
            wall.close()
        remote = Room(browser, arguments, path="/remote", viewport={"width": 390, "height": 844})
        try:
            remote.page.locator(".switching-mode .manual").click()
            remote.until("the remote turned it off", lambda: remote.status()["program"]["switching"] == "manual")
            assert all(box["height"] >= 44 for box in [remote.page.locator(".switching-mode button").nth(index).bounding_box() for index in (0, 1)])
            assert_accessible(remote, "remote with the switching mode")
        finally:
            remote.close()
    finally:
        room.command("switching", "manual")
        room.page.set_viewport_size({"width": 1440, "height": 900})


@holds("A session that can't switch by voice has no switching mode.")
def _(room, browser, arguments):
    with Told(browser, arguments) as told:
        told.records()
        told.room.until("it is hidden", lambda: told.room.page.locator("mc-switching").is_hidden())
        told.records(program={"layout": "single", "shown": ["host"], "on_air": ["host"], "switching": "voice", "switching_resumes_ns": 9.2e9})
        told.room.until("it is shown", lambda: "AUTO resumes in 10" in told.room.page.locator("mc-switching").inner_text())


@holds("Undo reverts the program's last change, and undoing again restores it.")
def _(room, browser, arguments):
    one, two = room.pip()
    room.page.wait_for_timeout(300)
    room.bus(two).click()
    room.until("it has cut", lambda: room.data("shown") == f"{two} {one}")
    room.page.locator(".undo").click()
    room.until("it is undone", lambda: room.shown() == [one, two])
    room.until("the page knows", lambda: room.data("shown") == f"{one} {two}")
    room.page.keyboard.press("u")
    room.until("it is made anew", lambda: room.shown() == [two, one])


@holds("In Preview/Program mode, clicks change the preview, and Space swaps preview and program.")
def _(room, browser, arguments):
    roles = room.two()
    one, two = room.pip()
    last = roles[-1]
    room.page.locator(".toggle", has_text="Preview/Program mode").click()
    try:
        room.page.keyboard.press("t")
        room.bus(last).click()
        room.until("Next has it", lambda: last in room.page.locator("mc-next .name").text_content())
        assert room.shown() == [one, two], "the program stays"
        if last not in (one, two):
            assert room.frame(last) == "next"
        room.page.evaluate("document.activeElement.blur()")
        room.page.keyboard.press("Space")
        room.until("it has cut", lambda: room.shown() == [last] and room.layout() == "single")
        room.until("Next has what was on air", lambda: one in room.page.locator("mc-next .name").text_content())
        room.page.locator(".cut").click()
        room.until("it is back", lambda: room.shown() == [one, two] and room.layout() == "pip")
    finally:
        room.page.keyboard.press("p")
        room.until("it is off", lambda: room.page.locator(".toggle", has_text="Preview/Program mode").get_attribute("aria-pressed") == "false")


@holds("A layout can be saved as a scene, and selected by click and by S and a digit.")
def _(room, browser, arguments):
    one, two = room.pip()
    if room.status().get("scenes") is None:
        raise Skip("the status has no scenes")
    room.page.locator(".scene-add").click()
    room.page.locator(".scene-form input").fill("tested")
    room.page.keyboard.press("Enter")
    room.until("it is saved", lambda: room.page.locator(".scene", has_text="tested").count() == 1)
    room.command("show", two, one)
    room.until("another is shown", lambda: room.data("shown") == f"{two} {one}")
    room.page.locator(".scene", has_text="tested").click()
    room.until("the scene is shown", lambda: room.shown() == [one, two])
    room.command("show", two, one)
    room.until("another is shown", lambda: room.data("shown") == f"{two} {one}")
    names = [one if isinstance(one, str) else one["name"] for one in room.status()["scenes"]]
    place = names.index("tested") + 1
    if place <= 9:
        room.page.evaluate("document.activeElement.blur()")
        room.page.keyboard.press("s")
        room.page.keyboard.press(str(place))
        room.until("the scene is shown", lambda: room.shown() == [one, two])


@holds("Deleting a scene takes two steps, with its button or the Delete key.")
def _(room, browser, arguments):
    room.pip()
    page = room.page
    names = lambda: [one if isinstance(one, str) else one["name"] for one in room.status().get("scenes") or []]
    if room.status().get("scenes") is None:
        raise Skip("the status has no scenes")
    for name in ["first to go", "second to go"]:
        if name not in names():
            room.command("save-scene", name)
            room.until(f"{name} is saved", lambda: page.locator(".scene", has_text=name).count() == 1)
    page.locator(".scene-remove").click()
    page.locator(".scene", has_text="first to go").click()
    assert_accessible(room, "deleting a scene")
    assert page.evaluate("document.activeElement.classList.contains('scene-no')"), "Cancel has the focus"
    page.locator(".scene-no").click()
    assert "first to go" in names() and page.locator(".scene-ask").is_hidden()
    page.locator(".scene", has_text="first to go").click()
    page.locator(".scene-yes").click()
    room.until("it is gone", lambda: "first to go" not in names())
    room.until("the page knows", lambda: page.locator(".scene", has_text="first to go").count() == 0)
    page.locator(".scene", has_text="second to go").focus()
    page.keyboard.press("Delete")
    page.keyboard.press("Escape")
    assert "second to go" in names() and page.locator(".scene-ask").is_hidden(), "Esc keeps it"
    page.locator(".scene", has_text="second to go").focus()
    page.keyboard.press("Delete")
    page.locator(".scene-yes").click()
    room.until("it is gone", lambda: "second to go" not in names())


def end_output(room, press, button):
    """Clicks twice. On a slow machine, the four-second confirmation period may end before the second click."""
    for _ in range(10):
        press()
        room.page.wait_for_timeout(1000)
        if button.inner_text() == "Start":
            return
    raise AssertionError("it does not end")


@holds("A live output shows its state, starts with one click on its button and stops with two, and the button states its action.")
def _(room, browser, arguments):
    state = lambda: {one["name"]: one["state"] for one in room.status().get("live_outputs") or []}.get("show")
    if state() is None:
        raise Skip("the profile has no live output `show`")
    output = room.page.locator('.live-output[data-name="show"]')
    button = output.locator("button")
    if state() not in ("off", "ended"):
        room.command("unpublish", "show")
    room.until("it is off", lambda: output.locator(".live-state").inner_text() in ("off", "ended") and button.inner_text() == "Start")
    button.click()
    room.until("it is wanted", lambda: state() not in ("off", "ended"))
    room.until("the page knows", lambda: output.locator(".live-state").inner_text() not in ("off", "ended") and button.inner_text() == "Stop")
    button.click()
    room.until("it asks", lambda: "Stop?" in button.inner_text())
    assert state() not in ("off", "ended"), "one press does not end it"
    assert_accessible(room, "a live output that asks")
    end_output(room, button.click, button)
    room.until("it has ended", lambda: state() == "ended")
    room.until("the page knows", lambda: "ended" in output.inner_text())


@holds("Errors from the recorder are shown in the status line.")
def _(room, browser, arguments):
    room.page.evaluate("import('/page/commands.js').then(commands => commands.act([['show', 'no such camera']], 'camera/none'))")
    room.until("the line says it", lambda: "Failed" in room.line())


@holds("A cut is announced to screen readers.")
def _(room, browser, arguments):
    one, two = room.pip()
    room.page.evaluate("document.getElementById('spoken-status').textContent = ''")
    room.page.keyboard.press("2")
    room.until("it is said", lambda: two in room.page.locator("#spoken-status").inner_text())


@holds("Y announces the status.")
def _(room, browser, arguments):
    room.page.wait_for_timeout(2100)
    room.page.evaluate("document.getElementById('spoken-status').textContent = ''")
    room.page.keyboard.press("y")
    room.until("it is said", lambda: room.page.locator("#spoken-status").inner_text() != "")


# Layouts

@holds("Each monitoring aid can be switched on and off for one tile.")
def _(room, browser, arguments):
    role = room.roles()[0]
    tile = room.page.locator(f'mc-tile[data-role="{role}"]')
    tile.locator(".more").click()
    for name in ["peaking", "zebra", "false-color", "areas", "one-to-one"]:
        tool = tile.locator(f'[data-tool="{name}"]')
        tool.click()
        room.until(f"{name} is on", lambda: tool.get_attribute("aria-pressed") == "true")
        if name in ("false-color", "areas"):
            room.until(f"{name} is drawn", lambda: tile.locator("canvas.overlay").evaluate(
                "canvas => canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.some(value => value > 0)"))
        tool.click()
        room.until(f"{name} is off", lambda: tool.get_attribute("aria-pressed") == "false")
    tile.locator(".more").click()
    assert not tile.locator(".tools").is_visible()


@holds("The keys Z, K, J, N and G switch monitoring aids for all tiles.")
def _(room, browser, arguments):
    room.page.mouse.move(5, 5)
    room.page.evaluate("document.activeElement.blur()")
    for key, name in [("k", "peaking"), ("j", "zebra"), ("n", "false-color"), ("g", "areas"), ("z", "one-to-one")]:
        room.page.keyboard.press(key)
        on = room.page.locator(f'[data-tool="{name}"][aria-pressed="true"]')
        room.until(f"{name} is on", lambda: on.count() == len(room.roles()))
        room.page.keyboard.press(key)
        room.until(f"{name} is off", lambda: on.count() == 0)


@holds("A tile's tools can take a still of its camera.")
def _(room, browser, arguments):
    role = room.roles()[0]
    tile = room.page.locator(f'mc-tile[data-role="{role}"]')
    tile.locator(".more").click()
    tile.locator('[data-tool="still"]').click()
    room.until("it is said", lambda: "Still of" in room.page.locator("#spoken-status").inner_text())
    tile.locator(".more").click()


@holds("A camera's controls open next to its image, and Esc closes them.")
def _(room, browser, arguments):
    role = room.roles()[0]
    tile = room.page.locator(f'mc-tile[data-role="{role}"]')
    tile.locator(".more").click()
    tile.locator('[data-tool="controls"]').click()
    sheet = room.page.locator(".controls-sheet")
    room.until("it says something", lambda: sheet.locator(".control").count() > 0 or sheet.locator(".control-said").inner_text() != "")
    assert_accessible(room, "controls")
    room.page.keyboard.press("Escape")
    assert sheet.count() == 0
    assert not tile.locator(".tools").is_visible(), "Esc closes the tools, too"


@holds("A tile's tools can put its camera into the inset, without a keyboard.")
def _(room, browser, arguments):
    roles = room.two()
    one, two = room.pip()
    role = roles[2] if len(roles) > 2 else two
    tile = room.page.locator(f'mc-tile[data-role="{role}"]')
    tile.locator(".more").click()
    tile.locator('[data-tool="into-inset"]').click()
    room.until("it is the inset", lambda: room.shown() == [one, role])
    tile.locator(".more").click()


@holds("The preview of every layout has the cameras where the recorder then shows them.")
def _(room, browser, arguments):
    one, two = room.pip()
    names = room.page.evaluate("async () => (await import('/page/layout-table.js')).layouts.map(layout => layout.name)")
    assert len(names) >= 4, names
    # The layout on air isn't computed for a preview, so each layout follows another one.
    for name in [name for name in names if name != "pip"] + ["pip"]:
        preview = room.page.evaluate("""async ([layout, shown]) => {
            const [{ studio }, { layersOf }] = [await import('/page/studio.js'), await import('/page/layers.js')];
            const arrangement = { ...studio.arrangement, layout, shown };
            return new Promise(resolve => {
                const layers = layersOf(arrangement, () => resolve(layersOf(arrangement)));
                if (layers) resolve(layers);
            });
        }""", [name, [one, two]])
        room.command("arrange", f"layout={name}", f"main={one}", f"inset={two}")
        room.until(f"the page shows {name}", lambda: room.data("layout") == name)
        layers = room.page.evaluate("async () => (await import('/page/studio.js')).studio.status.arrangement.layers")
        fields = ["role", "x", "y", "width", "height", "fit"]
        assert preview and [[layer[field] for field in fields] for layer in preview] == [[layer[field] for field in fields] for layer in layers], (name, preview, layers)
    room.pip()


# Audio

@holds("Each microphone and the mix have a meter with a value.")
def _(room, browser, arguments):
    roles = [one["role"] for one in room.status()["microphones"]]
    for role in roles:
        strip = room.page.locator(f'mc-strip[data-role="{role}"]')
        assert strip.locator("canvas").evaluate("canvas => canvas.width") > 0
        room.until(f"{role} has a value", lambda: strip.locator("[role=meter]").get_attribute("aria-valuetext") is not None)
    assert room.page.locator('mc-strip[data-role="program"]').count() == 1


@holds("Buttons and arrow keys change gain, and a double click sets it to 0.")
def _(room, browser, arguments):
    role = room.status()["microphones"][0]["role"]
    if room.microphone(role).get("gain") is None:
        raise Skip("the status has no gain")
    strip = room.page.locator(f'mc-strip[data-role="{role}"]')
    room.command("gain", role, "2")
    room.until("it is 2", lambda: strip.locator(".gain").get_attribute("aria-valuenow") == "2")
    strip.locator(".stepper button").nth(1).click()
    room.until("it is 2.5", lambda: room.microphone(role)["gain"] == 2.5)
    strip.locator(".gain").focus()
    room.page.keyboard.press("ArrowDown")
    room.page.keyboard.press("ArrowDown")
    room.until("it is 1.5", lambda: room.microphone(role)["gain"] == 1.5)
    strip.locator(".gain").dblclick()
    room.until("it is 0", lambda: room.microphone(role)["gain"] == 0)


@holds("A microphone can be muted in the mix with its button and with X in its strip.")
def _(room, browser, arguments):
    role = room.status()["microphones"][0]["role"]
    strip = room.page.locator(f'mc-strip[data-role="{role}"]')
    mute = strip.locator(".mute")
    mute.click()
    room.until("it is muted", lambda: role not in room.status()["program"].get("mix", []))
    room.until("the page knows", lambda: mute.get_attribute("aria-pressed") == "true")
    mute.focus()
    room.page.keyboard.press("x")
    room.until("it is heard", lambda: role in room.status()["program"].get("mix", []))
    room.until("the page knows", lambda: mute.get_attribute("aria-pressed") == "false")


@holds("A microphone's and the mix's filters are selected from presets, undone, and shown as the recorder has them.")
def _(room, browser, arguments):
    page = room.page
    for role, filters in [("host-mic", lambda: room.microphone("host-mic")["processing"]), ("program", lambda: room.status()["program"]["processing"])]:
        select = page.locator(f'mc-strip[data-role="{role}"] .processing')
        room.until("there are none", lambda: filters() == "off" and select.input_value() == "off")
        select.select_option("voice-noisy-room")
        room.until("the recorder has them", lambda: filters() == "voice-noisy-room")
        room.until("the page shows it", lambda: select.input_value() == "voice-noisy-room" and select.get_attribute("data-pending") is None)
        page.wait_for_timeout(300)
        page.locator(".undo").click()
        room.until("it is undone", lambda: filters() == "off" and select.input_value() == "off")
        room.until("undo has become redo", lambda: "Redo" in page.locator(".undo").inner_text())
        room.command("processing", role, "voice", "presence=4")
        room.until("the page shows other filters", lambda: select.input_value() == "custom" and "presence=4" in select.get_attribute("title"))
        before = room.status()["microphones"][0]["gain"]
        select.focus()
        page.keyboard.press("Home")
        room.until("keys select a preset", lambda: filters() == "off" and select.input_value() == "off")
        assert room.status()["microphones"][0]["gain"] == before, "arrow keys in the list don't change the gain"
        select.blur()


@holds("Solo and Listen play audio only in this page, one source at a time.")
def _(room, browser, arguments):
    role = room.status()["microphones"][0]["role"]
    strip = room.page.locator(f'mc-strip[data-role="{role}"]')
    strip.locator(".solo").click()
    room.until("solo is on", lambda: strip.locator(".solo").get_attribute("aria-pressed") == "true")
    listen = room.page.locator(".listen")
    listen.click()
    room.until("listen is on", lambda: listen.get_attribute("aria-pressed") == "true")
    assert strip.locator(".solo").get_attribute("aria-pressed") == "false"
    listen.click()
    room.until("it is off", lambda: listen.get_attribute("aria-pressed") == "false")


# Health and keys

@holds("Health opens and closes with its key, the status values and its button, and a cost bar shows its explanation.")
def _(room, browser, arguments):
    health = room.page.locator("mc-health")
    room.page.keyboard.press("h")
    assert health.is_visible()
    cost = room.page.locator(".cost").first
    if cost.count() > 0:
        cost.click()
        assert room.page.locator(".cost-sentence").first.inner_text() != ""
    room.page.locator("mc-health .close").click()
    assert not health.is_visible()
    room.page.locator(".vital-button").click()
    assert health.is_visible()
    room.page.locator(".vital-button").click()
    assert not health.is_visible()


@holds("Health plots each device's clock, and keeps updating the plot.")
def _(room, browser, arguments):
    page = room.page
    page.keyboard.press("h")
    devices = len(room.status()["cameras"]) + len(room.status()["microphones"])
    bands = page.locator(".clock-band")
    room.until("each has a drawing", lambda: bands.count() == devices)
    if any(one.get("residual_us") is not None and one.get("locked") is not False for one in room.status()["cameras"]):
        room.until("one is drawn", lambda: any(one != "M0 0" for one in bands.evaluate_all("all => all.map(one => one.getAttribute('d'))")))
        before = bands.evaluate_all("all => all.map(one => one.getAttribute('d'))")
        room.until("it goes on", lambda: bands.evaluate_all("all => all.map(one => one.getAttribute('d'))") != before)
    page.keyboard.press("h")


@holds("The shortcut sheet shows every key, can disable or change one, and can reset all.")
def _(room, browser, arguments):
    page = room.page
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("?")
    assert page.locator("dialog").is_visible()
    page.locator('[data-action="health"] input').uncheck()
    page.locator('[data-action="mark"] button').click()
    page.keyboard.press("l")
    assert page.locator('[data-action="mark"] kbd').inner_text() == "L"
    page.locator("dialog .close").click()
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("h")
    assert not page.locator("mc-health").is_visible(), "a key that is off does nothing"
    assert page.locator(".mark kbd").inner_text() == "L"
    page.locator(".help").click()
    page.locator("dialog button", has_text="Reset to defaults").click()
    page.keyboard.press("Escape")
    assert not page.locator("dialog").is_visible()
    room.until("M is back", lambda: page.locator(".mark kbd").inner_text() == "M")


# The recording

@holds("Record starts immediately: the button and tally are red, and the timer runs.")
def _(room, browser, arguments):
    room.end()
    one, two = room.pip()
    room.record()
    assert room.page.locator(".bar mc-state").get_attribute("data-state") == "recording"
    room.until("tally is red", lambda: room.frame(one) == "air")
    before = room.page.locator(".bar .state-time").inner_text()
    room.until("the time runs", lambda: room.page.locator(".bar .state-time").inner_text() != before)


@holds("While recording, the program is displayed as JPEG in the size shown. In full screen, it is decoded from its packets, if the browser can do that.")
def _(room, browser, arguments):
    room.record()
    page, canvas = room.page, 'canvas[data-role="program"]'
    codec = lambda: page.locator(canvas).get_attribute("data-codec")
    before = frames(page, canvas)
    room.until("the program moves", lambda: frames(page, canvas) > before + 20)
    assert codec() == "jpeg", codec()
    can_decode = page.evaluate("""async () => "VideoDecoder" in window && (await VideoDecoder.isConfigSupported({ codec: "avc1.640028" })).supported""")
    page.locator("mc-program .label button[aria-label*='ull screen']").click()
    room.until("the program in full screen has another codec", lambda: (codec() or "").startswith("avc1") == can_decode)
    before = frames(page, canvas)
    room.until("the program moves in full screen", lambda: frames(page, canvas) > before + 20)
    page.evaluate("document.exitFullscreen()")
    room.until("the program is a JPEG again", lambda: codec() == "jpeg")


@holds("A hidden page receives no frames and no levels, and its status about once per second. When it is shown again, everything continues.")
def _(room, browser, arguments):
    page, canvas = room.page, 'canvas[data-role="program"]'
    page.evaluate("""async () => {
        const { contact } = await import("/page/contact.js"), { studio } = await import("/page/studio.js");
        window.counts = { levels: 0, status: 0 };
        studio.on(["levels"], () => { counts.levels += 1; });
        const take = contact.onMessage;
        contact.onMessage = (message) => { if (message.type === "change") counts.status += 1; take(message); };
        window.isHidden = false;
        Object.defineProperty(document, "hidden", { configurable: true, get: () => window.isHidden });
        window.show = (isShown) => { window.isHidden = !isShown; document.dispatchEvent(new Event("visibilitychange")); };
    }""")
    room.until("levels arrive", lambda: page.evaluate("counts.levels") > 3)
    page.evaluate("show(false)")
    page.wait_for_timeout(1000)
    before, counts = frames(page, canvas), page.evaluate("({ ...counts })")
    page.wait_for_timeout(3000)
    after = page.evaluate("({ ...counts })")
    assert frames(page, canvas) == before and after["levels"] == counts["levels"], (before, frames(page, canvas), counts, after)
    assert after["status"] - counts["status"] <= 5, (counts, after)
    page.evaluate("show(true)")
    room.until("frames and levels continue", lambda: frames(page, canvas) > before and page.evaluate("counts.levels") > after["levels"])
    room.until("the page is in contact", lambda: room.data("contact") == "yes")


@holds("M sets a marker, Shift+M one with text, and both appear in the timeline.")
def _(room, browser, arguments):
    room.record()
    page = room.page
    page.evaluate("document.activeElement.blur()")
    markers = lambda: room.status().get("markers") or []
    before = len(markers())
    if room.status().get("markers") is None:
        raise Skip("the status has no markers")
    page.keyboard.press("m")
    room.until("a marker is set", lambda: len(markers()) == before + 1)
    for width in (1280, 1600, 1920):
        page.set_viewport_size({"width": width, "height": 800})
        page.locator(".marker-words", has_text="Name…").click()
        page.keyboard.type("0" * 40)
        assert page.evaluate("document.activeElement.scrollWidth <= document.activeElement.clientWidth"), f"40 characters are cut off at {width}"
        page.keyboard.press("Escape")
    page.set_viewport_size({"width": 1440, "height": 900})
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("Shift+M")
    page.keyboard.type("question 2 <b>")
    page.keyboard.press("Enter")
    room.until("another is set", lambda: len(markers()) == before + 2)
    assert markers()[-1]["text"] == "question 2 <b>"
    room.until("it stands in the timeline", lambda: page.locator(".flag-text").last.inner_text() == "question 2 <b>")
    page.locator(".mark").click()
    room.until("the button marks", lambda: len(markers()) == before + 3)
    page.locator(".marker-words").click()
    page.keyboard.press("Escape")
    assert page.locator(".mark").is_visible()


@holds("A marker's time is when its text field was opened, regardless of typing time.")
def _(room, browser, arguments):
    room.record()
    page = room.page
    markers = lambda: room.status().get("markers") or []
    before = len(markers())
    if room.status().get("markers") is None:
        raise Skip("the status has no markers")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("Shift+M")
    opened = room.status()["time_ns"]
    page.wait_for_timeout(2500)
    page.keyboard.type("named later")
    page.keyboard.press("Enter")
    room.until("it is set", lambda: len(markers()) == before + 1)
    marker = next(one for one in markers() if one["text"] == "named later")
    assert abs(marker["at_ns"] - opened) < 1_500_000_000, (marker, opened)


@holds("A page that is opened during a recording shows its markers and shots.")
def _(room, browser, arguments):
    one, two = room.pip()
    room.record()
    room.page.wait_for_timeout(300)
    room.bus(two).click()
    room.until("a shot is added", lambda: room.data("shown").split()[:1] == [two])
    room.page.wait_for_timeout(1200)
    room.bus(one).click()
    room.until("another is added", lambda: room.data("shown").split()[:1] == [one])
    shots = room.page.locator(".shot").count()
    other = Room(browser, arguments)
    try:
        other.until("it has the markers", lambda: other.page.locator(".flag").count() == room.page.locator(".flag").count())
        other.until("it has the shots", lambda: other.page.locator(".shot").count() >= min(3, shots))
    finally:
        other.close()


@holds("A cut while recording adds a shot to the timeline, with its camera numbers.")
def _(room, browser, arguments):
    one, two = room.pip()
    room.record()
    room.page.wait_for_timeout(300)
    before = room.page.locator(".shot").count()
    room.bus(two).click()
    room.until("a shot is added", lambda: room.page.locator(".shot").count() > before)
    assert room.page.locator(".shot").last.inner_text() == "2+1"


@holds("B and its button split files, and the page confirms it.")
def _(room, browser, arguments):
    room.record()
    room.page.evaluate("document.activeElement.blur()")
    room.page.keyboard.press("b")
    room.until("it is said", lambda: "new files" in room.page.locator(".changes").inner_text())
    room.page.locator(".split").click()


@holds("Typing in a field doesn't cut.")
def _(room, browser, arguments):
    one, two = room.pip()
    room.record()
    room.page.locator(".marker-words").click()
    room.page.keyboard.type("2 q w e")
    room.page.keyboard.press("Escape")
    room.page.wait_for_timeout(500)
    assert room.shown() == [one, two] and room.layout() == "pip"


@holds("Stop takes two steps: the confirmation has another position, the cancel button has focus in place of Stop, and Esc cancels.")
def _(room, browser, arguments):
    room.record()
    page = room.page
    page.evaluate("document.activeElement.blur()")
    stop = page.locator(".bar .stop").bounding_box()
    page.keyboard.press("r")
    assert page.locator(".bar .end").is_visible()
    go_on = page.locator(".bar .go-on")
    assert go_on.evaluate("button => document.activeElement === button")
    assert abs(go_on.bounding_box()["x"] - stop["x"]) < 2
    assert page.locator(".bar .end").bounding_box()["x"] + page.locator(".bar .end").bounding_box()["width"] < stop["x"]
    page.keyboard.press("Escape")
    assert not page.locator(".bar .end").is_visible()
    assert room.status()["state"] == "recording"
    page.locator(".bar .stop").dblclick()
    page.wait_for_timeout(300)
    assert room.status()["state"] == "recording", "a double click goes on"
    if page.locator(".bar .go-on").is_visible():
        page.locator(".bar .go-on").click()
    room.end()


@holds("The space beside two cameras shows the log and the running order, whose topics set markers.")
def _(room, browser, arguments):
    one, two = room.pip()
    room.record()
    page = room.page
    order, log = page.locator("mc-running-order"), page.locator("mc-log")
    order.locator(".panel-head button").click()
    order.locator("textarea").fill("Welcome & <b>hello</b>\n\n  Second topic\nLast words ")
    order.locator("button", has_text="Save").click()
    topics = lambda: order.locator(".topic").all_inner_texts()
    assert topics() == ["Welcome & <b>hello</b>", "Second topic", "Last words"]
    markers = lambda: [one["text"] for one in room.status()["markers"]]
    before = len(markers())
    order.locator(".topic").nth(1).click()
    room.until("the marker is set", lambda: markers()[before:] == ["Second topic"])
    room.until("the topic is done", lambda: topics() == ["Welcome & <b>hello</b>", "Last words"])
    assert order.locator(".set-marker").last.inner_text().split("\n")[-1] == f"{len(markers())} Second topic"
    # A busy computer adds entries about the load.
    room.until("the log has it", lambda: "Second topic" in log.inner_text())
    cuts = log.inner_text().count(f"Cut to {two}")
    room.bus(two).click()
    room.until("the log has the cut", lambda: log.inner_text().count(f"Cut to {two}") > cuts)
    # More than fits: the list scrolls with the keyboard, and the last marker and the next topics are visible.
    order.locator(".panel-head button").click()
    order.locator("textarea").fill("\n".join(f"Topic {number}" for number in range(40)))
    order.locator("button", has_text="Save").click()
    area = order.locator(".log-list")
    in_sight = lambda locator: locator.evaluate("one => { const list = one.closest('.log-list').getBoundingClientRect(), own = one.getBoundingClientRect(); return own.top >= list.top - 1 && own.bottom <= list.bottom + 1; }")
    assert in_sight(order.locator(".topic").first) and not in_sight(order.locator(".topic").last)
    area.focus()
    page.keyboard.press("End")
    room.until("the last topic is in sight", lambda: in_sight(order.locator(".topic").last))
    # Each topic sets one marker, also with quick clicks and with the keyboard, and the focus moves to the next topic.
    before = len(markers())
    order.locator(".topic").nth(2).dblclick()
    room.until("one marker is set", lambda: markers()[before:] == ["Topic 2"])
    page.wait_for_timeout(600)
    assert page.evaluate("document.activeElement.innerText") == "Topic 3"
    page.keyboard.press("Enter")
    room.until("the next marker is set", lambda: markers()[before:] == ["Topic 2", "Topic 3"])
    room.until("the topic is done", lambda: topics()[:3] == ["Topic 0", "Topic 1", "Topic 4"])
    page.wait_for_timeout(600)
    assert page.evaluate("document.activeElement.innerText") == "Topic 4" and markers()[before:] == ["Topic 2", "Topic 3"]
    assert in_sight(order.locator(".set-marker").last) and in_sight(order.locator(".topic").first)
    assert_accessible(room, "log and running order")
    page.reload()
    room.until("the page has contact", lambda: room.data("contact") == "yes" and room.data("state") == "recording")
    room.until("the topics are kept", lambda: len(topics()) == 38)
    order.locator(".panel-head button").click()
    order.locator("textarea").fill("")
    order.locator("button", has_text="Save").click()
    assert topics() == []


@holds("Topics stay set when the status lists only later markers, also after reloading.")
def _(room, browser, arguments):
    room.end()  # The page counts the markers of a running recording when it is reloaded.
    with Told(browser, arguments) as told:
        page = told.room.page
        page.set_viewport_size({"width": 1600, "height": 900})
        def reload():
            page.reload()
            told.room.until("the page has contact", lambda: told.room.data("contact") == "yes")
            told.run("contact.onMessage = () => {};")
            told.answer()

        page.evaluate("localStorage.setItem('multicam.topics', 'One\\nTwo\\nOne')")
        reload()
        topics = lambda: page.locator("mc-running-order .topic").all_inner_texts()
        marker = lambda number, text: {"at_ns": number * 1e9, "text": text}
        told.records(folder="first", markers=[marker(1, "One")], marker_count=1)
        told.room.until("one is set", lambda: topics() == ["Two", "One"])
        told.records(folder="first", markers=[marker(number, f"Marker {number}") for number in range(50, 150)], marker_count=150)
        page.wait_for_timeout(500)
        assert topics() == ["Two", "One"], topics()
        reload()
        told.records(folder="first", markers=[marker(number, f"Marker {number}") for number in range(50, 150)], marker_count=150)
        told.room.until("the page remembers it", lambda: topics() == ["Two", "One"])
        told.records(folder="second", markers=[], marker_count=0)
        told.room.until("the next recording has no marker", lambda: topics() == ["One", "Two", "One"])


@holds("A failed or canceled measurement of the sync isn't shown as successful, and the table belongs to the selected recording.")
def _(room, browser, arguments):
    with Told(browser, arguments) as told:
        page = told.room.page
        entry = told_recordings(told)
        told.records(state="standby")
        opens(told.room, "recordings")
        place, line = page.locator(".sync-place"), page.locator(".job-line")
        told.room.until("the offsets are shown", place.is_visible)
        assert page.locator(".sync-place thead th").count() == 5 and page.locator(".sync-place thead td").count() == 0
        assert page.locator(".sync-notes").inner_text() == "program (picture): No flash or lamp being switched on was found."
        ended = lambda **job: told.tell(type="job", command="sync-check", folder=entry["folder"], done=True, **job)
        ended(job=1, ok=False, exit=130, text="Canceled.")
        told.room.until("it says that it was canceled", lambda: line.inner_text() == "Canceled." and line.get_attribute("data-warn") is not None)
        ended(job=2, ok=False, exit=1, text="The folder can't be read.")
        told.room.until("it says why it failed", lambda: line.inner_text() == "The folder can't be read.")
        ended(job=3, ok=False, exit=6, text="a long table")
        told.room.until("a measured offset isn't a failure", lambda: line.inner_text() == "Measure A/V sync: done." and line.get_attribute("data-warn") is None)
        page.locator(".recording-item").nth(1).click()
        told.room.until("the table of another recording is hidden", place.is_hidden)


# Connection

@holds("Without a connection, the page is gray with controls disabled, and it reconnects automatically.")
def _(room, browser, arguments):
    page = room.page
    room.context.set_offline(True)
    try:
        room.until("contact is lost", lambda: room.data("contact") == "no", 20)
        room.until("the line says it", lambda: "Connection lost" in room.line())
        assert page.locator(".bar .record").is_hidden() and page.locator(".bar .stop").is_hidden()
        assert page.locator(".cut").is_disabled()
        assert page.locator("mc-tile[data-grey]").count() == len(page.query_selector_all("mc-tile"))
    finally:
        room.context.set_offline(False)
    room.until("contact is back", lambda: room.data("contact") == "yes", 20)
    canvas = f'canvas[data-role="{room.roles()[0]}"]'
    before = frames(page, canvas)
    room.until("pictures move again", lambda: frames(page, canvas) > before + 3)


# Other pages

@holds("The multiview shows status, program, tiles and meters, without controls.")
def _(room, browser, arguments):
    wall = Room(browser, arguments, path="/multiview", viewport={"width": 1920, "height": 1080})
    try:
        wall.until("tiles are painted", lambda: all(frames(wall.page, f'canvas[data-role="{role}"]') > 0 for role in wall.roles()))
        assert wall.page.locator("main button:visible").count() == 0
        assert wall.page.evaluate("document.documentElement.scrollHeight <= innerHeight && document.documentElement.scrollWidth <= innerWidth")
        assert_accessible(wall, "multiview")
        assert not wall.complaints, wall.complaints
    finally:
        wall.close()


@holds("The program page shows only the image.")
def _(room, browser, arguments):
    alone = Room(browser, arguments, path="/program", viewport={"width": 1280, "height": 720})
    try:
        alone.until("it is painted", lambda: frames(alone.page, 'canvas[data-role="program"]') > 3)
        assert alone.page.locator("mc-program").inner_text().strip() == ""
        assert_accessible(alone, "program")
        assert not alone.complaints, alone.complaints
    finally:
        alone.close()


@holds("The remote on a phone supports touch for cuts, markers, live outputs, recording and stopping.")
def _(room, browser, arguments):
    room.end()
    phone = Room(browser, arguments, path="/remote", viewport={"width": 390, "height": 844}, has_touch=True)
    page = phone.page
    try:
        one, two = phone.pip()
        page.locator(f'.tally[data-role="{two}"]').tap()
        phone.until("it has cut", lambda: phone.shown()[:1] == [two])
        page.locator(".bottom-bar .record").tap()
        phone.until("it records", lambda: phone.data("state") == "recording")
        page.locator(".bar-mark").tap()
        phone.until("it has marked", lambda: len(phone.status().get("markers") or [None]) >= 1)
        live = page.locator('.live-output[data-name="show"] button')
        if live.count():
            live.tap()
            phone.until("it is published", lambda: live.inner_text() == "Stop")
            end_output(phone, live.tap, live)
        assert_accessible(phone, "remote")
        phone.until("Stop is alive", lambda: page.locator(".bottom-bar .stop").get_attribute("aria-disabled") is None)
        page.locator(".bottom-bar .stop").tap()
        page.locator(".bottom-bar .end").tap()
        phone.until("it has ended", lambda: phone.data("state") in ("finishing", "standby"))
        phone.until("standby", lambda: phone.data("state") == "standby", 30)
        assert not phone.complaints, phone.complaints
    finally:
        phone.close()


@holds("The control room on a phone supports cuts by touch, layout and audio controls, and recording from its bar.")
def _(room, browser, arguments):
    room.end()
    phone = Room(browser, arguments, viewport={"width": 390, "height": 844}, has_touch=True)
    page = phone.page
    try:
        one, two = phone.pip()
        page.locator('nav [data-view="recordings"]').tap()
        assert page.locator("#recordings").is_visible()
        page.locator('nav [data-view="studio"]').tap()
        phone.bus(two).tap()
        phone.until("it has cut", lambda: phone.shown()[:1] == [two])
        page.locator(".bar-layout").tap()
        page.locator('button[data-layout="single"]').tap()
        phone.until("the layout is single", lambda: phone.layout() == "single")
        page.locator(".open-controls").tap()
        assert page.locator(".mute").first.is_visible()
        page.locator(".bottom-bar .record").tap()
        phone.until("it records", lambda: phone.data("state") == "recording")
        assert_accessible(phone, "phone")
        phone.until("Stop is alive", lambda: page.locator(".bottom-bar .stop").get_attribute("aria-disabled") is None)
        page.locator(".bottom-bar .stop").tap()
        page.locator(".bottom-bar .go-on").tap()
        assert phone.status()["state"] == "recording"
        page.locator(".bottom-bar .stop").tap()
        page.locator(".bottom-bar .end").tap()
        phone.until("standby", lambda: phone.data("state") == "standby", 30)
        assert not phone.complaints, phone.complaints
    finally:
        phone.close()


# Accessibility

@holds("There is no horizontal scrolling from 320 pixels to 4K, and no scrolling at all on desktops.")
def _(room, browser, arguments):
    sizes = [(320, 640), (360, 740), (390, 844), (600, 960), (800, 1100), (1099, 800), (1100, 720), (1366, 768), (1440, 900), (1600, 900), (1920, 1080), (2560, 1080), (3840, 2160)]
    try:
        for width, height in sizes:
            room.page.set_viewport_size({"width": width, "height": height})
            room.page.wait_for_timeout(200)
            sideways, down = room.page.evaluate("[document.documentElement.scrollWidth - innerWidth, document.documentElement.scrollHeight - innerHeight]")
            assert sideways <= 0, f"{width}×{height} scrolls {sideways} pixels sideways"
            assert width < 1100 or height < 768 or down <= 0, f"{width}×{height} scrolls {down} pixels down"
    finally:
        room.page.set_viewport_size({"width": 1440, "height": 900})


@holds("axe reports no violations in any state, dark or light.")
def _(room, browser, arguments):
    room.end()
    for scheme in ["dark", "light"]:
        room.page.emulate_media(color_scheme=scheme)
        room.page.wait_for_timeout(300)
        assert_accessible(room, f"{scheme}, standby")
        room.page.keyboard.press("h")
        room.page.wait_for_timeout(200)
        assert_accessible(room, f"{scheme}, health")
        room.page.keyboard.press("h")
        room.page.keyboard.press("?")
        assert_accessible(room, f"{scheme}, keys")
        room.page.keyboard.press("Escape")
        room.record()
        room.page.locator(".mark").click()
        room.page.wait_for_timeout(500)
        assert_accessible(room, f"{scheme}, recording")
        room.page.locator(".bar .stop").click()
        assert_accessible(room, f"{scheme}, ending")
        room.page.locator(".bar .end").click()
        room.until("it is on standby again", lambda: room.data("state") == "standby", 30)
    room.page.emulate_media(color_scheme="dark")


@holds("The list of alarms closes with Escape and with a click outside.")
def _(room, browser, arguments):
    with Told(browser, arguments) as told:
        page = told.room.page
        told.records(paused=["program"], microphones=[{"role": "host-mic", "alarms": ["no-signal"]}], disk={"seconds_left": 100}, pressure="critical")
        button, alarms = page.locator("mc-line .others"), page.locator(".message-list")
        told.room.until("there are several", button.is_visible)
        for close in [lambda: page.keyboard.press("Escape"), lambda: page.mouse.click(640, 250), button.click]:
            button.click()
            assert alarms.is_visible() and button.get_attribute("aria-expanded") == "true"
            assert_accessible(told.room, "alarms")
            alarms.locator("li").first.click()
            assert alarms.is_visible(), "a click inside doesn't close it"
            close()
            assert alarms.is_hidden() and button.get_attribute("aria-expanded") == "false"
        button.click()
        page.keyboard.press("Escape")
        assert button.evaluate("button => document.activeElement === button")


@holds("The page says what its number for the load means.")
def _(room, browser, arguments):
    with Told(browser, arguments) as told:
        vital = told.room.page.locator(".vital-cost")
        cost = {"hardware": 0.06, "budget": 1}
        for state in ["standby", "recording"]:
            told.records(state=state, cost=cost)
            told.room.until("the cost of the plan is shown", lambda: vital.inner_text().split("\n") == ["Hardware cost", "6\u202f%"])
            told.records(state=state, cost=cost, pressure="serious")
            told.room.until("the pressure is shown", lambda: vital.inner_text().split("\n") == ["System pressure", "serious"] and vital.get_attribute("data-warn") is not None)


@holds("The layouts side by side and grid differ for two cameras, in their icons and in the preview.")
def _(room, browser, arguments):
    one, two = room.pip()
    icons = [room.page.locator(f'button[data-layout="{name}"] svg').evaluate("svg => svg.innerHTML") for name in ("side-by-side", "grid")]
    assert icons[0] != icons[1]
    try:
        sizes = []
        for name in ("side-by-side", "grid"):
            room.command("layout", name)
            room.until("it is shown", lambda: room.layout() == name)
            sizes.append([[layer["width"], layer["height"]] for layer in room.status()["arrangement"]["layers"]])
        assert sizes == [[[320, 360]] * 2, [[320, 180]] * 2], sizes
    finally:
        room.pip()


@holds("The page is German for German users.")
def _(room, browser, arguments):
    german = Room(browser, arguments, locale="de-DE")
    try:
        german.until("the line is German", lambda: "Aufnehmen" in german.page.inner_text("body") or "Stopp" in german.page.inner_text("body"))
        assert german.page.evaluate("document.documentElement.lang") == "de"
    finally:
        german.close()


@holds("Every button is reachable with Tab, and focus is visible.")
def _(room, browser, arguments):
    page = room.page
    page.evaluate("document.body.tabIndex = -1; document.body.focus(); document.body.removeAttribute('tabindex')")
    seen = set()
    for _ in range(90):
        page.keyboard.press("Tab")
        name = page.evaluate("""() => { const element = document.activeElement; if (!element || element === document.body) return null;
            const style = getComputedStyle(element); return [element.getAttribute('aria-label') ?? element.textContent, style.outlineStyle !== 'none' || style.boxShadow !== 'none']; }""")
        if name is None:
            break
        assert name[1], f"focus on {name[0]} is not seen"
        seen.add(name[0].strip())
    for wanted in ["Record", "Keyboard shortcuts and pages", "Preview/Program mode", "Monitor"]:
        assert any(wanted in one for one in seen), f"{wanted} is not reached: {seen}"


# Before and after a recording

def opens(room, view):
    room.page.locator(f'nav [data-view="{view}"]').click()
    room.until(f"{view} is shown", lambda: room.page.locator(f"#{view}").is_visible())


def needs(room, address):
    if room.page.evaluate("address => fetch(address).then(answer => answer.status)", address) != 200:
        raise Skip(f"the server has no {address} yet")


@holds("Prepare lists the profiles, and a profile's form and text are consistent.")
def _(room, browser, arguments):
    needs(room, "/api/v1/profiles")
    page = room.page
    opens(room, "prepare")
    room.until("profiles are listed", lambda: page.locator(".profile-item").count() > 3)
    choose(room, "interview")
    room.until("its cameras are rows", lambda: page.locator('.form-row[data-kind="cameras"]').count() == 2)
    rate = page.locator('.form-row[data-kind="cameras"] select').nth(2)
    rate.select_option("25")
    page.locator(".form-head button", has_text="Text").click()
    text = page.locator(".profile-text").input_value()
    assert "host: { device: any, size: 1280x720, rate: 25 }" in text, text
    assert "# The names become files" in text, "comments stay"
    assert "unsaved" in page.locator(".form-head").inner_text()
    assert_accessible(room, "prepare, text")
    page.locator(".form-head button", has_text="Form").click()
    assert_accessible(room, "prepare, form")


@holds("Prepare says how much of the computer other programs use, if they keep it busy.")
def _(room, browser, arguments):
    with Told(browser, arguments) as told:
        page, load = told.room.page, {}
        plan = page.evaluate("fetch('/api/v1/plan').then(answer => answer.json())")
        assert isinstance(plan["other_programs_busy"], bool), plan.keys()
        page.route("**/api/v1/plan", lambda route: route.fulfill(json={**plan, **load}))
        line = page.locator(".plan-busy")
        for fields, expected in [({"other_programs": 0.7, "other_programs_busy": True}, "Other programs use 70\u202f% of the processors."), ({"other_programs": 0.1, "other_programs_busy": False}, "")]:
            load.update(fields)
            opens(told.room, "prepare")
            told.room.until("profiles are listed", lambda: page.locator(".profile-item").count() > 3)
            choose(told.room, "interview" if expected else "pip")
            told.room.until("the load is shown", lambda: line.inner_text().startswith(expected) if expected else line.inner_text() == "")
            if expected:
                assert_accessible(told.room, "prepare, busy computer")


@holds("A profile given by its path is listed as the one in use, and its text is shown.")
def _(room, browser, arguments):
    page = room.page
    opens(room, "prepare")
    listed = page.evaluate("fetch('/api/v1/profiles').then(answer => answer.json())")
    assert room.status()["profile"] == "room" and [one["name"] for one in listed["profiles"]].count("room") == 1, listed
    room.until("it is marked", lambda: page.locator(".profile-item", has_text="in use").locator(".profile-name").all_inner_texts() == ["room"])
    choose(room, "room")
    room.until("its text is shown", lambda: "srt://127.0.0.1:9" in page.locator(".profile-text").input_value())
    assert "in use" in page.locator(".form-head").inner_text() and page.locator(".use-profile").is_hidden()


@holds("Cameras and microphones are added and removed in the form, together with what the profile says about them.")
def _(room, browser, arguments):
    needs(room, "/api/v1/profiles")
    page = room.page
    opens(room, "prepare")
    choose(room, "interview")
    rows = lambda kind: page.locator(f'.form-row[data-kind="{kind}"]').count()
    text = lambda: page.locator(".profile-text").input_value()
    room.until("its rows are there", lambda: rows("cameras") == 2 and rows("microphones") == 2)
    page.get_by_role("button", name="Add a camera").click()
    page.get_by_role("button", name="Add a microphone").click()
    room.until("there are three of each", lambda: rows("cameras") == 3 and rows("microphones") == 3)
    assert "camera-1: { device: any }" in text() and "microphone-1: { device: default }" in text(), text()
    assert "mix: [host-mic, guest-mic, microphone-1]" in text(), text()
    room.until("the profile is valid", lambda: page.locator(".faults li").count() == 0 and "camera-1" in page.locator(".plan-tracks").inner_text())
    assert_accessible(room, "prepare, added roles")
    page.get_by_role("button", name="Remove guest", exact=True).click()
    page.get_by_role("button", name="Remove guest-mic").click()
    room.until("two of each remain", lambda: rows("cameras") == 2 and rows("microphones") == 2)
    assert page.evaluate("document.activeElement.textContent") == "Add a microphone"
    assert "main: host" in text() and "inset:" not in text() and "layout: single" in text() and "mix: [host-mic, microphone-1]" in text(), text()
    assert "guest: {" not in text() and "guest-mic: {" not in text() and "# The names become files" in text(), text()
    room.until("the profile is still valid", lambda: page.locator(".faults li").count() == 0 and "cameras/guest" not in page.locator(".plan-tracks").inner_text())
    page.locator(".form-head button", has_text="Revert").click()


@holds("A profile stays valid if any of its cameras or microphones is removed, in every shipped profile.")
def _(room, browser, arguments):
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "Profiles")
    for name in sorted(os.listdir(folder)):
        text = open(os.path.join(folder, name), encoding="utf-8").read()
        made = room.page.evaluate("""async text => {
            const { nodeAt, readYaml, withoutRole, withRole } = await import('/page/yaml-edit.js');
            const roles = kind => [...(nodeAt(readYaml(text), kind)?.entries.keys() ?? [])];
            return ['cameras', 'microphones'].flatMap(kind => roles(kind).map(role => [`${kind}.${role}`, withoutRole(withRole(text, kind), kind, role)]));
        }""", text)
        assert made, name
        for path, changed in made:
            check = room.page.evaluate("""async text => (await fetch('/api/v1/profiles/check', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ text }) })).json()""", changed)
            assert check["ok"], (name, path, check, changed)


@holds("Removing a role removes all references to it, doesn't add a microphone to the mix, and shows no other camera.")
def _(room, browser, arguments):
    text = """cameras:
  a: { device: any, match: b }
  b: { device: any }
  c: { device: any, match: { camera: b, what: [exposure] } }
microphones:
  m: { device: default, camera: b }
  n: { device: default, camera: a }
program:
  layout: pip
  main: a
  inset: [b]
  switching: voice
  audio: { mix: [m] }
scenes:
  v1.0: { layout: pip, main: b, inset: [c], mix: [m], gains: { m: -3, n: 1 }, zoom: { b: 2, c: 2 } }
  wide shot:
    layout: side-by-side
    main: c
    inset: b
  both: { layout: grid, inset: [b, c] }
people: { b: Ada, m: Ada }
"""
    def removed(kind, role):
        changed = room.page.evaluate("""async ([text, kind, role]) => (await import('/page/yaml-edit.js')).withoutRole(text, kind, role)""", [text, kind, role])
        check = room.page.evaluate("""async text => (await fetch('/api/v1/profiles/check', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ text }) })).json()""", changed)
        assert check["ok"], (check, changed)
        read = room.page.evaluate("""async text => { const { readYaml, textAt, listAt, nodeAt } = await import('/page/yaml-edit.js'); const root = readYaml(text);
            const keys = path => [...(nodeAt(root, path)?.entries.keys() ?? [])];
            const arrangement = path => [textAt(root, [...path, 'layout']), textAt(root, [...path, 'main']), listAt(root, [...path, 'inset'])];
            return { switching: textAt(root, 'program.switching'), program: arrangement(['program']), mix: listAt(root, 'program.audio.mix'), scenes: keys('scenes').map(name => arrangement(['scenes', name])), sceneMix: listAt(root, ['scenes', 'v1.0', 'mix']),
                gains: keys(['scenes', 'v1.0', 'gains']), zoom: keys(['scenes', 'v1.0', 'zoom']), people: keys('people'), match: keys('cameras.a').concat(keys('cameras.c')), camera: textAt(root, 'microphones.m.camera') }; }""", changed)
        return read, changed

    read, changed = removed("cameras", "b")
    assert read["program"] == ["single", "a", None], changed
    assert read["switching"] is None, ("voice switching needs a camera for each microphone", changed)
    assert read["scenes"] == [["single", "c", None], ["single", "c", None], ["grid", None, ["c"]]], changed
    assert read["zoom"] == ["c"] and read["people"] == ["m"] and read["match"] == ["device", "device"] and read["camera"] is None, changed
    read, changed = removed("microphones", "m")
    assert read["switching"] == "voice", changed
    assert read["mix"] == [] and read["sceneMix"] == [] and read["gains"] == ["n"] and read["people"] == ["b"], changed
    read, changed = removed("cameras", "a")
    assert read["program"] == ["single", "b", None], changed


@holds("Validation errors appear at their line and field, and one click applies the suggested fix.")
def _(room, browser, arguments):
    needs(room, "/api/v1/profiles")
    page = room.page
    opens(room, "prepare")
    choose(room, "interview")
    room.until("the text is there", lambda: "layout: pip" in page.locator(".profile-text").input_value())
    page.locator(".form-head button", has_text="Text").click()
    page.locator(".profile-text").fill(page.locator(".profile-text").input_value().replace("layout: pip", "layout: pipp"))
    room.until("the fault is said", lambda: "program.layout" in page.locator(".faults").inner_text())
    page.locator(".fault-button").first.click()
    assert page.evaluate("document.activeElement.classList.contains('profile-text')")
    page.locator(".form-head button", has_text="Form").click()
    assert page.locator(".field[data-wrong]").count() == 1
    assert_accessible(room, "prepare, fault")
    page.locator(".row-fault button", has_text="pip").click()
    room.until("it is mended", lambda: page.locator(".field[data-wrong]").count() == 0)
    assert "layout: pip\n" in page.locator(".profile-text").input_value()


@holds("Editing a field changes only its value, in every shipped profile.")
def _(room, browser, arguments):
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "Profiles")
    for name in sorted(os.listdir(folder)):
        text = open(os.path.join(folder, name), encoding="utf-8").read()
        role = room.page.evaluate("""async text => { const { nodeAt, readYaml } = await import('/page/yaml-edit.js'); return [...nodeAt(readYaml(text), 'cameras').entries.keys()].pop(); }""", text)
        for path, value in [(f"cameras.{role}.rate", "61"), (f"cameras.{role}.format", "yuyv"), ("program.video.preset", "ultrafast"), ("limits.silence", "11s"), (f"cameras.{role}.device", "A: B # C")]:
            result = room.page.evaluate("""async ([text, path, value]) => { const { readYaml, textAt, withValue } = await import('/page/yaml-edit.js'); const made = withValue(text, path, value); return [made, textAt(readYaml(made), path)]; }""", [text, path, value])
            assert result[1] == value, (name, path, result[1])
            gone = [line for line in text.splitlines() if line not in result[0].splitlines()]
            assert len(gone) <= 1, (name, path, gone)
        for path in ["title", "edit", f"cameras.{role}.zoom"] + (["program.switching"] if "\nprogram:" in text else []):
            result = room.page.evaluate("""async ([text, path]) => { const { withValue, withoutValue } = await import('/page/yaml-edit.js'); return withoutValue(withValue(text, path, 'x y'), path); }""", [text, path])
            assert result.split() == text.split(), (name, path, result)


@holds("Title, names, projects, a microphone's camera and voice switching are fields; clearing one removes it.")
def _(room, browser, arguments):
    needs(room, "/api/v1/profiles")
    page = room.page
    opens(room, "prepare")
    choose(room, "interview")
    room.until("its rows are there", lambda: page.locator('.form-row[data-kind="editing"]').count() == 1)
    text = lambda: page.locator(".profile-text").input_value()
    before = text()
    row = page.locator('.form-row[data-kind="editing"]')
    for label, words in [("Title", "An evening"), ("Name of host", "Ada: Countess")]:
        row.get_by_label(label, exact=True).fill(words)
        page.keyboard.press("Tab")
    row.get_by_label("Auto-export projects").select_option("otio")
    page.locator('.form-row[data-kind="microphones"]').first.get_by_label("host-mic: Speaker's camera").select_option("host")
    page.locator('.form-row[data-kind="program"]').get_by_label("Switching").select_option("voice")
    for words in ["title: An evening", 'people: { host: "Ada: Countess" }', "edit: [otio]", "camera: host", "switching: voice"]:
        assert words in text(), (words, text())
    room.until("nothing is wrong with it", lambda: page.locator(".faults li").count() == 0 and page.locator(".plan-big").inner_text() != "")
    assert_accessible(room, "prepare, editing")
    row.get_by_label("Title").fill("")
    page.keyboard.press("Tab")
    row.get_by_label("Auto-export projects").select_option("")
    page.locator('.form-row[data-kind="microphones"]').first.get_by_label("host-mic: Speaker's camera").select_option("")
    for words in ["title:", "edit:", "camera: host"]:
        assert words not in text().replace(before, ""), (words, text())
    page.locator(".form-head button", has_text="Revert").click()


@holds("The plan and its cost follow edits.")
def _(room, browser, arguments):
    needs(room, "/api/v1/profiles")
    page = room.page
    opens(room, "prepare")
    choose(room, "pip")
    room.until("the cost is known", lambda: "%" in page.locator(".plan-big").inner_text())
    before = page.locator(".plan-tracks").inner_text()
    page.locator('.form-row[data-kind="program"] select').last.select_option("copy")
    room.until("more is written", lambda: page.locator(".plan-tracks").inner_text() != before)


@holds("A profile can be saved under a name.")
def _(room, browser, arguments):
    needs(room, "/api/v1/profiles")
    page = room.page
    opens(room, "prepare")
    page.locator(".prepare .panel-head button", has_text="Save as").first.click()
    page.locator(".keep-form input").first.fill("tested-profile")
    page.keyboard.press("Enter")
    room.until("it is listed", lambda: page.locator(".profile-item", has_text="tested-profile").count() == 1)


def choose(room, name):
    """Selects a profile, and waits for its text: earlier input would be lost."""
    page = room.page
    if page.locator(".form-head h2").inner_text() == name:
        return
    with page.expect_response(lambda answer: answer.url.endswith(f"/api/v1/profiles/{name}")):
        page.locator(".profile-item", has_text=name).first.click()
    room.until("it is chosen", lambda: page.locator(".form-head h2").inner_text() == name)
    page.wait_for_timeout(300)


def open_controls(room):
    """The controls of the first camera's row, which must have controls."""
    role = room.roles()[0]
    needs(room, f"/api/v1/cameras/{role}/controls")
    page = room.page
    opens(room, "prepare")
    choose(room, "interview")
    room.until("rows are there", lambda: page.locator(".row-controls[aria-expanded]").count() == 2)
    button = page.locator(".row-controls[aria-expanded]").first
    if button.get_attribute("aria-expanded") != "true":
        button.click()
    view = page.locator("mc-controls").first
    room.until("something is said", lambda: view.locator(".control").count() > 0 or view.locator(".control-said").inner_text() != "")
    if view.locator(".control").count() == 0:
        raise Skip("the camera has no controls")
    return role, view


def control(room, role, name):
    answer = room.page.evaluate("address => fetch(address).then(answer => answer.json())", f"/api/v1/cameras/{role}/controls")
    return next((one for one in answer["controls"] if one["name"] == name), None)


@holds("A camera's controls are sliders with numbers that show the camera's actual values; automatic ones have no thumb.")
def _(room, browser, arguments):
    role, view = open_controls(room)
    page = room.page
    assert_accessible(room, "prepare, controls")
    slider = view.locator(".control-slider:not([data-automatic]) input[type=range]:visible").first
    name = slider.evaluate("element => element.closest('[data-key]').dataset.key")
    before = control(room, role, name)["value"]
    slider.focus()
    page.keyboard.press("ArrowRight")
    room.until("the camera has it", lambda: control(room, role, name)["value"] > before)
    room.until("the number shows it", lambda: view.locator(f'[data-key="{name}"] .control-number').input_value() == str(control(room, role, name)["value"]))
    number = view.locator(f'[data-key="{name}"] .control-number')
    number.fill(str(before))
    page.keyboard.press("Enter")
    room.until("the camera has it back", lambda: control(room, role, name)["value"] == before)
    room.until("the slider, too", lambda: slider.input_value() == str(before))
    governor = view.locator('[data-key="white_balance_automatic"] input')
    if governor.count() == 1:
        governor.set_checked(False)
        room.until("it is by hand", lambda: view.locator('[data-key="white_balance_temperature"] input[type=range]').is_enabled())
        governor.set_checked(True)
        room.until("it is automatic", lambda: view.locator('[data-key="white_balance_temperature"][data-automatic]').count() == 1)
        assert "automatic" in view.locator('[data-key="white_balance_temperature"]').inner_text()


@holds("Controls can be saved and loaded as a preset, matched with another camera, and reset to defaults.")
def _(room, browser, arguments):
    role, view = open_controls(room)
    page = room.page
    other = room.two()[1]
    view.locator(".control-buttons button", has_text="Save as").click()
    view.locator(".keep-form input").fill("tested")
    page.keyboard.press("Enter")
    preset = view.locator(".control-buttons button", has_text="Preset: tested")
    room.until("the preset is there", lambda: preset.count() == 1)
    slider = view.locator(".control-slider:not([data-automatic]) input[type=range]:visible").first
    name = slider.evaluate("element => element.closest('[data-key]').dataset.key")
    before = control(room, role, name)["value"]
    slider.focus()
    page.keyboard.press("ArrowRight")
    room.until("it has changed", lambda: control(room, role, name)["value"] != before)
    preset.click()
    room.until("the preset is loaded", lambda: control(room, role, name)["value"] == before)
    match = view.locator(".control-buttons button", has_text=f"Match {other}")
    match.click()
    room.until("it is said", lambda: view.locator(".control-said").inner_text() != "", 20)
    view.locator(".control-buttons button", has_text="Reset to defaults").click()
    room.until("it is as delivered", lambda: control(room, role, name)["value"] == control(room, role, name)["default"])
    page.locator(".row-controls[aria-expanded]").first.click()


@holds("Calibration with claps shows each device's progress, and can be canceled.")
def _(room, browser, arguments):
    needs(room, "/api/v1/jobs")
    room.end()
    page = room.page
    opens(room, "prepare")
    view = page.locator("mc-calibrate")
    room.until("it can begin", lambda: view.locator(".calibrate-begin").is_enabled())
    view.locator(".calibrate-begin").click()
    room.until("the page knows that the recorder is away on purpose", lambda: room.data("line") == "calibrating" or view.locator(".calibrate-row").count() > 0, 30)
    room.until("events are heard", lambda: view.locator(".calibrate-dot[data-seen]").count() >= 3, 60)
    names = view.locator(".calibrate-name").all_inner_texts()
    assert names, names
    assert_accessible(room, "calibrating")
    view.locator(".calibrate-begin", has_text="Finish").click()
    room.until("it says what it found", lambda: view.locator(".calibrate-result").inner_text() != "", 30)
    room.until("the recorder is back", lambda: room.data("state") == "standby", 30)
    assert room.data("level") != "act", room.line()
    opens(room, "studio")


@holds("Each change that makes a profile fit takes one click.")
def _(room, browser, arguments):
    needs(room, "/api/v1/profiles")
    page = room.page
    opens(room, "prepare")
    choose(room, "pip")
    room.until("the text is there", lambda: "layout" in page.locator(".profile-text").input_value())
    page.locator(".form-head button", has_text="Text").click()
    page.locator(".profile-text").fill("""cameras:
  left: { device: 'virtual:clap?bus=one', size: 1280x720, rate: 30, format: yuyv }
  right: { device: 'virtual:clap?bus=one', size: 1280x720, rate: 60, format: yuyv }
program: { layout: side-by-side }
""")
    room.until("proposals are made", lambda: page.locator(".plan-fixes button").count() > 0)
    assert page.locator(".plan-big[data-warn]").count() == 1
    assert_accessible(room, "prepare, fixes")
    before = page.locator(".plan-big").inner_text()
    text = page.locator(".profile-text").input_value()
    page.locator(".plan-fixes button").first.click()
    room.until("the profile is edited", lambda: page.locator(".profile-text").input_value() != text)
    room.until("it costs less", lambda: page.locator(".plan-big").inner_text() != before)
    page.locator(".form-head button", has_text="Revert").click()
    page.locator(".form-head button", has_text="Form").click()


@holds("Doctor shows problems, and its fix button shows a command without running it.")
def _(room, browser, arguments):
    needs(room, "/api/v1/doctor")
    page = room.page
    opens(room, "prepare")
    room.until("it has checked", lambda: page.locator(".findings li").count() > 0)
    fix = page.locator(".finding-bad button", has_text="Fix")
    if fix.count() == 0:
        raise Skip("nothing is wrong here that a command mends")
    fix.first.click()
    assert page.locator(".fix code").first.is_visible()


@holds("Add a phone shows a code and a link, and reports when other devices can't reach it.")
def _(room, browser, arguments):
    needs(room, "/api/v1/phones")
    page = room.page
    opens(room, "prepare")
    room.until("the profile is shown", lambda: page.locator(".form-head h2").inner_text() != "")
    button = page.locator(".phones-view button", has_text="Add a phone")
    button.click()
    room.until("the code is drawn", lambda: page.locator("svg.phone-code path").count() == 1)
    assert button.get_attribute("aria-expanded") == "true"
    assert "/phone#token=" in page.locator(".phone-link input").input_value()
    assert page.locator("svg.phone-code path").get_attribute("d").count("M") > 200
    assert "--listen" in page.locator(".phone-invitation").inner_text()
    assert_accessible(room, "prepare, phones")
    button.click()
    assert page.locator("svg.phone-code").is_hidden()


@holds("If the profile in use names a phone that isn't connected, Prepare shows its name and its code at the top.")
def _(room, browser, arguments):
    with Told(browser, arguments) as told:
        page = told.room.page
        asked = []
        phones = []
        text = 'cameras:\n  desk: { device: any }\n  guest: { device: "phone:anna" }\nprogram: { layout: pip, main: desk, inset: guest }\n'
        page.route("**/api/v1/profiles/pip", lambda route: route.fulfill(json={"name": "pip", "text": text}))

        def answer(route):
            asked.append(route.request.url)
            name = "&name=anna" if "name=anna" in route.request.url else ""
            route.fulfill(json={"url": f"https://192.168.1.21:8470/phone#token=abc{name}", "reachable": True, "code": ["1" * 29] * 29, "phones": phones})

        page.route("**/api/v1/phones*", answer)
        opens(told.room, "prepare")
        told.room.until("profiles are listed", lambda: page.locator(".profile-item").count() > 3)
        choose(told.room, "pip")
        told.records(state="standby", profile="pip")
        told.room.until("the profile is in use", lambda: "in use" in page.locator(".form-head").inner_text())
        assert page.locator(".phone-invitation").is_hidden()
        told.tell(type="recorder", there=False, text="")
        told.room.until("the phone is awaited", lambda: "Waiting for phone anna: scan this code." in page.locator(".phones-view").inner_text())
        told.room.until("the link contains the name", lambda: page.locator(".phone-link input").input_value().endswith("#token=abc&name=anna"))
        box = page.locator("svg.phone-code").bounding_box()
        assert box and box["y"] + box["height"] <= page.viewport_size["height"], ("the whole code is visible without scrolling", box)
        assert_accessible(told.room, "prepare, awaited phone")
        phones.append({"name": "anna", "selector": "phone:anna", "there": True, "format": "1280×720 at 30 fps", "audio": True})
        told.room.until("the phone is connected", lambda: page.locator("svg.phone-code").is_hidden())
        assert page.locator(".phone-awaited").inner_text() == ""


def open_recording(room):
    """Selects the newest recording with a video; makes one if there is none."""
    needs(room, "/api/v1/recordings")
    page = room.page
    listed = page.evaluate("fetch('/api/v1/recordings').then(answer => answer.json())")
    if not any((one.get("duration_ns") or 0) > 3e9 and one["state"] in ("complete", "incomplete") for one in listed["recordings"]):
        opens(room, "studio")
        room.record()
        page.wait_for_timeout(5000)
        page.keyboard.press("m")
        room.end()
        listed = page.evaluate("fetch('/api/v1/recordings').then(answer => answer.json())")
    folder = next(one["folder"] for one in listed["recordings"] if (one.get("duration_ns") or 0) > 3e9 and one["state"] in ("complete", "incomplete"))
    opens(room, "studio")
    opens(room, "recordings")
    item = page.locator(f'.recording-item[data-key="{folder}"]')
    room.until("it is listed", lambda: item.count() == 1)
    item.click()
    room.until("it is chosen", lambda: page.locator(".recording-folder").inner_text() == folder)
    return folder


SIZES = [(1280, 800), (1600, 900), (1920, 1080), (390, 844), (844, 390)]

# Everything that is cut off, or scrolls inside a page that fits the window. Fields for text, the list of scenes, the log, and the
# running order may scroll.
UNFIT = """selector => {
    const name = one => `${one.tagName.toLowerCase()}.${one.className} ${one.textContent.trim().slice(0, 40)}`;
    const all = [...document.querySelectorAll(selector)].flatMap(one => [one, ...one.querySelectorAll('*')]).filter(one => one.checkVisibility({ visibilityProperty: true }) && !one.closest('.unseen'));
    const faults = [];
    for (const one of all) {
        const style = getComputedStyle(one);
        const isControl = one.matches('button, a, select, .badge, .result-word, .plate, th, .live-output');
        const box = one.getBoundingClientRect();
        if (isControl && one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 0) faults.push(`cut off: ${name(one)}`);
        if (isControl && box.width > 0 && !one.closest('.table-place') && (box.left < -1 || box.right > innerWidth + 1)) faults.push(`outside: ${name(one)}`);
        if (innerWidth < 1100 || innerHeight < 768 || one.matches('main, textarea, .scene-list, .log-list')) continue;
        for (const [axis, size, inner] of [['overflowX', 'scrollWidth', 'clientWidth'], ['overflowY', 'scrollHeight', 'clientHeight']]) {
            if (['auto', 'scroll'].includes(style[axis]) && one[size] > one[inner] + 1) faults.push(`scrolls: ${name(one)}`);
        }
    }
    if (document.documentElement.scrollWidth > innerWidth) faults.push('the page scrolls sideways');
    return [...new Set(faults)];
}"""


def assert_fits(room, selector, name):
    """The elements are inside the page's width, their texts aren't cut off, and nothing scrolls inside the page."""
    faults = room.page.evaluate(UNFIT, selector)
    assert not faults, (name, faults[:6])


def assert_reachable(room, selectors, name):
    """Tab reaches an element of each kind, and its focus is visible."""
    page = room.page
    page.evaluate("document.activeElement?.blur(); document.body.tabIndex = -1; document.body.focus(); document.body.removeAttribute('tabindex')")
    # Phones hide some elements until they are requested.
    rest = {one for one in selectors if page.locator(one).locator("visible=true").count() > 0}
    assert rest == set(selectors) or page.viewport_size["width"] < 1100, (name, set(selectors) - rest)
    for _ in range(200):
        page.keyboard.press("Tab")
        found = page.evaluate("""selectors => { const element = document.activeElement; if (!element || element === document.body) return null;
            const style = getComputedStyle(element);
            return { matching: selectors.filter(one => element.matches(one)), isVisible: style.outlineStyle !== 'none' || style.boxShadow !== 'none' }; }""", list(rest))
        if not rest:
            break
        # The focus leaves the document once per round, and when an update removes the focused element.
        if found is None:
            continue
        assert not found["matching"] or found["isVisible"], (name, found)
        rest -= set(found["matching"])
    assert not rest, f"{name}: Tab doesn't reach {rest}"


def check_looks(make, selector, name, reachable=()):
    """Checks a state of a page at all sizes, light and dark, at 100 and 200 %, with the keyboard, and with axe.

    `make` opens the page in this state; it receives the options of its browser context. Phones enlarge pages without a new layout, so no
    layout is narrower than 320 pixels.
    """
    for zoom in (1, 2):
        for scheme in ("dark", "light"):
            with make(color_scheme=scheme, device_scale_factor=zoom, viewport={"width": 1280 // zoom, "height": 800 // zoom}) as opened:
                room = getattr(opened, "room", opened)
                for width, height in SIZES:
                    look = f"{name}, {width}×{height}, {scheme}, {zoom * 100} %"
                    room.page.set_viewport_size({"width": max(320, width // zoom), "height": max(320, height // zoom)})
                    room.page.wait_for_timeout(300)
                    try:
                        assert_fits(room, selector, look)
                        assert_accessible(room, look)
                    except AssertionError:
                        if room.failures:
                            os.makedirs(room.failures, exist_ok=True)
                            room.page.screenshot(path=os.path.join(room.failures, f"{look}.png".strip("/ ").replace(" ", "-").replace("/", "-")))
                        raise
                    if reachable and scheme == "dark" and (width, height) in (SIZES[0], SIZES[3]):
                        assert_reachable(room, reachable, look)
                complaints = [one for one in room.complaints if "404" not in one]
                assert not complaints, complaints


@holds("When a recording ends, a card shows whether it is complete, its duration and size, and the next actions.")
def _(room, browser, arguments):
    opens(room, "studio")
    page = room.page
    card = page.locator("mc-ending")
    room.record()
    assert card.is_hidden()
    page.wait_for_timeout(4000)
    room.end()
    room.until("the card is shown", card.is_visible, 30)
    listed = page.evaluate("fetch('/api/v1/recordings').then(answer => answer.json())")["recordings"][0]
    word = card.locator(".result-word").inner_text()
    assert (listed["state"] == "incomplete") == (word == "Incomplete"), (listed["state"], word)
    assert card.get_attribute("data-result") == ("bad" if listed["state"] == "incomplete" else listed["level"])
    facts = card.locator(".quiet-text").inner_text()
    assert facts.startswith("0:00:0") and "MB" in facts, facts
    assert listed["sentences"][0] in card.inner_text(), card.inner_text()
    assert page.locator("mc-timeline").is_hidden()
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        for scheme in ["dark", "light"]:
            page.emulate_media(color_scheme=scheme)
            assert_fits(room, "mc-ending", f"{width}×{height}")
            assert_accessible(room, f"card, {width}×{height}, {scheme}")
        if (width, height) == (1280, 800):
            box = card.bounding_box()
            assert box["y"] + box["height"] <= height, box
    page.emulate_media(color_scheme="dark")
    page.set_viewport_size({"width": 1440, "height": 900})
    assert card.locator("a").get_attribute("href").endswith(f"{listed['folder']}/program.mp4")
    card.locator("[data-action=play]").focus()
    page.keyboard.press("Enter")
    room.until("the recording is open", lambda: page.locator(".recording-folder").inner_text() == listed["folder"])
    room.until("it plays", lambda: page.locator("mc-player video").evaluate("video => video.currentTime") > 0.2, 30)
    page.locator("mc-player video").evaluate("video => video.pause()")
    opens(room, "studio")
    assert card.is_visible(), "the card stays until it is closed"
    card.locator(".ending-close").click()
    assert card.is_hidden() and page.locator("mc-timeline").is_visible()


@holds("The card of an incomplete or interrupted recording says what is missing, and offers what helps.")
def _(room, browser, arguments):
    with Told(browser, arguments) as told:
        page, entry = told.room.page, {}
        page.route("**/api/v1/recordings", lambda route: route.fulfill(content_type="application/json", body=json.dumps({"recordings": [entry], "deletion": "trash", "opens": True})))
        opened = []
        page.route("**/api/v1/recordings/x/open", lambda route: (opened.append(route.request.method), route.fulfill(content_type="application/json", body='{"ok":true,"text":"The folder was opened."}')))
        card = page.locator("mc-ending")
        lost = "Incomplete: camera guest is missing 90 of 1890 frames (4.8 %) in a gap of 6 s."
        states = [({"state": "incomplete", "level": "bad", "sentences": [lost, "Cause: the device was disconnected."], "title": "Panel <i>talk</i>", "duration_ns": 65e9, "bytes": 2.5e9}, "Incomplete", "bad", True),
                  ({"state": "complete", "level": "warning", "sentences": ["Complete, with warnings.", "The clock of host is accurate only to ±3 ms."]}, "Complete, with warnings", "warning", True),
                  ({"state": "complete", "level": "good", "sentences": ["Complete.", "Every frame was recorded."]}, "Complete", "good", True),
                  ({"state": "cut-off", "level": "bad", "sentences": ["The recording was interrupted.", "Run `multicam recover` to complete its files."]}, "Interrupted, not recovered", "bad", False)]
        for fields, word, result, is_readable in states:
            entry.clear()
            entry.update({"folder": "x", "started": "2026-11-21T14:23:10Z", **fields})
            told.records()
            told.room.until("it is hidden while recording", card.is_hidden)
            told.records(state="standby")
            told.room.until("the card is shown", card.is_visible)
            assert card.locator(".result-word").inner_text() == word and card.get_attribute("data-result") == result
            sentences = fields["sentences"] if is_readable else ["Recover it to complete its files."]
            assert all(sentence in card.inner_text() for sentence in sentences), card.inner_text()
            assert "`" not in card.inner_text(), "advice for the command line"
            told.room.until("it is announced", lambda: sentences[-1] in page.locator("#spoken-status").inner_text())
            assert card.locator("[data-action=play]").is_visible() == is_readable
            assert card.locator("[data-action=recover]").is_visible() != is_readable
            if "title" in fields:
                assert "Panel <i>talk</i>" in card.inner_text() and "0:01:05 · 2.5\u202fGB" in card.inner_text(), card.inner_text()
                for width, height in SIZES:
                    page.set_viewport_size({"width": width, "height": height})
                    assert_fits(told.room, "mc-ending", f"{width}×{height}")
                page.set_viewport_size({"width": 1280, "height": 800})
        card.get_by_role("button", name="Open folder").click()
        told.room.until("it is opened", lambda: opened == ["POST"])
        # The files are still being listed when the next recording starts.
        held = []
        page.route("**/api/v1/recordings/x/files", lambda route: held.append(route))
        entry.update({"state": "complete", "level": "good", "sentences": ["Complete."]})
        told.records()
        told.records(state="standby")
        told.room.until("the files are requested", lambda: held)
        told.records()
        told.room.until("it records", lambda: page.locator(".bar .stop").is_visible())
        held[0].fulfill(content_type="application/json", body='{"program":{"bytes":1,"parts":1}}')
        page.wait_for_timeout(300)
        assert card.is_hidden(), "the card of the previous recording appears while recording"


@holds("If the parts of a program can't be joined, the card's button says so, and the parts are offered.")
def _(room, browser, arguments):
    with Told(browser, arguments) as told:
        page = told.room.page
        entry = {"folder": "x", "started": "2026-11-21T14:23:10Z", "state": "complete", "level": "good", "sentences": ["Complete."], "duration_ns": 65e9, "bytes": 2.5e9}
        page.route("**/api/v1/recordings", lambda route: route.fulfill(json={"recordings": [entry]}))
        reason = "The parts of the program can't be joined: this part was encoded with different parameters than the first part."
        parts = [{"path": f"program{end}.mp4", "kind": "program", "track": "program", "bytes": 1e9} for end in ("", "-2")]
        page.route("**/api/v1/recordings/x/files", lambda route: route.fulfill(json={"program_error": reason, "archive": {"bytes": 2.5e9}, "files": parts}))
        told.records()
        told.records(state="standby")
        card = page.locator("mc-ending")
        told.room.until("the card is shown", card.is_visible)
        button = card.locator("button", has_text="Download parts…")
        assert button.is_visible() and button.get_attribute("title") == reason and card.locator("a").is_hidden()
        assert_accessible(told.room, "card, parts")
        button.click()
        rows = page.locator(".made-files li")
        told.room.until("the parts are listed", lambda: rows.count() == 3)
        assert [text.split(" · ")[0] for text in rows.all_inner_texts()[:2]] == ["Program, part 1", "Program, part 2"], rows.all_inner_texts()
        assert rows.nth(1).locator("a").get_attribute("href").endswith("/recordings/x/files/program-2.mp4")
        assert reason in page.locator(".recording-details").inner_text()


@holds("If a recording can't be moved to the trash, a second question offers to delete it permanently.")
def _(room, browser, arguments):
    with Told(browser, arguments) as told:
        page = told.room.page
        listed = [{"folder": "x", "started": "2026-11-21T14:23:10Z", "state": "complete", "level": "good", "sentences": ["Complete."], "title": "Talk", "bytes": 1e6, "duration_ns": 1e9}]
        page.route("**/api/v1/recordings", lambda route: route.fulfill(content_type="application/json", body=json.dumps({"recordings": listed, "deletion": "trash"})))
        asked = []

        def delete(route):
            if route.request.method != "DELETE":
                return route.fulfill(status=404, content_type="application/json", body='{"ok":false,"text":"Recording not found."}')
            asked.append(route.request.post_data_json["to"])
            if asked[-1] == "trash":
                return route.fulfill(status=409, content_type="application/json", body='{"ok":false,"text":"x: moving to the trash failed."}')
            listed.clear()
            route.fulfill(content_type="application/json", body='{"ok":true,"text":"The recording was deleted."}')
        page.route("**/api/v1/recordings/x", delete)
        told.records(state="standby")
        opens(told.room, "recordings")
        page.locator(".manage button", has_text="Delete").click()
        question = page.locator(".delete-question")
        assert "restore" in question.inner_text()
        question.locator("button").last.click()
        told.room.until("the question is about deleting permanently", lambda: "can't be undone" in question.inner_text())
        assert asked == ["trash"] and question.locator("button").last.inner_text() == "Delete permanently"
        assert page.evaluate("document.activeElement.textContent") == "Keep recording", "the safe choice has the focus"
        question.locator("button").last.click()
        told.room.until("it is gone", lambda: page.locator(".recording-item").count() == 0)
        assert asked == ["trash", "permanent"]


@holds("The list of recordings shows the same result, title, duration, and size as the card, and can be sorted.")
def _(room, browser, arguments):
    with Told(browser, arguments) as told:
        page = told.room.page
        entry = lambda name, day, **more: {"folder": name, "started": f"2026-11-{day:02}T14:23:10Z", "state": "complete", "level": "good", "sentences": ["Complete."], "bytes": 1e6, "duration_ns": 1e9, **more}
        listed = [entry("c", 23, title="Alpha", duration_ns=3600e9, bytes=5e9, state="incomplete", level="bad"), entry("b", 22, profile="Zulu", bytes=9e9), entry("a", 21, title="Mike", duration_ns=7200e9)]
        page.route("**/api/v1/recordings", lambda route: route.fulfill(content_type="application/json", body=json.dumps({"recordings": listed})))
        told.records(state="standby")
        opens(told.room, "recordings")
        names = lambda: page.locator(".recording-item .recording-name").all_inner_texts()
        told.room.until("they are listed", lambda: names() == ["Alpha", "Zulu", "Mike"])
        assert page.locator(".recording-item").first.inner_text().split("\n")[-1] == "Incomplete"
        assert "1:00:00" in page.locator(".recording-facts").first.inner_text() and "5.0\u202fGB" in page.locator(".recording-facts").first.inner_text()
        for order, expected in [("oldest", ["Mike", "Zulu", "Alpha"]), ("name", ["Alpha", "Mike", "Zulu"]), ("longest", ["Mike", "Alpha", "Zulu"]), ("largest", ["Zulu", "Alpha", "Mike"]), ("newest", ["Alpha", "Zulu", "Mike"])]:
            page.get_by_label("Sort by").select_option(order)
            assert names() == expected, (order, names())
        assert_accessible(told.room, "sorted recordings")


@holds("A recording can be renamed, and deleted in a second step that says whether it can be restored.")
def _(room, browser, arguments):
    folder = open_recording(room)
    page = room.page
    page.locator(".manage button", has_text="Rename").click()
    page.locator(".rename-form").get_by_label("Title", exact=True).fill("Interview & <b>notes</b>")
    page.keyboard.press("Enter")
    room.until("the list has the title", lambda: page.locator(f'.recording-item[data-key="{folder}"] .recording-name').inner_text() == "Interview & <b>notes</b>")
    room.until("the details have the title", lambda: page.locator(".recording-details h2").inner_text() == "Interview & <b>notes</b>")
    page.locator(".manage button", has_text="Delete").click()
    question = page.locator(".delete-question")
    assert "Interview & <b>notes</b>" in question.inner_text()
    assert page.evaluate("document.activeElement.textContent") == "Keep recording", "the safe choice has the focus"
    assert_accessible(room, "recordings, question")
    asked = []
    page.route(f"**/api/v1/recordings/{folder}", lambda route: (asked.append(route.request.post_data_json), route.fulfill(status=409, content_type="application/json", body='{"ok":false,"text":"Not now."}'))
               if route.request.method == "DELETE" else route.continue_())
    page.keyboard.press("Enter")
    assert question.is_hidden() and not asked
    page.locator(".manage button", has_text="Delete").click()
    listed = page.evaluate("fetch('/api/v1/recordings').then(answer => answer.json())")
    assert ("trash" in question.inner_text().split("?")[0]) == (listed["deletion"] == "trash"), (question.inner_text(), listed["deletion"])
    question.locator("button").last.click()
    room.until("the refusal is shown", lambda: "Not now." in room.line())
    assert asked == [{"to": listed["deletion"]}], asked
    page.unroute(f"**/api/v1/recordings/{folder}")
    question.locator("button").last.click()
    room.until("it is gone", lambda: page.locator(f'.recording-item[data-key="{folder}"]').count() == 0)
    assert folder not in [one["folder"] for one in page.evaluate("fetch('/api/v1/recordings').then(answer => answer.json())")["recordings"]]


@holds("Every file of a recording can be downloaded with its size, the program as one file, and everything as a ZIP archive.")
def _(room, browser, arguments):
    open_recording(room)
    page = room.page
    rows = page.locator(".made-files li")
    room.until("the files are listed", lambda: rows.count() >= 6)
    texts = rows.all_inner_texts()
    for part in ["Program", "Camera host", "Camera guest", "Microphone host-mic", "All files (ZIP)"]:
        assert any(text.startswith(part) and text.split()[-1] in ("kB", "MB") for text in texts), (part, texts)
    listed = page.evaluate("address => fetch(address).then(answer => answer.json())", rows.first.locator("a").get_attribute("href").replace("program.mp4", "files"))
    for row, size in [(rows.first, listed["program"]["bytes"]), (rows.last, listed["archive"]["bytes"])]:
        with page.expect_download() as waiting:
            row.locator("a").click()
        assert os.path.getsize(waiting.value.path()) == size, (waiting.value.suggested_filename, size)
    heads = page.evaluate("addresses => Promise.all(addresses.map(async one => { const answer = await fetch(one, { method: 'HEAD' }); return [answer.status, Number(answer.headers.get('Content-Length')), (await answer.arrayBuffer()).byteLength]; }))",
                          [row.locator("a").get_attribute("href") for row in (rows.first, rows.last)])
    assert heads == [[200, listed["program"]["bytes"], 0], [200, listed["archive"]["bytes"], 0]], heads


@holds("Recordings appear with their verdicts, and the player steps by frames, with all tracks in sync.")
def _(room, browser, arguments):
    open_recording(room)
    page = room.page
    room.until("it has a verdict", lambda: page.locator(".recording-details .verdict").inner_text() != "")
    page.locator(".frame-on").click()
    page.keyboard.press(".")
    room.until("it stands at frame 2", lambda: page.locator(".player-time").inner_text().endswith(".02"))
    page.locator(".frame-back").click()
    room.until("it stands at frame 1", lambda: page.locator(".player-time").inner_text().endswith(".01"))
    page.keyboard.press(",")
    room.until("it stands at frame 0", lambda: page.locator(".player-time").inner_text().endswith(".00"))
    stills = page.locator(".track-still")
    times = {stills.nth(index).get_attribute("src").split("at_ns=")[1].split("&")[0] for index in range(stills.count())}
    assert len(times) <= 1, times
    assert_accessible(room, "recordings")


@holds("Each track's frame of the same tick is shown next to the program.")
def _(room, browser, arguments):
    folder = open_recording(room)
    page = room.page
    track = page.locator(".player-tracks figure").first.get_attribute("data-track")
    needs(room, f"/api/v1/recordings/{folder}/frame.jpg?track={track}&at_ns=0&width=160")
    stills = page.locator(".player-tracks figure:visible img")
    room.until("every track is seen", lambda: stills.count() == page.locator(".player-tracks figure").count() and stills.evaluate_all("all => all.every(one => one.complete && one.naturalWidth > 0)"))
    first = page.evaluate("address => fetch(address).then(answer => answer.headers.get('X-At-Ns'))", stills.first.get_attribute("src"))
    page.locator(".player-range").press("ArrowRight")
    room.until("the tracks go on", lambda: "at_ns=0&" not in stills.first.get_attribute("src"))
    later = page.evaluate("address => fetch(address).then(answer => answer.headers.get('X-At-Ns'))", stills.first.get_attribute("src"))
    assert first is None or int(later) > int(first), (first, later)


@holds("The program plays, with the button and with Space, and clicking its timeline seeks.")
def _(room, browser, arguments):
    folder = open_recording(room)
    needs(room, f"/api/v1/recordings/{folder}/program.mp4")
    page = room.page
    moment = lambda: page.locator("mc-player video").evaluate("video => video.currentTime")
    room.until("the film is known", lambda: page.locator("mc-player video").evaluate("video => video.readyState > 0 && video.duration > 2"))
    page.locator(".play").click()
    room.until("it plays", lambda: moment() > 0.2)
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("Space")
    room.until("it stands", lambda: page.locator("mc-player video").evaluate("video => video.paused"))
    box = page.locator(".player-lanes").bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    duration = page.locator("mc-player video").evaluate("video => video.duration")
    room.until("it is in the middle", lambda: abs(moment() - duration / 2) < duration / 20)
    page.keyboard.press("ArrowLeft")
    room.until("it is a second before", lambda: abs(moment() - (duration / 2 - 1)) < duration / 20)
    page.keyboard.press("Home")
    room.until("it is at the start", lambda: moment() < 0.1)
    page.locator(".player-bar button", has_text="1×").click()
    assert page.locator("mc-player video").evaluate("video => video.playbackRate") == 1.5
    for _ in range(3):
        page.locator('.player-bar [aria-label^="Playback speed"]').click()
    assert page.locator("mc-player video").evaluate("video => video.playbackRate") == 1


@holds("Each microphone's level is plotted below the player.")
def _(room, browser, arguments):
    folder = open_recording(room)
    track = room.microphone(room.status()["microphones"][0]["role"])["role"]
    needs(room, f"/api/v1/recordings/{folder}/waveform?track={track}&count=50")
    waves = room.page.locator(".wave:visible canvas")
    room.until("it is drawn", lambda: waves.count() > 0 and waves.first.evaluate(
        "canvas => canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.some(value => value > 0)"))


def job(room, command):
    open_recording(room)
    page = room.page
    button = page.locator(f'[data-job="{command}"]')
    page.wait_for_timeout(300)
    if not button.is_visible():
        raise Skip(f"the server has no {command} yet")
    room.until("it can begin", lambda: button.is_enabled())
    button.click()
    room.until("it is under way, or over", lambda: page.locator(".job-line").inner_text() != "")
    room.until("it is over", lambda: page.locator(".recordings progress").is_hidden() and page.locator(".job-line").inner_text() != "", 120)
    return page.locator(".job-line").inner_text()


@holds("Every file of a recording can be verified, with progress and a final message.")
def _(room, browser, arguments):
    assert job(room, "verify") != ""
    assert room.page.locator(".job-line[data-warn]").count() == 0, room.page.locator(".job-line").inner_text()


@holds("The sync of a recording's tracks can be measured, and the result is a table that stays with the recording.")
def _(room, browser, arguments):
    assert job(room, "sync-check") != ""
    place = room.page.locator(".sync-place")
    room.until("the table is shown", place.is_visible)
    room.until("the text that describes it is short", lambda: room.page.locator(".job-line").inner_text() == "Measure A/V sync: done.")
    rows = place.locator("tbody tr").all_inner_texts()
    findings = room.page.evaluate("address => fetch(address).then(answer => answer.json())", room.page.locator(".made-files a").first.get_attribute("href").replace("program.mp4", "files/report/sync.json"))
    assert len(rows) == len(findings["tracks"]) and all(row.startswith(track["name"]) for row, track in zip(rows, findings["tracks"])), rows
    words = {"reference": "reference", "aligned": "in sync", "apart": "out of sync", "unknown": "not measured"}
    assert [row.split("\t")[-1] for row in rows] == [words[track["verdict"]] for track in findings["tracks"]], rows
    assert_accessible(room, "recordings, job")
    opens(room, "studio")
    open_recording(room)
    room.until("the table is shown again", place.is_visible)


@holds("An editor project can be exported from a recording.")
def _(room, browser, arguments):
    assert job(room, "export") != ""


@holds("Options of projects and programs can be selected, and are sent with the request.")
def _(room, browser, arguments):
    open_recording(room)
    page = room.page
    page.wait_for_timeout(300)
    if not page.locator(".job-options").is_visible():
        raise Skip("the server makes neither yet")
    page.locator(".job-options summary").click()
    page.get_by_label("Project", exact=True).select_option("otio")
    page.get_by_label("Layout", exact=True).select_option("grid")
    page.get_by_label("Size", exact=True).last.select_option("1080x1920")
    page.get_by_label("Loudness", exact=True).select_option("-16")
    assert_accessible(room, "recordings, options")
    asked = []
    page.route("**/api/v1/jobs", lambda route: (asked.append(route.request.post_data_json), route.fulfill(status=409, content_type="application/json", body='{"text":"Not now."}'))
               if route.request.method == "POST" else route.continue_())
    for command in ["export", "render"]:
        button = page.locator(f'[data-job="{command}"]')
        room.until("it can begin", lambda: button.is_enabled())
        button.click()
    room.until("both were asked for", lambda: len(asked) == 2)
    page.unroute("**/api/v1/jobs")
    assert [one["options"] for one in asked] == [{"to": "otio"}, {"layout": "grid", "size": "1080x1920", "loudness": "-16"}], asked
    for name in ["Project", "Layout", "Loudness"]:
        page.get_by_label(name, exact=True).select_option("")
    page.get_by_label("Size", exact=True).last.select_option("")


@holds("The program can be rendered again, and rendering can be canceled.")
def _(room, browser, arguments):
    open_recording(room)
    page = room.page
    button = page.locator('[data-job="render"]')
    page.wait_for_timeout(300)
    if not button.is_visible():
        raise Skip("the server has no render yet")
    room.until("it can begin", lambda: button.is_enabled())
    button.click()
    room.until("it is under way", lambda: page.locator(".recordings progress").is_visible() or "…" not in page.locator(".job-line").inner_text())
    try:
        page.locator(".job-end").click(timeout=2000 * room.patience)
    except NotInTime:
        pass  # a short recording may be rendered before the button is reached
    room.until("it is over", lambda: page.locator(".recordings progress").is_hidden(), 120)
    opens(room, "studio")


# Errors, reported to a separate page

class Told:
    """A page whose recorder status is controlled by the test."""

    NAMES = {"studio": "studio", "contact": "contact", "act": "commands", "keep": "dom", "listRecordings": "recordings"}

    def __init__(self, browser, arguments, answers=True, **options):
        self.room = Room(browser, arguments, **options)
        self.run("contact.onMessage = () => {};")
        if answers:
            self.answer()

    def answer(self):
        """Repeatedly sends the recorder's current status."""
        self.run("setInterval(() => studio.take({ type: 'change', status: {} }), 300);")

    def run(self, script, what=None):
        imports = "".join(f"const {{ {name} }} = await import('/page/{module}.js');" for name, module in self.NAMES.items())
        return self.room.page.evaluate(f"async what => {{ {imports} {script} }}", what)

    def tell(self, **message):
        self.run("studio.take(what)", message)

    def records(self, time=7, **more):
        status = {"state": "recording", "folder": "x", "time_ns": int(time * 1e9), "cameras": [{"role": "host"}, {"role": "guest"}], "microphones": [],
                  "program": {"layout": "single", "shown": ["host"], "on_air": ["host"]}, **more}
        self.tell(type="recorder", there=True)
        self.tell(type="state", status=status)

    def line(self, what, word):
        self.room.until(what, lambda: word in self.room.line())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.room.close()


@holds("An unresponsive recorder raises an alarm, its last known status is marked as such, and it can be stopped separately.")
def _(room, browser, arguments):
    with Told(browser, arguments, answers=False) as told:
        page = told.room.page
        told.records()
        told.line("it records", "All tracks are being written")
        told.line("it is said", "isn't responding")
        assert told.room.data("level") == "act" and told.room.data("state") == "recording"
        block = page.locator(".state-block:visible").first
        assert block.get_attribute("data-state") == "contact" and "LAST SEEN" in block.inner_text(), block.inner_text()
        assert "written" not in told.room.line()
        assert page.locator('mc-tile[data-role="guest"] .bus').get_attribute("aria-disabled") == "true"
        told.room.until("it is spoken", lambda: "isn't responding" in page.locator("#spoken-alert").inner_text())
        asked = []
        page.on("request", lambda request: asked.append(request.post_data) if request.url.endswith("/command") else None)
        told.run("await act([['swap']], 'swap'); void act([['stop']], 'record')")
        told.room.until("stop is sent", lambda: asked)
        assert all("stop" in body for body in asked), asked
        told.answer()
        told.line("it answers again", "All tracks are being written")
        told.room.until("nothing is spoken any more", lambda: page.locator("#spoken-alert").inner_text() == "")


@holds("A request to record again ends when the recorder exits again, when the user cancels it, and when nothing can be started.")
def _(room, browser, arguments):
    with Told(browser, arguments) as told:
        page = told.room.page
        answers = []
        page.route("**/api/v1/start", lambda route: route.fulfill(status=answers[-1], content_type="application/json", body='{"ok":%s,"text":"A recorder runs already."}' % ("true" if answers[-1] == 200 else "false")))

        def wish(status):
            answers.append(status)
            told.records()
            told.tell(type="recorder", there=False, text="The recorder was terminated by signal 9.")
            told.line("it is gone", "stopped unexpectedly")
            page.locator("mc-line .action").click()

        wish(200)
        told.line("it is awaited", "when the recorder is running again")
        told.tell(type="recorder", there=False, text="The recorder has ended with exit status 3.")
        told.room.until("it is not awaited", lambda: "running again" not in told.room.line())
        wish(200)
        told.line("it is awaited", "when the recorder is running again")
        page.locator("mc-line .action", has_text="Don't record").click()
        told.room.until("it is not awaited", lambda: "running again" not in told.room.line())
        assert told.run("return studio.wantsRecording") is False
        wish(409)
        told.room.until("it is not awaited", lambda: told.run("return studio.wantsRecording") is False)


@holds("Events repeated after a reconnection count once.")
def _(room, browser, arguments):
    with Told(browser, arguments) as told:
        told.records(60)
        events = [{"event": "started", "at_ns": 0}, {"event": "change", "at_ns": int(9e9), "layout": "single", "shown": ["guest"]},
                  {"event": "drop", "at_ns": int(20e9), "track": "host", "duration_ns": 1}, {"event": "change", "at_ns": int(30e9), "layout": "single", "shown": ["host"]}]
        counts = []
        for _ in range(3):
            told.tell(type="events", events=events)
            counts.append(told.run("return [studio.events.length, studio.shots.length, studio.faults.length]"))
        assert counts[0] == counts[1] == counts[2] and counts[0][0] == 4 and counts[0][2] == 1, counts
        # Another message with only later events keeps the earlier ones.
        told.tell(type="events", events=events[3:])
        assert told.run("return studio.shots.map(shot => shot.at)")[-2:] == [9, 30], told.run("return studio.shots")


@holds("A list with two items with the same key doesn't grow.")
def _(room, browser, arguments):
    with Told(browser, arguments) as told:
        counts = told.run("""
            const list = document.createElement('ul');
            const counts = [];
            for (let round = 0; round < 4; round += 1) {
                keep(list, ['a', 'b', 'a', 'c'], item => item, () => document.createElement('li'), (element, item) => { element.textContent = item; });
                counts.push([...list.children].map(one => one.textContent).join(''));
            }
            keep(list, ['c'], item => item, () => document.createElement('li'), () => {});
            counts.push(list.textContent);
            return counts;""")
        assert counts == ["abac"] * 4 + ["c"], counts


@holds("A job that ended during a disconnection also ends on the page.")
def _(room, browser, arguments):
    with Told(browser, arguments) as told:
        page = told.room.page
        opens(told.room, "recordings")
        folders = told.run("return (await (await fetch('/api/v1/recordings')).json()).recordings.map(one => one.folder)")
        if not folders:
            raise Skip("nothing was recorded")
        running = {"type": "job", "job": 4711, "command": "verify", "folder": folders[0], "progress": 0.5, "done": False, "ok": True, "text": ""}
        told.tell(**running)
        told.room.until("it runs", lambda: page.locator(".recordings progress").is_visible())
        ended = {**running, "done": True, "progress": 1, "text": "All is well."}
        page.route("**/api/v1/jobs", lambda route: route.fulfill(content_type="application/json", body=json.dumps({"jobs": [ended]})))
        told.run("contact.onContact(false); contact.onContact(true)")
        told.room.until("it is over", lambda: page.locator(".recordings progress").is_hidden() and "All is well" in page.locator(".job-line").inner_text())
        # The job no longer exists on the server.
        told.tell(**running)
        told.room.until("it runs", lambda: page.locator(".recordings progress").is_visible())
        page.unroute("**/api/v1/jobs")
        page.route("**/api/v1/jobs", lambda route: route.fulfill(content_type="application/json", body='{"jobs":[]}'))
        told.run("contact.onContact(false); contact.onContact(true)")
        told.room.until("it is over", lambda: page.locator(".recordings progress").is_hidden())


@holds("A recovered recording is no longer shown as truncated.")
def _(room, browser, arguments):
    with Told(browser, arguments) as told:
        page, told_state = told.room.page, ["cut-off"]
        page.route("**/api/v1/recordings", lambda route: route.fulfill(content_type="application/json", body=json.dumps(
            {"recordings": [{"folder": "a", "state": told_state[0], "started": "2026-11-21T14:23:10Z"}]})))
        told.records(state="standby")
        told.run("await listRecordings()")
        told.line("it is said", "was interrupted")
        told_state[0] = "complete"
        told.tell(type="job", job=1, command="recover", folder="a", done=True, ok=True, text="")
        told.room.until("it is not said any more", lambda: "was interrupted" not in told.room.line())


@holds("If a profile can't run, another one can be used, and the page shows the profile that the recorder uses.")
def _(room, browser, arguments):
    with Told(browser, arguments) as told:
        page = told.room.page
        opens(told.room, "prepare")
        told.room.until("profiles are listed", lambda: page.locator(".profile-item").count() > 3)
        choose(told.room, "interview")
        told.records(state="standby", profile="pip")
        used = page.locator(".profile-item", has_text="in use")
        told.room.until("pip is in use", lambda: used.count() == 1 and "pip" in used.inner_text())
        told.records(state="standby", profile="interview")
        told.room.until("interview is in use", lambda: used.count() == 1 and "interview" in used.inner_text())
        told.tell(type="recorder", there=False, text="The recorder has ended with exit status 3.")
        choose(told.room, "pip")
        told.room.until("another one can be used", lambda: page.locator(".use-profile").is_enabled())


@holds("A camera's format is automatic unless the profile sets one, and grayscale is one of the choices.")
def _(room, browser, arguments):
    needs(room, "/api/v1/profiles")
    page = room.page
    opens(room, "prepare")
    choose(room, "interview")
    field = page.locator('.form-row[data-kind="cameras"] select').nth(3)
    room.until("the form is there", lambda: field.count() == 1)
    assert field.input_value() == "auto", field.input_value()
    assert "grey" in field.evaluate("select => [...select.options].map(option => option.value)")
    field.select_option("grey")
    page.wait_for_timeout(500)
    field.select_option("auto")
    page.locator(".form-head button", has_text="Text").click()
    room.until("the checker takes it", lambda: page.locator(".faults li").count() == 0)
    page.locator(".form-head button", has_text="Form").click()
    opens(room, "studio")


# Pictures that aren't current

# Controls what arrives on the page's connection: `wire.isStalled` drops all pictures, and `wire.change` changes each status.
WIRE = """
window.wire = { isStalled: false, change: (status) => {} };
const Socket = window.WebSocket;
window.WebSocket = class extends Socket {
    get onmessage() { return super.onmessage; }
    set onmessage(listener) {
        super.onmessage = listener && ((event) => {
            if (typeof event.data !== "string") {
                const view = new DataView(event.data);
                if (!window.wire.isStalled || view.getUint8(0) === 3) listener(event);
                else this.send(JSON.stringify({ type: "seen", stream: view.getUint16(2, true), sequence: view.getUint32(4, true) }));
                return;
            }
            const message = JSON.parse(event.data);
            if (message.type === "state" || message.type === "change") window.wire.change(message.status);
            listener({ data: JSON.stringify(message) });
        });
    }
};
"""
AWAY = "wire.change = status => { if (status.cameras) status.cameras[1] = { ...status.cameras[1], away: true, away_ns: 12e9 + (performance.now() - at) * 1e6, reason: 'it was unplugged' }; };"
# Each pause, the plates of the program, the first and the second camera, and what ends the pause.
PAUSES = [
    ("wire.isStalled = true; wire.change = status => { status.paused = ['previews']; }", ["PREVIEW PAUSED"] * 3),
    ("wire.isStalled = true", ["FROZEN "] * 3),
    ("wire.change = status => { status.paused = ['program']; }", ["PROGRAM PAUSED", "", ""]),
    (f"const at = performance.now(); {AWAY}", ["", "", "NO SIGNAL "]),
]


class Wired(Room):
    """A page whose connection is controlled by the test."""

    def __init__(self, browser, arguments, path="/", **options):
        super().__init__(browser, arguments, path=path, script=WIRE, **options)
        self.until("every picture is painted", lambda: self.page.evaluate(
            "[...document.querySelectorAll('mc-program canvas.picture, mc-tile canvas.picture')].every(canvas => canvas.dataset.frames > 0)"))

    def wire(self, script):
        self.page.evaluate("() => { " + script + " }")

    def go_on(self):
        self.wire("wire.isStalled = false; wire.change = status => { status.paused = []; }")

    def plates(self):
        return self.page.evaluate("[...document.querySelectorAll('mc-program .plate, mc-tile .plate')].map(plate => plate.checkVisibility() ? plate.textContent : '')")

    def until_plates(self, what, expected):
        def match():
            plates = self.plates()
            return len(plates) == len(expected) and all(text.startswith(start) if start else text == "" for text, start in zip(plates, expected))
        try:
            self.until(what, match)
        except AssertionError as error:
            raise AssertionError(f"{error}: {self.plates()} instead of {expected}") from None

    def pictures(self):
        """Each picture as painted, and a screenshot of it."""
        selector = "mc-program canvas.picture, mc-tile canvas.picture"
        painted = self.page.evaluate(f"[...document.querySelectorAll('{selector}')].map(canvas => canvas.toDataURL())")
        boxes = self.page.locator("mc-program .picture-box, mc-tile .picture-box")
        return painted, [boxes.nth(index).screenshot() for index in range(boxes.count())]

    def check_pictures(self, what):
        """Compares screenshots taken 2 s apart: an identical picture without a plate looks live."""
        first, second = self.pictures(), self.page.wait_for_timeout(2000) or self.pictures()
        plates = self.plates()
        assert len(plates) == len(first[0]) == len(second[0]), (plates, len(first[0]))
        standing = [one == other or before == after for one, other, before, after in zip(*first[:1], *second[:1], first[1], second[1])]
        unmarked = [index for index, (stands, plate) in enumerate(zip(standing, plates)) if stands and not plate]
        assert not unmarked, f"{what}: pictures {unmarked} are identical after 2 s and have no plate"
        return standing


@holds("A picture that stands for 2 s carries a plate, on the main page, the multiview, and the program page.")
def _(room, browser, arguments):
    for path, size in [("/", (1280, 800)), ("/multiview", (1600, 900)), ("/program", (1280, 720)), ("/", (390, 844))]:
        with Wired(browser, arguments, path=path, viewport={"width": size[0], "height": size[1]}) as page:
            count = 1 if path == "/program" else 3
            page.until_plates(f"{path} is live", [""] * count)
            page.until("pictures move", lambda: not any(page.check_pictures(f"{path}, live")))
            for pause, expected in PAUSES:
                page.wire(pause)
                page.until_plates(f"{path}: {pause[:40]}", expected[:count])
                standing = page.check_pictures(f"{path}: {pause[:40]}")
                assert "isStalled" not in pause or all(standing), standing
                page.go_on()
                page.until_plates(f"{path} is live again", [""] * count)
            assert not page.complaints, page.complaints


@holds("The time on a plate counts up, and frozen pictures are gray.")
def _(room, browser, arguments):
    with Wired(browser, arguments) as page:
        page.wire("wire.isStalled = true")
        page.until_plates("it is frozen", ["FROZEN "] * 3)
        before = page.plates()[1]
        page.until("it counts", lambda: page.plates()[1] > before)
        assert "grayscale" in page.page.locator("mc-program canvas.picture").evaluate("canvas => getComputedStyle(canvas).filter")
        page.until("the accessible name contains it", lambda: "FROZEN" in (page.bus(page.roles()[0]).get_attribute("aria-label") or ""))
        canvas = page.page.locator('canvas[data-role="next"]')
        page.until("the preview is not composed of old pictures", lambda: canvas.evaluate("canvas => [...canvas.getContext('2d').getImageData(4, 4, 1, 1).data].slice(0, 3).join()") == "34,34,34")


@holds("A picture whose frames arrive late carries a plate.")
def _(room, browser, arguments):
    with Wired(browser, arguments) as page:
        page.until("the clock is known", lambda: page.page.evaluate("async () => Number.isFinite((await import('/page/contact.js')).contact.clockOffset)"))
        page.page.evaluate("async () => { const { contact } = await import('/page/contact.js'); Object.defineProperty(contact, 'clockOffset', { get: () => window.offset, set: value => { window.offset = value + 3000; } }); }")
        page.page.evaluate("async () => { const { contact } = await import('/page/contact.js'); contact.clockOffset = Number(document.querySelector('mc-tile canvas.picture').dataset.atNs) / 1e6 - performance.now(); }")
        page.until_plates("it is late", ["DELAYED "] * 3)


@holds("After the tab was hidden, its pictures carry plates until new frames arrive.")
def _(room, browser, arguments):
    with Wired(browser, arguments) as page:
        hide = "Object.defineProperty(document, 'hidden', { configurable: true, get: () => %s }); document.dispatchEvent(new Event('visibilitychange'));"
        page.until_plates("it is live", [""] * 3)
        page.wire(hide % "true")
        page.page.wait_for_timeout(1500)
        plates = page.page.evaluate("() => { " + hide % "false" + " return [...document.querySelectorAll('mc-program .plate, mc-tile .plate')].map(plate => plate.textContent); }")
        assert all(text.startswith("FROZEN ") for text in plates), plates
        page.until_plates("it is live again", [""] * 3)


@holds("A lost connection is shown on every picture, and numbers that aren't current are gray.")
def _(room, browser, arguments):
    with Wired(browser, arguments) as page:
        color = "element => getComputedStyle(element).color"
        value = page.page.locator(".vital-value").first
        before = value.evaluate(color)
        page.context.set_offline(True)
        page.until_plates("pictures are frozen", ["FROZEN "] * 3)
        page.until_plates("contact is lost", ["NO CONNECTION "] * 3)
        assert value.evaluate(color) != before
        page.context.set_offline(False)
        page.until_plates("it is live again", [""] * 3)
        assert value.evaluate(color) == before


# What every page shows with plates, alarms, and the switching mode. The recorder's status still arrives, and is changed.
BUSY = "const at = performance.now(); " + AWAY.replace("{ if", """{ status.paused = ['program', 'previews'];
    if (status.program) status.program = { ...status.program, switching: 'voice', switching_resumes_ns: 9.2e9 };
    if (status.state) status.state = 'recording';
    if (status.microphones) status.microphones = status.microphones.map(one => ({ ...one, muted: false, alarms: ['no-signal'], silent_ns: 83e9 }));
    status.live_outputs = [{ name: 'show', state: 'connected' }, { name: 'backup', state: 'waiting', text: 'No route to host.' }];
    status.pressure = 'serious';
    if""") + " wire.isStalled = true;"


@holds("Plates, alarms, live outputs and the switching mode fit at every size, in both color schemes, also enlarged.")
def _(room, browser, arguments):
    room.end()  # A busy computer pauses pictures only during a recording.
    for path, selector, locale, reachable in [
        ("/", "header, #studio, #bottom-bar", "en-GB", ["nav button", ".toggle", "button[data-layout]", ".live-action", ".bus"]),
    ]:
        def make(**options):
            page = Wired(browser, arguments, path=path, locale=locale, **options)
            page.wire(BUSY)
            page.until("plates are shown", lambda: any(words in page.page.inner_text("body") for words in ("PROGRAM PAUSED", "PROGRAMM PAUSIERT")))
            page.page.wait_for_timeout(1500)
            return page
        check_looks(make, selector, f"{path} with plates, {locale}", reachable)


def told_recordings(told):
    """Makes the page show a recording with everything that a recording can have."""
    page = told.room.page
    role = lambda name, **more: {"name": name, "role": name, "file": f"cameras/{name}.mov", "stream": 0, "codec": "mjpeg", "first_ns": 0, "duration_ns": 65e9, **more}
    frames = {"written": 1950, "captured": 1900, "decimated": 0, "duplicated": 3, "slate": 0, "lost": {"disconnected": 90}}
    manifest = {"profile": "interview", "started": "2026-11-21T14:23:10Z", "duration_ns": 65e9, "markers": [{"at_ns": 9e9, "text": "A question with a long text"}], "arrangements": [], "gaps": [],
                "tracks": [role("program", kind="program", frames=frames, width=1280, height=720, rate=30), role("guest-of-honor", kind="camera", frames=frames, width=1280, height=720, rate=30),
                           role("host-mic", kind="microphone", samples={"clipped": 2}, loudness={"integrated_lufs": -16.2, "true_peak_dbtp": -1.1})],
                "devices": [{"role": "guest-of-honor", "clock": {"residual_us": 120}}]}
    entry = {"folder": "2026-11-21_142310_interview", "started": "2026-11-21T14:23:10Z", "state": "incomplete", "level": "bad", "title": "Panel <i>talk</i> about a long title", "duration_ns": 65e9, "bytes": 2.5e9,
             "sentences": ["Incomplete: camera guest-of-honor is missing 90 of 1890 frames (4.8 %) in a gap of 6 s.", "Cause: the device was disconnected."]}
    others = [{**entry, "folder": f"old-{index}", "title": None, "profile": "pip", "state": state, "level": level} for index, (state, level) in enumerate([("complete", "good"), ("complete", "warning"), ("cut-off", "bad")])]
    measured = {"at_ns": 0, "offset_ns": 12.3e6, "uncertainty_ns": 0.4e6, "claps": 3}
    files = [{"path": "cameras/guest-of-honor.mov", "kind": "camera", "track": "guest-of-honor", "bytes": 8e8}, {"path": "audio/host-mic.wav", "kind": "microphone", "track": "host-mic", "bytes": 6e6},
             {"path": "edit/podcast.m4a", "kind": "podcast", "bytes": 1e6}, {"path": "edit/session.fcpxml", "kind": "project", "bytes": 2e4}, {"path": "edit/render-1.mp4", "kind": "render", "bytes": 7e8}, {"path": "report/sync.json", "kind": "other", "bytes": 2e3}]
    sync = {"verdict": "apart", "tracks": [{"name": "host-mic", "kind": "microphone", "verdict": "reference"}, {"name": "guest-of-honor", "kind": "camera", "verdict": "apart", "start": measured, "end": measured, "drift_ppm": 3.1},
                                          {"name": "program", "kind": "program-picture", "verdict": "unknown", "note": "No flash or lamp being switched on was found."}]}
    page.route("**/api/v1/recordings", lambda route: route.fulfill(json={"recordings": [entry, *others], "deletion": "trash", "opens": True}))
    page.route(f"**/api/v1/recordings/{entry['folder']}", lambda route: route.fulfill(json={"manifest": manifest}))
    page.route("**/api/v1/recordings/*/files", lambda route: route.fulfill(json={"program": {"bytes": 9e8, "parts": 3}, "archive": {"bytes": 2.5e9}, "files": files}))
    page.route("**/api/v1/recordings/*/files/report/sync.json", lambda route: route.fulfill(json=sync))
    return entry


@holds("The card, the list of recordings, downloads and measured offsets fit at every size, in both color schemes, also enlarged.")
def _(room, browser, arguments):
    for locale in ("en-GB", "de-DE"):
        def card(**options):
            told = Told(browser, arguments, locale=locale, **options)
            entry = told_recordings(told)
            told.records(folder=entry["folder"])
            told.records(state="standby")
            told.room.until("the card is shown", told.room.page.locator("mc-ending").is_visible)
            return told

        def recordings(**options):
            told = Told(browser, arguments, locale=locale, **options)
            told_recordings(told)
            told.records(state="standby")
            opens(told.room, "recordings")
            told.room.until("the offsets are shown", told.room.page.locator(".sync-place").is_visible)
            return told

        check_looks(card, "mc-ending", f"card, {locale}", ["mc-ending [data-action]", "mc-ending a", ".ending-close"] if locale == "en-GB" else [])
        check_looks(recordings, "header, #recordings", f"recordings, {locale}", [".recording-item", ".made-files a", ".manage button", "#recording-order", "[data-job]"] if locale == "en-GB" else [])


@holds("Prepare's form with added roles fits at every size, in both color schemes, also enlarged.")
def _(room, browser, arguments):
    needs(room, "/api/v1/profiles")
    for locale in ("en-GB", "de-DE"):
        def make(**options):
            page = Room(browser, arguments, locale=locale, **options)
            opens(page, "prepare")
            page.until("profiles are listed", lambda: page.page.locator(".profile-item").count() > 3)
            choose(page, "interview")
            for index in (0, 1):
                page.page.locator(".add-role").nth(index).click()
            page.until("they are added", lambda: page.page.locator(".form-row").count() >= 6)
            return page
        check_looks(make, "header, #prepare", f"prepare, {locale}", [".add-role", ".row-remove", ".profile-item"] if locale == "en-GB" else [])


@holds("The remote shows that the program is paused and that a camera has no signal.")
def _(room, browser, arguments):
    room.pip()
    with Wired(browser, arguments, path="/remote", viewport={"width": 390, "height": 844}) as page:
        plates = page.page.locator(".tally-plate")
        page.wire("wire.change = status => { status.paused = ['program']; }")
        page.until("both on-air cameras show it", lambda: plates.all_inner_texts() == ["PROGRAM PAUSED"] * 2)
        page.wire("wire.change = status => { status.paused = []; }")
        page.until("it is over", lambda: plates.all_inner_texts() == ["", ""])
        page.wire(f"const at = performance.now(); {AWAY}")
        page.until("one has no signal", lambda: plates.nth(1).inner_text().startswith("NO SIGNAL ") and plates.first.inner_text() == "")


@holds("A paused program outranks every other alarm until it is acknowledged.")
def _(room, browser, arguments):
    with Told(browser, arguments) as told:
        page = told.room.page
        told.records(paused=["program"], microphones=[{"role": "host-mic", "alarms": ["no-signal"]}], disk={"seconds_left": 100}, pressure="critical")
        told.line("it is first", "program is paused")
        told.tell(type="change", status={"cameras": [{"role": "host", "away": True}, {"role": "guest"}]})
        page.wait_for_timeout(700)
        assert "program is paused" in told.room.line() and told.room.data("level") == "act", told.room.line()
        page.keyboard.press("a")
        told.room.until("the next alarm is shown", lambda: "program is paused" not in told.room.line() and told.room.data("level") == "act")


# States that require a mock server

def alarm(room, **what):
    room.mock(reset={"state": "recording", "offset": 4364})
    room.mock(**what)


@holds("A disconnected camera shows a slate with the cause; on air, it is an alarm that can be acknowledged.", mock=True)
def _(room, browser, arguments):
    alarm(room, away={"guest": "unplugged"})
    room.until("the line warns", lambda: room.data("level") == "act" and "guest is disconnected" in room.line())
    assert room.page.locator('mc-tile[data-role="guest"] .slate').is_visible()
    room.until("it is said", lambda: "guest" in room.page.locator("#spoken-alert").inner_text())
    assert_accessible(room, "away")
    room.page.keyboard.press("a")
    room.until("it is attention", lambda: room.data("level") == "attention")
    room.mock(away={})
    room.until("it is over", lambda: room.data("level") in ("state", "note"))


@holds("Silence and clipping are clearly visible, and the clipping indicator stays until it is cleared.", mock=True)
def _(room, browser, arguments):
    alarm(room, mic={"guest-mic": {"alarms": ["no-signal"]}})
    strip = room.page.locator('mc-strip[data-role="guest-mic"]')
    room.until("the strip says it", lambda: "NO SIGNAL" in strip.inner_text())
    room.until("the line says it", lambda: "No signal" in room.line())
    room.mock(mic={"guest-mic": {"alarms": []}})
    room.until("it is over", lambda: "NO SIGNAL" not in strip.inner_text())
    room.mock(mic={"guest-mic": {"clipped": 1}})
    room.until("the clip stands", lambda: "CLIP 1" in strip.inner_text())
    room.mock(mic={"guest-mic": {"clipped": 4}})
    room.until("it is an alarm", lambda: room.data("level") == "act" and "is clipping" in room.line())
    assert_accessible(room, "clipping")
    strip.locator(".alarm:visible").click()
    room.until("it is cleared", lambda: "CLIP" not in strip.inner_text())
    room.mock(mic={"guest-mic": {"clipped": 5}})
    room.until("the next one stands", lambda: "CLIP 1" in strip.inner_text())
    room.page.keyboard.press("c")
    room.until("it is cleared", lambda: "CLIP" not in strip.inner_text())


@holds("A nearly full disk is a warning at 10 min and an alarm at 5.", mock=True)
def _(room, browser, arguments):
    alarm(room, disk=540)
    room.until("it is attention", lambda: room.data("level") == "attention" and "9" in room.line())
    room.mock(disk=250)
    room.until("it is an alarm", lambda: room.data("level") == "act" and "4" in room.line())
    assert_accessible(room, "disk")


@holds("The recorder's exit is shown with its time, and recording can be restarted.", mock=True)
def _(room, browser, arguments):
    alarm(room)
    room.until("it records", lambda: room.data("state") == "recording")
    room.mock(there=False)
    room.until("it is gone", lambda: room.data("state") == "gone" and "1:12" in room.line())
    assert_accessible(room, "gone")
    room.page.locator("mc-line .action").click()
    room.until("it records again", lambda: room.data("state") == "recording")


@holds("A plan that exceeds an enforced budget disables Record.", mock=True)
def _(room, browser, arguments):
    room.mock(reset={"state": "standby"}, hardware=1.18, policy="refuse")
    room.until("the line says it", lambda: "118" in room.line())
    assert room.page.locator(".bar .record").is_disabled()


@holds("The page works if all new status fields are missing.", mock=True)
def _(room, browser, arguments):
    fields = ["delay_ns", "markers", "disk", "scenes", "scene", "arrangement", "limits", "policy", "cost", "pressure", "given_up"]
    room.mock(reset={"state": "recording", "offset": 60}, drop_fields=fields)
    room.page.reload()
    room.until("it records", lambda: room.data("state") == "recording")
    room.bus("host").click()
    room.until("it cuts", lambda: room.data("shown").split()[:1] == ["host"])
    room.mock(drop_fields=[])


@holds("Missing devices are reported, and Record is disabled.", mock=True)
def _(room, browser, arguments):
    room.mock(reset={"state": "standby", "nothing": True})
    room.until("the page says it", lambda: "No camera or microphone" in room.page.inner_text("body"))
    assert room.page.locator(".bar .record").is_disabled()
    assert_accessible(room, "nothing")
    room.mock(reset={"state": "standby"})
    room.until("all is back", lambda: room.page.locator("mc-tile").count() == 4)


@holds("The browser's console contains no errors.")
def _(room, browser, arguments):
    assert not room.complaints, room.complaints


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--address", required=True, help="the URL printed by multicam studio, including its fragment")
    parser.add_argument("--only", default="", help="only checks whose names contain these words; separate several with |")
    parser.add_argument("--chromium", default="/usr/bin/chromium")
    parser.add_argument("--failures", help="a folder for a screenshot of each failure")
    parser.add_argument("--patience", type=float, default=1, help="multiply timeouts by this factor, for busy machines")
    parser.add_argument("--mock", action="store_true")
    arguments = parser.parse_args()
    held = failed = skipped = 0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=arguments.chromium, args=["--no-sandbox", "--autoplay-policy=no-user-gesture-required"])
        room = Room(browser, arguments)
        if arguments.mock:
            room.mock(reset={"state": "standby"})
            room.page.reload()
            room.until("the page has contact", lambda: room.data("contact") == "yes" and room.data("state") != "contact")
        for number, (sentence, test, needs_mock) in enumerate(TESTS):
            if not any(words in sentence.lower() for words in arguments.only.lower().split("|")) or (needs_mock and not arguments.mock):
                continue
            try:
                test(room, browser, arguments)
                held += 1
                print(f"holds    {sentence}", flush=True)
            except Skip as reason:
                skipped += 1
                print(f"skipped  {sentence} ({reason})", flush=True)
            except Exception as error:
                failed += 1
                place = traceback.extract_tb(error.__traceback__)[1]
                print(f"FAILS    {sentence}\n         line {place.lineno}: {str(error)[:1200] or type(error).__name__}", flush=True)
                if arguments.failures:
                    os.makedirs(arguments.failures, exist_ok=True)
                    room.page.screenshot(path=os.path.join(arguments.failures, f"{number}.png"))
        browser.close()
    print(f"{held} hold, {failed} fail, {skipped} skipped.")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
