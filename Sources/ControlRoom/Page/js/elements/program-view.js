// The program on air. The inset can be dragged to a corner and resized.

import { describe, hasInsets } from "./arrangement.js";
import { setCorner, setScale } from "./commands.js";
import { fixed } from "./numbers.js";
import { say } from "./words.js";
import { studio } from "./studio.js";
import { layersOf } from "./layers.js";
import { Picture } from "./picture.js";
import { Plate } from "./plate.js";
import { automaticText, SwitchingMode } from "./switching-mode.js";
import { StudioElement, h, icon, setAttribute, setFlag, setText } from "./dom.js";

export class ProgramView extends StudioElement {
    plate = new Plate();

    build() {
        this.classList.add("program-view");
        const isAlone = this.hasAttribute("alone");
        this.canvas = h("canvas", { "aria-hidden": "true", class: "picture" });
        this.canvas.dataset.role = "program";
        this.overlay = h("canvas", { "aria-hidden": "true", class: "overlay" });
        this.empty = h("span", { class: "slate", hidden: true });
        this.ghost = h("div", { class: "inset-ghost", hidden: true });
        this.grip = h("div", { class: "inset-grip", hidden: true }, h("div", { class: "inset-size" }));
        const box = h("div", { class: "picture-box", role: "img" }, this.canvas, this.overlay, this.empty, this.plate);
        this.box = box;
        const frame = h("div", { class: "frame" }, box);
        if (!isAlone) box.append(this.grip, this.ghost);
        this.append(frame);
        this.badge = h("span", { class: "badge" }, say("program-badge"));
        this.mode = h("span", { class: "badge mode", hidden: true });
        const isPlain = this.hasAttribute("plain");
        this.nameText = h("span", { class: "name" });
        this.details = h("span", { class: "details" });
        if (isAlone) return;
        const full = h("button", { type: "button", class: "quiet", "aria-label": `${say("full-screen")}, ${say("program")}`, title: say("full-screen"), onclick: () => void box.requestFullscreen?.() }, icon("full"));
        this.append(h("div", { class: "label" }, this.badge, isPlain ? this.mode : new SwitchingMode(), this.nameText, this.details, isPlain ? undefined : full));
        this.grip.addEventListener("pointerdown", (event) => this.#drag(event));
    }

    enter() {
        if (!this.canvas || !this.overlay) return;
        this.picture = new Picture(this.canvas, this.overlay, { of: "program", rate: 10 }, () => this.plate.update());
        this.plate.picture = this.picture;
        this.#chooseQuality();
        this.picture.start();
        const choose = () => this.#chooseQuality();
        document.addEventListener("fullscreenchange", choose);
        this.leaving.push(() => this.picture?.stop(), () => document.removeEventListener("fullscreenchange", choose), studio.on(["status", "contact", "local"], () => this.update()));
        this.update();
    }

    /**
     * On standby, the recorder composes the program only for the viewers, so fewer frames are requested. On a screen of its
     * own, and while the governor pauses the previews, each recorded frame is shown.
     */
    #chooseQuality() {
        const isLarge = this.hasAttribute("alone") || document.fullscreenElement === this.box;
        this.picture?.setQuality(isLarge ? 30 : studio.isRecording ? 15 : 10, isLarge || studio.status.paused?.includes("previews") === true);
    }

    update() {
        this.#chooseQuality();
        const { badge, mode, details, nameText, empty, canvas, box } = this;
        if (!badge || !mode || !details || !nameText || !empty || !canvas || !box) return;
        const arrangement = studio.arrangement;
        const isWritten = studio.isRecording;
        const isLost = !studio.contact;
        setAttribute(this, "data-frame", isLost || studio.state === "gone" || !arrangement ? "none" : isWritten ? "air" : "program");
        setFlag(this, "data-grey", !studio.canAct);
        setText(mode, automaticText());
        setFlag(mode, "hidden", studio.status.program?.switching !== "voice");
        setText(nameText, arrangement ? describe(arrangement) : "");
        setAttribute(box, "aria-label", [`${say("program")}: ${describe(arrangement)}`, this.plate.name].filter(Boolean).join(", "));
        const parts = [];
        if (studio.status.arrangement?.size && arrangement) parts.push(`${arrangement.width}×${arrangement.height}`);
        if (studio.status.arrangement?.rate) parts.push(`${Math.round(studio.status.arrangement.rate * 100) / 100}/s`);
        const short = studio.status.delay_ns === undefined ? "" : say("behind", { time: `${fixed(studio.status.delay_ns / 1e9, 1)}\u202fs` });
        if (short) parts.push(short);
        setText(details, parts.join(" · "));
        setAttribute(details, "data-short", short);
        setFlag(empty, "hidden", arrangement !== undefined);
        setText(empty, studio.hasStatus && !arrangement ? say(studio.cameras.length === 0 && studio.canAct ? "none-connected" : "nothing") : "");
        this.#placeGrip();
    }

    #insetLayer() {
        const arrangement = studio.arrangement;
        if (!arrangement || !hasInsets(arrangement)) return undefined;
        const layer = layersOf(arrangement)?.[1];
        return layer ? { layer, arrangement } : undefined;
    }

    /**
     * The position and size of the program's picture inside its box, as fractions of the box.
     * @param {{width: number, height: number}} size
     */
    #fit(size) {
        const wide = size.width / size.height / (16 / 9);
        const [width, height] = wide >= 1 ? [1, 1 / wide] : [wide, 1];
        return { left: (1 - width) / 2, top: (1 - height) / 2, width, height };
    }

    #placeGrip() {
        const { grip } = this;
        if (!grip) return;
        const inset = this.#insetLayer();
        setFlag(grip, "hidden", !inset || !studio.canAct);
        if (!inset) return;
        const { layer, arrangement } = inset;
        this.#place(grip, layer, arrangement);
        setAttribute(grip, "data-corner", arrangement.corner);
    }

    /**
     * Places an element over a layer of the program.
     * @param {HTMLElement} element
     * @param {import("./arrangement.js").Layer} layer
     * @param {{width: number, height: number}} size size of the program
     */
    #place(element, layer, size) {
        const fit = this.#fit(size);
        const place = (/** @type {number} */ share) => `${(share * 100).toFixed(3)}%`;
        element.style.left = place(fit.left + (layer.x / size.width) * fit.width);
        element.style.top = place(fit.top + (layer.y / size.height) * fit.height);
        element.style.width = place((layer.width / size.width) * fit.width);
        element.style.height = place((layer.height / size.height) * fit.height);
    }

    /**
     * Drags the inset to a corner, or resizes it if its inner corner is dragged.
     * @param {PointerEvent} first
     */
    #drag(first) {
        const { grip, ghost, box } = this;
        const inset = this.#insetLayer();
        if (!grip || !ghost || !box || !inset || !studio.canAct) return;
        first.preventDefault();
        const isSize = first.target instanceof HTMLElement && first.target.classList.contains("inset-size");
        const { arrangement } = inset;
        const bounds = box.getBoundingClientRect();
        const fit = this.#fit(arrangement);
        const startBox = grip.getBoundingClientRect();
        let { corner, scale } = arrangement;
        let hasMoved = false;
        let hasEnded = false;
        grip.setPointerCapture(first.pointerId);
        const draw = () => {
            if (hasEnded) return;
            const layer = layersOf({ ...arrangement, corner, scale }, draw)?.[1];
            if (!layer) return;
            this.#place(ghost, layer, arrangement);
            ghost.hidden = false;
            ghost.dataset.text = isSize ? `${Math.round(scale * 100)} %` : say(corner);
        };
        const move = (/** @type {PointerEvent} */ event) => {
            const [dx, dy] = [event.clientX - first.clientX, event.clientY - first.clientY];
            if (!hasMoved && Math.hypot(dx, dy) < 5) return;
            hasMoved = true;
            if (isSize) {
                const grown = corner.endsWith("left") ? dx : -dx;
                scale = Math.min(1, Math.max(0.05, Math.round(((startBox.width + grown) / (bounds.width * fit.width)) * 20) / 20));
            } else {
                const x = (startBox.left + startBox.width / 2 + dx - bounds.left) / bounds.width;
                const y = (startBox.top + startBox.height / 2 + dy - bounds.top) / bounds.height;
                corner = `${y < 0.5 ? "top" : "bottom"}-${x < 0.5 ? "left" : "right"}`;
            }
            draw();
        };
        const end = (/** @type {PointerEvent} */ event) => {
            grip.removeEventListener("pointermove", move);
            grip.removeEventListener("pointerup", end);
            grip.removeEventListener("pointercancel", end);
            hasEnded = true;
            ghost.hidden = true;
            if (event.type === "pointercancel" || !hasMoved) return;
            if (corner !== arrangement.corner) setCorner(corner);
            if (Math.abs(scale - arrangement.scale) > 0.001) setScale(scale);
        };
        grip.addEventListener("pointermove", move);
        grip.addEventListener("pointerup", end);
        grip.addEventListener("pointercancel", end);
    }
}

customElements.define("mc-program", ProgramView);
