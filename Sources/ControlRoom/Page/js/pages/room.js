// The control room's main page. Assembles its elements, and connects the keyboard shortcuts to them.

import "./message-line.js";
import "./record.js";
import "./vitals.js";
import "./program-view.js";
import "./next-view.js";
import "./layouts.js";
import "./scenes.js";
import "./live.js";
import { toggleSwitching } from "./switching-mode.js";
import "./sound.js";
import "./timeline.js";
import "./notes.js";
import "./health.js";
import "./group.js";
import "./key-sheet.js";
import { askToEnd, chooseLayout, chooseScene, cut, cutTo, goOn, insetTo, mark, record, scenes, setPreviewFirst, split, still, undo } from "./commands.js";
import { actionOf, isTyping } from "./keys.js";
import { seeWorst } from "./conditions.js";
import { sayAll } from "./message-line.js";
import { isStopAlive, mayRecord } from "./record.js";
import { meantTiles, Tile, toggleLook } from "./tile.js";
import { BottomBar } from "./bottom-bar.js";
import { open } from "./common.js";
import { contact } from "./contact.js";
import { layouts } from "./layout-table.js";
import { studio } from "./studio.js";
import { listRecordings } from "./recordings.js";
import "./ending.js";
import { say } from "./words.js";
import { h, keep, setAttribute, setFlag } from "./dom.js";
import "./prepare.js";
import { ControlsView } from "./controls-view.js";

const tiles = document.getElementById("tiles");
const bar = document.getElementById("bottom-bar");
const sheet = /** @type {import("./key-sheet.js").KeySheet | null} */ (document.querySelector("mc-keys"));
const timeline = /** @type {import("./timeline.js").Timeline | null} */ (document.querySelector("mc-timeline"));

if (bar) new BottomBar(bar, true);

/** Minimum free width for a fifth column, in rem. */
const spareForHealth = 17.5;

function layOut() {
    const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
    const [width, height] = [innerWidth / rem, innerHeight / rem];
    const column = Math.max(13.25, Math.min((width - 4.25) / 4, (height - 20) / 1.6875));
    setFlag(document.body, "data-wide", innerWidth >= 1100 && width - 4.25 - 4 * column >= spareForHealth + 0.75);
    showLocal();
}

function showLocal() {
    const isWide = document.body.hasAttribute("data-wide");
    setFlag(document.body, "data-health", isWide || studio.local.isHealthShown);
}

addEventListener("resize", layOut);
studio.on(["local"], showLocal);
studio.on(["status"], () => {
    if (!tiles) return;
    keep(tiles, studio.cameras.slice(0, 16), (camera) => camera.role, (camera) => Tile.make(camera.role), () => {});
    setFlag(tiles, "data-many", studio.cameras.length > 4);
    // Number of columns beside the tiles that are free on a desktop.
    setAttribute(document.body, "data-free", studio.cameras.length <= 2 ? "2" : studio.cameras.length === 3 ? "1" : undefined);
    tiles.style.setProperty("--count", String(Math.max(1, studio.cameras.length)));
});
document.addEventListener("multicam-keys", () => sheet?.open());

let sceneKeyAt = -1e9;

/** Actions available only in the view that shows the pictures. */
const ofStudio = new Set(["main", "inset", "cut", ...layouts.map(({ name }) => name), "scene", "undo", "auto", "still", "preview", "health", "mark-text", "one-to-one", "peaking", "zebra", "false-color", "areas", "boxes"]);

/**
 * Handles the player's keys: comma and period step by frames, arrow keys by seconds, and the space bar plays or
 * pauses.
 * @param {KeyboardEvent} event
 */
function playerKey(event) {
    const player = /** @type {import("./player.js").Player | null} */ (document.querySelector("mc-player"));
    if (!player || event.ctrlKey || event.altKey || event.metaKey) return false;
    const isControl = event.target instanceof HTMLElement && event.target.closest("button, a") !== null;
    if (event.key === ",") player.step(-1);
    else if (event.key === ".") player.step(1);
    else if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
        const isElsewhere = event.target instanceof HTMLElement && event.target !== document.body && event.target.closest("mc-player") === null;
        if (event.shiftKey || isElsewhere) return false;
        player.skip(event.key === "ArrowLeft" ? -1 : 1);
    } else if (event.key === " " && !isControl) player.toggle();
    else return false;
    event.preventDefault();
    return true;
}

/** @type {Record<string, (digit: number) => void>} */
const does = {
    main: (digit) => withRole(digit, cutTo),
    inset: (digit) => withRole(digit, insetTo),
    cut: () => cut(),
    ...Object.fromEntries(layouts.map(({ name }) => [name, () => chooseLayout(name)])),
    scene: () => {
        sceneKeyAt = performance.now();
    },
    undo: () => undo(),
    auto: () => toggleSwitching(),
    mark: () => mark(),
    "mark-text": () => timeline?.openForm(),
    record: () => {
        if (isStopAlive() && !studio.local.isEnding) askToEnd();
        else if (mayRecord()) record();
    },
    split: () => split(),
    still: () => void still(meantTiles().length === 1 ? meantTiles().map((tile) => tile.role_) : (studio.arrangement?.shown ?? []).slice(0, 1)),
    preview: () => setPreviewFirst(!studio.local.previewFirst),
    health: () => {
        studio.local.isHealthShown = !studio.local.isHealthShown;
        studio.tell("local");
    },
    seen: () => seeWorst(),
    full: () => {
        if (document.fullscreenElement) void document.exitFullscreen();
        else void document.documentElement.requestFullscreen?.();
    },
    "one-to-one": () => toggleLook("one-to-one"),
    peaking: () => toggleLook("peaking"),
    zebra: () => toggleLook("zebra"),
    "false-color": () => toggleLook("false-color"),
    areas: () => toggleLook("areas"),
    boxes: () => toggleLook("boxes"),
    clips: () => studio.clearClips(),
    say: () => sayAll(),
    sheet: () => sheet?.open(),
};

/** @param {number} digit @param {(role: string) => void} use */
function withRole(digit, use) {
    const role = studio.roles[digit - 1];
    if (role !== undefined && studio.canAct) use(role);
}

document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || isTyping(event.target) || document.querySelector("dialog.sheet[open]")) return;
    if (event.key === "Escape") {
        closeControls();
        if (studio.local.isEnding) goOn();
        for (const tools of document.querySelectorAll(".tools:not([hidden])")) /** @type {HTMLButtonElement | null | undefined} */ (tools.closest("mc-tile")?.querySelector(".more"))?.click();
        return;
    }
    if (studio.local.view === "recordings" && !isTyping(event.target) && playerKey(event)) return;
    const action = actionOf(event);
    if (!action || (studio.local.view !== "studio" && ofStudio.has(action.id))) return;
    if (action.digit > 0 && !event.shiftKey && performance.now() - sceneKeyAt < 2000) {
        sceneKeyAt = -1e9;
        const scene = scenes()[action.digit - 1];
        if (scene) chooseScene(scene.name);
        event.preventDefault();
        return;
    }
    const isControl = event.target instanceof HTMLElement && event.target.closest("button, a, [role=slider], summary") !== null;
    if ((event.key === " " || event.key === "Enter") && isControl) return;
    if (event.repeat && !["say"].includes(action.id)) return;
    event.preventDefault();
    does[action.id]?.(action.digit);
});

// The three views: before, during and after a recording.

const views = ["prepare", "studio", "recordings"];
const nav = document.querySelector(".bar nav");

/** @param {string} view */
function showView(view) {
    studio.local.view = view;
    for (const name of views) {
        const main = document.getElementById(name);
        if (main) setFlag(main, "hidden", name !== view);
        const tab = nav?.querySelector(`[data-view="${name}"]`);
        if (tab) setAttribute(tab, "aria-current", name === view ? "page" : undefined);
    }
    const main = document.getElementById(view);
    const tag = { prepare: "mc-prepare", recordings: "mc-recordings" }[view];
    if (main && tag && main.childElementCount === 0) main.append(document.createElement(tag));
    else if (view === "recordings") void /** @type {any} */ (main?.firstElementChild)?.load?.();
    document.documentElement.dataset.view = view;
}

nav?.append(...views.map((name) => h("button", { type: "button", "data-view": name, onclick: () => showView(name) }, say(name))));
showView("studio");
document.addEventListener("multicam-view", (event) => {
    const view = String(/** @type {CustomEvent} */ (event).detail);
    if (view !== studio.local.view) showView(view);
});

// A camera's controls, next to its picture. While the controls are open, the rest of the page isn't dimmed.

/** @type {HTMLDialogElement | undefined} */
let controlsSheet;

function closeControls() {
    controlsSheet?.remove();
    controlsSheet = undefined;
}

document.addEventListener("multicam-controls", (event) => {
    const role = String(/** @type {CustomEvent} */ (event).detail);
    const isSame = controlsSheet?.dataset.role === role;
    closeControls();
    if (isSame) return;
    const close = h("button", { type: "button", class: "close", onclick: closeControls }, say("close"));
    controlsSheet = h("dialog", { class: "controls-sheet", "data-role": role, "aria-label": say("controls-of", { role }) },
        h("div", { class: "panel-head" }, h("h2", {}, say("controls-of", { role })), close), new ControlsView(role));
    document.querySelector("main:not([hidden])")?.append(controlsSheet);
    controlsSheet.show();
    close.focus();
});

// Phones that act as cameras indicate when they are shown in preview.

let toldNext = "";
studio.on(["contact", "local", "status"], () => {
    const next = studio.contact ? studio.roles.filter((role) => studio.isNext(role)) : [];
    if (next.join(" ") === toldNext) return;
    toldNext = next.join(" ");
    contact.tellNext(next);
});

let isRecordingBefore = false;
studio.on(["contact", "status"], () => {
    const isRecording = studio.status.state === "recording" || studio.status.state === "finishing";
    if (isRecordingBefore && !isRecording && studio.contact) void listRecordings();
    isRecordingBefore = isRecording;
});
const stopLooking = studio.on(["status"], () => {
    stopLooking();
    void listRecordings();
});

layOut();
open();
