"""Opens the control room in Chromium for `tools/release check`: waits until it shows standby, saves a screenshot, and prints its text.

Usage: see.py ADDRESS PICTURE
"""
import shutil
import sys

from playwright.sync_api import sync_playwright

address, picture = sys.argv[1:]
with sync_playwright() as playwright:
    browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.goto(address)
    page.get_by_text("NOT RECORDING").first.wait_for(timeout=30_000)
    page.wait_for_timeout(5000)
    page.screenshot(path=picture)
    print(" ".join(page.inner_text("body").split())[:400])
    browser.close()
