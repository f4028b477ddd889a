// The log of the running recording, and the running order: markers with their text, and the topics that follow. Both use the
// space beside the camera tiles.

import { mark } from "./commands.js";
import { clockTime } from "./numbers.js";
import { recentChanges } from "./timeline.js";
import { addWords, say } from "./words.js";
import { studio } from "./studio.js";
import { StudioElement, h, keep, setAttribute, setFlag, setText } from "./dom.js";

addWords({
    log: ["Log", "Protokoll"],
    "log-empty": ["The log starts when recording starts.", "Das Protokoll beginnt mit der Aufnahme."],
    "running-order": ["Running order", "Ablauf"],
    "running-order-empty": ["List the topics here. During a recording, click a topic to set a marker with its name.",
        "Hier die Themen eintragen. Während der Aufnahme setzt ein Klick auf ein Thema einen Marker mit seinem Namen."],
    "edit-topics": ["Edit topics…", "Themen bearbeiten…"],
    topics: ["Topics, one per line", "Themen, eines pro Zeile"],
    "set-topic": ["Set marker: {text}", "Marker setzen: {text}"],
});

/** Maximum number of entries in the log. */
const maxEntries = 60;
/** Maximum number of topics. */
const maxTopics = 100;
/** Maximum length of a topic, as of a marker's text. */
const maxLength = 120;
const store = "multicam.topics";

/**
 * Hides the items of a list that don't fit completely.
 * @param {HTMLElement} list
 */
function hideCutOff(list) {
    const end = list.clientHeight + 1;
    for (const item of list.children) {
        const { offsetTop, offsetHeight } = /** @type {HTMLElement} */ (item);
        setFlag(item, "data-over", offsetTop + offsetHeight > end);
    }
}

class Notes extends StudioElement {
    enter() {
        this.leaving.push(studio.on(["status", "contact", "event"], () => this.update()));
        const observer = new ResizeObserver(() => this.update());
        observer.observe(this);
        this.leaving.push(() => observer.disconnect());
        this.update();
    }

    update() {}
}

export class Log extends Notes {
    build() {
        this.classList.add("panel", "notes-panel");
        this.empty = h("p", { class: "quiet-text" }, say("log-empty"));
        this.list = h("ul", { class: "log-list", "aria-label": say("log") });
        this.append(h("h2", {}, say("log")), this.empty, this.list);
    }

    update() {
        const { list, empty } = this;
        if (!list || !empty || this.offsetParent === null) return;
        const all = recentChanges(maxEntries);
        empty.hidden = all.length > 0;
        setFlag(this, "data-grey", !studio.canAct);
        keep(list, all, (one) => one.id, () => h("li", {}, h("span", { class: "change-time" }), h("span", { class: "change-text" })), (item, one) => {
            const [time, text] = item.children;
            if (time) setText(time, one.time);
            if (text) setText(text, one.text);
            setAttribute(item, "title", one.text);
        });
        hideCutOff(list);
    }
}

customElements.define("mc-log", Log);

/** @returns {string[]} */
function readTopics() {
    return topicsOf(localStorage.getItem(store) ?? "");
}

/** @param {string} text */
function topicsOf(text) {
    return text.split("\n").map((line) => line.trim().slice(0, maxLength)).filter(Boolean).slice(0, maxTopics);
}

/** The markers that are set, followed by the topics without a marker. The topics are saved in this browser. */
export class RunningOrder extends Notes {
    #topics = readTopics();

    build() {
        this.classList.add("panel", "notes-panel");
        this.empty = h("p", { class: "quiet-text" }, say("running-order-empty"));
        this.list = h("ul", { class: "log-list", "aria-label": say("running-order") });
        this.edit = h("button", { type: "button", class: "small", "aria-expanded": "false", onclick: () => this.#open() }, say("edit-topics"));
        this.input = h("textarea", { "aria-label": say("topics"), placeholder: say("topics"), rows: "3" });
        this.form = h("form", { class: "topics-form", hidden: true, onsubmit: (/** @type {Event} */ event) => this.#save(event) }, this.input,
            h("div", { class: "topics-buttons" }, h("button", { type: "submit", class: "strong" }, say("save")), h("button", { type: "button", onclick: () => this.#close() }, say("keep"))));
        this.form.addEventListener("keydown", (event) => {
            if (event.key !== "Escape") return;
            event.stopPropagation();
            this.#close();
        });
        this.append(h("div", { class: "panel-head" }, h("h2", {}, say("running-order")), this.edit), this.form, this.empty, this.list);
    }

    #open() {
        if (!this.form || !this.input || !this.edit) return;
        this.input.value = this.#topics.join("\n");
        this.form.hidden = false;
        setAttribute(this.edit, "aria-expanded", "true");
        this.update();
        this.input.focus();
    }

    #close() {
        if (!this.form || !this.edit) return;
        this.form.hidden = true;
        setAttribute(this.edit, "aria-expanded", "false");
        this.update();
        this.edit.focus();
    }

    /** @param {Event} event */
    #save(event) {
        event.preventDefault();
        this.#topics = topicsOf(this.input?.value ?? "");
        localStorage.setItem(store, this.#topics.join("\n"));
        this.#close();
    }

    update() {
        const { list, empty, form } = this;
        if (!list || !empty || !form || this.offsetParent === null) return;
        const isEditing = !form.hidden;
        const isShown = studio.status.state === "recording" || studio.status.state === "finishing";
        const markers = isShown ? studio.status.markers ?? [] : [];
        const first = studio.markerCount - markers.length + 1;
        const set = new Map();
        for (const { text } of markers) set.set(text, (set.get(text) ?? 0) + 1);
        // A topic that occurs twice needs two markers.
        const rest = this.#topics.filter((topic) => {
            const count = set.get(topic) ?? 0;
            if (count > 0) set.set(topic, count - 1);
            return count === 0;
        });
        const rows = [
            ...markers.map((marker, index) => ({ id: `marker/${first + index}`, time: clockTime(marker.at_ns / 1e9), text: `${first + index} ${marker.text}`, topic: "" })),
            ...rest.map((topic, index) => ({ id: `topic/${index}/${topic}`, time: "", text: topic, topic })),
        ];
        empty.hidden = isEditing || rows.length > 0;
        list.hidden = isEditing || rows.length === 0;
        setFlag(this, "data-grey", !studio.canAct);
        keep(list, rows, (row) => row.id, (row) => row.topic === ""
            ? h("li", { class: "set-marker" }, h("span", { class: "change-time" }), h("span", { class: "change-text" }))
            : h("li", { class: "topic-item" }, h("button", { type: "button", class: "topic", "aria-label": say("set-topic", { text: row.topic }), onclick: () => mark(row.topic) }, row.topic)), (item, row) => {
            item.hidden = false;
            const [time, text] = item.children;
            if (time instanceof HTMLButtonElement) time.disabled = !studio.isRecording;
            else if (time && text) {
                setText(time, row.time);
                setText(text, row.text);
            }
        });
        // The next topics are more important than the first markers.
        for (const item of [...list.querySelectorAll(".set-marker")].slice(0, -1)) {
            if (list.scrollHeight <= list.clientHeight + 1) break;
            /** @type {HTMLElement} */ (item).hidden = true;
        }
        hideCutOff(list);
    }
}

customElements.define("mc-running-order", RunningOrder);
