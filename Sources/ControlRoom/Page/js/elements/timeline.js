// The timeline: shows the whole recording with markers, shots and faults, with the marker button before it
// and the latest changes after it.

import { mark, split } from "./commands.js";
import { describe, shotText } from "./arrangement.js";
import { keyTextOf } from "./keys.js";
import { clockTime } from "./numbers.js";
import { causeText, say } from "./words.js";
import { studio } from "./studio.js";
import { StudioElement, h, keep, setAttribute, setFlag, setText } from "./dom.js";

const mostDrawnMarkers = 60;
const mostDrawnShots = 240;
/** Minimum interval in milliseconds between redraws of the lanes if there are no new events. */
const leastGapMs = 900;

/** Possible intervals between the times below the timeline, in seconds. */
const steps = [10, 30, 60, 300, 600, 900, 1800, 3600, 7200, 14_400, 28_800];

export class Timeline extends StudioElement {
    #drawn = "";
    #drawnAt = 0;
    /** Time of the marker that is being named, relative to T0. */
    #markerAtNs = 0;

    build() {
        this.classList.add("timeline");
        this.markerText = h("span", {});
        this.markerKey = h("kbd", {});
        this.markerButton = h("button", { type: "button", class: "mark", onclick: () => mark() }, this.markerText, this.markerKey);
        this.input = h("input", { type: "text", maxlength: "120", size: "40", autocomplete: "off" });
        this.form = h("form", { class: "marker-form", hidden: true, onsubmit: (/** @type {Event} */ event) => this.#submit(event) }, this.input);
        this.input.addEventListener("keydown", (event) => {
            if (event.key === "Escape") this.closeForm();
        });
        this.input.addEventListener("blur", () => {
            if (this.form && !this.form.hidden && this.input?.value.trim() === "") this.closeForm(false);
        });
        this.markerWords = h("button", { type: "button", class: "small quiet marker-words", title: say("key-mark-text"), onclick: () => this.openForm() }, say("name-marker"));
        this.splitButton = h("button", { type: "button", class: "small quiet split", title: say("key-split"), onclick: () => split() }, say("split"));
        this.markers = h("div", { class: "lane markers-lane" });
        this.shots = h("div", { class: "lane shots-lane" });
        this.faults = h("div", { class: "lane faults-lane" });
        this.times = h("div", { class: "lane times-lane" });
        this.now = h("span", { class: "now-line" });
        this.empty = h("span", { class: "timeline-empty" }, say("not-yet"));
        this.lanes = h("div", { class: "lanes", role: "img" }, this.markers, this.shots, this.faults, this.times, this.now);
        this.changes = h("ul", { class: "changes", "aria-label": say("last-changes") });
        this.append(h("div", { class: "marker-place" }, this.markerButton, this.form, h("div", { class: "marker-more" }, this.markerWords, this.splitButton)), this.lanes, this.empty, this.changes);
    }

    enter() {
        this.leaving.push(studio.on(["status", "local", "contact", "event"], () => this.update()));
        this.every(() => this.update(), 1000);
        this.update();
    }

    /** Opens the text field for a marker's name. */
    openForm() {
        if (!this.form || !this.input || !this.markerButton || !studio.isRecording) return;
        const n = studio.markerCount + 1;
        // The marker gets the time when the text field was opened, regardless of how long the user types.
        this.#markerAtNs = studio.seconds * 1e9;
        this.form.hidden = false;
        this.markerButton.hidden = true;
        this.input.placeholder = say("marker-name", { n });
        this.input.setAttribute("aria-label", say("marker-name", { n }));
        this.input.focus();
    }

    closeForm(isFocused = true) {
        if (!this.form || !this.input || !this.markerButton) return;
        this.form.hidden = true;
        this.markerButton.hidden = false;
        this.input.value = "";
        if (isFocused) this.markerButton.focus();
    }

    /** @param {Event} event */
    #submit(event) {
        event.preventDefault();
        mark(this.input?.value, this.#markerAtNs);
        this.closeForm();
    }

    update() {
        const { markerButton, markerText, markerKey, lanes, empty, changes, splitButton, markerWords } = this;
        if (!markerButton || !markerText || !markerKey || !lanes || !empty || !changes || !splitButton || !markerWords) return;
        const isRecording = studio.isRecording;
        setText(markerText, say("marker-n", { n: studio.markerCount + 1 }));
        setText(markerKey, keyTextOf("mark"));
        markerButton.disabled = splitButton.disabled = markerWords.disabled = !isRecording;
        const isShown = studio.status.state === "recording" || studio.status.state === "finishing";
        setFlag(lanes, "hidden", !isShown);
        setFlag(empty, "hidden", isShown);
        setFlag(this, "data-grey", !studio.canAct);
        const key = `${studio.markerCount}/${studio.shots.length}/${studio.faults.length}/${isRecording}`;
        const now = performance.now();
        if (isShown && (key !== this.#drawn || now - this.#drawnAt >= leastGapMs)) {
            this.#drawn = key;
            this.#drawnAt = now;
            this.#lanes(Math.max(1, studio.seconds));
        }
        keep(changes, recentChanges(3), (one) => one.id, () => h("li", {}, h("span", { class: "change-time" }), h("span", { class: "change-text" })), (item, one) => {
            const [time, text] = item.children;
            if (time) setText(time, one.time);
            if (text) setText(text, one.text);
            setAttribute(item, "title", one.text);
        });
    }

    /** @param {number} total seconds */
    #lanes(total) {
        const { markers, shots, faults, times, lanes } = this;
        if (!markers || !shots || !faults || !times || !lanes) return;
        const place = (/** @type {number} */ seconds) => `${((Math.max(0, Math.min(total, seconds)) / total) * 100).toFixed(3)}%`;
        const all = (studio.status.markers ?? []).map((one, index) => ({ ...one, index: index + studio.markerCount - (studio.status.markers?.length ?? 0) })).slice(-mostDrawnMarkers);
        keep(markers, all, (one) => String(one.index), () => h("span", { class: "flag" }, h("span", { class: "flag-number" }), h("span", { class: "flag-text" })), (flag, one, index) => {
            const at = one.at_ns / 1e9;
            const next = all[index + 1];
            flag.style.left = place(at);
            flag.style.width = `calc(${(((next ? next.at_ns / 1e9 : total) - at) / total) * 100}% - 2px)`;
            const [number, text] = flag.children;
            if (number) setText(number, String(one.index + 1));
            if (text) setText(text, one.text);
            setAttribute(flag, "title", `${clockTime(at)} ${one.text}`);
        });
        const drawn = studio.shots.slice(-mostDrawnShots);
        keep(shots, drawn, (shot) => String(shot.at), () => h("span", { class: "shot" }), (element, shot, index) => {
            const next = drawn[index + 1];
            element.style.left = place(shot.at);
            element.style.width = place((next?.at ?? total) - shot.at);
            setFlag(element, "data-now", !next && studio.isRecording);
            setText(element, shotText(shot.layout, shot.shown.map((role) => studio.numberOf(role))));
            setAttribute(element, "title", `${clockTime(shot.at)} ${shot.shown.join(", ")}`);
        });
        keep(faults, studio.faults.slice(-200), (fault) => `${fault.role}/${fault.from}`, () => h("span", { class: "fault" }), (element, fault) => {
            element.style.left = place(fault.from);
            element.style.width = place((fault.to ?? total) - fault.from);
            setAttribute(element, "title", `${clockTime(fault.from)} ${fault.role}`);
        });
        const step = steps.find((step) => total / step <= 6) ?? 57_600;
        const ticks = [];
        for (let at = 0; at < total * 0.97 && ticks.length < 12; at += step) ticks.push(at);
        keep(times, ticks, String, () => h("span", { class: "tick" }), (element, at) => {
            element.style.left = place(at);
            const text = clockTime(at);
            setText(element, step < 60 ? text.replace(/^0:0?/, "") : `${Math.floor(at / 3600)}:${String(Math.floor(at / 60) % 60).padStart(2, "0")}`);
        });
        setAttribute(lanes, "aria-label", `${say("timeline")}: ${say("timeline-text", { markers: studio.markerCount, shots: studio.shots.length, faults: studio.faults.length })}`);
    }
}

customElements.define("mc-timeline", Timeline);

/**
 * The latest changes of the running recording, the newest first: cuts, markers, losses, and events.
 * @param {number} count maximum number of changes
 */
export function recentChanges(count) {
    /** @type {{id: string, at: number, time: string, text: string}[]} */
    const all = [];
    if (studio.status.state !== "recording" && studio.status.state !== "finishing") return all;
    studio.shots.slice(-count).forEach((shot) => {
        if (shot.at > 0) {
            all.push({ id: `shot/${shot.at}`, at: shot.at, time: "", text: say("cut-to", { what: describe(shot) }) });
        }
    });
    (studio.status.markers ?? []).slice(-count).forEach((one) => {
        const n = (studio.status.markers ?? []).indexOf(one) + 1 + studio.markerCount - (studio.status.markers?.length ?? 0);
        all.push({ id: `marker/${n}`, at: one.at_ns / 1e9, time: "", text: say("marker-set", { n, text: one.text }) });
    });
    studio.events.slice(-20 * count).forEach((event, index) => {
        const at = Number(event.at_ns ?? 0) / 1e9;
        const id = `${event.event}/${event.at_ns}/${event.track ?? index}`;
        if (event.event === "drop") all.push({ id, at, time: "", text: say("lost-event", { role: event.track ?? "", n: Number(event.count ?? 1), cause: causeText(String(event.cause ?? "")) }) });
        else if (["device-lost", "device-restored", "silence", "governor", "clipping"].includes(event.event) && event.text) all.push({ id, at, time: "", text: String(event.text) });
        else if (event.event === "split") all.push({ id, at, time: "", text: say("split-done") });
    });
    const byId = new Map(all.map((one) => [one.id, one]));
    return [...byId.values()].filter((one) => one.at <= studio.seconds + 1).sort((a, b) => b.at - a.at).slice(0, count).map((one) => ({ ...one, time: clockTime(one.at) }));
}
