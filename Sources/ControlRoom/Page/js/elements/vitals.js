// Vital signs: disk, losses, clocks, and hardware cost or system pressure in one button that shows or hides Health.

import { leftTime, percent, residual, whole } from "./numbers.js";
import { say } from "./words.js";
import { studio } from "./studio.js";
import { StudioElement, h, icon, keep, setAttribute, setFlag, setText } from "./dom.js";

/** @typedef {{name: string, label: string, value: string, isWarn?: boolean, hasSign?: boolean}} Vital */

/**
 * The current vital signs.
 * @returns {Vital[]}
 */
export function vitals() {
    const { status } = studio;
    const isKnown = studio.contact && studio.hasStatus && studio.state !== "gone";
    const isRunning = status.state === "recording" || status.state === "finishing" || status.state === "paused";
    const left = status.disk?.seconds_left;
    const free = status.disk?.free_bytes;
    /** @type {Vital[]} */
    const all = [{
        name: "disk", label: say("disk"),
        value: !isKnown ? "–" : left !== undefined ? leftTime(left) : free !== undefined ? `${Math.round(free / 1e9)}\u202fGB` : "–",
        isWarn: left !== undefined && left <= 600, hasSign: left !== undefined && left <= 600,
    }];
    const hardware = status.cost?.hardware;
    const isOver = hardware !== undefined && hardware > (status.cost?.budget ?? 1);
    const isReduced = isRunning && (status.given_up ?? []).length > 0;
    const isStrained = !isOver && (status.pressure === "serious" || status.pressure === "critical" || status.pressure === "shutdown");
    /** @type {Vital} */
    const cost = isStrained ? { name: "cost", label: say("pressure-label"), value: isKnown ? say(status.pressure ?? "") : "–", isWarn: true, hasSign: true }
        : { name: "cost", label: say("cost"), value: isKnown && hardware !== undefined ? percent(hardware) : "–", isWarn: isOver || isReduced, hasSign: isOver || isReduced };
    if (!isRunning) {
        all.push({ name: "cameras", label: say("cameras"), value: isKnown ? String(studio.cameras.length) : "–" },
            { name: "microphones", label: say("microphones"), value: isKnown ? String(studio.microphones.length) : "–" });
        all.push(cost);
        return all;
    }
    const away = studio.cameras.filter((camera) => camera.away).length;
    const captured = studio.cameras.reduce((sum, camera) => sum + (camera.captured ?? 0), 0);
    const lost = studio.lost;
    const isFresh = performance.now() - studio.lastLossAt < 10_000;
    const limit = status.limits?.lost_frames ?? 0.01;
    const isMuch = captured > 0 && lost > captured * limit;
    const text = away > 0 ? (away === 1 ? say("lost-away-1", { n: whole(lost) }) : say("lost-away-n", { n: whole(lost), m: away }))
        : captured > 0 ? say("lost-of", { n: whole(lost), m: whole(captured) }) : whole(lost);
    all.push({ name: "lost", label: say("lost"), value: isKnown ? text : "–", isWarn: away > 0 || isFresh || isMuch });
    const residuals = [...studio.cameras, ...studio.microphones].filter((device) => device.locked !== false).map((device) => device.residual_us ?? NaN).filter((value) => !Number.isNaN(value));
    all.push({ name: "clocks", label: say("clocks"), value: isKnown && residuals.length > 0 ? residual(Math.max(...residuals.map(Math.abs))) : "–" });
    all.push(cost);
    return all;
}

export class Vitals extends StudioElement {
    build() {
        this.classList.add("vitals");
        this.list = h("span", { class: "vital-list" });
        this.button = h("button", {
            type: "button", class: "vital-button quiet", "aria-expanded": "false",
            onclick: () => {
                studio.local.isHealthShown = !studio.local.isHealthShown;
                studio.tell("local");
            },
        }, this.list);
        this.append(this.button);
    }

    enter() {
        this.leaving.push(studio.on(["status", "contact", "local"], () => this.update()));
        this.every(() => this.update(), 1000);
        this.update();
    }

    update() {
        if (!this.list || !this.button) return;
        const all = vitals();
        keep(this.list, all, (vital) => vital.name, (vital) => h("span", { class: `vital vital-${vital.name}` },
            h("span", { class: "vital-label" }), h("span", { class: "vital-value" }, icon("warn"), h("span", {}))), (element, vital) => {
            const [label, value] = element.children;
            if (!label || !value?.lastElementChild) return;
            setText(label, vital.label);
            setText(value.lastElementChild, vital.value);
            setFlag(element, "data-warn", vital.isWarn === true);
            setFlag(element, "data-sign", vital.hasSign === true);
        });
        setAttribute(this.button, "aria-expanded", String(studio.local.isHealthShown));
        setAttribute(this.button, "aria-label", `${say("health")}: ${all.map((vital) => `${vital.label} ${vital.value}`).join(", ")}`);
        setFlag(this, "data-grey", !studio.canAct);
        setFlag(this, "data-open", studio.local.isHealthShown);
    }
}

customElements.define("mc-vitals", Vitals);
