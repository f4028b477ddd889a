// The log of the running recording, and the running order: markers with their text, and the topics that follow. Both use the
// space beside the camera tiles.

import { mark } from "./commands.js";
import { clockTime } from "./numbers.js";
import { recentChanges } from "./timeline.js";
import { store, stored } from "./stored.js";
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
const topicsName = "multicam.topics";
/** The topics that are set in the current recording, for pages that are reloaded. */
const setName = "multicam.topics-set";

/** Time in milliseconds after a click on a topic during which further clicks are ignored, because they may be a double click. */
const doubleClickMs = 500;
/** Maximum time in milliseconds until a status contains a marker. */
const markerMs = 3000;

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
        this.list = h("ul", { class: "log-list", tabindex: "0", "aria-label": say("log") });
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
    }
}

customElements.define("mc-log", Log);

/**
 * The number of markers of a recording that this page has counted, and the number of markers with each topic's text.
 * @param {string} folder
 * @returns {{counted: number, set: [string, number][]}}
 */
function readSet(folder) {
    try {
        const kept = JSON.parse(stored(setName) ?? "{}");
        if (kept.folder === folder && Number.isInteger(kept.counted) && Array.isArray(kept.set)) {
            return { counted: kept.counted, set: kept.set.map((/** @type {any} */ one) => [String(one?.[0]), Number(one?.[1])]) };
        }
    } catch {
        // The text isn't readable.
    }
    return { counted: 0, set: [] };
}

/** @param {string} text */
function topicsOf(text) {
    return text.split("\n").map((line) => line.trim().slice(0, maxLength)).filter(Boolean).slice(0, maxTopics);
}

/** The markers that are set, followed by the topics without a marker. The topics are saved in this browser. */
export class RunningOrder extends Notes {
    #topics = topicsOf(stored(topicsName) ?? "");
    /** Session folder of the recording whose markers are counted. */
    #folder = "";
    /** Number of counted markers. The status lists only the last hundred. */
    #counted = 0;
    /** @type {Map<string, number>} Number of markers with each text. */
    #set = new Map();
    /** @type {Set<string>} Topics whose marker hasn't arrived. */
    #pending = new Set();
    #clickedAt = -Infinity;
    /** The rows that the list was scrolled for. */
    #scrolled = "";

    build() {
        this.classList.add("panel", "notes-panel");
        this.empty = h("p", { class: "quiet-text" }, say("running-order-empty"));
        this.list = h("ul", { class: "log-list", tabindex: "0", "aria-label": say("running-order") });
        // The second press of a double click doesn't move the focus.
        this.list.addEventListener("mousedown", (event) => {
            if (this.#isDoubleClick(event)) event.preventDefault();
        });
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
        store(topicsName, this.#topics.join("\n"));
        this.#close();
    }

    /** Counts the markers that have been set since the last update. */
    #count() {
        const { folder = "", markers = [] } = studio.status;
        if (folder !== this.#folder || studio.markerCount < this.#counted) {
            this.#folder = folder;
            const kept = readSet(folder);
            this.#counted = Math.min(kept.counted, studio.markerCount);
            this.#set = new Map(kept.counted <= studio.markerCount ? kept.set : []);
            this.#pending.clear();
        }
        const added = Math.min(markers.length, studio.markerCount - this.#counted);
        if (added <= 0) return;
        for (const { text } of markers.slice(-added)) this.#set.set(text, (this.#set.get(text) ?? 0) + 1);
        this.#counted = studio.markerCount;
        store(setName, JSON.stringify({ folder, counted: this.#counted, set: [...this.#set].filter(([text]) => this.#topics.includes(text)) }));
    }

    /** @param {Event} event */
    #isDoubleClick(event) {
        return event.timeStamp - this.#clickedAt < doubleClickMs;
    }

    /**
     * Sets a topic's marker, and moves the focus to the next topic.
     * @param {Event} event
     * @param {{id: string, topic: string}} row
     */
    async #mark(event, { id, topic }) {
        if (this.#isDoubleClick(event) || this.#pending.has(id)) return;
        const button = /** @type {HTMLButtonElement} */ (event.currentTarget);
        const buttons = /** @type {HTMLButtonElement[]} */ ([...(this.list?.querySelectorAll("button") ?? [])]);
        const index = buttons.indexOf(button);
        const hadFocus = document.activeElement === button;
        this.#clickedAt = event.timeStamp;
        this.#pending.add(id);
        if (hadFocus) ([...buttons.slice(index + 1), ...buttons.slice(0, index)].find((one) => one.ariaDisabled !== "true") ?? this.list)?.focus();
        this.update();
        const reply = await mark(topic);
        // The marker arrives with the next status, and the topic's row disappears.
        if (reply?.ok) await new Promise((end) => setTimeout(end, markerMs));
        this.#pending.delete(id);
        this.update();
    }

    update() {
        const { list, empty, form } = this;
        if (!list || !empty || !form || this.offsetParent === null) return;
        const isEditing = !form.hidden;
        const isShown = studio.status.state === "recording" || studio.status.state === "finishing";
        const markers = isShown ? studio.status.markers ?? [] : [];
        const first = studio.markerCount - markers.length + 1;
        if (isShown) this.#count();
        /** @type {Map<string, number>} */
        const seen = new Map();
        // A topic that occurs twice needs two markers.
        const rest = this.#topics.map((topic) => {
            const occurrence = seen.get(topic) ?? 0;
            seen.set(topic, occurrence + 1);
            return { id: `topic/${occurrence}/${topic}`, topic, isSet: isShown && occurrence < (this.#set.get(topic) ?? 0) };
        }).filter(({ isSet }) => !isSet);
        const rows = [
            ...markers.map((marker, index) => ({ id: `marker/${first + index}`, time: clockTime(marker.at_ns / 1e9), text: `${first + index} ${marker.text}`, topic: "" })),
            ...rest.map(({ id, topic }) => ({ id, time: "", text: topic, topic })),
        ];
        empty.hidden = isEditing || rows.length > 0;
        list.hidden = isEditing || rows.length === 0;
        setFlag(this, "data-grey", !studio.canAct);
        keep(list, rows, (row) => row.id, (row) => row.topic === ""
            ? h("li", { class: "set-marker" }, h("span", { class: "change-time" }), h("span", { class: "change-text" }))
            : h("li", { class: "topic-item" }, h("button", { type: "button", class: "topic", "aria-label": say("set-topic", { text: row.topic }), onclick: (/** @type {Event} */ event) => void this.#mark(event, row) }, row.topic)), (item, row) => {
            const [time, text] = item.children;
            if (time instanceof HTMLButtonElement) {
                time.disabled = !studio.isRecording;
                setAttribute(time, "aria-disabled", this.#pending.has(row.id) ? "true" : undefined);
            } else if (time && text) {
                setText(time, row.time);
                setText(text, row.text);
            }
        });
        // The next topics are more important than the first markers.
        const shown = `${isEditing}/${first + markers.length}/${this.#topics.length}/${list.clientHeight}`;
        if (shown === this.#scrolled) return;
        this.#scrolled = shown;
        list.scrollTop = /** @type {HTMLElement | undefined} */ ([...list.querySelectorAll(".set-marker")].pop())?.offsetTop ?? 0;
    }
}

customElements.define("mc-running-order", RunningOrder);
