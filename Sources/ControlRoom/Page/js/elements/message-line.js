// The message line: one sentence about the current state, the most severe condition first. The element also
// makes announcements for screen readers and updates the page title.

import { conditions, halves, seeWorst } from "./conditions.js";
import { doNotRecord, record } from "./commands.js";
import { clockTime, wallTime } from "./numbers.js";
import { describe } from "./arrangement.js";
import { keyTextOf } from "./keys.js";
import { say } from "./words.js";
import { studio } from "./studio.js";
import { StudioElement, h, icon, keep, setAttribute, setFlag, setText } from "./dom.js";

/**
 * The message line's actions, by name. Other parts of the page add more actions.
 * @type {Map<string, {text: string, run: (argument?: string) => void}>}
 */
export const lineActions = new Map([
    ["record-again", { text: say("record-again"), run: () => record() }],
    ["do-not-record", { text: say("do-not-record"), run: () => doNotRecord() }],
    ["leave-it", { text: say("leave-it"), run: () => studio.forgetTalk() }],
]);

export class MessageLine extends StudioElement {
    /** @type {import("./conditions.js").Condition[]} */
    all = [];
    isListShown = false;

    build() {
        this.classList.add("message-line");
        this.sentence = h("span", { class: "sentence" });
        this.rest = h("span", { class: "rest" });
        this.text = h("p", { class: "message" }, icon("warn"), this.sentence, this.rest);
        this.others = h("button", { type: "button", class: "small others", hidden: true, "aria-expanded": "false", onclick: () => this.#toggleList() });
        this.seen = h("button", { type: "button", class: "small seen", hidden: true, onclick: () => seeWorst() }, `${say("seen")} `, h("kbd", {}));
        this.action = h("button", { type: "button", class: "small action", hidden: true });
        this.profile = h("span", { class: "profile" });
        this.clock = h("span", { class: "clock" });
        this.list = h("ul", { class: "message-list", hidden: true });
        this.append(this.text, this.others, this.action, this.seen, this.profile, this.clock);
        if (this.hasAttribute("keys")) {
            this.append(h("button", { type: "button", class: "small help quiet", "aria-label": say("keys"), title: say("keys"), onclick: () => document.dispatchEvent(new CustomEvent("multicam-keys")) }, "?"));
        }
        this.append(this.list);
        this.action.addEventListener("click", () => {
            const first = this.all[0];
            if (first?.action) lineActions.get(first.action)?.run(first.argument);
        });
    }

    enter() {
        this.leaving.push(studio.on(["status", "contact", "local", "event", "note"], () => this.update()));
        const timer = setInterval(() => this.update(), 500);
        this.leaving.push(() => clearInterval(timer));
        /** @param {Event} event */
        const closeList = (event) => {
            const isEscape = event instanceof KeyboardEvent && event.key === "Escape";
            if (!this.isListShown || !(isEscape || (event.type === "pointerdown" && !this.contains(/** @type {Node} */ (event.target))))) return;
            this.#toggleList();
            if (!isEscape) return;
            event.preventDefault();
            this.others?.focus();
        };
        for (const type of ["keydown", "pointerdown"]) {
            document.addEventListener(type, closeList, true);
            this.leaving.push(() => document.removeEventListener(type, closeList, true));
        }
        this.update();
    }

    #toggleList() {
        this.isListShown = !this.isListShown;
        this.update();
    }

    update() {
        const { sentence, rest, others, seen, action, profile, clock, list } = this;
        if (!sentence || !rest || !others || !seen || !action || !profile || !clock || !list) return;
        this.all = conditions();
        const [first, ...more] = this.all;
        const level = first?.level ?? "state";
        setAttribute(this, "data-level", level);
        setText(sentence, first?.text ?? "");
        setText(rest, first?.more ?? "");
        const rests = more.filter((one) => one.level === "attention" || one.level === "act");
        setFlag(others, "hidden", rests.length === 0);
        if (rests.length === 0) this.isListShown = false;
        setText(others, say("more-n", { n: rests.length }));
        setAttribute(others, "aria-expanded", String(this.isListShown));
        setFlag(list, "hidden", !this.isListShown);
        if (this.isListShown) {
            keep(list, rests, (one) => one.id, () => h("li", {}, icon("warn"), h("span", {})), (item, one) => {
                if (item.lastElementChild) setText(item.lastElementChild, [one.text, one.more].filter(Boolean).join(" "));
            });
        }
        setFlag(seen, "hidden", level !== "act" || first?.action !== undefined);
        if (seen.lastElementChild) setText(seen.lastElementChild, keyTextOf("seen"));
        const todo = first?.action ? lineActions.get(first.action) : undefined;
        setFlag(action, "hidden", todo === undefined);
        if (todo) setText(action, todo.text);
        setText(profile, studio.status.profile ?? "");
        setText(clock, wallTime(new Date()));
        const { dataset } = document.documentElement;
        dataset.state = studio.state;
        dataset.contact = studio.contact ? "yes" : "no";
        dataset.recorder = studio.recorderIsThere ? "yes" : "no";
        dataset.level = level;
        dataset.line = first?.id ?? "";
        setFlag(document.documentElement, "data-locked", studio.isLocked);
        const sign = level === "act" ? "⚠ " : studio.isRecording ? "● " : "";
        const time = studio.isRecording ? `${clockTime(studio.seconds)} ` : "";
        const title = `${sign}${time}multicam`;
        if (document.title !== title) document.title = title;
        this.#alarm(level === "act" ? first : undefined);
    }

    #spoken = "";

    /**
     * Announces each alarm once to screen readers, and vibrates the phone once.
     * @param {import("./conditions.js").Condition | undefined} alarm
     */
    #alarm(alarm) {
        const alert = document.getElementById("spoken-alert");
        if (!alarm) {
            this.#spoken = "";
            if (alert) setText(alert, "");
            return;
        }
        if (this.#spoken === alarm.id) return;
        this.#spoken = alarm.id;
        if (alert) setText(alert, [alarm.text, alarm.more].filter(Boolean).join(" "));
        // Browsers reject this call before the first user interaction, and log an error.
        const activation = /** @type {any} */ (navigator).userActivation;
        if (matchMedia("(pointer: coarse)").matches && activation?.hasBeenActive) navigator.vibrate?.(200);
    }
}

customElements.define("mc-line", MessageLine);

/**
 * Sentences waiting to be announced.
 * @type {string[]}
 */
let waiting = [];
let spokenAt = -1e9;
let timer = 0;

/**
 * Announces text to screen readers. Joins sentences, and announces at most once every 2 s.
 * @param {string} text
 */
export function announce(text) {
    waiting.push(text);
    if (waiting.length > 5) waiting.shift();
    if (timer !== 0) return;
    timer = window.setTimeout(() => {
        timer = 0;
        spokenAt = performance.now();
        const status = document.getElementById("spoken-status");
        if (status) status.textContent = waiting.join(". ");
        waiting = [];
    }, Math.max(50, 2000 - (performance.now() - spokenAt)));
}

let lastState = "";
let lastShown = "";
let lastMarkers = -1;
studio.on(["status"], () => {
    const { state, arrangement } = studio;
    const shown = describe(arrangement);
    const markers = studio.markerCount;
    if (lastState !== "" && state !== lastState) {
        if (state === "recording") announce(say("began"));
        else if (lastState === "recording" && state !== "contact") announce(say("ended"));
    } else if (lastShown !== "" && shown !== lastShown) announce(say("cut-to", { what: shown }));
    if (lastMarkers >= 0 && markers === lastMarkers + 1) announce(say("marker-set", { n: markers, text: studio.status.markers?.[studio.status.markers.length - 1]?.text ?? "" }));
    lastState = state;
    lastShown = shown;
    lastMarkers = markers;
});

studio.on(["note"], (detail) => announce(String(detail.text)));

// Events that report a success are shown in the message line.
studio.on(["event"], (event) => {
    const text = event.text ? halves(String(event.text))[0] : "";
    if (event.event === "device-restored") studio.tell("note", { text: say("camera-back", { role: event.track ?? "" }) });
    else if (event.event === "governor" && event.direction === "up" && text) studio.tell("note", { text });
    else if ((event.event === "warning" || event.event === "encoder") && text) studio.tell("note", { text, isAttention: true });
});

/** Announces the current state when the user presses the corresponding key. */
export function sayAll() {
    const worst = conditions()[0];
    announce([studio.isRecording ? say("rec") : say("not-recording"), studio.isRecording ? clockTime(studio.seconds) : "",
        describe(studio.arrangement), worst?.text ?? ""].filter(Boolean).join(", "));
}
