// The phone's controls, on its own page and in the control room: lens, zoom, light and resolution.

import { addWords, say } from "./words.js";
import { h, setAttribute } from "./dom.js";

addWords({
    "control-lens": ["Lens", "Objektiv"],
    "lens-n": ["Camera {n}", "Kamera {n}"],
    "control-zoom_absolute": ["Zoom", "Zoom"],
    "control-torch": ["Light", "Licht"],
    "control-resolution": ["Resolution", "Auflösung"],
    "no-such-control": ["This camera doesn't have this control.", "Diese Kamera hat diesen Regler nicht."],
});

/** A control in the format of `multicam controls --json`. Zoom is in hundredths. */
/** @typedef {{name: string, kind: "integer" | "boolean" | "menu", value: number, minimum: number, maximum: number, step: number, default: number, read_only: boolean, inactive: boolean, volatile: boolean, menu: Record<string, string>}} Control */

/** Available resolutions, the default first. */
export const sizes = ["1280x720", "1920x1080", "640x360"];
const mostLenses = 16;

export class PhoneControls {
    /** @type {() => void} called when a value or a control changes */
    onChange = () => {};
    /** @type {(sentence: string) => void} called when a change requested by the phone's user is rejected */
    onRefused = () => {};
    /** @type {(deviceId: string) => Promise<void>} opens another camera and switches to it */
    openLens = () => Promise.resolve();

    /** @type {Control[]} */
    controls = [];
    /** The requested resolution. */
    size = sizes[0] ?? "";

    #place;
    /** @type {MediaStreamTrack | undefined} */
    #track;
    /** @type {MediaDeviceInfo[]} */
    #lenses = [];
    /**
     * Values that were set but that the browser doesn't report.
     * @type {Map<string, number>}
     */
    #values = new Map();
    /**
     * Values of the controls when the phone became a camera.
     * @type {Map<string, number>}
     */
    #defaults = new Map();
    /** Promise chain that runs changes one at a time. */
    #turn = Promise.resolve();

    /** @param {HTMLElement} place element that contains the controls on the phone's page */
    constructor(place) {
        this.#place = place;
    }

    /** Hides the controls after the camera has ended. */
    end() {
        this.#track = undefined;
        this.#defaults.clear();
        this.controls = [];
        this.#place.hidden = true;
    }

    /**
     * Switches to the controls of a camera.
     * @param {MediaStreamTrack} track
     */
    async use(track) {
        this.#track = track;
        this.#values.clear();
        const devices = await navigator.mediaDevices.enumerateDevices();
        this.#lenses = devices.filter((device) => device.kind === "videoinput").slice(0, mostLenses);
        this.#read();
        this.#draw();
        this.onChange();
    }

    /**
     * Sets controls as requested by the control room.
     * @param {Record<string, number>} values
     * @returns {Promise<string[]>} the names of the rejected controls
     */
    async obey(values) {
        /** @type {string[]} */
        const refused = [];
        for (const [name, value] of Object.entries(values)) await this.#set(name, value).catch(() => refused.push(name));
        return refused;
    }

    /** @param {string} name @param {number} value */
    #set(name, value) {
        const done = this.#turn.then(() => this.#apply(name, value)).finally(() => {
            this.#read();
            this.#show();
        });
        this.#turn = done.catch(() => {});
        return done;
    }

    /** @param {string} name @param {number} value */
    async #wish(name, value) {
        try {
            await this.#set(name, value);
        } catch (error) {
            this.onRefused(error instanceof Error ? error.message || error.name : String(error));
        }
        this.onChange();
    }

    /** @param {string} name @param {number} value */
    async #apply(name, value) {
        const track = this.#track;
        if (!track || !this.controls.some((control) => control.name === name)) throw new Error(say("no-such-control"));
        if (name === "lens") {
            const lens = this.#lenses[value];
            if (!lens) throw new Error(say("no-such-control"));
            return this.openLens(lens.deviceId);
        }
        if (name === "resolution") {
            const size = sizes[value] ?? this.size;
            const [width, height] = size.split("x").map(Number);
            await track.applyConstraints({ width: { ideal: width }, height: { ideal: height }, frameRate: track.getSettings().frameRate });
            this.size = size;
            return undefined;
        }
        const wanted = name === "torch" ? { torch: value !== 0 } : { zoom: value / 100 };
        // Browsers accept these constraints only if they aren't combined with constraints that set the
        // format.
        await track.applyConstraints(/** @type {any} */ ({ advanced: [wanted] }));
        this.#values.set(name, value);
        return undefined;
    }

    /** Reads the available controls and their values. */
    #read() {
        const can = /** @type {any} */ (this.#track?.getCapabilities?.() ?? {});
        const has = /** @type {any} */ (this.#track?.getSettings() ?? {});
        /** @type {Control[]} */
        const controls = [];
        const add = (/** @type {string} */ name, /** @type {"integer" | "boolean" | "menu"} */ kind, /** @type {number} */ value, range = [0, 1, 1], /** @type {Record<string, string>} */ menu = {}) => {
            const [minimum = 0, maximum = 1, step = 1] = range;
            if (!this.#defaults.has(name)) this.#defaults.set(name, value);
            const usual = Math.min(maximum, Math.max(minimum, this.#defaults.get(name) ?? value));
            controls.push({ name, kind, value, minimum, maximum, step, default: usual, read_only: false, inactive: false, volatile: false, menu });
        };
        if (this.#lenses.length > 1) {
            const names = this.#lenses.map((device, index) => [String(index), device.label || say("lens-n", { n: index + 1 })]);
            add("lens", "menu", Math.max(0, this.#lenses.findIndex((device) => device.deviceId === has.deviceId)), [0, names.length - 1, 1], Object.fromEntries(names));
        }
        if (can.zoom && can.zoom.max > can.zoom.min) {
            const [minimum, maximum, step] = [can.zoom.min, can.zoom.max, can.zoom.step || 0.1].map((value) => Math.round(value * 100));
            add("zoom_absolute", "integer", Math.round((has.zoom ?? can.zoom.min) * 100) || 0, [minimum, maximum, Math.max(1, step ?? 1)]);
        }
        if (can.torch) add("torch", "boolean", has.torch ? 1 : 0);
        const offered = sizes.map((size, index) => ({ size, index, pixels: size.split("x").map(Number) }))
            .filter(({ pixels: [width = 0, height = 0] }) => width <= (can.width?.max ?? 0) && height <= (can.height?.max ?? 0));
        if (offered.length > 1) {
            const area = (has.width ?? 0) * (has.height ?? 0);
            const off = (/** @type {number[]} */ [width = 0, height = 0]) => Math.abs(width * height - area);
            const nearest = offered.reduce((best, one) => (off(one.pixels) < off(best.pixels) ? one : best));
            add("resolution", "menu", nearest.index, [0, sizes.length - 1, 1], Object.fromEntries(offered.map(({ size, index }) => [String(index), size.replace("x", " × ")])));
        }
        for (const control of controls) {
            const value = this.#values.get(control.name);
            if (value !== undefined && (control.name === "torch" ? has.torch : has.zoom) === undefined) control.value = value;
        }
        this.controls = controls;
    }

    #draw() {
        const parts = this.controls.flatMap(({ name, kind, minimum, maximum, step, menu }) => {
            /** @type {HTMLElement[]} */
            const made = [];
            const [id, text] = [`control-${name}`, say(`control-${name}`)];
            if (kind === "boolean") {
                const button = h("button", { type: "button", id }, text);
                button.addEventListener("click", () => void this.#wish(name, button.getAttribute("aria-pressed") === "true" ? 0 : 1));
                made.push(button);
                return made;
            }
            const field = kind === "menu"
                ? h("select", { id }, ...Object.entries(menu).map(([value, item]) => h("option", { value }, item)))
                : h("input", { type: "range", id, min: String(minimum), max: String(maximum), step: String(step) });
            field.addEventListener(kind === "menu" ? "change" : "input", () => void this.#wish(name, Number(field.value)));
            made.push(h("label", { for: id }, text), field);
            return made;
        });
        this.#place.replaceChildren(...parts);
        this.#place.hidden = parts.length === 0;
        this.#show();
    }

    #show() {
        for (const { name, kind, value } of this.controls) {
            const field = this.#place.querySelector(`#control-${name}`);
            if (kind === "boolean") setAttribute(/** @type {HTMLElement} */ (field), "aria-pressed", String(value !== 0));
            // Don't change a control that the user is moving.
            else if (field instanceof HTMLSelectElement || (field instanceof HTMLInputElement && field !== document.activeElement)) field.value = String(value);
        }
    }
}
