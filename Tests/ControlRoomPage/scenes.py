"""Draws the camera images of the documentation's pictures, and makes the microphones' audio.

    scenes.py --into DIR [--chromium PATH]

Writes host.png, guest.png, wide.png and desk.png, 640×360, and host-mic.wav and guest-mic.wav, four minutes with the level changes of
speech. The drawings are vectors in this file, so no other files are needed.
"""

import argparse
import math
import os
import subprocess

from playwright.sync_api import sync_playwright

SIZE = {"width": 640, "height": 360}


def person(x, y, scale, skin, hair, shirt, is_curly, microphone):
    """Head and shoulders, with the microphone on the given side: −1 left, 1 right."""
    curls = "".join(f'<circle cx="{math.cos(a / 3.5) * 58:.0f}" cy="{-62 - math.sin(a / 3.5) * 52:.0f}" r="22" fill="{hair}"/>' for a in range(12))
    top = curls if is_curly else f'<path d="M-58 -40 Q-70 -135 0 -138 Q70 -135 58 -40 Q50 -92 0 -96 Q-50 -92 -58 -40Z" fill="{hair}"/>'
    return f"""<g transform="translate({x} {y}) scale({scale})">
      <path d="M-130 150 Q-128 42 -36 32 L36 32 Q128 42 130 150Z" fill="{shirt}"/>
      <rect x="-20" y="-6" width="40" height="48" rx="14" fill="{skin}"/>
      <path d="M-20 24 Q0 40 20 24 L20 12 Q0 26 -20 12Z" fill="#000" opacity=".12"/>
      <ellipse cx="0" cy="-48" rx="52" ry="64" fill="{skin}"/>{top}
      <circle cx="-19" cy="-46" r="4.5" fill="#1d1d1d"/><circle cx="19" cy="-46" r="4.5" fill="#1d1d1d"/>
      <path d="M-28 -60 q9 -6 18 0 M10 -60 q9 -6 18 0" stroke="{hair}" stroke-width="4" fill="none"/>
      <path d="M0 -42 q7 16 -3 18" stroke="#000" stroke-opacity=".3" stroke-width="3" fill="none"/>
      <path d="M-15 -12 Q0 0 15 -12" stroke="#7c3b32" stroke-width="4" fill="none" stroke-linecap="round"/>
      <g transform="translate({microphone * 84} 62) rotate({microphone * 24})"><rect x="-16" y="-58" width="32" height="62" rx="16" fill="#23262b"/>
      <path d="M-16 -34h32M-16 -22h32" stroke="#454a52" stroke-width="3"/><rect x="-4" y="4" width="8" height="110" fill="#23262b"/></g></g>"""


HOST = ("#efc3a0", "#33241d", "#2f6088", False)
GUEST = ("#8a5a3c", "#221a18", "#c08a2d", True)
BOOKS = "".join(f'<rect x="{40 + index * 17}" y="{104 - height}" width="14" height="{height}" fill="{color}"/>' for index, (height, color) in enumerate(
    zip([44, 52, 38, 50, 46, 54, 40, 48], ["#a5483b", "#3f6f78", "#c9a24a", "#5c4a78", "#7a8f4a", "#b0653a", "#41618c", "#8c4a5f"])))

SCENES = {
    "host": f"""<defs><radialGradient id="lamp"><stop offset="0" stop-color="#ffe0a0"/><stop offset=".25" stop-color="#d8a860" stop-opacity=".7"/><stop offset="1" stop-color="#d8a860" stop-opacity="0"/></radialGradient></defs>
      <rect width="640" height="360" fill="#20323f"/><path d="M0 0h640v300H0z" fill="#263b49"/>{"".join(f'<path d="M{x} 0v300" stroke="#1d2f3b" stroke-width="3"/>' for x in range(40, 640, 60))}
      <circle cx="96" cy="92" r="150" fill="url(#lamp)"/><circle cx="96" cy="92" r="22" fill="#fff0c8"/>
      <path d="M560 330 q-40 -90 -66 -96 q34 14 54 92 q-6 -110 6 -128 q10 26 4 130 q22 -90 56 -100 q-24 20 -44 102Z" fill="#3f7d52"/><rect x="532" y="310" width="48" height="50" fill="#8a5d43"/>
      {person(310, 224, 1.1, *HOST, 1)}""",
    "guest": f"""<rect width="640" height="360" fill="#4a3a33"/><rect y="0" width="640" height="250" fill="#56443b"/>
      <rect x="30" y="104" width="150" height="8" fill="#2f241f"/>{BOOKS}<g transform="translate(0 96)"><rect x="30" y="104" width="150" height="8" fill="#2f241f"/>{BOOKS}</g>
      <rect x="474" y="60" width="124" height="92" fill="#dcd3c4"/><rect x="482" y="68" width="108" height="76" fill="#9ab3c0"/><path d="M482 144 l36 -44 24 26 20 -34 28 52Z" fill="#5f7f6a"/>
      {person(326, 226, 1.15, *GUEST, -1)}""",
    "wide": f"""<rect width="640" height="360" fill="#2c3333"/><rect width="640" height="230" fill="#343d3d"/><path d="M320 0v54" stroke="#111" stroke-width="4"/><path d="M282 82 Q320 28 358 82Z" fill="#e9d9b0"/>
      <path d="M282 82 L140 300 H500 L358 82Z" fill="#f5e3ae" opacity=".13"/>
      {person(180, 214, .66, *HOST, 1)}{person(460, 214, .66, *GUEST, -1)}
      <path d="M40 286 h560 l34 74 h-628Z" fill="#7b5638"/><path d="M40 286h560" stroke="#9a7049" stroke-width="5"/><ellipse cx="320" cy="304" rx="18" ry="7" fill="#e8e4da"/><rect x="302" y="304" width="36" height="26" fill="#e8e4da"/>""",
    "desk": f"""<rect width="640" height="360" fill="#86603f"/>{"".join(f'<path d="M0 {y} q160 {(-1) ** y * 8} 320 0 t320 0" stroke="#785435" stroke-width="3" fill="none"/>' for y in range(31, 360, 47))}
      <g transform="rotate(-9 260 190)"><rect x="150" y="46" width="220" height="284" fill="#faf8f0"/>{"".join(f'<path d="M174 {y}h{172 - (y * 7) % 60}" stroke="#7f8a94" stroke-width="5"/>' for y in range(84, 300, 26))}</g>
      <circle cx="496" cy="112" r="66" fill="#e9e5da"/><circle cx="496" cy="112" r="52" fill="#4b2f20"/><path d="M556 94 a30 30 0 1 1 2 38" stroke="#e9e5da" stroke-width="13" fill="none"/>
      <path d="M640 250 q-110 -26 -196 26 l-42 38 14 16 60 -14 q90 40 164 44Z" fill="#efc3a0"/><path d="M640 226 v134 h-70 q-20 -90 16 -128Z" fill="#2f6088"/>
      <path d="M330 214 l112 86" stroke="#23262b" stroke-width="10" stroke-linecap="round"/><path d="M322 208 l14 11" stroke="#d8a860" stroke-width="8"/>""",
}


def speech(path, begin):
    """Noise with the level changes of a person who speaks and listens for some seconds in turn, to exercise the meters."""
    talk = f"0.004+0.55*pow(abs(sin(t*7.3+sin(t*1.9)*2)),0.7)*gt(sin((t+{begin})*0.6),-0.1)"
    subprocess.run(
        ["ffmpeg", "-v", "error", "-nostdin", "-y", "-f", "lavfi", "-i", f"anoisesrc=color=pink:amplitude=0.9:duration=240:sample_rate=48000:seed={begin + 1}",
         "-af", f"lowpass=3000,volume='{talk}':eval=frame", "-ac", "1", path], check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--into", required=True)
    parser.add_argument("--chromium", default="/usr/bin/chromium")
    arguments = parser.parse_args()
    os.makedirs(arguments.into, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=arguments.chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport=SIZE)
        for name, drawing in SCENES.items():
            page.set_content(f'<style>body {{ margin: 0 }} svg {{ display: block }}</style><svg xmlns="http://www.w3.org/2000/svg" width="640" height="360">{drawing}</svg>')
            page.screenshot(path=os.path.join(arguments.into, f"{name}.png"))
        browser.close()
    for begin, name in [(0, "host-mic"), (5, "guest-mic")]:
        speech(os.path.join(arguments.into, f"{name}.wav"), begin)


if __name__ == "__main__":
    main()
