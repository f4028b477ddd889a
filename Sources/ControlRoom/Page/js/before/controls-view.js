// A camera's controls as sliders with numbers. Changes are sent at most ten times per second, and the result is read
// back.

import { ask } from "./ask.js";
import { addWords, say } from "./words.js";
import { studio } from "./studio.js";
import { StudioElement, h, keep, setAttribute, setFlag, setText } from "./dom.js";
import { controlMeaning, controlName, controlRank, isUsual, menuText } from "./control-names.js";

addWords({
    automatic: ["automatic", "automatisch"],
    "kept-value": ["{control}: the camera applied {value}.", "{control}: Die Kamera verwendet {value}."],
    "refused-value": ["{control}: {what}", "{control}: {what}"],
    "match-role": ["Match {role}", "Wie {role}"],
    "preset-name": ["Preset: {name}", "Preset: {name}"],
    "save-preset": ["Save as…", "Speichern als…"],
    "preset-field": ["Preset name", "Name des Presets"],
    "preset-saved": ["Saved as {name}.", "Als {name} gespeichert."],
    "no-controls": ["This camera has no adjustable controls.", "Diese Kamera hat keine einstellbaren Regler."],
    "read-only": ["read-only", "nur lesbar"],
    "more-controls": ["More controls", "Weitere Regler"],
    "number-of": ["{control} value", "{control}, Wert"],
    "as-delivered": ["Reset to defaults", "Zurücksetzen"],
    matched: ["Matched to {role}.", "An {role} angeglichen."],
});

/** @typedef {{name: string, kind: string, value: number, minimum: number, maximum: number, step?: number, default?: number, read_only?: boolean, inactive?: boolean, volatile?: boolean, menu?: Record<string, string>}} Control */

const leastGapMs = 100;
/**
 * Interval between reads of the controls while they are visible. Cameras change the values of automatic
 * controls, so the values are read repeatedly.
 */
const readAgainMs = 5000;

export class ControlsView extends StudioElement {
    /** @type {Control[]} */
    controls = [];
    /** @type {string[]} */
    presets = [];
    #sentAt = 0;
    #timer = 0;
    #isAsking = false;
    /**
     * Requested values that haven't been read back yet.
     * @type {Record<string, number>}
     */
    #wanted = {};

    /** @param {string} role */
    constructor(role) {
        super();
        this.cameraRole = role;
    }

    build() {
        this.classList.add("controls-view");
        this.grid = h("div", { class: "control-grid" });
        this.restGrid = h("div", { class: "control-grid" });
        this.rest = h("details", { class: "control-rest", hidden: true }, h("summary", {}, say("more-controls")), this.restGrid);
        this.said = h("p", { class: "quiet-text control-said", "aria-live": "polite" });
        this.buttons = h("div", { class: "control-buttons" });
        this.input = h("input", { type: "text", maxlength: "40", "aria-label": say("preset-field"), placeholder: say("preset-field"), autocomplete: "off" });
        this.form = h("form", { class: "keep-form", hidden: true, onsubmit: (/** @type {Event} */ event) => {
            event.preventDefault();
            const name = this.input?.value.trim();
            if (name) void this.#post({ save: name }, say("preset-saved", { name }));
            this.#openForm(false);
        } }, this.input, h("button", { type: "submit", class: "strong" }, say("save")));
        this.form.addEventListener("keydown", (event) => {
            if (event.key !== "Escape") return;
            event.stopPropagation();
            this.#openForm(false);
        });
        this.append(this.grid, this.rest, this.said, this.buttons, this.form);
        setAttribute(this, "data-role", this.cameraRole);
    }

    enter() {
        void this.#load();
        const timer = setInterval(() => {
            if (!document.hidden && this.offsetParent !== null && this.controls.length > 0 && Object.keys(this.#wanted).length === 0) void this.#load();
        }, readAgainMs);
        this.leaving.push(() => clearInterval(timer));
    }

    get address() {
        return `/api/v1/cameras/${encodeURIComponent(this.cameraRole)}/controls`;
    }

    async #load() {
        if (this.#isAsking) return;
        this.#isAsking = true;
        const answer = await ask(this.address);
        this.#isAsking = false;
        if (answer.ok) this.#take(answer.value);
        else if (this.controls.length === 0) this.#take(undefined);
    }

    /** @param {Record<string, unknown>} body @param {string} [done] message shown on success */
    async #post(body, done = "") {
        this.#isAsking = true;
        const answer = await ask(this.address, { method: "POST", body });
        this.#isAsking = false;
        if (!this.said) return;
        if (!answer.ok) {
            setText(this.said, say("refused", { what: answer.text }));
            return;
        }
        const value = /** @type {any} */ (answer.value);
        this.#take(value);
        const kept = (value.set ?? []).find((/** @type {any} */ one) => one.refused || (one.value !== null && one.value !== undefined && one.value !== one.asked));
        const control = kept ? controlName(String(kept.name)) : "";
        const said = body.match !== undefined && value.text ? String(value.text) : done;
        setText(this.said, kept ? kept.refused ? say("refused-value", { control, what: String(kept.refused) }) : say("kept-value", { control, value: kept.value }) : said);
    }

    /** @param {boolean} isOpen */
    #openForm(isOpen) {
        if (!this.form || !this.input) return;
        this.form.hidden = !isOpen;
        const button = this.buttons?.querySelector('[data-key="save"]');
        if (button) setAttribute(button, "aria-expanded", String(isOpen));
        if (isOpen) this.input.focus();
        else {
            this.input.value = "";
            if (button instanceof HTMLElement) button.focus();
        }
    }

    /** @param {any} value */
    #take(value) {
        this.controls = Array.isArray(value?.controls) ? value.controls.slice(0, 60) : [];
        this.presets = Array.isArray(value?.presets) ? value.presets.map(String).slice(0, 20) : [];
        this.#draw();
    }

    /**
     * Requests a value. Sends at most ten requests per second, and always sends the latest value.
     * @param {string} name
     * @param {number} value
     */
    #want(name, value) {
        this.#wanted[name] = value;
        clearTimeout(this.#timer);
        const wait = Math.max(0, leastGapMs - (performance.now() - this.#sentAt));
        this.#timer = window.setTimeout(() => {
            this.#sentAt = performance.now();
            const set = this.#wanted;
            this.#wanted = {};
            void this.#post({ set });
        }, wait);
    }

    /** @param {Control} control */
    #make(control) {
        const id = `control-${this.cameraRole}-${control.name}`.replace(/[^\w-]/g, "-");
        const name = controlName(control.name);
        if (control.kind === "boolean") {
            const box = h("input", { id, type: "checkbox" });
            box.addEventListener("change", () => this.#want(control.name, box.checked ? 1 : 0));
            return h("div", { class: "control control-switch" }, h("label", { for: id }, box, h("span", {}, name)), h("output", { for: id }));
        }
        const label = h("label", { for: id, title: name }, name);
        if (control.menu && Object.keys(control.menu).length > 0) {
            const select = h("select", { id }, ...Object.entries(control.menu).map(([number, text]) => h("option", { value: number }, menuText(String(text)))));
            select.addEventListener("change", () => this.#want(control.name, Number(select.value)));
            return h("div", { class: "control" }, h("div", { class: "control-head" }, label, h("output", { for: id })), select);
        }
        const bounds = { min: String(control.minimum), max: String(control.maximum), step: String(control.step || 1) };
        const range = h("input", { id, type: "range", ...bounds });
        const number = h("input", { type: "number", class: "control-number", "aria-label": say("number-of", { control: name }), ...bounds });
        range.addEventListener("input", () => {
            number.value = range.value;
            this.#mean(range, control.name);
            this.#want(control.name, Number(range.value));
        });
        number.addEventListener("change", () => {
            if (!number.checkValidity() || number.value === "") {
                number.value = range.value;
                return;
            }
            this.#want(control.name, Number(number.value));
        });
        range.addEventListener("dblclick", () => {
            if (control.default !== undefined) this.#want(control.name, control.default);
        });
        return h("div", { class: "control control-slider" }, h("div", { class: "control-head" }, label, h("output", { for: id })), h("div", { class: "control-values" }, range, number));
    }

    /**
     * Updates the displayed meaning of a slider's value.
     * @param {HTMLInputElement} range
     * @param {string} name
     */
    #mean(range, name) {
        const meaning = controlMeaning(name, Number(range.value));
        setAttribute(range, "aria-valuetext", meaning === "" ? undefined : meaning);
        const output = range.closest(".control")?.querySelector("output");
        if (output && !range.disabled) setText(output, meaning);
        const span = Number(range.max) - Number(range.min);
        range.style.setProperty("--share", `${span > 0 ? ((Number(range.value) - Number(range.min)) / span) * 100 : 0}%`);
    }

    /** @param {HTMLElement} element @param {Control} control */
    #update(element, control) {
        const output = element.querySelector("output");
        if (!output) return;
        const isGoverned = control.inactive === true;
        const isOff = isGoverned || control.read_only === true;
        setFlag(element, "data-automatic", isGoverned);
        for (const input of element.querySelectorAll("input, select")) {
            const field = /** @type {HTMLInputElement | HTMLSelectElement} */ (input);
            field.disabled = isOff;
            if (control.name in this.#wanted || (field === document.activeElement && field.type === "number")) continue;
            if (field instanceof HTMLInputElement && field.type === "checkbox") field.checked = control.value !== 0;
            else if (field.value !== String(control.value)) field.value = String(control.value);
        }
        setText(output, isGoverned ? say("automatic") : control.read_only ? say("read-only") : "");
        const range = element.querySelector("input[type=range]");
        if (range instanceof HTMLInputElement) this.#mean(range, control.name);
    }

    #draw() {
        const { grid, restGrid, rest, buttons, said } = this;
        if (!grid || !restGrid || !rest || !buttons || !said) return;
        const all = this.controls.filter((control) => control.kind !== "button" && control.name !== undefined)
            .sort((a, b) => controlRank(a.name) - controlRank(b.name));
        const usual = all.filter((control) => isUsual(control.name));
        const others = usual.length === 0 ? [] : all.filter((control) => !isUsual(control.name));
        keep(grid, usual.length === 0 ? all : usual, (control) => control.name, (control) => this.#make(control), (element, control) => this.#update(element, control));
        keep(restGrid, others, (control) => control.name, (control) => this.#make(control), (element, control) => this.#update(element, control));
        rest.hidden = others.length === 0;
        buttons.hidden = all.length === 0;
        if (all.length === 0) {
            setText(said, say("no-controls"));
            return;
        }
        if (said.textContent === say("no-controls")) setText(said, "");
        const roles = studio.roles.filter((role) => role !== this.cameraRole);
        /** @type {{key: string, text: string, run: () => void}[]} */
        const does = [
            ...roles.slice(0, 3).map((role) => ({ key: `match/${role}`, text: say("match-role", { role }), run: () => void this.#post({ match: role }, say("matched", { role })) })),
            ...this.presets.map((name) => ({ key: `preset/${name}`, text: say("preset-name", { name }), run: () => void this.#post({ load: name }) })),
            { key: "save", text: say("save-preset"), run: () => this.#openForm(this.form?.hidden === true) },
            { key: "defaults", text: say("as-delivered"), run: () => void this.#post({ set: this.#defaults() }) },
        ];
        keep(buttons, does, (one) => one.key, (one) => h("button", { type: "button", class: "small", onclick: one.run }, one.text), () => {});
    }

    /** Returns the camera's factory defaults by control name. */
    #defaults() {
        /** @type {Record<string, number>} */
        const values = {};
        for (const control of this.controls) {
            if (control.default !== undefined && control.kind !== "button" && !control.read_only && !control.inactive) values[control.name] = control.default;
        }
        return values;
    }
}

customElements.define("mc-controls", ControlsView);
