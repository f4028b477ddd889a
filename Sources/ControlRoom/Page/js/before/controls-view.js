// A camera's controls as sliders: asked for at most ten times a second, and read back.

import { ask } from "./ask.js";
import { addWords, say } from "./words.js";
import { studio } from "./studio.js";
import { StudioElement, h, keep, setAttribute, setFlag, setText } from "./dom.js";

addWords({
    automatic: ["automatic", "automatisch"],
    "kept-value": ["The camera kept {value}.", "Die Kamera behielt {value}."],
    "match-role": ["Match {role}", "Wie {role}"],
    "preset-name": ["Preset: {name}", "Einstellung: {name}"],
    "keep-preset": ["Keep as…", "Behalten als…"],
    "preset-field": ["Name of the preset", "Name der Einstellung"],
    "no-controls": ["This camera has no controls here.", "Diese Kamera hat hier keine Regler."],
    "read-only": ["read only", "nur lesbar"],
});

/** @typedef {{name: string, kind: string, value: number, minimum: number, maximum: number, step?: number, default?: number, read_only?: boolean, inactive?: boolean, volatile?: boolean, menu?: Record<string, string>}} Control */

const leastGapMs = 100;

export class ControlsView extends StudioElement {
    /** @type {Control[]} */
    controls = [];
    /** @type {string[]} */
    presets = [];
    #sentAt = 0;
    #timer = 0;
    /** @type {Record<string, number>} */
    #wanted = {};

    /** @param {string} role */
    constructor(role) {
        super();
        this.cameraRole = role;
    }

    build() {
        this.classList.add("controls-view");
        this.grid = h("div", { class: "control-grid" });
        this.said = h("p", { class: "quiet-text control-said", "aria-live": "polite" });
        this.buttons = h("div", { class: "control-buttons" });
        this.input = h("input", { type: "text", maxlength: "40", "aria-label": say("preset-field"), placeholder: say("preset-field"), autocomplete: "off" });
        this.form = h("form", { class: "keep-form", hidden: true, onsubmit: (/** @type {Event} */ event) => {
            event.preventDefault();
            const name = this.input?.value.trim();
            if (name) void this.#post({ save: name });
            if (this.form) this.form.hidden = true;
        } }, this.input, h("button", { type: "submit", class: "strong" }, say("keep")));
        this.append(this.grid, this.said, this.buttons, this.form);
    }

    enter() {
        void this.#load();
    }

    get address() {
        return `/api/v1/cameras/${encodeURIComponent(this.cameraRole)}/controls`;
    }

    async #load() {
        const answer = await ask(this.address);
        this.#take(answer.ok ? answer.value : undefined);
    }

    /** @param {Record<string, unknown>} body */
    async #post(body) {
        const answer = await ask(this.address, { method: "POST", body });
        if (!this.said) return;
        if (!answer.ok) {
            setText(this.said, say("refused", { what: answer.text }));
            return;
        }
        const value = /** @type {any} */ (answer.value);
        this.#take(value);
        const kept = (value.set ?? []).find((/** @type {any} */ one) => one.refused || (one.value !== null && one.value !== one.asked));
        setText(this.said, kept ? kept.refused ?? say("kept-value", { value: kept.value }) : "");
    }

    /** @param {any} value */
    #take(value) {
        this.controls = Array.isArray(value?.controls) ? value.controls.slice(0, 60) : [];
        this.presets = Array.isArray(value?.presets) ? value.presets.map(String).slice(0, 20) : [];
        this.#draw();
    }

    /**
     * Asks at most ten times a second; the last wish always goes out.
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

    #draw() {
        const { grid, buttons, said } = this;
        if (!grid || !buttons || !said) return;
        if (this.controls.length === 0) {
            setText(said, say("no-controls"));
            return;
        }
        if (said.textContent === say("no-controls")) setText(said, "");
        keep(grid, this.controls.filter((control) => control.kind !== "button"), (control) => control.name, (control) => {
            const id = `control-${this.cameraRole}-${control.name}`.replace(/[^\w-]/g, "-");
            const label = h("label", { for: id }, control.name.replace(/_/g, " "));
            const value = h("output", { for: id });
            /** @type {HTMLInputElement | HTMLSelectElement} */
            let input;
            if (control.kind === "boolean") {
                const box = h("input", { id, type: "checkbox" });
                box.addEventListener("change", () => this.#want(control.name, box.checked ? 1 : 0));
                input = box;
            } else if (control.menu && Object.keys(control.menu).length > 0) {
                const select = h("select", { id }, ...Object.entries(control.menu).map(([number, text]) => h("option", { value: number }, text)));
                select.addEventListener("change", () => this.#want(control.name, Number(select.value)));
                input = select;
            } else {
                const range = h("input", { id, type: "range", min: String(control.minimum), max: String(control.maximum), step: String(control.step || 1) });
                range.addEventListener("input", () => {
                    setText(value, range.value);
                    this.#want(control.name, Number(range.value));
                });
                range.addEventListener("dblclick", () => {
                    if (control.default !== undefined) this.#want(control.name, control.default);
                });
                input = range;
            }
            return h("div", { class: "control" }, h("div", { class: "control-head" }, label, value), input);
        }, (element, control) => {
            const input = /** @type {HTMLInputElement | HTMLSelectElement | null} */ (element.querySelector("input, select"));
            const output = element.querySelector("output");
            if (!input || !output) return;
            const isGoverned = control.inactive === true;
            input.disabled = isGoverned || control.read_only === true;
            setFlag(element, "data-automatic", isGoverned);
            if (!(control.name in this.#wanted)) {
                if (input instanceof HTMLInputElement && input.type === "checkbox") input.checked = control.value !== 0;
                else input.value = String(control.value);
            }
            const isRange = input instanceof HTMLInputElement && input.type === "range";
            setText(output, isGoverned ? say("automatic") : control.read_only ? say("read-only") : isRange ? String(control.value) : "");
        });
        const others = studio.roles.filter((role) => role !== this.cameraRole);
        /** @type {{key: string, text: string, run: () => void}[]} */
        const all = [
            ...others.slice(0, 3).map((role) => ({ key: `match/${role}`, text: say("match-role", { role }), run: () => void this.#post({ match: role }) })),
            ...this.presets.map((name) => ({ key: `preset/${name}`, text: say("preset-name", { name }), run: () => void this.#post({ load: name }) })),
            { key: "keep", text: say("keep-preset"), run: () => {
                if (!this.form) return;
                this.form.hidden = !this.form.hidden;
                if (!this.form.hidden) this.input?.focus();
            } },
        ];
        keep(buttons, all, (one) => one.key, (one) => h("button", { type: "button", class: "small", onclick: one.run }, one.text), () => {});
        setAttribute(this, "data-role", this.cameraRole);
    }
}

customElements.define("mc-controls", ControlsView);
