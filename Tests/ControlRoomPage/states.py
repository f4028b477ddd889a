#!/usr/bin/env python3
"""Makes a picture of each state of the control room, to be looked at and for the documents.

    states.py --address 'http://127.0.0.1:8470/#token=…' --into DIR [--chromium PATH]

Needs a running `multicam studio --virtual` that is on standby; it records for some seconds.
"""

import argparse
import os

from playwright.sync_api import sync_playwright

from page_test import Room

DESKTOP = {"width": 1440, "height": 900}
PHONE = {"width": 390, "height": 844}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--address", required=True)
    parser.add_argument("--into", required=True)
    parser.add_argument("--chromium", default="/usr/bin/chromium")
    arguments = parser.parse_args()
    os.makedirs(arguments.into, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=arguments.chromium, args=["--no-sandbox"])

        def picture(name, room):
            room.page.wait_for_timeout(1500)
            room.page.screenshot(path=os.path.join(arguments.into, f"{name}.png"))
            print(name, flush=True)

        room = Room(browser, arguments, viewport=DESKTOP, color_scheme="dark")
        picture("standby", room)
        room.page.keyboard.press("?")
        picture("keys", room)
        room.page.keyboard.press("Escape")
        for view in ["prepare", "recordings"]:
            room.page.locator(f'nav [data-view="{view}"]').click()
            picture(view, room)
        room.page.locator('nav [data-view="studio"]').click()
        room.pip()
        room.record()
        for number, key in enumerate(["m", "2", "1"]):
            room.page.keyboard.press(key)
            room.page.wait_for_timeout(2000)
        picture("recording", room)
        room.page.keyboard.press("h")
        picture("health", room)
        room.page.keyboard.press("h")
        for name in ["k", "j", "n", "g"]:
            room.page.keyboard.press(name)
        picture("looks", room)
        for name in ["k", "j", "n", "g"]:
            room.page.keyboard.press(name)
        room.page.emulate_media(color_scheme="light")
        picture("light", room)
        room.page.emulate_media(color_scheme="dark")
        others = [("multiview", "/multiview", {"width": 1920, "height": 1080}), ("program", "/program", {"width": 1280, "height": 720}),
                  ("phone", "/", PHONE), ("remote", "/remote", PHONE), ("tablet", "/", {"width": 800, "height": 1100}), ("wall", "/", {"width": 3840, "height": 2160})]
        for name, path, size in others:
            other = Room(browser, arguments, path=path, viewport=size, color_scheme="dark", has_touch=size == PHONE, device_scale_factor=2 if size == PHONE else 1)
            picture(name, other)
            other.close()
        german = Room(browser, arguments, viewport=DESKTOP, color_scheme="dark", locale="de-DE")
        picture("german", german)
        german.close()
        room.page.locator(".bar .stop").click()
        picture("ending", room)
        room.page.locator(".bar .end").click()
        picture("finishing", room)
        room.until("it is on standby again", lambda: room.data("state") == "standby", 30)
        room.context.set_offline(True)
        room.until("contact is lost", lambda: room.data("contact") == "no", 20)
        picture("lost-contact", room)
        browser.close()


if __name__ == "__main__":
    main()
