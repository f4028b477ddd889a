// A camera's tile: picture, on-air border, number, name, status, and monitoring assists. The tile works like
// a bus button of a vision mixer.

import { cutTo, findBoxes, insetTo, isPending, nextFraming, still } from "./commands.js";
import { fixed, residual, shortTime } from "./numbers.js";
import { say } from "./words.js";
import { studio } from "./studio.js";
import { assistNames, falseColors } from "./assists.js";
import { cameraPictures, Picture } from "./picture.js";
import { Plate } from "./plate.js";
import { StudioElement, h, icon, setAttribute, setFlag, setText } from "./dom.js";

/** Frames per second of each tile. */
const tileRate = 10;

export class Tile extends StudioElement {
    role_ = "";
    /** Whether the tile can be clicked. */
    isButton = true;
    /** Whether the tile shows a picture. If not, the tile shows only text. */
    hasPicture = true;
    /** @type {Picture | undefined} */
    picture;
    /** @type {HTMLElement | undefined} */
    framing;
    /** @type {HTMLElement | undefined} */
    framingText;
    plate = new Plate();

    /** @param {string} role @param {{isButton?: boolean, hasPicture?: boolean}} [options] */
    static make(role, options = {}) {
        const tile = /** @type {Tile} */ (document.createElement("mc-tile"));
        tile.role_ = role;
        Object.assign(tile, options);
        return tile;
    }

    build() {
        this.classList.add("tile");
        this.dataset.role = this.role_;
        this.canvas = h("canvas", { "aria-hidden": "true", class: "picture" });
        this.canvas.dataset.role = this.role_;
        this.overlay = h("canvas", { "aria-hidden": "true", class: "overlay" });
        this.slateReason = h("span", { class: "slate-reason" });
        this.slate = h("span", { class: "slate", hidden: true }, h("span", { class: "slate-name" }, this.role_), this.slateReason);
        this.legend = h("span", { class: "legend", hidden: true });
        for (const step of falseColors) {
            const swatch = h("span", { class: "swatch" }, step.name ? say(step.name) : "");
            swatch.style.background = `rgb(${step.rgb.join(" ")})`;
            swatch.style.color = step.rgb[0] + step.rgb[1] + step.rgb[2] > 380 ? "#000" : "#fff";
            this.legend.append(swatch);
        }
        const box = h("span", { class: "picture-box" }, this.canvas, this.overlay, this.slate, this.legend, this.plate);
        this.bus = this.isButton
            ? h("button", { type: "button", class: "bus", oncontextmenu: (/** @type {MouseEvent} */ event) => this.#menu(event), onclick: (/** @type {MouseEvent} */ event) => this.#click(event), onpointermove: (/** @type {PointerEvent} */ event) => this.#look(event) }, box)
            : h("div", { class: "bus" }, box);
        this.numberBadge = h("span", { class: "number" });
        this.nameText = h("span", { class: "name" }, this.role_);
        this.badge = h("span", { class: "badge", hidden: true });
        this.details = h("span", { class: "details" });
        this.lostText = h("span", { class: "lost" });
        const row = h("div", { class: "label" }, this.numberBadge, this.nameText, this.badge);
        this.append(this.bus, row);
        if (this.isButton && this.hasPicture) {
            this.more = h("button", { type: "button", class: "more quiet", "aria-expanded": "false", "aria-label": say("tools-of", { role: this.role_ }), onclick: () => this.#toggleTools() }, icon("more"));
            row.append(this.more);
            this.tools = h("div", { class: "tools", hidden: true },
                this.#tool("controls", icon("controls"), () => document.dispatchEvent(new CustomEvent("multicam-controls", { detail: this.role_ }))),
                this.#tool("into-inset", icon("inset"), () => insetTo(this.role_)),
                this.#tool("still", icon("still"), () => void still([this.role_])),
                this.framing = this.#tool("framing", this.framingText = h("span", { class: "tool-text" }), () => nextFraming(this.role_)),
                ...assistNames.map((name) => this.#tool(name, name === "one-to-one" ? h("span", { class: "tool-text" }, "1:1") : icon(name), () => this.toggle(name))));
        }
        this.append(h("div", { class: "sub-label" }, this.details, this.lostText));
        if (this.tools) this.append(this.tools);
    }

    enter() {
        if (this.hasPicture && this.canvas && this.overlay) {
            this.picture = new Picture(this.canvas, this.overlay, { of: "camera", role: this.role_, rate: tileRate }, () => this.plate.update());
            this.plate.picture = this.picture;
            cameraPictures.set(this.role_, this.picture);
            this.#turn();
            this.picture.start();
            this.leaving.push(() => {
                this.picture?.stop();
                if (cameraPictures.get(this.role_) === this.picture) cameraPictures.delete(this.role_);
            });
        }
        this.leaving.push(studio.on(["status", "local", "contact"], () => this.update()));
        this.every(() => this.update(), 1000);
        this.update();
    }

    /** @param {string} name @param {Node} sign @param {() => void} action */
    #tool(name, sign, action) {
        return h("button", { type: "button", class: "tool", "data-tool": name, "aria-label": `${say(name)}, ${this.role_}`, title: say(name), onclick: action }, sign);
    }

    #toggleTools() {
        if (!this.tools || !this.more) return;
        this.tools.hidden = !this.tools.hidden;
        this.more.setAttribute("aria-expanded", String(!this.tools.hidden));
        setFlag(this, "data-tools", !this.tools.hidden);
    }

    /**
     * Shows the tools on a long touch or a right click, since phones have no room for the tools button.
     * @param {MouseEvent} event
     */
    #menu(event) {
        if (!this.tools) return;
        event.preventDefault();
        this.#toggleTools();
    }

    /** @param {MouseEvent} event */
    #click(event) {
        if (!studio.canAct) return;
        if (event.shiftKey) insetTo(this.role_);
        else cutTo(this.role_);
    }

    /**
     * Moves the 1:1 view to the pointer.
     * @param {PointerEvent} event
     */
    #look(event) {
        if (!this.picture?.isOneToOne || event.pointerType === "touch") return;
        const box = this.getBoundingClientRect();
        this.picture.look = { x: Math.min(1, Math.max(0, (event.clientX - box.left) / box.width)), y: Math.min(1, Math.max(0, (event.clientY - box.top) / box.width * 16 / 9)) };
    }

    /**
     * Turns a monitoring assist on or off.
     * @param {string} name
     */
    toggle(name) {
        const key = `${this.role_}/${name}`;
        const { assists } = studio.local;
        if (assists.has(key)) assists.delete(key);
        else {
            assists.add(key);
            if (name === "boxes") findBoxes(this.role_);
        }
        studio.tell("local");
    }

    #turn() {
        const camera = studio.cameras.find((camera) => camera.role === this.role_);
        if (!this.picture || !camera) return;
        this.picture.turn = { rotation: camera.rotation ?? 0, isMirrored: camera.mirrored ?? false };
    }

    update() {
        const camera = studio.cameras.find((camera) => camera.role === this.role_);
        if (!camera || !this.bus || !this.badge || !this.details || !this.lostText || !this.numberBadge) return;
        this.#turn();
        const number = studio.numberOf(this.role_);
        const tally = studio.tallyOf(this.role_);
        const isNext = studio.isNext(this.role_);
        const isAway = camera.away === true;
        const isWritten = studio.isRecording;
        const state = studio.state;
        const isLost = !studio.contact;
        let frame = "none";
        let text = "";
        let spoken = "";
        if (isLost || state === "gone") frame = "none";
        else if (tally !== "off") {
            frame = isWritten ? "air" : "program";
            const isInset = tally === "inset";
            text = isWritten ? say(isInset ? "on-air-inset" : "on-air") : say(isInset ? "in-program-inset" : "in-program");
            spoken = isWritten ? say(isInset ? "inset-spoken" : "on-air-spoken") : say("in-program-spoken");
        } else if (isNext && !isAway) {
            frame = "next";
            text = say("next-badge");
            spoken = say("next-spoken");
        }
        if (isAway && !isLost) {
            text = frame === "none" ? say("away-badge") : text;
            spoken = [spoken, say("away-spoken")].filter(Boolean).join(", ");
        } else spoken = [spoken, this.plate.name].filter(Boolean).join(", ");
        setAttribute(this, "data-frame", frame);
        setAttribute(this, "data-tally", isLost ? "off" : tally);
        setFlag(this, "data-away", isAway && !isLost);
        setFlag(this, "data-grey", !studio.canAct);
        setFlag(this, "data-pending", isPending(`camera/${this.role_}`));
        setText(this.badge, text);
        if (text === "") setAttribute(this.badge, "data-short", undefined);
        else setAttribute(this.badge, "data-short", text.split(" · ")[1] ?? text);
        setFlag(this.badge, "hidden", text === "");
        setText(this.numberBadge, String(number));
        const lost = camera.lost ?? 0;
        this.#details(camera, isAway, isLost);
        setText(this.lostText, isLost || isAway ? "" : say("n-lost", { n: lost }));
        const limit = studio.status.limits?.lost_frames ?? 0.01;
        setFlag(this.lostText, "data-warn", (camera.captured ?? 0) > 0 && lost > limit * (camera.captured ?? 0));
        const label = [say("camera-label", { n: number, role: this.role_ }), spoken, say("n-lost", { n: lost })].filter(Boolean).join(", ");
        if (this.isButton) setAttribute(this.bus, "aria-label", label);
        if (this.bus instanceof HTMLButtonElement) setAttribute(this.bus, "aria-disabled", studio.canAct ? undefined : "true");
        if (this.slate && this.slateReason) {
            setFlag(this.slate, "hidden", !isAway || isLost);
            setText(this.slateReason, camera.reason ?? say("no-camera-signal"));
        }
        this.#showAssists();
    }

    /** @param {import("./studio.js").Camera} camera @param {boolean} isAway @param {boolean} isLost */
    #details(camera, isAway, isLost) {
        const { details } = this;
        if (!details) return;
        setFlag(details, "data-away", isAway && !isLost);
        if (isLost) {
            setText(details, say("seen-ago", { time: shortTime((performance.now() - studio.lostContactAt) / 1000) }));
            return;
        }
        if (isAway) {
            setText(details, say("away-tile"));
            return;
        }
        const parts = [];
        if (camera.width && camera.height) parts.push({ name: "size", text: `${camera.width}×${camera.height}` });
        const { rate, nominal_rate: nominal } = camera;
        const isSlow = rate !== undefined && nominal !== undefined && rate > 0 && rate < nominal * 0.9;
        if (rate !== undefined) {
            const number = `${fixed(rate, 1)}/s`;
            parts.push({ name: isSlow ? "slow" : "rate", text: isSlow ? say("rate-of", { rate: number, nominal: Math.round(nominal ?? 0) }) : number });
        }
        if (camera.locked === false) parts.push({ name: "clock", text: `± ${say("unknown")}` });
        else if (camera.residual_us !== undefined) parts.push({ name: "clock", text: residual(camera.residual_us) });
        while (details.children.length > parts.length || (details.firstChild && !details.firstElementChild)) details.lastChild?.remove();
        parts.forEach((part, index) => {
            let span = /** @type {HTMLElement | undefined} */ (details.children[index]);
            if (!span) {
                span = h("span");
                details.append(span);
            }
            setAttribute(span, "class", part.name);
            setText(span, part.text);
        });
    }

    #showAssists() {
        const { picture, tools } = this;
        if (!picture) return;
        const has = (/** @type {string} */ name) => studio.local.assists.has(`${this.role_}/${name}`);
        picture.assists.isPeaking = has("peaking");
        picture.assists.isZebra = has("zebra");
        picture.assists.isFalseColor = has("false-color");
        picture.assists.isAreas = has("areas");
        picture.assists.isBoxes = has("boxes");
        const camera = studio.cameras.find((camera) => camera.role === this.role_);
        picture.assists.isMirrored = camera?.mirrored ?? false;
        picture.assists.boxes = [
            ...(camera?.faces ?? []).map(({ box, id }) => ({ box, text: String(id) })),
            ...(camera?.codes ?? []).map(({ box, payload }) => ({ box, text: payload.slice(0, 40) })),
        ];
        if (this.framing && this.framingText && camera) {
            setFlag(this.framing, "hidden", camera.framing === undefined);
            setAttribute(this.framing, "aria-pressed", String((camera.framing ?? "off") !== "off"));
            setText(this.framingText, say(`framing-${camera.framing ?? "off"}`));
        }
        if (this.legend) setFlag(this.legend, "hidden", !has("false-color"));
        if (picture.isOneToOne !== has("one-to-one")) picture.setOneToOne(has("one-to-one"));
        setFlag(this, "data-one-to-one", has("one-to-one"));
        for (const tool of tools?.querySelectorAll("[data-tool]") ?? []) {
            const name = /** @type {HTMLElement} */ (tool).dataset.tool ?? "";
            if (assistNames.includes(name)) setAttribute(tool, "aria-pressed", String(has(name)));
        }
    }
}

customElements.define("mc-tile", Tile);

/**
 * The tiles that a monitoring assist's key applies to: the tile with the keyboard focus or the pointer,
 * otherwise all tiles.
 * @returns {Tile[]}
 */
export function meantTiles() {
    const one = document.activeElement?.closest("mc-tile") ?? document.querySelector("mc-tile:hover");
    if (one instanceof Tile) return [one];
    return [...document.querySelectorAll("mc-tile")].filter((tile) => tile instanceof Tile).map((tile) => /** @type {Tile} */ (tile));
}

/**
 * Turns a monitoring assist on or off for the affected tiles. If the assist is off for any of these tiles, it
 * is turned on for all of them.
 * @param {string} name
 */
export function toggleLook(name) {
    const tiles = meantTiles();
    const { assists } = studio.local;
    const isOn = tiles.every((tile) => assists.has(`${tile.role_}/${name}`));
    for (const tile of tiles) {
        if (isOn) assists.delete(`${tile.role_}/${name}`);
        else assists.add(`${tile.role_}/${name}`);
    }
    studio.tell("local");
}

