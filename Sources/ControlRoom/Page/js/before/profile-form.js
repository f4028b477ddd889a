// A profile as a form: one row for each camera and microphone, and the program. The checker's messages appear below
// their fields.

import { say, addWords } from "./words.js";
import { titleOf } from "./arrangement.js";
import { ask } from "./ask.js";
import { layouts, special } from "./layout-table.js";
import { studio } from "./studio.js";
import { Picture } from "./picture.js";
import { Ballistics, drawMeter } from "./meter.js";
import { StudioElement, h, icon, keep, setAttribute, setFlag, setText } from "./dom.js";
import { listAt, nodeAt, readYaml, textAt, withRole, withValue, withoutRole, withoutValue } from "./yaml-edit.js";
import { ControlsView } from "./controls-view.js";

addWords({
    device: ["Device", "Gerät"],
    size: ["Size", "Größe"],
    rate: ["Rate", "Rate"],
    format: ["Format", "Format"],
    channel: ["Channel", "Kanal"],
    "channel-n": ["{n}", "{n}"],
    "any-format": ["any", "beliebig"],
    "all-channels": ["all", "alle"],
    "gain-in-mix": ["Gain in mix", "Pegel im Mix"],
    "in-program-field": ["In program", "Im Programm"],
    yes: ["yes", "ja"],
    no: ["no", "nein"],
    encoder: ["Encoder", "Encoder"],
    "tracks-apart": ["Separate tracks", "Einzelspuren"],
    "tracks-copy": ["all, stream copy", "alle, Stream-Kopie"],
    "tracks-encode": ["all, encoded", "alle, kodiert"],
    "tracks-none": ["none", "keine"],
    "controls-of": ["Controls for {role}", "Regler für {role}"],
    "no-program": ["This profile has no program.", "Dieses Profil hat kein Programm."],
    main: ["Main", "Groß"],
    "switching-manual": ["manual", "manuell"],
    "switching-voice": ["by voice", "nach Stimme"],
    "shown-camera": ["Speaker's camera", "Sprecherkamera"],
    "own-camera": ["built-in camera", "eigene Kamera"],
    editing: ["Editing", "Schnitt"],
    "recording-title": ["Title", "Titel"],
    "projects-at-end": ["Auto-export projects", "Projekte nach Aufnahme"],
    "projects-none": ["none", "keine"],
    "projects-all": ["all formats", "alle Formate"],
    "name-of": ["Name of {role}", "Name von {role}"],
    "add-camera": ["Add a camera", "Kamera hinzufügen"],
    "add-microphone": ["Add a microphone", "Mikrofon hinzufügen"],
    "remove-role": ["Remove {role}", "{role} entfernen"],
    "no-cameras": ["This profile has no cameras.", "Dieses Profil hat keine Kameras."],
});

/** @typedef {{path: string, label: string, value: string, isOther?: boolean, isText?: boolean, choices?: {value: string, text: string}[], set?: (value: string) => string, isNumber?: boolean}} Field */

const sizes = ["640x480", "800x600", "1280x720", "1920x1080", "2560x1440", "3840x2160"];
const rates = ["15", "24", "25", "30", "50", "60"];
const formats = ["mjpeg", "h264", "yuyv", "nv12", "grey"];
/** Project formats, with the programs that open them. */
export const projects = [["fcpxml", "Final Cut, Resolve"], ["otio", "Premiere, Resolve"], ["mlt", "Kdenlive, Shotcut"], ["edl", "EDL (CMX 3600)"]];
const presets = ["ultrafast", "balanced", "superfast", "veryfast"];

/** @param {string} value */
function sizeText(value) {
    return value.replace("x", "×");
}

/** @param {string[]} values @param {(value: string) => string} [text] */
function choicesOf(values, text = (value) => value) {
    return values.map((value) => ({ value, text: text(value) }));
}

export class ProfileForm extends StudioElement {
    /** @type {any} */
    devices;
    /** @type {Map<string, Picture>} */
    pictures = new Map();
    /** @type {Map<string, {meter: Ballistics, canvas: HTMLCanvasElement}>} */
    meters = new Map();
    #text = "";
    /** @type {import("./prepare.js").Fault[]} */
    #faults = [];

    /** @param {(change: (text: string) => string) => void} onChange receives changes of the profile's text */
    constructor(onChange) {
        super();
        this.onChange = onChange;
    }

    /** @param {string} path @param {string} value */
    onEdit(path, value) {
        this.onChange((text) => (value === "" ? withoutValue(text, path) : withValue(text, path, value)));
    }

    build() {
        this.classList.add("profile-form");
        this.cameras = h("div", { class: "form-rows" });
        this.microphones = h("div", { class: "form-rows" });
        this.program = h("div", { class: "form-rows" });
        this.editing = h("div", { class: "form-rows" });
        this.addButtons = [this.#addButton("cameras", "add-camera"), this.#addButton("microphones", "add-microphone")];
        const [addCamera, addMicrophone] = this.addButtons;
        this.append(this.cameras, addCamera ?? "", this.microphones, addMicrophone ?? "", this.program, this.editing);
    }

    /** @param {"cameras" | "microphones"} kind @param {string} words */
    #addButton(kind, words) {
        return h("button", { type: "button", class: "small add-role", hidden: true, onclick: () => this.onChange((text) => withRole(text, kind)) }, say(words));
    }

    /** @param {"cameras" | "microphones"} kind @param {string} role */
    #removeButton(kind, role) {
        return h("button", { type: "button", class: "row-controls row-remove", "aria-label": say("remove-role", { role }), title: say("remove-role", { role }), onclick: () => {
            this.onChange((text) => withoutRole(text, kind, role));
            // The row disappears, so the focus moves to the button that adds another one.
            /** @type {HTMLElement | null} */ ((kind === "cameras" ? this.cameras : this.microphones)?.nextElementSibling ?? null)?.focus();
        } }, icon("remove"));
    }

    enter() {
        void this.#loadDevices();
        this.leaving.push(studio.on(["levels"], () => this.#levels()), () => {
            for (const picture of this.pictures.values()) picture.stop();
            this.pictures.clear();
        });
        if (this.#text !== "") this.show(this.#text, this.#faults);
    }

    async #loadDevices() {
        const answer = await ask("/api/v1/devices");
        if (!answer.ok) return;
        this.devices = answer.value;
        if (this.#text !== "") this.show(this.#text, this.#faults);
    }

    #levels() {
        const now = performance.now();
        for (const [role, { meter, canvas }] of this.meters) {
            if (!canvas.isConnected || canvas.clientWidth === 0) continue;
            const level = studio.levels[role];
            meter.take(level?.peak ?? [], level?.rms ?? [], now);
            drawMeter(canvas, meter, { isLying: true, isSilent: false, amberFrom: -6, hasBracket: false, hasScale: false });
        }
    }

    /** @param {"cameras" | "microphones"} kind */
    #selectors(kind) {
        /** @type {any[]} */
        const all = this.devices?.[kind] ?? [];
        return all.slice(0, 40).map((device) => ({ value: String(device.name ?? ""), text: String(device.name ?? "") })).filter((choice) => choice.value !== "");
    }

    /**
     * Shows a profile's text and the checker's findings.
     * @param {string} text
     * @param {import("./prepare.js").Fault[]} faults
     */
    show(text, faults) {
        this.#text = text;
        this.#faults = faults;
        const { cameras, microphones, program, editing } = this;
        if (!cameras || !microphones || !program || !editing) return;
        for (const button of this.addButtons ?? []) button.hidden = false;
        const root = readYaml(text);
        const cameraRoles = [...(nodeAt(root, "cameras")?.entries.keys() ?? [])].slice(0, 16);
        const microphoneRoles = [...(nodeAt(root, "microphones")?.entries.keys() ?? [])].slice(0, 16);
        const mix = listAt(root, "program.audio.mix") ?? microphoneRoles;
        keep(cameras, cameraRoles, (role) => `camera/${role}`, (role) => this.#cameraRow(role), (row, role) => {
            const base = `cameras.${role}`;
            const at = (/** @type {string} */ name, /** @type {string} */ usual) => textAt(root, `${base}.${name}`) ?? usual;
            this.#fields(row, [
                { path: `${base}.device`, label: role, value: at("device", "any"), choices: [...choicesOf(["any", "remembered"]), ...this.#selectors("cameras")] },
                { path: `${base}.size`, label: say("size"), value: at("size", "1280x720"), choices: choicesOf(sizes, sizeText) },
                { path: `${base}.rate`, label: say("rate"), value: at("rate", "30"), choices: choicesOf(rates) },
                { path: `${base}.format`, label: say("format"), value: at("format", "auto"), choices: [{ value: "auto", text: say("any-format") }, ...choicesOf(formats, (value) => value.toUpperCase())] },
            ], role, "cameras");
            setText(row.querySelector(".number") ?? row, String(cameraRoles.indexOf(role) + 1));
            this.#thumbnail(row, role);
        });
        keep(microphones, microphoneRoles, (role) => `microphone/${role}`, (role) => this.#microphoneRow(role), (row, role) => {
            const base = `microphones.${role}`;
            const at = (/** @type {string} */ name, /** @type {string} */ usual) => textAt(root, `${base}.${name}`) ?? usual;
            const others = microphoneRoles.filter((other) => mix.includes(other) && other !== role);
            this.#fields(row, [
                { path: `${base}.device`, label: role, value: at("device", "default"), choices: [...choicesOf(["default", "any", "remembered"]), ...this.#selectors("microphones")] },
                { path: `${base}.source_channels`, label: say("channel"), value: (listAt(root, `${base}.source_channels`) ?? []).join(", "), choices: [{ value: "", text: say("all-channels") }, ...choicesOf(["1", "2", "1, 2"])], set: (value) => `[${value}]` },
                { path: `${base}.gain`, label: say("gain-in-mix"), value: at("gain", "0"), isNumber: true },
                { path: `${base}.camera`, label: say("shown-camera"), value: at("camera", ""), choices: [{ value: "", text: say("own-camera") }, ...choicesOf(cameraRoles)] },
                { path: "program.audio.mix", label: say("in-program-field"), value: mix.includes(role) ? "yes" : "no", choices: choicesOf(["yes", "no"], (value) => say(value)), set: (value) => `[${(value === "yes" ? [...others, role] : others).join(", ")}]` },
            ], role, "microphones");
        });
        const hasProgram = nodeAt(root, "program") !== undefined;
        keep(program, hasProgram ? ["program"] : [], (one) => one, () => this.#row(h("div", { class: "thumbnail" })), (row) => {
            this.#fields(row, [
                { path: "program.size", label: say("program"), value: textAt(root, "program.size") ?? "1920x1080", choices: choicesOf(["1280x720", "1920x1080", "2560x1440", "3840x2160", "1080x1920"], sizeText) },
                { path: "program.rate", label: say("rate"), value: textAt(root, "program.rate") ?? "30", choices: choicesOf(rates) },
                { path: "program.layout", label: say("layout"), value: textAt(root, "program.layout") ?? (cameraRoles.length === 1 ? special.one : special.inset), choices: choicesOf(layouts.map(({ name }) => name), titleOf) },
                { path: "program.switching", label: say("switching"), value: textAt(root, "program.switching") ?? "manual", choices: choicesOf(["manual", "voice"], (value) => say(`switching-${value}`)) },
                { path: "program.video.preset", label: say("encoder"), value: textAt(root, "program.video.preset") ?? "balanced", choices: choicesOf(presets, (value) => `H.264, ${value}`) },
                { path: "tracks.cameras", label: say("tracks-apart"), value: textAt(root, "tracks.cameras") ?? "none", choices: choicesOf(["copy", "encode", "none"], (value) => say(`tracks-${value}`)) },
            ], say("program"), "program");
        });
        const roles = [...new Set([...cameraRoles, ...microphoneRoles])];
        keep(editing, roles.length > 0 ? ["editing"] : [], (one) => one, () => this.#row(h("div", { class: "thumbnail" })), (row) => {
            this.#fields(row, [
                { path: "title", label: say("recording-title"), value: textAt(root, "title") ?? "", isText: true },
                { path: "edit", label: say("projects-at-end"), value: (listAt(root, "edit") ?? []).join(", "), choices: [{ value: "", text: say("projects-none") }, ...projects.map(([value = "", text = ""]) => ({ value, text })), { value: projects.map(([value]) => value).join(", "), text: say("projects-all") }], set: (value) => (value === "" ? "" : `[${value}]`) },
                ...roles.map((role) => ({ path: `people.${role}`, label: say("name-of", { role }), value: textAt(root, `people.${role}`) ?? "", isText: true })),
            ], say("editing"), "editing");
        });
    }

    /** @param {HTMLElement} before */
    #row(before) {
        return h("div", { class: "form-row" }, before, h("span", { class: "number" }), h("div", { class: "fields" }), h("div", { class: "row-end" }), h("div", { class: "row-faults" }), h("div", { class: "row-more", hidden: true }));
    }

    /** @param {string} role */
    #cameraRow(role) {
        const canvas = h("canvas", { "aria-hidden": "true", class: "picture" });
        const row = this.#row(h("div", { class: "thumbnail" }, h("div", { class: "picture-box" }, canvas, h("canvas", { "aria-hidden": "true", class: "overlay" }))));
        const more = row.querySelector(".row-more");
        const button = h("button", { type: "button", class: "row-controls", "aria-expanded": "false", "aria-label": say("controls-of", { role }), title: say("controls-of", { role }) }, icon("more"));
        button.addEventListener("click", () => {
            if (!(more instanceof HTMLElement)) return;
            more.hidden = !more.hidden;
            button.setAttribute("aria-expanded", String(!more.hidden));
            if (!more.hidden && more.childElementCount === 0) more.append(new ControlsView(role));
        });
        row.querySelector(".row-end")?.append(button, this.#removeButton("cameras", role));
        return row;
    }

    /** @param {string} role */
    #microphoneRow(role) {
        const canvas = h("canvas", { "aria-hidden": "true" });
        this.meters.set(role, { meter: new Ballistics(), canvas });
        const row = this.#row(h("div", { class: "thumbnail form-meter" }, canvas));
        row.querySelector(".row-end")?.append(this.#removeButton("microphones", role));
        return row;
    }

    /** @param {HTMLElement} row @param {string} role */
    #thumbnail(row, role) {
        if (this.pictures.has(role) || !studio.roles.includes(role)) return;
        const [canvas, overlay] = row.querySelectorAll("canvas");
        if (!canvas || !overlay) return;
        const picture = new Picture(canvas, overlay, { of: "camera", role, rate: 5 });
        const camera = studio.cameras.find((camera) => camera.role === role);
        picture.turn = { rotation: camera?.rotation ?? 0, isMirrored: camera?.mirrored ?? false };
        this.pictures.set(role, picture);
        picture.start();
    }

    /** @param {HTMLElement} row @param {Field[]} fields @param {string} name @param {string} kind */
    #fields(row, fields, name, kind) {
        const parent = row.querySelector(".fields");
        const below = row.querySelector(".row-faults");
        if (!parent || !below) return;
        setAttribute(row, "data-kind", kind);
        keep(parent, fields, (field) => field.path, (field) => {
            const id = `field-${field.path.replace(/[^\w]/g, "-")}-${name.replace(/[^\w]/g, "-")}`;
            const input = field.choices ? h("select", { id }) : field.isText ? h("input", { id, type: "text", maxlength: "200", autocomplete: "off" }) : h("input", { id, type: "number", step: "0.5", min: "-60", max: "30" });
            input.addEventListener("change", () => {
                const set = /** @type {any} */ (input).fieldSet;
                this.onEdit(field.path, set ? set(input.value) : input.value);
            });
            const label = h("label", { for: id }, field.label);
            if (field === fields[0] && kind !== "editing") label.classList.add("first-label");
            return h("div", { class: "field" }, label, input);
        }, (element, field) => {
            const input = /** @type {HTMLSelectElement | HTMLInputElement | null} */ (element.querySelector("select, input"));
            if (!input) return;
            /** @type {any} */ (input).fieldSet = field.set;
            if (kind === "editing") setAttribute(input, "aria-label", undefined);
            else if (field === fields[0] || field.path === "program.audio.mix") setAttribute(input, "aria-label", `${name}: ${field === fields[0] ? say(kind === "program" ? "size" : "device") : field.label}`);
            else setAttribute(input, "aria-label", `${name}: ${field.label}`);
            if (input instanceof HTMLSelectElement && field.choices) {
                const choices = field.choices.some((choice) => choice.value === field.value) ? field.choices : [{ value: field.value, text: field.value }, ...field.choices];
                const key = JSON.stringify(choices);
                if (input.dataset.choices !== key) {
                    input.dataset.choices = key;
                    input.replaceChildren(...choices.map((choice) => h("option", { value: choice.value }, choice.text)));
                }
            }
            // Don't overwrite the field that the user is typing in.
            if (field.choices ? input.value !== field.value : document.activeElement !== input) input.value = field.value;
            const isWrong = this.#faults.some((fault) => fault.path === field.path || fault.path.startsWith(`${field.path}.`));
            setFlag(element, "data-wrong", isWrong);
            setAttribute(input, "aria-invalid", isWrong ? "true" : undefined);
        });
        const prefix = kind === "program" ? ["program", "tracks"] : kind === "editing" ? ["title", "people", "edit"] : [`${kind}.${name}`];
        const own = this.#faults.filter((fault) => prefix.some((start) => fault.path === start || fault.path.startsWith(`${start}.`)) && (kind !== "microphones" || fault.path !== "program.audio.mix"));
        keep(below, own, (fault) => `${fault.path}/${fault.text}`, (fault) => {
            const row = h("div", { class: "row-fault" }, h("span", {}, fault.text));
            const probably = /\(probably (.+)\)\.?$/.exec(fault.text)?.[1];
            if (probably && fault.text.startsWith("found “")) row.append(h("button", { type: "button", class: "small", onclick: () => this.onEdit(fault.path, probably) }, probably));
            return row;
        }, () => {});
    }
}

customElements.define("mc-profile-form", ProfileForm);
