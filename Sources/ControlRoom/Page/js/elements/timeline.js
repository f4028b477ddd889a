// The timeline: the whole recording with marks, shots and faults, the mark button before it, and the last changes beside it.

import { mark, split } from "./commands.js";
import { describe, shotText } from "./arrangement.js";
import { keyTextOf } from "./keys.js";
import { clockTime } from "./numbers.js";
import { say } from "./words.js";
import { studio } from "./studio.js";
import { StudioElement, h, keep, setAttribute, setFlag, setText } from "./dom.js";

const mostDrawnMarks = 60;
const mostDrawnShots = 240;
/** Where nothing new happened, the lanes are drawn so often at most. */
const leastGapMs = 900;

/** Steps between times below the timeline, in seconds. */
const steps = [10, 30, 60, 300, 600, 900, 1800, 3600, 7200, 14_400, 28_800];

export class Timeline extends StudioElement {
    #drawn = "";
    #drawnAt = 0;
    /** The instant of the mark whose name is being typed, since T0. */
    #markAtNs = 0;

    build() {
        this.classList.add("timeline");
        this.markText = h("span", {});
        this.markKey = h("kbd", {});
        this.markButton = h("button", { type: "button", class: "mark", onclick: () => mark() }, this.markText, this.markKey);
        this.input = h("input", { type: "text", maxlength: "120", autocomplete: "off" });
        this.form = h("form", { class: "mark-form", hidden: true, onsubmit: (/** @type {Event} */ event) => this.#submit(event) }, this.input);
        this.input.addEventListener("keydown", (event) => {
            if (event.key === "Escape") this.closeForm();
        });
        this.input.addEventListener("blur", () => {
            if (this.form && !this.form.hidden && this.input?.value.trim() === "") this.closeForm(false);
        });
        this.markWords = h("button", { type: "button", class: "small quiet mark-words", title: say("key-mark-text"), "aria-label": say("key-mark-text"), onclick: () => this.openForm() }, "T");
        this.splitButton = h("button", { type: "button", class: "small quiet split", title: say("key-split"), onclick: () => split() }, say("split"));
        this.marks = h("div", { class: "lane marks-lane" });
        this.shots = h("div", { class: "lane shots-lane" });
        this.faults = h("div", { class: "lane faults-lane" });
        this.times = h("div", { class: "lane times-lane" });
        this.now = h("span", { class: "now-line" });
        this.empty = h("span", { class: "timeline-empty" }, say("not-yet"));
        this.lanes = h("div", { class: "lanes", role: "img" }, this.marks, this.shots, this.faults, this.times, this.now);
        this.changes = h("ul", { class: "changes", "aria-label": say("last-changes") });
        this.append(h("div", { class: "mark-place" }, this.markButton, this.form, h("div", { class: "mark-more" }, this.markWords, this.splitButton)), this.lanes, this.empty, this.changes);
    }

    enter() {
        this.leaving.push(studio.on(["status", "local", "contact", "event"], () => this.update()));
        const timer = setInterval(() => this.update(), 1000);
        this.leaving.push(() => clearInterval(timer));
        this.update();
    }

    /** Opens the field for a mark with text. */
    openForm() {
        if (!this.form || !this.input || !this.markButton || !studio.isRecording) return;
        const n = studio.markCount + 1;
        // The mark stands where the field was opened, however long its name takes.
        this.#markAtNs = studio.seconds * 1e9;
        this.form.hidden = false;
        this.markButton.hidden = true;
        this.input.placeholder = say("mark-name", { n });
        this.input.setAttribute("aria-label", say("mark-name", { n }));
        this.input.focus();
    }

    closeForm(isFocused = true) {
        if (!this.form || !this.input || !this.markButton) return;
        this.form.hidden = true;
        this.markButton.hidden = false;
        this.input.value = "";
        if (isFocused) this.markButton.focus();
    }

    /** @param {Event} event */
    #submit(event) {
        event.preventDefault();
        mark(this.input?.value, this.#markAtNs);
        this.closeForm();
    }

    update() {
        const { markButton, markText, markKey, lanes, empty, changes, splitButton, markWords } = this;
        if (!markButton || !markText || !markKey || !lanes || !empty || !changes || !splitButton || !markWords) return;
        const isRecording = studio.isRecording;
        setText(markText, say("mark-n", { n: studio.markCount + 1 }));
        setText(markKey, keyTextOf("mark"));
        markButton.disabled = splitButton.disabled = markWords.disabled = !isRecording;
        const isShown = studio.status.state === "recording" || studio.status.state === "finishing";
        lanes.hidden = !isShown;
        empty.hidden = isShown;
        setFlag(this, "data-grey", !studio.contact);
        const key = `${studio.markCount}/${studio.shots.length}/${studio.faults.length}/${isRecording}`;
        const now = performance.now();
        if (isShown && (key !== this.#drawn || now - this.#drawnAt >= leastGapMs)) {
            this.#drawn = key;
            this.#drawnAt = now;
            this.#lanes(Math.max(1, studio.seconds));
        }
        keep(changes, this.#lastChanges(), (one) => one.id, () => h("li", {}, h("span", { class: "change-time" }), h("span", { class: "change-text" })), (item, one) => {
            const [time, text] = item.children;
            if (time) setText(time, one.time);
            if (text) setText(text, one.text);
            setAttribute(item, "title", one.text);
        });
    }

    /** @param {number} total seconds */
    #lanes(total) {
        const { marks, shots, faults, times, lanes } = this;
        if (!marks || !shots || !faults || !times || !lanes) return;
        const place = (/** @type {number} */ seconds) => `${((Math.max(0, Math.min(total, seconds)) / total) * 100).toFixed(3)}%`;
        const all = (studio.status.marks ?? []).map((one, index) => ({ ...one, index: index + studio.markCount - (studio.status.marks?.length ?? 0) })).slice(-mostDrawnMarks);
        keep(marks, all, (one) => String(one.index), () => h("span", { class: "flag" }, h("span", { class: "flag-number" }), h("span", { class: "flag-text" })), (flag, one, index) => {
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
        setAttribute(lanes, "aria-label", `${say("timeline")}: ${say("timeline-text", { marks: studio.markCount, shots: studio.shots.length, faults: studio.faults.length })}`);
    }

    /** The last three things that happened, the newest first. */
    #lastChanges() {
        /** @type {{id: string, at: number, time: string, text: string}[]} */
        const all = [];
        if (studio.status.state !== "recording" && studio.status.state !== "finishing") return all;
        studio.shots.slice(-3).forEach((shot) => {
            if (shot.at > 0) {
                const arrangement = { layout: shot.layout, shown: shot.shown, corner: "", scale: 0, margin: 0, width: 1, height: 1 };
                all.push({ id: `shot/${shot.at}`, at: shot.at, time: "", text: say("cut-to", { what: describe(arrangement) }) });
            }
        });
        (studio.status.marks ?? []).slice(-3).forEach((one) => {
            const n = (studio.status.marks ?? []).indexOf(one) + 1 + studio.markCount - (studio.status.marks?.length ?? 0);
            all.push({ id: `mark/${n}`, at: one.at_ns / 1e9, time: "", text: say("mark-set", { n, text: one.text }) });
        });
        studio.events.slice(-60).forEach((event, index) => {
            const at = Number(event.at_ns ?? 0) / 1e9;
            const id = `${event.event}/${event.at_ns}/${event.track ?? index}`;
            if (event.event === "drop") all.push({ id, at, time: "", text: say("lost-event", { role: event.track ?? "", n: Number(event.count ?? 1), cause: String(event.cause ?? "") }) });
            else if (["unplug", "replug", "silence", "governor", "clipping"].includes(event.event) && event.text) all.push({ id, at, time: "", text: String(event.text) });
            else if (event.event === "split") all.push({ id, at, time: "", text: say("split-done") });
        });
        /** @type {Map<string, {id: string, at: number, time: string, text: string}>} */
        const byId = new Map(all.map((one) => [one.id, one]));
        return [...byId.values()].filter((one) => one.at <= studio.seconds + 1).sort((a, b) => b.at - a.at).slice(0, 3).map((one) => ({ ...one, time: clockTime(one.at) }));
    }
}

customElements.define("mc-timeline", Timeline);
