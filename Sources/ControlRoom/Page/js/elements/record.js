// The state display, and the buttons that start and stop a recording.

import { askToEnd, endRecording, goOn, isPending, record } from "./commands.js";
import { clockTime } from "./numbers.js";
import { say } from "./words.js";
import { studio } from "./studio.js";
import { StudioElement, h, icon, setAttribute, setFlag, setText } from "./dom.js";

/** Time after the start of a recording for which Stop is disabled, in milliseconds. */
const deadMs = 1000;

let beganAt = -1e9;
let wasRecording = false;
studio.on(["status", "contact"], () => {
    if (studio.state === "contact") return;
    const isRecording = studio.isRecording;
    if (isRecording && !wasRecording) beganAt = performance.now();
    if (!isRecording && wasRecording) goOn();
    wasRecording = isRecording;
});

/** Whether Stop is enabled. */
export function isStopAlive() {
    return studio.isRecording && performance.now() - beganAt > deadMs;
}

/** Whether Record is enabled. */
export function mayRecord() {
    const { cost, policy } = studio.status;
    const isRefused = policy === "refuse" && (cost?.hardware ?? 0) > (cost?.budget ?? 1);
    return studio.canAct && !studio.local.isCalibrating && studio.state === "standby" && studio.cameras.length + studio.microphones.length > 0 && !isRefused;
}

/** The state display. Its position and size are fixed. */
export class StateBlock extends StudioElement {
    build() {
        this.classList.add("state-block");
        this.word = h("span", { class: "state-word" });
        this.time = h("span", { class: "state-time" });
        this.fill = h("span", { class: "state-fill" });
        this.append(this.fill, icon("dot"), this.word, this.time);
    }

    enter() {
        this.leaving.push(studio.on(["status", "contact", "local"], () => this.update()));
        this.every(() => this.update(), 200);
        this.update();
    }

    update() {
        const { word, time, fill } = this;
        if (!word || !time || !fill) return;
        const { status } = studio;
        // The state of an unresponsive recorder is unknown, as it is while the page is disconnected.
        const state = studio.isSilent ? "contact" : studio.state;
        setAttribute(this, "data-state", state);
        let share = 0;
        if (state === "recording") {
            setText(word, say("rec"));
            setText(time, clockTime(studio.seconds));
        } else if (state === "contact") {
            const isSeen = studio.hasStatus && status.state === "recording";
            setText(word, isSeen ? say("last-seen") : say("not-recording"));
            setText(time, isSeen ? clockTime(studio.seconds) : "");
            if (!studio.hasStatus) {
                setText(word, "–");
            } else if (!isSeen) setText(word, `${say("last-seen")} ${say("standby-tile")}`);
        } else if (state === "finishing") {
            const { done, total } = status.finishing ?? { done: 0, total: 0 };
            setText(word, say("finishing-block"));
            setText(time, total > 0 ? say("n-of-m", { n: done, m: total }) : "");
            share = total > 0 ? done / total : 0;
        } else {
            const words = /** @type {Record<string, string>} */ ({ starting: "starting-block", paused: "paused-block" });
            setText(word, say(words[state] ?? "not-recording"));
            setText(time, "");
        }
        fill.style.width = `${Math.round(share * 100)}%`;
    }
}

customElements.define("mc-state", StateBlock);

/**
 * The Record button, and the Stop button, which asks for confirmation. `End recording`, which confirms, is
 * displayed away from Stop.
 */
export class RecordButtons extends StudioElement {
    build() {
        this.classList.add("record-buttons");
        this.end = h("button", { type: "button", class: "end outlined", onclick: () => endRecording() }, icon("stop"), h("span", {}, say("end-recording")));
        this.recordButton = h("button", { type: "button", class: "record strong", onclick: () => record() }, icon("dot"), h("span", {}, say("record")));
        this.stopButton = h("button", { type: "button", class: "stop outlined", onclick: () => isStopAlive() && askToEnd() }, icon("stop"), h("span", {}, say("stop")));
        this.goOnButton = h("button", { type: "button", class: "go-on strong", onclick: () => goOn() }, h("span", {}, say("go-on")));
        this.append(h("div", { class: "end-slot" }, this.end), h("div", { class: "main-slot" }, this.recordButton, this.stopButton, this.goOnButton));
    }

    enter() {
        this.leaving.push(studio.on(["status", "contact", "local"], () => this.update()));
        this.every(() => this.update(), 250);
        this.update();
    }

    update() {
        const { end, recordButton, stopButton, goOnButton } = this;
        if (!end || !recordButton || !stopButton || !goOnButton) return;
        const { state } = studio;
        const isRecording = state === "recording";
        const isEnding = isRecording && studio.local.isEnding;
        const hadFocus = document.activeElement === stopButton || document.activeElement === end || document.activeElement === goOnButton;
        const wasEnding = !end.hidden;
        setFlag(recordButton, "hidden", isRecording || state === "contact" || state === "finishing" || state === "starting" || state === "paused");
        recordButton.disabled = studio.local.isCalibrating || (!mayRecord() && state !== "gone") || (state === "gone" && !studio.contact);
        setFlag(recordButton, "data-pending", isPending("record"));
        setFlag(stopButton, "hidden", !isRecording || isEnding);
        setAttribute(stopButton, "aria-disabled", isStopAlive() ? undefined : "true");
        setFlag(end, "hidden", !isEnding);
        setFlag(goOnButton, "hidden", !isEnding);
        setFlag(this, "data-ending", isEnding);
        if (isEnding === wasEnding || stopButton.parentElement?.getClientRects().length === 0) return;
        if (isEnding) goOnButton.focus();
        else if (hadFocus) (stopButton.hidden ? recordButton : stopButton).focus();
    }
}

customElements.define("mc-record", RecordButtons);
