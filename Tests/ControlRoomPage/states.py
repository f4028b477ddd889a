#!/usr/bin/env python3
"""Takes the documentation's screenshots of the control room, one for each documented state.

    states.py --address 'http://127.0.0.1:8470/#token=…' --into DIR [--only WORDS] [--patience N] [--chromium PATH]

Needs a running `multicam studio` on standby with four cameras and two microphones, whose third camera disconnects 120 s into a recording;
`tools/page-test --pictures` starts one. It records for two minutes. Check each screenshot before you commit it.
"""

import argparse
import os
import subprocess
import tempfile

from playwright.sync_api import sync_playwright

from page_test import Room, frames

DESKTOP = {"width": 1280, "height": 800}
PHONE = {"width": 390, "height": 780}
TALL = {"width": 1280, "height": 940}
WALL = {"width": 1600, "height": 900}
AWAY_AT = 120
LOOKS = [("host", "k"), ("guest", "g"), ("wide", "n"), ("desk", "j")]
OVER_BUDGET = """# Two raw cameras on one USB controller
cameras:
  left:
    device: 'virtual:clap?bus=one'
    size: 640x480
    format: yuyv
  right:
    device: 'virtual:clap?bus=one'
    size: 640x480
    format: yuyv
program: { layout: side-by-side }
"""
CLAPS = """description: Cameras that see claps
cameras:
  host: { device: 'virtual:clap?fps=29.9&size=640x360', size: 640x360 }
  guest: { device: 'virtual:clap?fps=30.1&size=640x360', size: 640x360 }
microphones: { host-mic: { device: 'virtual:clap' }, guest-mic: { device: 'virtual:clap' } }
program: { layout: pip, main: host, inset: guest, size: 640x360, video: { codec: h264, preset: ultrafast } }
"""


class Camera:
    def __init__(self, browser, arguments):
        self.browser = browser
        self.arguments = arguments
        self.made = []

    def wants(self, *names):
        return not self.arguments.only or any(word in name for word in self.arguments.only.split("|") for name in names)

    def take(self, name, room, wait=700, **options):
        if not self.wants(name):
            return
        room.page.wait_for_timeout(wait)
        path = os.path.join(self.arguments.into, f"room-{name}.png")
        raw = path + ".raw.png"
        room.page.screenshot(path=raw, **options)
        # Uses a reduced palette, because the file is stored in the repository.
        subprocess.run(
            ["ffmpeg", "-v", "error", "-nostdin", "-y", "-i", raw, "-vf", "split[a][b];[a]palettegen=max_colors=200:stats_mode=single[p];[b][p]paletteuse=dither=none",
             "-frames:v", "1", path], check=True)
        os.remove(raw)
        self.made.append(path)
        print(f"{path}: {os.path.getsize(path) // 1000} kB", flush=True)

    def animate(self, name, room, actions, frames=5, interval=400):
        """Makes an animated GIF: `frames` screenshots after each action, one every `interval` ms."""
        if not self.wants(name):
            return
        path = os.path.join(self.arguments.into, f"room-{name}.gif")
        with tempfile.TemporaryDirectory() as folder:
            number = 0
            for action in actions:
                action()
                for _ in range(frames):
                    room.page.wait_for_timeout(interval)
                    room.page.screenshot(path=f"{folder}/{number:03}.png")
                    number += 1
            subprocess.run(
                ["ffmpeg", "-v", "error", "-nostdin", "-y", "-framerate", f"1000/{interval}", "-i", f"{folder}/%03d.png", "-vf",
                 "scale=800:-1:flags=lanczos,split[a][b];[a]palettegen=max_colors=128:stats_mode=diff[p];[b][p]paletteuse=dither=none:diff_mode=rectangle",
                 path], check=True)
        self.made.append(path)
        print(f"{path}: {os.path.getsize(path) // 1000} kB", flush=True)

    def room(self, **options):
        options = {"viewport": DESKTOP, "color_scheme": "dark", **options}
        return Room(self.browser, self.arguments, **options)


def view(room, name):
    room.page.locator(f'nav [data-view="{name}"]').click()


def calm(room):
    """Waits until there are no problems; on a busy machine, the screenshots show some."""
    try:
        room.until("nothing is wrong", lambda: room.data("level") in ("state", "note"), 10)
    except AssertionError:
        print("the machine is busy, and the pictures say so", flush=True)


def studio_states(camera, room):
    page = room.page
    for name, words in [("Opening", ["layout=single", "main=wide"]), ("Talk", ["layout=side-by-side", "main=host", "inset=guest"]), ("Notes", ["layout=pip", "main=desk", "inset=host"])]:
        room.command("arrange", *words)
        page.wait_for_timeout(400)
        room.command("save-scene", name)
        page.wait_for_timeout(700)
    room.command("arrange", "layout=pip", "main=guest", "inset=host")
    room.command("gain", "host-mic", "3")
    page.wait_for_timeout(2500)
    page.keyboard.press("?")
    camera.take("keys", room)
    page.keyboard.press("Escape")
    room.record()
    page.keyboard.press("m")
    for key, wait in [("1", 2500), ("2", 2500)]:
        page.wait_for_timeout(wait)
        page.keyboard.press(key)
    room.command("mark", "question 1")
    page.mouse.move(5, 5)
    calm(room)
    camera.take("recording", room, wait=4000)
    camera.animate(
        "switching", room,
        [lambda: page.keyboard.press("1"), lambda: page.keyboard.press("3"), lambda: room.command("scene", "Talk"), lambda: page.keyboard.press("m"),
         lambda: room.command("scene", "Notes"), lambda: page.keyboard.press("2")])
    room.command("switching", "voice")
    room.until("switching is automatic", lambda: page.locator("mc-switching .auto[aria-pressed=true]").count() == 1)
    page.keyboard.press("1")
    room.until("AUTO waits", lambda: page.locator("mc-switching .auto[data-waits]").count() == 1)
    page.mouse.move(5, 5)
    area = page.locator(".switching").bounding_box()
    camera.take("auto", room, clip={"x": area["x"] - 8, "y": area["y"] - 8, "width": area["width"] + 16, "height": area["height"] + 16})
    room.command("switching", "manual")
    page.emulate_media(color_scheme="light")
    camera.take("recording-light", room)
    page.emulate_media(color_scheme="dark")
    page.keyboard.press("h")
    camera.take("health", room, wait=6000)
    page.keyboard.press("h")
    for role, key in LOOKS:
        page.locator(f'mc-tile[data-role="{role}"]').hover()
        page.keyboard.press(key)
    page.mouse.move(5, 5)
    tiles = page.locator("#tiles").bounding_box()
    camera.take("looks", room, clip={"x": 0, "y": tiles["y"] - 8, "width": DESKTOP["width"], "height": tiles["height"] + 16})
    for role, key in LOOKS:
        page.locator(f'mc-tile[data-role="{role}"]').hover()
        page.keyboard.press(key)
    page.mouse.move(5, 5)
    for name, path, size in [("multiview", "/multiview", WALL), ("phone", "/", PHONE), ("remote", "/remote", PHONE)]:
        other = camera.room(path=path, viewport=size, has_touch=size == PHONE)
        if name != "remote":
            other.until("the program is painted", lambda: frames(other.page, 'canvas[data-role="program"]') > 3)
        camera.take(name, other, wait=1500)
        other.close()
    room.command("arrange", "layout=pip", "main=wide", "inset=host")
    room.until("wide is away", lambda: page.locator('mc-tile[data-role="wide"][data-away]').count() == 1, AWAY_AT + 60)
    camera.take("alarm", room, wait=3000)
    tiles = page.locator("#tiles").bounding_box()
    camera.take("plates", room, clip={"x": 0, "y": tiles["y"] - 8, "width": DESKTOP["width"], "height": tiles["height"] + 16})
    page.locator(".bar .stop").click()
    camera.take("ending", room, clip={"x": 0, "y": 0, "width": DESKTOP["width"], "height": 96})
    page.locator(".bar .end").click()
    room.until("it is on standby again", lambda: room.data("state") == "standby", 60)
    room.until("the card is shown", page.locator("mc-ending").is_visible, 60)
    page.evaluate("document.activeElement.blur()")
    camera.take("card", room, wait=1500)


def recording_states(camera, room):
    page = room.page
    page.set_viewport_size(TALL)
    view(room, "recordings")
    room.until("there is one", lambda: page.locator(".recording-item").count() > 0)
    page.wait_for_timeout(2000)
    lanes = page.locator(".player-lanes").bounding_box()
    page.mouse.click(lanes["x"] + lanes["width"] * 0.3, lanes["y"] + lanes["height"] / 2)
    if page.locator('[data-job="sync-check"]').is_visible():
        page.locator('[data-job="sync-check"]').click()
    page.mouse.move(5, 5)
    page.evaluate("document.activeElement.blur(); document.getElementById('recordings').scrollTop = 0")
    camera.take("recordings", room, wait=3000)


def prepare_states(camera, room):
    page = room.page
    page.set_viewport_size(TALL)
    view(room, "prepare")
    room.until("profiles are listed", lambda: page.locator(".profile-item").count() > 3)
    page.locator(".profile-item", has_text="interview").first.click()
    room.until("rows are there", lambda: page.locator(".row-controls[aria-expanded]").count() == 2)
    page.locator(".row-controls[aria-expanded]").first.click()
    page.wait_for_timeout(2000)
    room.until("doctor has checked", lambda: page.locator(".findings li").count() > 0, 60)
    page.mouse.move(5, 5)
    camera.take("prepare", room)
    page.locator(".form-head button", has_text="Text").click()
    page.locator(".profile-text").fill(OVER_BUDGET)
    room.until("proposals are made", lambda: page.locator(".plan-fixes li").count() > 0)
    page.mouse.move(5, 5)
    page.evaluate("document.activeElement.blur()")
    camera.take("fit", room)
    page.locator(".form-head button", has_text="Revert").click()
    page.locator(".form-head button", has_text="Form").click()


def calibrate_states(camera, room):
    page = room.page
    if page.evaluate("fetch('/api/v1/jobs').then(answer => answer.status)") != 200:
        return
    page.evaluate("""async text => {
        await fetch('/api/v1/profiles/claps', { method: 'PUT', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ text }) });
        await fetch('/api/v1/profiles/use', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ name: 'claps' }) }); }""", CLAPS)
    room.until("it is used", lambda: page.locator("mc-line .profile").inner_text() == "claps" and room.data("state") == "standby", 60)
    view(room, "prepare")
    button = page.locator(".calibrate-begin")
    room.until("it can begin", lambda: button.is_enabled())
    button.click()
    room.until("events are heard", lambda: page.locator(".calibrate-dot[data-seen]").count() >= 18, 90)
    page.mouse.move(5, 5)
    box = page.locator("mc-calibrate").bounding_box()
    camera.take("calibrate", room, clip={"x": max(0, box["x"] - 8), "y": max(0, box["y"] - 8), "width": box["width"] + 16, "height": box["height"] + 16})
    button.click()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--address", required=True)
    parser.add_argument("--into", required=True)
    parser.add_argument("--only", help="only screenshots whose names contain these words; separate several with |")
    parser.add_argument("--patience", type=float, default=1, help="multiply timeouts by this factor, for busy machines")
    parser.add_argument("--chromium", default="/usr/bin/chromium")
    arguments = parser.parse_args()
    os.makedirs(arguments.into, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=arguments.chromium, args=["--no-sandbox"])
        camera = Camera(browser, arguments)
        room = camera.room()
        if camera.wants("keys", "recording", "switching", "recording-light", "health", "looks", "multiview", "phone", "remote", "alarm", "ending", "auto", "plates", "card"):
            studio_states(camera, room)
        if camera.wants("recordings"):
            recording_states(camera, room)
        if camera.wants("prepare", "fit"):
            prepare_states(camera, room)
        if camera.wants("calibrate"):
            calibrate_states(camera, room)
        browser.close()
    limits = {".png": 300_000, ".gif": 3_000_000}
    large = [path for path in camera.made if os.path.getsize(path) > limits[os.path.splitext(path)[1]]]
    if large:
        raise SystemExit(f"larger than a picture may be ({limits}): {', '.join(large)}")


if __name__ == "__main__":
    main()
