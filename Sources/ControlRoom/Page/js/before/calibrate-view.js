// Display of a calibration by claps: which devices detected each event, and the current accuracy of each latency.

import { ask } from "./ask.js";
import { fixed } from "./numbers.js";
import { addWords, isGerman, say } from "./words.js";
import { studio } from "./studio.js";
import { StudioElement, h, icon, keep, s, setAttribute, setFlag, setText } from "./dom.js";

addWords({
    calibrate: ["Calibrate latency", "Latenz kalibrieren"],
    "calibrate-how": ["Produce a flash and a beep at the same time, ten times at irregular intervals. A clapperboard app on a phone can do this. Stay close to {reference}.",
        "Gleichzeitig Lichtblitz und Ton erzeugen, zehnmal in unregelmäßigen Abständen. Eine Klappen-App auf dem Telefon kann das. In der Nähe von {reference} bleiben."],
    "first-microphone": ["the first microphone", "dem ersten Mikrofon"],
    "calibrate-begin": ["Start", "Starten"],
    "calibrate-again": ["Calibrate again", "Neu kalibrieren"],
    "calibrate-end": ["Finish", "Beenden"],
    "not-calibrated": ["Not calibrated yet.", "Noch nicht kalibriert."],
    "calibrated-at": ["Calibrated {when}, accurate to ±{time}.", "Kalibriert {when}, auf ±{time} genau."],
    "calibrate-starts": ["Opening devices…", "Geräte werden geöffnet…"],
    "calibrate-listens": ["Listening. Produce a flash and a beep, or clap.", "Warten auf Ereignisse. Jetzt Lichtblitz und Ton erzeugen oder klatschen."],
    "calibrate-detected-events": ["Event {n} detected.", "Ereignis {n} erkannt."],
    "calibrate-reference": ["reference", "Referenz"],
    "calibrate-none": ["nothing detected", "nichts erkannt"],
    "calibrate-detected": ["detected {n} of {m}", "{n} von {m} erkannt"],
    "calibrate-bar": ["Bar: uncertainty. Gray area: target of ±2 ms.", "Balken: Unsicherheit. Grauer Bereich: Ziel von ±2 ms."],
    "calibrate-stops": ["Camera previews are paused during calibration.", "Während der Kalibrierung sind die Kamerabilder angehalten."],
    "calibration-rows": ["Result for each device", "Ergebnis je Gerät"],
});

/** @typedef {{role: string, kind: string, verdict: string, usable: boolean, events: number, latency_ns?: number | null, offset_ns?: number | null, uncertainty_ns?: number | null}} Finding */
/** @typedef {{role: string, detected: boolean[]}} Noticed */

const goalMs = 2;
/** The drawing shows deviations from −`endMs` to +`endMs`, in milliseconds. */
const endMs = 20;
const mostEvents = 30;

export class CalibrateView extends StudioElement {
    job = 0;
    isRunning = false;
    /** @type {Finding[]} */
    findings = [];
    /**
     * The events detected by each device, by role.
     * @type {Map<string, boolean[]>}
     */
    detectedBy = new Map();
    detected = 0;
    #reference = "";

    build() {
        this.classList.add("calibrate-view", "panel");
        this.hidden = true;
        this.button = h("button", { type: "button", class: "small calibrate-begin", onclick: () => void (this.isRunning ? this.#end() : this.#begin()) });
        this.stored = h("p", { class: "quiet-text" });
        this.how = h("p", { class: "quiet-text calibrate-how" });
        this.said = h("p", { class: "calibrate-said", "aria-live": "polite" });
        this.rows = h("ul", { class: "calibrate-rows", "aria-label": say("calibration-rows") });
        this.legend = h("p", { class: "quiet-text", hidden: true }, say("calibrate-bar"));
        this.result = h("p", { class: "quiet-text calibrate-result" });
        this.append(h("div", { class: "panel-head" }, h("h2", {}, say("calibrate")), this.button), this.stored, this.how, this.said, this.rows, this.legend, this.result);
    }

    enter() {
        this.leaving.push(studio.on(["job"], (job) => this.#job(job)), studio.on(["status", "contact"], () => this.#states()), studio.on(["contact"], () => {
            if (studio.contact && this.isRunning) void this.#askWhetherOver();
        }));
        void this.#load();
        this.#states();
    }

    async #load() {
        const answer = await ask("/api/v1/calibration");
        if (answer.ok) {
            this.hidden = false;
            this.#showKept(/** @type {any} */ (answer.value).devices ?? []);
            return;
        }
        // If the stored latencies can't be loaded, the response to a request for the jobs shows whether a
        // calibration is possible.
        const jobs = await ask("/api/v1/jobs");
        if (jobs.ok) this.hidden = false;
    }

    /**
     * Checks whether the job has ended, because events that were sent while the connection was down are lost.
     */
    async #askWhetherOver() {
        const answer = await ask("/api/v1/jobs");
        if (!answer.ok) return;
        /** @type {any[]} */
        const jobs = Array.isArray(/** @type {any} */ (answer.value).jobs) ? /** @type {any} */ (answer.value).jobs : [];
        const job = jobs.find((one) => one.job === this.job && one.command === "calibrate");
        this.#job(job ?? { job: this.job, command: "calibrate", done: true, ok: false, text: "" });
    }

    /** @param {any[]} devices */
    #showKept(devices) {
        if (!this.stored) return;
        const roles = [...studio.cameras, ...studio.microphones].map((device) => device.role);
        const own = devices.filter((device) => roles.includes(String(device.role)) && Number(device.events) > 0);
        const dates = own.map((device) => new Date(String(device.date)).getTime()).filter((time) => !Number.isNaN(time));
        if (own.length === 0 || dates.length === 0) {
            setText(this.stored, say("not-calibrated"));
            return;
        }
        const days = Math.round((Date.now() - Math.max(...dates)) / 86_400_000);
        const when = new Intl.RelativeTimeFormat(isGerman ? "de" : "en", { numeric: "auto" }).format(-days, "day");
        const worst = Math.max(...own.map((device) => Number(device.uncertainty_ns ?? 0)));
        setText(this.stored, say("calibrated-at", { when, time: milliseconds(worst) }));
    }

    #states() {
        const { button, how, said } = this;
        if (!button || !how || !said) return;
        setText(button, say(this.isRunning ? "calibrate-end" : this.findings.length > 0 ? "calibrate-again" : "calibrate-begin"));
        button.disabled = !studio.contact || (!this.isRunning && (studio.state !== "standby" || studio.microphones.length === 0));
        setAttribute(button, "title", studio.isRecording ? say("not-while-recording") : undefined);
        how.hidden = !this.isRunning || this.detected > 2;
        setText(how, `${say("calibrate-how", { reference: this.#reference || studio.microphones[0]?.role || say("first-microphone") })} ${say("calibrate-stops")}`);
        setFlag(this, "data-running", this.isRunning);
    }

    async #begin() {
        this.findings = [];
        this.detectedBy.clear();
        this.detected = 0;
        const answer = await ask("/api/v1/calibrate", { method: "POST", body: { options: {} } });
        if (!this.said) return;
        if (!answer.ok) {
            setText(this.said, say("refused", { what: answer.text }));
            return;
        }
        this.job = Number(/** @type {any} */ (answer.value).job ?? 0);
        this.isRunning = true;
        if (this.result) setText(this.result, "");
        setText(this.said, say("calibrate-starts"));
        this.#draw();
        this.#states();
        this.scrollIntoView({ block: "nearest" });
    }

    async #end() {
        if (this.button) this.button.disabled = true;
        await ask(`/api/v1/jobs/${this.job}/cancel`, { method: "POST", body: {} });
        this.#states();
    }

    /** @param {any} job */
    #job(job) {
        if (job.command !== "calibrate" || !this.said || !this.result) return;
        this.hidden = false;
        this.job = Number(job.job ?? 0);
        this.isRunning = job.done !== true;
        const event = job.event ?? {};
        if (event.event === "listening") {
            this.#reference = String(event.reference ?? "");
            setText(this.said, say("calibrate-listens"));
        } else if (event.event === "detected") {
            this.detected = Number(event.number ?? this.detected + 1);
            for (const [name, isSeen] of /** @type {[string, boolean][]} */ ([["detected_by", true], ["missed_by", false]])) {
                for (const role of Array.isArray(event[name]) ? event[name] : []) {
                    const all = this.detectedBy.get(String(role)) ?? [];
                    all.push(isSeen);
                    this.detectedBy.set(String(role), all.slice(-mostEvents));
                }
            }
            setText(this.said, say("calibrate-detected-events", { n: this.detected }));
        } else if (event.event === "hint") setText(this.said, String(event.text ?? ""));
        if (Array.isArray(event.devices)) this.findings = event.devices.slice(0, 32);
        if (job.done === true) {
            setText(this.said, "");
            setText(this.result, String(job.text ?? ""));
            setFlag(this.result, "data-warn", job.ok === false && !this.findings.some((finding) => finding.usable && finding.verdict !== "reference"));
            void this.#load();
        }
        const had = this.rows?.childElementCount ?? 0;
        this.#draw();
        this.#states();
        if (had === 0 && this.findings.length > 0) this.scrollIntoView({ block: "nearest" });
    }

    #draw() {
        if (!this.rows || !this.legend) return;
        this.legend.hidden = this.findings.length === 0;
        keep(this.rows, this.findings, (finding) => finding.role, () => h("li", { class: "calibrate-row" },
            h("span", { class: "calibrate-name" }), h("span", { class: "calibrate-value" }),
            /** @type {any} */ (s("svg", { viewBox: "0 0 200 16", preserveAspectRatio: "none", class: "calibrate-drawing", "aria-hidden": "true" },
                s("rect", { class: "goal", y: 0, height: 16 }), s("rect", { class: "known", y: 4, height: 8 }), s("path", { class: "middle", d: "M100 0V16" }))),
            h("span", { class: "calibrate-dots" })), (row, finding) => {
            const [name, value, drawing, dots] = row.children;
            if (!name || !value || !drawing || !dots) return;
            setText(name, finding.role);
            const uncertainty = finding.uncertainty_ns ?? undefined;
            const amount = finding.latency_ns ?? finding.offset_ns ?? undefined;
            const isReference = finding.verdict === "reference";
            const isKnown = uncertainty !== undefined && amount !== undefined && !isReference;
            value.replaceChildren(...(finding.verdict === "measured" ? [icon("check"), " "] : []),
                isReference ? say("calibrate-reference") : isKnown ? `${fixed(Number(amount) / 1e6, 1)} ±\u202f${milliseconds(Number(uncertainty))}` : say("calibrate-none"));
            setAttribute(row, "data-verdict", finding.verdict);
            const [goal, known] = drawing.children;
            const place = (/** @type {number} */ ms) => (Math.min(endMs, ms) / endMs) * 100;
            if (goal) {
                setAttribute(goal, "x", String(100 - place(goalMs)));
                setAttribute(goal, "width", String(place(goalMs) * 2));
            }
            const half = isKnown ? Math.max(1, place(Number(uncertainty) / 1e6)) : isReference ? 1 : 100;
            if (known) {
                setAttribute(known, "x", String(100 - half));
                setAttribute(known, "width", String(half * 2));
            }
            setFlag(drawing, "data-unknown", !isKnown && !isReference);
            const all = isReference ? Array(Math.min(mostEvents, this.detected)).fill(true) : this.detectedBy.get(finding.role) ?? [];
            keep(dots, all.map((isSeen, index) => ({ isSeen, index })), ({ index }) => String(index), () => h("span", { class: "calibrate-dot" }), (dot, { isSeen }) => setFlag(dot, "data-seen", isSeen));
            setAttribute(dots, "role", "img");
            setAttribute(dots, "aria-label", say("calibrate-detected", { n: all.filter(Boolean).length, m: all.length }));
        });
    }
}

/** @param {number} nanoseconds */
function milliseconds(nanoseconds) {
    return `${fixed(nanoseconds / 1e6, 1)}\u202fms`;
}

customElements.define("mc-calibrate", CalibrateView);
