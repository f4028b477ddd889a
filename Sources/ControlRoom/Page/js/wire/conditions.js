// Conditions that the message line shows: the most severe first, then the newest.

import { clockTime, fixed, leftTime, percent, resourceName, shortTime } from "./numbers.js";
import { contact } from "./contact.js";
import { pendingWishes } from "./commands.js";
import { say } from "./words.js";
import { studio } from "./studio.js";

/**
 * @typedef {object} Condition
 * @property {string} id
 * @property {"state" | "note" | "attention" | "act"} level
 * @property {string} text
 * @property {string} [more]
 * @property {boolean} [isFirst] whether the condition precedes all others of its level
 * @property {"record-again" | "do-not-record" | "leave-it" | "make-whole"} [action]
 * @property {string} [argument] argument of the action
 * @property {number} since time when the condition began, from `performance.now()`
 */

const ranks = { state: 0, note: 1, attention: 2, act: 3 };
const noteMs = 8000;

/**
 * Alarms that the user has acknowledged. Acknowledged alarms are shown as `attention` until they end.
 * @type {Set<string>}
 */
const seen = new Set();
/** @type {Map<string, number>} */
const begun = new Map();
/** @type {{text: string, isAttention: boolean, at: number}[]} */
const notes = [];

/**
 * Sources of conditions from other parts of the page.
 * @type {Set<() => Condition[]>}
 */
export const sources = new Set();

studio.on(["note"], (detail) => {
    notes.push({ text: String(detail.text), isAttention: detail.isAttention === true, at: performance.now() });
    if (notes.length > 20) notes.shift();
});

/**
 * The governor's last message about a reduction.
 * @param {string} what
 */
function governorText(what) {
    const step = [...(studio.status.governor ?? [])].reverse().find((step) => step.direction !== "up");
    if (step?.reason) return `${what}: ${step.reason}`;
    for (let index = studio.events.length - 1; index >= 0; index -= 1) {
        const event = studio.events[index];
        if (event?.event === "governor" && event.direction !== "up" && event.text) return event.text;
    }
    return what;
}

/** Normal lag of the files beyond the alignment delay, in ns. A longer lag means that the computer is too slow. */
const usualLag = 1.5e9;

export function pressureText() {
    const { pressure, pressure_reason: reason, pressure_advice: advice, behind_ns: behind = 0, delay_ns: delay = 0 } = studio.status;
    const lag = behind - delay > usualLag ? `${say("files-behind", { time: `${fixed(behind / 1e9, 1)}\u202fs` })} ` : "";
    if (reason) return `${lag}${say("pressure-is", { level: say(pressure ?? "") })}: ${reason}. ${advice ? `${advice.slice(0, 1).toUpperCase()}${advice.slice(1)}.` : ""}`.replace(/\.\.+/g, ".").trim();
    for (let index = studio.events.length - 1; index >= 0; index -= 1) {
        const event = studio.events[index];
        if (event?.event === "pressure" && event.text) return event.text;
    }
    return undefined;
}

/**
 * Splits a text into its first sentence and the rest.
 * @param {string} text
 * @returns {[string, string | undefined]}
 */
export function halves(text) {
    const end = /[.!?] /.exec(text);
    if (!end) return [text, undefined];
    return [text.slice(0, end.index + 1), text.slice(end.index + 2)];
}

/** Describes everything that is being recorded. */
function whatRuns() {
    const parts = [];
    if (studio.status.program) parts.push(say("program"));
    const cameras = studio.cameras.length;
    const microphones = studio.microphones.length;
    if (cameras > 0) parts.push(cameras === 1 ? say("cameras-1") : say("cameras-n", { n: cameras }));
    if (microphones > 0) parts.push(microphones === 1 ? say("microphones-1") : say("microphones-n", { n: microphones }));
    return parts.join(", ");
}

/** @returns {Omit<Condition, "since">[]} */
function holding() {
    const { status, state } = studio;
    if (!studio.contact) {
        const wait = contact.retryAt > 0 ? Math.max(0, (contact.retryAt - performance.now()) / 1000) : 0;
        if (studio.lostContactAt === 0 || performance.now() < 1500 && !studio.hasStatus) {
            return [{ id: "connecting", level: "state", text: say("connecting") }];
        }
        return [{ id: "no-contact", level: "state", text: say("no-contact"), more: say("no-contact-more", { time: shortTime(Math.ceil(wait)) }) }];
    }
    /** @type {Omit<Condition, "since">[]} */
    const all = [];
    if (state === "gone" && studio.local.isCalibrating) return [{ id: "calibrating", level: "state", text: say("calibrating"), more: say("calibrating-more") }];
    if (state === "gone") {
        const text = studio.goneAt === undefined ? say("recorder-gone-idle") : say("recorder-gone", { time: clockTime(studio.goneAt) });
        const more = studio.goneAt === undefined ? studio.recorderText : say("recorder-gone-more");
        if (studio.wantsRecording) return [{ id: "recorder-gone", level: "act", text, more: say("recorder-awaited"), action: "do-not-record" }];
        return [{ id: "recorder-gone", level: "act", text, more, action: studio.goneAt === undefined ? undefined : "record-again" }];
    }
    if (studio.isSilent) {
        const isIdle = studio.status.state === "standby";
        all.push({ id: "no-answer", level: "act", text: say(isIdle ? "no-answer-idle" : "no-answer"), more: isIdle ? undefined : say("no-answer-more") });
    }
    if (studio.goneAt !== undefined && state !== "recording") {
        all.push({ id: "recorder-gone", level: "act", text: say("recorder-gone", { time: clockTime(studio.goneAt) }), more: say("recorder-gone-more"), action: "record-again" });
    }
    if (state === "contact") return studio.isSilent ? all : [{ id: "connecting", level: "state", text: say("connecting") }];
    const isRecording = state === "recording";
    if (studio.isSilent) all.push({ id: "last-seen", level: "state", text: say("last-told", { time: clockTime(studio.seconds) }) });
    else if (state === "finishing") all.push({ id: "finishing", level: "state", text: say("recorded", { time: clockTime(studio.seconds) }), more: `${say("finishing")} ${say("finishing-more")}` });
    else if (state === "paused") all.push({ id: "paused", level: "attention", text: say("paused") });
    else if (studio.cameras.length + studio.microphones.length === 0 && state !== "starting") {
        all.push({ id: "none-connected", level: "state", text: say("none-connected"), more: say("none-connected-more") });
    } else if (studio.local.isEnding && isRecording) all.push({ id: "ending", level: "state", text: say("ending"), more: say("ending-more") });
    else if (isRecording) all.push({ id: "recording", level: "state", text: say("recording"), more: say("recording-more", { what: whatRuns() }) });
    else if (state === "starting") all.push({ id: "starting", level: "state", text: say("starting") });
    else all.push({ id: "standby", level: "state", text: say("standby"), more: say("standby-more") });

    if (status.paused?.includes("program")) all.push({ id: "program-paused", level: "act", isFirst: true, text: say("program-paused"), more: say("program-paused-more") });
    if (studio.hasTalk) all.push({ id: "talking", level: "attention", text: say("talking"), action: "leave-it" });
    for (const camera of studio.cameras) {
        const isAway = camera.away === true;
        studio.held(`away/${camera.role}`, isAway);
        if (!isAway) continue;
        const isOnAir = studio.tallyOf(camera.role) !== "off";
        all.push({
            id: `away/${camera.role}`, level: isOnAir && isRecording ? "act" : "attention",
            text: say(isRecording ? "away-recording" : "away-standby", { role: camera.role }), more: say("away-more"),
        });
    }
    for (const microphone of studio.microphones) {
        const { role } = microphone;
        const alarms = microphone.alarms ?? [];
        for (const kind of ["no-signal", "silence"]) {
            const held = studio.held(`${kind}/${role}`, alarms.includes(kind));
            if (!alarms.includes(kind)) continue;
            all.push({ id: `${kind}/${role}`, level: "act", text: say(kind, { role, time: shortTime(microphone.silent_ns === undefined ? silentFor(role, held) : microphone.silent_ns / 1e9) }), more: say(`${kind}-more`) });
            break;
        }
        const recent = studio.recentClips(microphone);
        if (alarms.includes("clipping") || recent > 0) {
            all.push({ id: `clipping/${role}`, level: recent >= 3 ? "act" : "attention", text: say("clipping", { role }), more: say("clipping-more") });
        }
    }
    const left = status.disk?.seconds_left;
    if (left !== undefined && left <= 600) {
        all.push({ id: "disk", level: left <= 300 ? "act" : "attention", text: say("disk-low", { time: leftTime(left) }), more: say("disk-low-more") });
    }
    const { hardware, budget } = status.cost ?? {};
    if (!isRecording && hardware !== undefined && hardware > (budget ?? 1)) {
        const worst = [...(status.cost?.terms ?? [])].sort((a, b) => (b.used ?? 0) - (a.used ?? 0))[0];
        all.push({
            id: "budget", level: "attention",
            text: say("over-budget", { percent: percent(hardware), resource: worst ? resourceName(worst.resource) : "" }),
            more: say(status.policy === "refuse" ? "over-budget-refuse" : "over-budget-adapt"),
        });
    }
    const given = status.given_up ?? [];
    const last = given[given.length - 1];
    if (last) all.push({ id: `governor/${given.length}`, level: "attention", text: governorText(last), more: say("governor-more") });
    if (status.pressure === "serious" || status.pressure === "critical" || status.pressure === "shutdown") {
        const level = status.pressure === "serious" ? "attention" : "act";
        const [text, more] = halves(pressureText() ?? `${say(level === "act" ? "pressure-critical" : "pressure-serious")} ${say("pressure-more")}`);
        all.push({ id: `pressure/${status.pressure}`, level, text, more });
    }
    const now = performance.now();
    for (const wish of pendingWishes()) {
        if (now - wish.at > 1000) {
            all.push({ id: `wish/${wish.target}/${wish.at}`, level: "attention", text: say("unconfirmed", { what: wish.words.map((words) => words.join(" ")).join(", ") }) });
        }
    }
    for (const one of notes) {
        if (now - one.at < noteMs) all.push({ id: `note/${one.at}`, level: one.isAttention ? "attention" : "note", text: one.text });
    }
    for (const source of sources) all.push(...source());
    return all;
}

/**
 * Seconds for which a microphone has been silent, based on the event that reports the silence, otherwise on
 * the time when the page first detected it.
 * @param {string} role
 * @param {number} held
 */
function silentFor(role, held) {
    for (let index = studio.events.length - 1; index >= 0; index -= 1) {
        const event = studio.events[index];
        if (event?.event !== "silence" || event.track !== role) continue;
        if (event.state !== "begins") break;
        return Number(event.seconds ?? 0) + Math.max(0, studio.seconds - Number(event.at_ns ?? 0) / 1e9);
    }
    return held;
}

/**
 * The current conditions, the most severe first.
 * @returns {Condition[]}
 */
export function conditions() {
    const now = performance.now();
    const all = holding();
    const ids = new Set(all.map((one) => one.id));
    for (const id of [...begun.keys()]) if (!ids.has(id)) begun.delete(id);
    for (const id of [...seen]) if (!ids.has(id)) seen.delete(id);
    while (notes[0] && now - notes[0].at > noteMs) notes.shift();
    return all.map((one) => {
        const since = begun.get(one.id) ?? now;
        begun.set(one.id, since);
        /** @type {Condition["level"]} */
        const level = one.level === "act" && seen.has(one.id) ? "attention" : one.level;
        return { ...one, level, since };
    }).sort((a, b) => ranks[b.level] - ranks[a.level] || Number(b.isFirst ?? false) - Number(a.isFirst ?? false) || b.since - a.since);
}

/** Acknowledges the alarm shown in the message line. */
export function seeWorst() {
    const worst = conditions()[0];
    if (worst?.level === "act") seen.add(worst.id);
    if (worst?.id === "recorder-gone" && studio.state === "standby") studio.goneAt = undefined;
    studio.tell("local");
}
