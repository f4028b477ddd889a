// User commands to the recorder. Commands are sent as `ctl` words and stay pending until the status confirms
// them. Commands that aren't confirmed are reported.

import { arrangementOf, hasInsets, layoutNamed, looksAlike, withInset, withLayout, withMain, wordsBetween } from "./arrangement.js";
import { ask } from "./ask.js";
import { store, stored } from "./stored.js";
import { say } from "./words.js";
import { studio } from "./studio.js";

/** @typedef {import("./arrangement.js").Arrangement} Arrangement */
/** @typedef {import("./studio.js").Status} Status */

/**
 * A command that isn't confirmed yet.
 * @typedef {object} Wish
 * @property {string[][]} words
 * @property {string} target the element that shows the command as pending: `camera/desk`, `layout/grid`,
 * `record`
 * @property {number} at time when the command was sent, from `performance.now()`
 * @property {(status: Status) => boolean} [isDone] whether the status confirms the command
 * @property {boolean} isAnswered
 */

/** @type {Wish[]} */
const wishes = [];
/**
 * Requests about the program are sent one at a time, so that they arrive in order.
 * @type {Promise<unknown>}
 */
let lane = Promise.resolve();
const mostWishes = 50;
const giveUpAfterMs = 10_000;

/** Commands that aren't confirmed yet. */
export function pendingWishes() {
    return wishes;
}

/**
 * Whether a command for an element is pending.
 * @param {string} target
 */
export function isPending(target) {
    return wishes.some((wish) => wish.target === target);
}

/** @param {Wish} wish */
function drop(wish) {
    const place = wishes.indexOf(wish);
    if (place >= 0) wishes.splice(place, 1);
    studio.tell("local");
}

/** @param {string} text @param {boolean} [isAttention] */
export function note(text, isAttention = false) {
    studio.tell("note", { text, isAttention });
}

/**
 * Sends commands to the recorder.
 * @param {string[][]} words one or more commands
 * @returns {Promise<{ok: boolean, text: string, [more: string]: unknown}>}
 */
export async function send(words) {
    /** @type {{ok: boolean, text: string, [more: string]: unknown}} */
    let reply = { ok: true, text: "" };
    for (const one of words) {
        reply = await sendOne(one);
        if (!reply.ok) break;
    }
    return reply;
}

/** @param {string[]} words @returns {Promise<{ok: boolean, text: string, [more: string]: unknown}>} */
async function sendOne(words) {
    try {
        const answer = await fetch("/api/v1/command", {
            method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ words }),
        });
        /** @type {any} */
        let reply = {};
        try {
            reply = await answer.json();
        } catch {
            reply = {};
        }
        return { ...reply, ok: answer.ok && reply.ok !== false, text: String(reply.text ?? answer.statusText) };
    } catch {
        return { ok: false, text: say("no-contact") };
    }
}

/**
 * Sends commands to the recorder, and shows them as pending until the status confirms them.
 * @param {string[][]} words
 * @param {string} target
 * @param {(status: Status) => boolean} [isDone]
 * @param {boolean} [isOrdered] whether the commands must wait for earlier ones
 */
export async function act(words, target, isDone, isOrdered = false) {
    // Stop is sent even if the recorder doesn't answer. The recorder executes the command when it responds
    // again.
    const isStop = words[0]?.[0] === "stop" && studio.contact && studio.isRecording;
    if (words.length === 0 || (!studio.canAct && !isStop)) return undefined;
    /** @type {Wish} */
    const wish = { words, target, at: performance.now(), isDone, isAnswered: false };
    wishes.push(wish);
    if (wishes.length > mostWishes) wishes.shift();
    studio.tell("local");
    const request = isOrdered ? lane.then(() => send(words)) : send(words);
    if (isOrdered) lane = request;
    const reply = await request;
    wish.isAnswered = true;
    if (!reply.ok) {
        drop(wish);
        note(say("refused", { what: reply.text }), true);
        return reply;
    }
    if (!isDone || isDone(studio.status)) drop(wish);
    return reply;
}

// The status confirms pending commands.
studio.on(["status"], () => {
    const now = performance.now();
    for (const wish of [...wishes]) {
        const isConfirmed = wish.isDone?.(studio.status) ?? false;
        if (isConfirmed || now - wish.at > giveUpAfterMs) drop(wish);
    }
});

/**
 * Requests another arrangement of the program.
 * @param {Arrangement} to
 * @param {string} target
 */
export function arrange(to, target) {
    const from = wantedArrangement();
    if (!from) return undefined;
    const words = wordsBetween(from, to);
    if (words.length === 0) return undefined;
    wanted = { arrangement: to, at: performance.now() };
    const mine = wanted;
    return act(words, target, (status) => looksAlike(to, arrangementOf(status)), true).then((reply) => {
        if (!reply?.ok && wanted === mine) wanted = undefined;
        return reply;
    });
}

/**
 * The last requested arrangement that isn't confirmed yet. The next change is based on this arrangement.
 * @type {{arrangement: Arrangement, at: number} | undefined}
 */
let wanted;
const wantedMs = 2000;
studio.on(["status"], () => {
    if (wanted && studio.arrangement && looksAlike(wanted.arrangement, studio.arrangement)) wanted = undefined;
});

/** The arrangement after all pending changes. */
function wantedArrangement() {
    const now = studio.arrangement;
    if (!now || !wanted || looksAlike(now, wanted.arrangement) || performance.now() - wanted.at > wantedMs) {
        wanted = undefined;
        return now;
    }
    return wanted.arrangement;
}

// Tracks the last change to the program, which determines whether Undo acts as Redo.

/** @typedef {{arrangement: Arrangement, gains: Record<string, number>, muted: Record<string, boolean>, processing: Record<string, string | undefined>}} ProgramState */

/** @returns {ProgramState | undefined} */
function programState() {
    const arrangement = studio.arrangement;
    if (!arrangement) return undefined;
    return {
        arrangement,
        gains: Object.fromEntries(studio.microphones.map((microphone) => [microphone.role, microphone.gain ?? 0])),
        muted: Object.fromEntries(studio.microphones.map((microphone) => [microphone.role, microphone.muted ?? false])),
        processing: Object.fromEntries([...studio.microphones.map((microphone) => microphone.role), "program"].map((role) => [role, processingOf(studio.status, role)])),
    };
}

/** @type {ProgramState | undefined} */
let current;
export const history = { isRedo: false, get canUndo() { return current !== undefined && studio.accepts("undo"); } };
let undoing = 0;

studio.on(["status"], () => {
    const now = programState();
    if (!now) {
        current = undefined;
        return;
    }
    if (!current) {
        current = now;
        return;
    }
    const old = current;
    const isPicture = !looksAlike(now.arrangement, old.arrangement);
    const isSound = JSON.stringify([now.gains, now.muted, now.processing]) !== JSON.stringify([old.gains, old.muted, old.processing]);
    if (!isPicture && !isSound) {
        current = now;
        return;
    }
    history.isRedo = performance.now() < undoing;
    undoing = 0;
    current = now;
    if (isPicture && !history.isRedo && !studio.local.previewFirst && !isExchanging) studio.local.next = { ...old.arrangement };
    isExchanging = false;
    studio.tell("local");
});

/** Undoes the last change to the program. A second call redoes the change. */
export function undo() {
    undoing = history.isRedo ? 0 : performance.now() + 5000;
    wanted = undefined;
    void act([["undo"]], "undo", undefined, true);
}

// Switching

let isExchanging = false;

/**
 * Moves a camera to the main position of the program, or of the preview in Preview/Program mode.
 * @param {string} role
 */
export function cutTo(role) {
    const { local } = studio;
    if (local.previewFirst) {
        if (local.next) local.next = withMain(local.next, role);
        studio.tell("local");
        return;
    }
    const from = wantedArrangement();
    if (from && from.shown[0] !== role) void arrange(withMain(from, role), `camera/${role}`);
}

/**
 * Moves a camera to the inset of the program, or of the preview in Preview/Program mode.
 * @param {string} role
 */
export function insetTo(role) {
    const { local } = studio;
    if (local.previewFirst) {
        if (local.next) local.next = withInset(local.next, role);
        studio.tell("local");
        return;
    }
    const from = wantedArrangement();
    if (from) void arrange(withInset(from, role), `camera/${role}`);
}

/**
 * Selects a layout for the program, or for the preview in Preview/Program mode.
 * @param {string} name
 */
export function chooseLayout(name) {
    const { local } = studio;
    const layout = layoutNamed(name);
    if (!layout) return;
    if (local.previewFirst) {
        if (local.next) local.next = withLayout(local.next, layout, studio.roles);
        studio.tell("local");
        return;
    }
    const from = wantedArrangement();
    if (from) void arrange(withLayout(from, layout, studio.roles), `layout/${name}`);
}

/** Swaps preview and program. */
export function cut() {
    const from = wantedArrangement();
    const to = studio.local.next;
    if (!from || !to || looksAlike(from, to)) return;
    isExchanging = true;
    const target = { ...to, corner: hasInsets(to) ? to.corner : from.corner, scale: hasInsets(to) ? to.scale : from.scale };
    void arrange(target, "cut")?.then((reply) => {
        if (!reply?.ok) {
            isExchanging = false;
            return;
        }
        studio.local.next = { ...from };
        studio.tell("local");
    });
}

/** @param {boolean} isOn */
export function setPreviewFirst(isOn) {
    studio.local.previewFirst = isOn;
    store("multicam.preview-first", String(isOn));
    studio.tell("local");
}

/**
 * Selects the shots manually or by voice. Selecting `voice` again ends the pause after a manual change.
 * @param {string} mode `manual` or `voice`, as in profiles
 */
export function setSwitching(mode) {
    void act([["switching", mode]], "switching", ({ program }) => program?.switching === mode && program.switching_resumes_ns === undefined, true);
}

/**
 * Selects the next framing mode: off, people, speaker.
 * @param {string} role
 */
export function nextFraming(role) {
    const modes = ["off", "people", "speaker"];
    const now = studio.cameras.find((camera) => camera.role === role)?.framing ?? "off";
    const mode = modes[(modes.indexOf(now) + 1) % modes.length] ?? "off";
    void act([["framing", role, mode]], `framing/${role}`, ({ cameras }) => cameras?.find((camera) => camera.role === role)?.framing === mode);
}

/**
 * Has a camera's frames searched for faces and codes, unless they are already.
 * @param {string} role
 */
export function findBoxes(role) {
    const detect = studio.cameras.find((camera) => camera.role === role)?.detect ?? [];
    if (detect.length < 2) void act([["detect", role, "faces", "codes"]], `detect/${role}`, ({ cameras }) => (cameras?.find((camera) => camera.role === role)?.detect ?? []).length === 2);
}

/** @param {string} corner */
export function setCorner(corner) {
    const from = wantedArrangement();
    if (from) void arrange({ ...from, corner }, `corner/${corner}`);
}

/** @param {number} scale */
export function setScale(scale) {
    const from = wantedArrangement();
    const to = Math.min(1, Math.max(0.05, Math.round(scale * 20) / 20));
    if (from) void arrange({ ...from, scale: to }, "scale");
}

/**
 * Enlarges or shrinks the inset.
 * @param {number} by change as a fraction of the program's width
 */
export function stepScale(by) {
    const from = wantedArrangement();
    if (from) setScale(from.scale + by);
}

/**
 * The scenes, with all known details.
 * @returns {import("./studio.js").Scene[]}
 */
export function scenes() {
    return (studio.status.scenes ?? []).map((scene) => (typeof scene === "string" ? learnt[scene] ?? { name: scene } : scene));
}

/**
 * The scenes' arrangements as seen by this browser, because the status may list only their names.
 * @type {Record<string, import("./studio.js").Scene>}
 */
let learnt = {};
let learntProfile = "";
const mostLearnt = 40;

studio.on(["status"], () => {
    const { profile = "", scene } = studio.status;
    if (profile !== learntProfile) {
        learntProfile = profile;
        try {
            learnt = JSON.parse(stored(`multicam.scenes.${profile}`) ?? "{}");
        } catch {
            learnt = {};
        }
    }
    const arrangement = studio.arrangement;
    if (!scene || !arrangement) return;
    const { layout, shown, corner, scale } = arrangement;
    const seen = { name: scene, layout, shown, corner, scale };
    if (JSON.stringify(learnt[scene]) === JSON.stringify(seen)) return;
    learnt[scene] = seen;
    if (Object.keys(learnt).length > mostLearnt) learnt = { [scene]: seen };
    store(`multicam.scenes.${profile}`, JSON.stringify(learnt));
});

/** @param {string} name */
export function chooseScene(name) {
    void act([["scene", name]], `scene/${name}`, (status) => status.scene === name, true);
}

/** @param {string} name */
export function saveScene(name) {
    void act([["save-scene", name]], "save-scene", (status) => (status.scenes ?? []).some((scene) => (typeof scene === "string" ? scene : scene.name) === name));
}

/**
 * Deletes a scene from the profile.
 * @param {string} name
 */
export function deleteScene(name) {
    void act([["delete-scene", name]], `scene/${name}`, (status) => !(status.scenes ?? []).some((scene) => (typeof scene === "string" ? scene : scene.name) === name));
}

/**
 * Starts or stops a live output.
 * @param {string} name
 * @param {boolean} isWanted
 */
export function setPublished(name, isWanted) {
    void act([[isWanted ? "publish" : "unpublish", name]], `live/${name}`,
        (status) => (status.live_outputs ?? []).some((output) => output.name === name && ["off", "ended"].includes(output.state ?? "off") !== isWanted));
}

// Sound

/** @param {string} role @param {number} gain gain in dB */
export function setGain(role, gain) {
    const to = Math.min(30, Math.max(-60, Math.round(gain * 2) / 2));
    void act([["gain", role, String(to)]], `gain/${role}`,
        (status) => (status.microphones ?? []).some((microphone) => microphone.role === role && (microphone.gain === undefined || Math.abs(microphone.gain - to) < 0.01)), true);
}

/** @param {string} role @param {boolean} muted */
export function setMuted(role, muted) {
    void act([[muted ? "mute" : "unmute", role]], `mute/${role}`,
        (status) => (status.microphones ?? []).some((microphone) => microphone.role === role && (microphone.muted === undefined || microphone.muted === muted)), true);
}

/**
 * Selects the filters of a microphone in the program, or of the mix.
 * @param {string} role `program` for the mix
 * @param {string} preset a preset, as in profiles
 */
export function setProcessing(role, preset) {
    void act([["processing", role, preset]], `processing/${role}`, (status) => processingOf(status, role) === preset, true);
}

/**
 * The filters of a microphone in the program, or of the mix: a preset, or `off` and all settings; undefined if there are none to select.
 * @param {Status} status
 * @param {string} role `program` for the mix
 */
export function processingOf({ program, microphones }, role) {
    if (role === "program") return program?.processing;
    return program && microphones?.find((microphone) => microphone.role === role)?.processing;
}

// The recording

export function record() {
    if (studio.state === "gone") {
        void recordAgain();
        return;
    }
    void act([["start"]], "record", (status) => status.state === "recording");
}

/** Maximum time to wait for a recorder to start, in milliseconds. */
const recordAgainMs = 30_000;
let recordAgainTimer = 0;

/** Starts the recorder, and starts a recording once the recorder is in standby. */
async function recordAgain() {
    studio.wantsRecording = true;
    clearTimeout(recordAgainTimer);
    // The user wouldn't expect a recording that starts much later.
    recordAgainTimer = window.setTimeout(doNotRecord, recordAgainMs);
    studio.tell("local");
    const answer = await ask("/api/v1/start", { method: "POST", body: {} });
    if (answer.ok) return;
    doNotRecord();
    note(say("refused", { what: answer.text }), true);
}

/** Cancels the recording that would start once the recorder is running again. */
export function doNotRecord() {
    clearTimeout(recordAgainTimer);
    studio.wantsRecording = false;
    studio.tell("local");
}

studio.on(["status"], () => {
    if (!studio.wantsRecording || studio.state === "gone") return;
    if (studio.state === "standby") record();
    if (studio.state === "standby" || studio.state === "recording") doNotRecord();
});

export function askToEnd() {
    studio.local.isEnding = true;
    studio.tell("local");
}

export function goOn() {
    studio.local.isEnding = false;
    studio.tell("local");
}

export function endRecording() {
    studio.local.isEnding = false;
    void act([["stop"]], "record", (status) => status.state !== "recording");
    studio.tell("local");
}

/**
 * Sets a marker.
 * @param {string} [text]
 * @param {number} [atNs] time since T0; the current time if omitted
 */
export function mark(text, atNs) {
    if (!studio.isRecording) return undefined;
    const count = studio.markerCount;
    const words = ["mark", text?.trim() || say("marker-text", { n: count + 1 })];
    if (atNs !== undefined) words.push(`at=${Math.max(0, Math.round(atNs))}`);
    return act([words], "mark", (status) => (status.marker_count ?? status.markers?.length ?? 0) > count);
}

export function split() {
    if (studio.isRecording) void act([["split"]], "split");
}

/** @param {string[]} roles */
export async function still(roles) {
    const reply = await act([["snapshot", ...roles]], "still");
    if (reply?.ok) note(say("still-done", { role: roles.join(", ") }));
}
