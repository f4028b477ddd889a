// The page's state: the recorder's status, levels, events and contact, and the choices made only on this page.

import { arrangementOf, hasInsets, looksAlike } from "./arrangement.js";
import { contact } from "./contact.js";
import { special } from "./layout-table.js";
import { decibels } from "./numbers.js";
import { stored } from "./stored.js";

/** @typedef {{x: number, y: number, width: number, height: number}} Box a part of the upright frame, as fractions */

/**
 * @typedef {object} Camera
 * @property {string} role
 * @property {string} [name]
 * @property {number} [rate]
 * @property {number} [nominal_rate]
 * @property {number} [lost]
 * @property {number} [ppm]
 * @property {boolean} [locked]
 * @property {string} [pixel]
 * @property {number} [width]
 * @property {number} [height]
 * @property {number} [rotation]
 * @property {boolean} [mirrored]
 * @property {boolean} [away]
 * @property {number} [away_ns]
 * @property {string} [reason]
 * @property {number} [captured]
 * @property {number} [duplicated]
 * @property {Record<string, number>} [losses]
 * @property {number} [residual_us]
 * @property {string[]} [detect]
 * @property {{id: number, box: Box, confidence: number}[]} [faces]
 * @property {{kind: string, payload: string, box: Box}[]} [codes]
 * @property {string} [framing]
 */

/**
 * @typedef {object} Loudness
 * @property {number} [momentary_lufs]
 * @property {number} [short_term_lufs]
 * @property {number} [integrated_lufs]
 * @property {number} [range_lu]
 * @property {number} [true_peak_dbtp]
 */

/**
 * @typedef {object} Microphone
 * @property {string} role
 * @property {string} [name]
 * @property {number} [channels]
 * @property {number} [peak]
 * @property {number} [level]
 * @property {Loudness} [loudness]
 * @property {string[]} [alarms]
 * @property {number} [ppm]
 * @property {boolean} [locked]
 * @property {number} [gain]
 * @property {boolean} [muted]
 * @property {string} [processing]
 * @property {number} [clipped]
 * @property {number} [clipped_last_minute]
 * @property {number} [silent_ns]
 * @property {number} [missing_ns]
 * @property {number} [residual_us]
 */

/**
 * @typedef {object} CostTerm
 * @property {string} resource
 * @property {number} [used]
 * @property {{name: string, used: number}[]} [owners]
 * @property {string} [text]
 * @property {string} [explanation]
 */

/** @typedef {{name: string, layout?: string, shown?: string[], corner?: string, scale?: number}} Scene */

/**
 * @typedef {object} Status
 * @property {string} [state]
 * @property {string} [profile]
 * @property {string} [folder]
 * @property {number} [time_ns]
 * @property {Camera[]} [cameras]
 * @property {Microphone[]} [microphones]
 * @property {{layout: string, shown: string[], on_air?: string[], mix?: string[], processing?: string, switching?: string, switching_resumes_ns?: number, lost?: number, loudness?: Loudness}} [program]
 * @property {{hardware?: number, budget?: number, terms?: CostTerm[], unknown?: string[]}} [cost]
 * @property {string} [pressure]
 * @property {string} [pressure_reason]
 * @property {string} [pressure_advice]
 * @property {{at_ns?: number, step?: string, reason?: string, direction?: string}[]} [governor]
 * @property {number} [marker_count]
 * @property {string[]} [given_up]
 * @property {string[]} [paused] pictures that the governor has paused: `previews`, `program`
 * @property {{name: string, kind?: string, state?: string, text?: string, sent_frames?: number, dropped_frames?: number, bitrate?: number}[]} [live_outputs]
 * @property {string} [verdict]
 * @property {number} [delay_ns]
 * @property {number} [behind_ns]
 * @property {{at_ns: number, text: string}[]} [markers]
 * @property {{free_bytes?: number, seconds_left?: number}} [disk]
 * @property {(string | Scene)[]} [scenes]
 * @property {string} [scene]
 * @property {{layout: string, main: string, inset: string[], corner: string, scale: number, margin: number, border: number, fit: string, hidden: string[], size: [number, number], rate: number, layers: import("./arrangement.js").Layer[], frames: Record<string, {width: number, height: number}>}} [arrangement]
 * @property {{lost_frames?: number}} [limits]
 * @property {string} [policy]
 * @property {{done: number, total: number}} [finishing]
 * @property {string[]} [commands] names of the commands that the recorder accepts
 */

/** @typedef {{event: string, at_ns: number, track?: string, text?: string, [more: string]: unknown}} SessionEvent */
/** @typedef {{from: number, to?: number, role: string}} Fault */
/** @typedef {"status" | "levels" | "event" | "contact" | "local" | "locked" | "note" | "job"} Topic */

const mostEvents = 400;
const mostShots = 2000;
const mostFaults = 500;
/** Interval between stored clock residuals. */
export const residualStepMs = 2000;
/** Maximum number of stored residuals: 10 min. */
const mostResiduals = 300;
const talkWindow = 900;
/**
 * Time in milliseconds for which the page waits for a recorder after connecting, before it reports the
 * recorder as gone.
 */
const newContactMs = 4000;
/**
 * Time in milliseconds without a status after which the recorder counts as unresponsive. A working recorder
 * sends at least one status per second.
 */
const silenceMs = 3000;
/** Least time in milliseconds between two announcements of a status in which only numbers have changed. */
const numbersMs = 250;
/**
 * The preview doesn't fit on the screen of a phone, so phones mark cameras as next only in Preview/Program
 * mode.
 */
const hasNextInSight = matchMedia("(min-width: 37.5rem)");

/**
 * Whether two values are equal except for their numbers.
 * @param {any} a
 * @param {any} b
 * @returns {boolean}
 */
function differOnlyInNumbers(a, b) {
    if (typeof a !== typeof b || Array.isArray(a) !== Array.isArray(b)) return false;
    if (typeof a !== "object" || a === null || b === null) return a === b || typeof a === "number";
    const names = Object.keys(a);
    return names.length === Object.keys(b).length && names.every((name) => differOnlyInNumbers(a[name], b[name]));
}

/** Choices that apply only to this page. Some of these choices are stored in the browser. */
class Local {
    previewFirst = stored("multicam.preview-first") === "true";
    isHealthShown = false;
    isEnding = false;
    isInsetShown = false;
    /** Whether a calibration is running. The recorder is stopped intentionally in that case. */
    isCalibrating = false;
    view = "studio";
    /** @type {import("./arrangement.js").Arrangement | undefined} */
    next;
    /**
     * The role of the microphone that this page plays; `program` for the mix.
     * @type {string | undefined}
     */
    listensTo;
    /** @type {Set<string>} enabled monitoring assists, such as `ROLE/peaking` */
    assists = new Set();
}

export class Studio {
    /** @type {Status} */
    status = {};
    hasStatus = false;
    contact = false;
    isLocked = false;
    recorderIsThere = true;
    recorderText = "";
    /**
     * The recording's position when the recorder ended, in seconds; undefined if nothing was being recorded.
     * @type {number | undefined}
     */
    goneAt;
    /** Time when the connection was lost, from `performance.now()`. */
    lostContactAt = 0;
    /** Time when the connection was established, from `performance.now()`. */
    contactAt = 0;
    /** Whether the status was received on the current connection. */
    #isFresh = false;
    #goneTimer = 0;
    /** @type {Record<string, {peak?: number[], rms?: number[]}>} */
    levels = {};
    local = new Local();
    /**
     * The most recent events, the newest last.
     * @type {SessionEvent[]}
     */
    events = [];
    /**
     * The current recording's shots.
     * @type {{at: number, layout: string, shown: string[]}[]}
     */
    shots = [];
    /** @type {Fault[]} */
    faults = [];
    /** Time when a frame was last lost, from `performance.now()`. */
    lastLossAt = -1e9;
    /**
     * Residuals by role in µs, one value every 2 s; NaN while the clock isn't locked.
     * @type {Map<string, number[]>}
     */
    residuals = new Map();
    /** Number of times that residuals were stored. */
    residualCount = 0;
    /**
     * Times when each microphone clipped, from `performance.now()`, by role.
     * @type {Map<string, number[]>}
     */
    clipTimes = new Map();
    /**
     * Clip counts that the user has cleared, by role.
     * @type {Map<string, number>}
     */
    clearedClips = new Map();
    /**
     * Time when each condition began, from `performance.now()`. Example of a key: `away/desk`.
     * @type {Map<string, number>}
     */
    since = new Map();
    /**
     * Maximum sample peak since the start in dBFS, by role.
     * @type {Map<string, number>}
     */
    maxima = new Map();
    hasTalk = false;
    /** Whether a recording should start once the recorder is running again. */
    wantsRecording = false;

    /** Whether the recorder is connected but unresponsive, so that its state is unknown. */
    isSilent = false;
    /** Whether the web process has reported that the recorder is connected. */
    #isTold = false;
    /** Time of the recorder's last message, and time of the page's last check, from `performance.now()`. */
    #heardAt = 0;
    #lookedAt = 0;
    #statusAt = 0;
    /** Time when a received status was announced last, from `performance.now()`, and the timer of the next announcement. */
    #toldAt = 0;
    #tellTimer = 0;
    #residualAt = 0;
    /** @type {boolean[]} */
    #talk = [];
    #talkCount = 0;
    #folder = "";
    /** @type {Map<Topic, Set<(detail?: any) => void>>} */
    #listeners = new Map();

    /** Connects to the web process. */
    start() {
        contact.onMessage = (message) => this.take(message);
        contact.onContact = (isThere) => {
            this.contact = isThere;
            this.#isFresh = false;
            this.contactAt = this.#heardAt = performance.now();
            this.#isTold = this.isSilent = false;
            if (!isThere) this.lostContactAt = performance.now();
            this.local.isCalibrating = false;
            if (isThere) this.isLocked = false;
            this.tell("contact");
        };
        contact.onLocked = () => {
            this.isLocked = true;
            this.tell("locked");
        };
        setInterval(() => this.#look(), 500);
        void contact.start();
    }

    /** Detects when the recorder stops responding and when it responds again. */
    #look() {
        const now = performance.now();
        // If the page itself was suspended, messages are waiting to be read.
        if (now - this.#lookedAt > 1800) this.#heardAt = now;
        this.#lookedAt = now;
        const isSilent = this.contact && this.recorderIsThere && (this.#isFresh || this.#isTold) && now - this.#heardAt > silenceMs;
        if (isSilent === this.isSilent) return;
        this.isSilent = isSilent;
        this.tell("status");
    }

    /**
     * Calls a function after each change of a topic.
     * @param {Topic[]} topics
     * @param {(detail?: any) => void} listener
     * @returns {() => void} removes the listener
     */
    on(topics, listener) {
        for (const topic of topics) {
            const all = this.#listeners.get(topic) ?? new Set();
            all.add(listener);
            this.#listeners.set(topic, all);
        }
        return () => {
            for (const topic of topics) this.#listeners.get(topic)?.delete(listener);
        };
    }

    /** @param {Topic} topic @param {unknown} [detail] */
    tell(topic, detail) {
        for (const listener of this.#listeners.get(topic) ?? []) {
            try {
                listener(detail);
            } catch (error) {
                console.error(error);
            }
        }
    }

    get cameras() {
        return this.status.cameras ?? [];
    }

    get microphones() {
        return this.status.microphones ?? [];
    }

    get roles() {
        return this.cameras.map((camera) => camera.role);
    }

    /**
     * The recorder's state; `gone` without a recorder, `contact` before the first status or while
     * disconnected.
     */
    get state() {
        if (!this.contact || !this.#isFresh) return "contact";
        if (!this.recorderIsThere) return "gone";
        return this.status.state ?? "standby";
    }

    get isRecording() {
        return this.state === "recording";
    }

    /** Whether the controls are enabled. */
    get canAct() {
        return this.contact && this.recorderIsThere && this.#isFresh && !this.isSilent;
    }

    /** The program's current arrangement. */
    get arrangement() {
        return arrangementOf(this.status);
    }

    /** Recorded time in seconds: the status's time, extrapolated by at most 2 s. */
    get seconds() {
        const base = (this.status.time_ns ?? 0) / 1e9;
        const isRunning = this.contact && this.#isFresh && this.recorderIsThere && (this.status.state === "recording" || this.status.state === "standby");
        return isRunning ? base + Math.min(2, (performance.now() - this.#statusAt) / 1000) : base;
    }

    /**
     * The date and time of a position in the recording.
     * @param {number} seconds
     */
    dateOf(seconds) {
        return new Date(Date.now() - (this.seconds - seconds) * 1000);
    }

    /**
     * A camera's number, starting at 1.
     * @param {string} role
     */
    numberOf(role) {
        return this.roles.indexOf(role) + 1;
    }

    /**
     * A camera's position in the program: `main`, `inset` or `off`.
     * @param {string} role
     */
    tallyOf(role) {
        const arrangement = this.arrangement;
        const place = (this.status.program?.on_air ?? arrangement?.shown ?? []).indexOf(role);
        if (!arrangement || place < 0) return "off";
        return hasInsets(arrangement) && place > 0 ? "inset" : "main";
    }

    /**
     * Whether a camera is off air and the next cut would put it on air.
     * @param {string} role
     */
    isNext(role) {
        return (this.local.previewFirst || hasNextInSight.matches) && this.tallyOf(role) === "off" && (this.local.next?.shown.includes(role) ?? false);
    }

    /** Number of markers. The status lists only the last hundred. */
    get markerCount() {
        return this.status.marker_count ?? this.status.markers?.length ?? 0;
    }

    /**
     * Whether the recorder accepts a command.
     * @param {string} name
     */
    accepts(name) {
        return this.status.commands?.includes(name) ?? false;
    }

    /** Number of frames lost so far. */
    get lost() {
        return this.cameras.reduce((sum, camera) => sum + (camera.lost ?? 0), 0) + (this.status.program?.lost ?? 0);
    }

    /**
     * Number of times that a microphone clipped since the user last cleared the count.
     * @param {Microphone} microphone
     */
    clipsOf(microphone) {
        const count = microphone.clipped ?? 0;
        const cleared = this.clearedClips.get(microphone.role) ?? 0;
        return cleared > count ? count : count - cleared;
    }

    /**
     * Number of times that a microphone clipped in the last minute; zero after the user has cleared the
     * count.
     * @param {Microphone} microphone
     */
    recentClips(microphone) {
        return Math.min(this.clipsOf(microphone), microphone.clipped_last_minute ?? this.clipTimes.get(microphone.role)?.length ?? 0);
    }

    /** @param {string} [role] role of one microphone; all if omitted */
    clearClips(role) {
        for (const microphone of this.microphones) {
            if (role !== undefined && role !== microphone.role) continue;
            this.clearedClips.set(microphone.role, microphone.clipped ?? 0);
            this.clipTimes.set(microphone.role, []);
        }
        this.tell("local");
    }

    /**
     * Seconds for which a condition has held; 0 if it is new.
     * @param {string} id
     * @param {boolean} holds
     */
    held(id, holds) {
        if (!holds) {
            this.since.delete(id);
            return 0;
        }
        const since = this.since.get(id);
        if (since !== undefined) return (performance.now() - since) / 1000;
        this.since.set(id, performance.now());
        return 0;
    }

    /**
     * Handles a message from the web process.
     * @param {any} message
     */
    take(message) {
        switch (message.type) {
            case "state":
                this.status = message.status ?? {};
                this.hasStatus = this.#isFresh = true;
                this.recorderIsThere = true;
                clearTimeout(this.#goneTimer);
                this.#noteStatus();
                break;
            case "change": {
                let areNumbers = true;
                for (const [name, value] of Object.entries(message.status ?? {})) {
                    /** @type {Record<string, unknown>} */
                    const fields = /** @type {any} */ (this.status);
                    areNumbers &&= differOnlyInNumbers(fields[name], value);
                    if (value === null) delete fields[name];
                    else fields[name] = value;
                }
                this.#noteStatus(areNumbers);
                break;
            }
            case "recorder":
                this.recorderText = String(message.text ?? "");
                this.#isTold = message.there === true;
                if (this.#isTold) this.#heardAt = performance.now();
                // The recorder has ended again, for the reason in the text.
                else if (this.recorderText !== "") this.wantsRecording = false;
                clearTimeout(this.#goneTimer);
                // A web process that has just started doesn't know the recorder yet, so don't report a running recorder
                // as gone.
                if (!message.there) {
                    const wait = this.#isFresh ? 0 : Math.max(0, newContactMs - (performance.now() - this.contactAt));
                    if (wait === 0) this.#lose();
                    else this.#goneTimer = window.setTimeout(() => this.#lose(), wait);
                }
                break;
            case "levels":
                this.levels = message.levels ?? {};
                this.#noteLevels();
                this.tell("levels");
                break;
            case "events":
                this.#forgetSince(Number(message.events?.[0]?.at_ns ?? Infinity) / 1e9);
                for (const event of message.events ?? []) this.#noteEvent(event, true);
                this.tell("status");
                break;
            case "event":
                this.#noteEvent(message.event, false);
                break;
            case "job":
                if (message.command === "calibrate") this.local.isCalibrating = message.done !== true;
                this.tell("job", message);
                break;
            case "error":
                this.tell("note", { text: String(message.text ?? "") });
                break;
        }
    }

    #lose() {
        if (this.recorderIsThere) this.goneAt = this.hasStatus && this.status.state === "recording" ? this.seconds : undefined;
        this.recorderIsThere = false;
        this.hasStatus = this.#isFresh = true;
        this.tell("status");
    }

    /** @param {boolean} [areNumbers] whether only numbers have changed, which may be announced later */
    #noteStatus(areNumbers = false) {
        const now = performance.now();
        const wasSilent = this.isSilent;
        this.#statusAt = this.#heardAt = now;
        this.isSilent = false;
        if ((this.status.folder ?? "") !== this.#folder) {
            this.#folder = this.status.folder ?? "";
            if (this.status.state === "recording") {
                this.goneAt = undefined;
                const start = this.seconds > 5 ? this.shots.filter((shot) => shot.at <= this.seconds) : [];
                this.shots = start;
                this.faults = this.seconds > 5 ? this.faults : [];
                this.maxima.clear();
                this.clearedClips.clear();
            }
        }
        const arrangement = this.arrangement;
        if (this.status.state === "recording" && arrangement) {
            const last = this.shots[this.shots.length - 1];
            if (!last) this.#addShot(0, arrangement.layout, arrangement.shown);
            else if (last.layout !== arrangement.layout || last.shown.join("\n") !== arrangement.shown.join("\n")) {
                this.#addShot(this.seconds, arrangement.layout, arrangement.shown);
            }
        }
        for (const microphone of this.microphones) {
            const times = this.clipTimes.get(microphone.role) ?? [];
            const key = `clips/${microphone.role}`;
            const before = this.since.get(key);
            const count = microphone.clipped ?? 0;
            if (before !== undefined && count > before) times.push(...Array(Math.min(10, count - before)).fill(now));
            this.since.set(key, count);
            this.clipTimes.set(microphone.role, times.filter((time) => now - time < 60_000).slice(-50));
        }
        const lost = this.lost;
        const lostBefore = this.since.get("lost");
        if (lostBefore !== undefined && lost > lostBefore) this.lastLossAt = now;
        this.since.set("lost", lost);
        if (now - this.#residualAt >= residualStepMs) {
            this.#residualAt = now;
            this.residualCount += 1;
            for (const device of [...this.cameras, ...this.microphones]) {
                const all = this.residuals.get(device.role) ?? [device.residual_us ?? NaN];
                all.push(device.locked === false || device.residual_us === undefined ? NaN : device.residual_us);
                if (all.length > mostResiduals) all.shift();
                this.residuals.set(device.role, all);
            }
        }
        this.#seedNext();
        const wait = areNumbers && !wasSilent ? numbersMs - (now - this.#toldAt) : 0;
        if (wait > 0) {
            this.#tellTimer ||= window.setTimeout(() => this.#tellStatus(), wait);
        } else {
            this.#tellStatus();
        }
    }

    #tellStatus() {
        clearTimeout(this.#tellTimer);
        this.#tellTimer = 0;
        this.#toldAt = performance.now();
        this.tell("status");
    }

    /** If no preview is selected, selects the first camera that is off air. */
    #seedNext() {
        const arrangement = this.arrangement;
        if (!arrangement) {
            this.local.next = undefined;
            return;
        }
        const roles = this.roles;
        const next = this.local.next;
        if (next && next.shown.length > 0 && next.shown.every((role) => roles.includes(role))) return;
        const other = roles.find((role) => !arrangement.shown.includes(role)) ?? roles.find((role) => role !== arrangement.shown[0]);
        this.local.next = { ...arrangement, layout: special.one, shown: [other ?? arrangement.shown[0] ?? ""].filter((role) => role !== "") };
    }

    /** @param {number} at @param {string} layout @param {string[]} shown */
    #addShot(at, layout, shown) {
        this.shots.push({ at, layout, shown: [...shown] });
        if (this.shots.length > mostShots) this.shots.shift();
    }

    #noteLevels() {
        let isTalking = false;
        for (const microphone of this.microphones) {
            const rms = Math.max(0, ...(this.levels[microphone.role]?.rms ?? []));
            if (decibels(rms) > -30) isTalking = true;
        }
        for (const [role, level] of Object.entries(this.levels)) {
            const peak = decibels(Math.max(0, ...(level.peak ?? [])));
            if (peak > (this.maxima.get(role) ?? -120)) this.maxima.set(role, peak);
        }
        if (this.status.state !== "standby") {
            this.#talk = [];
            this.#talkCount = 0;
            this.hasTalk = false;
            return;
        }
        this.#talk.push(isTalking);
        if (isTalking) this.#talkCount += 1;
        if (this.#talk.length > talkWindow && this.#talk.shift()) this.#talkCount -= 1;
        this.hasTalk = this.#talk.length >= talkWindow && this.#talkCount * 2 >= this.#talk.length;
    }

    /** Dismisses the warning about speech during standby. */
    forgetTalk() {
        this.#talk = [];
        this.#talkCount = 0;
        this.hasTalk = false;
        this.tell("status");
    }

    /**
     * Removes events, shots and faults that the recorder sends again after a reconnection.
     * @param {number} at time of the first repeated event, in seconds
     */
    #forgetSince(at) {
        this.events = [];
        this.shots = this.shots.filter((shot) => shot.at < at);
        this.faults = this.faults.filter((fault) => fault.from < at);
    }

    /** @param {SessionEvent | undefined} event @param {boolean} isOld */
    #noteEvent(event, isOld) {
        if (!event || typeof event.event !== "string") return;
        const at = Number(event.at_ns ?? 0) / 1e9;
        if (event.event === "started") {
            this.shots = [];
            this.faults = [];
        }
        this.events.push(event);
        if (this.events.length > mostEvents) this.events.shift();
        const track = String(event.track ?? "");
        if (event.event === "drop") this.#addFault({ from: at, to: at + Number(event.duration_ns ?? 0) / 1e9, role: track });
        if (event.event === "device-lost" || (event.event === "silence" && event.state === "begins")) this.#addFault({ from: at, role: track });
        if (event.event === "device-restored" || (event.event === "silence" && event.state === "ends")) {
            for (const fault of this.faults) if (fault.role === track && fault.to === undefined) fault.to = at;
        }
        if (event.event === "change" && isOld && typeof event.layout === "string" && Array.isArray(event.shown)) {
            this.#addShot(at, event.layout, event.shown.map(String));
        }
        if (!isOld) this.tell("event", event);
    }

    /** @param {Fault} fault */
    #addFault(fault) {
        const last = this.faults[this.faults.length - 1];
        if (last && last.role === fault.role && last.to !== undefined && fault.to !== undefined && fault.from - last.to < 1) {
            last.to = fault.to;
            return;
        }
        this.faults.push(fault);
        if (this.faults.length > mostFaults) this.faults.shift();
    }
}

/** The state shared by all parts of the page. */
export const studio = new Studio();
export { looksAlike };
