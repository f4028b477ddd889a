// Health panel: system pressure with its reason, cost as bars, the governor's reductions, clocks, and the loss ledger.

import { clockTime, fixed, percent, residual, resourceName, whole } from "./numbers.js";
import { keyTextOf } from "./keys.js";
import { causeText, say } from "./words.js";
import { residualStepMs, studio } from "./studio.js";
import { halves, pressureText } from "./conditions.js";
import { StudioElement, h, icon, keep, s, setAttribute, setFlag, setText } from "./dom.js";

/** Upper end of a cost bar, as a multiple of the resource's capacity. */
const barEnd = 1.25;

/**
 * Draws cost bars: parts by owner, a line at 100 %, and hatching for unknown costs. Clicking a bar shows its
 * explanation.
 * @param {HTMLElement} parent
 * @param {import("./studio.js").CostTerm[]} terms
 * @param {number} budget
 */
export function costBars(parent, terms, budget) {
    keep(parent, terms.slice(0, 12), (term) => term.resource, (term) => {
        const sentence = h("span", { class: "cost-sentence", hidden: true });
        const row = h("button", { type: "button", class: "cost quiet", "aria-expanded": "false" },
            h("span", { class: "cost-name" }, resourceName(term.resource)), h("span", { class: "cost-bar" }, h("span", { class: "cost-parts" }), h("span", { class: "cost-line" })), h("span", { class: "cost-value" }));
        row.addEventListener("click", () => {
            sentence.hidden = !sentence.hidden;
            row.setAttribute("aria-expanded", String(!sentence.hidden));
        });
        return h("div", { class: "cost-row" }, row, sentence);
    }, (element, term) => {
        const [row, sentence] = element.children;
        if (!row || !sentence) return;
        const bar = row.children[1];
        const value = row.children[2];
        const parts = bar?.firstElementChild;
        if (!bar || !value || !parts) return;
        const { used } = term;
        setFlag(bar, "data-unknown", used === undefined);
        setFlag(element, "data-warn", used !== undefined && used > Math.min(budget, 0.9));
        setText(value, used === undefined ? say("unknown") : percent(used));
        /** @type {HTMLElement} */ (bar.children[1]).style.left = `${100 / barEnd}%`;
        const owners = term.owners && term.owners.length > 0 ? [...term.owners].sort((a, b) => b.used - a.used).slice(0, 8) : [{ name: "", used: used ?? 0 }];
        keep(parts, owners, (owner) => owner.name, () => h("span", { class: "cost-part" }), (part, owner) => {
            part.style.width = `${Math.min(100, (owner.used / barEnd) * 100)}%`;
        });
        const text = term.text ?? term.explanation ?? owners.filter((owner) => owner.name !== "").slice(0, 4)
            .map((owner) => say("part-of", { owner: owner.name, percent: percent(owner.used), resource: resourceName(term.resource) })).join(" ");
        setText(sentence, text || `${resourceName(term.resource)}: ${used === undefined ? say("unknown") : percent(used)}`);
        setAttribute(row, "aria-label", `${resourceName(term.resource)}: ${used === undefined ? say("unknown") : percent(used)}`);
    });
}

/**
 * Converts sentences about unknown costs to terms without a share. Example of a sentence: `disk: how fast it
 * writes has not been measured`.
 * @param {unknown} sentences
 * @returns {import("./studio.js").CostTerm[]}
 */
export function unknownTerms(sentences) {
    return (Array.isArray(sentences) ? sentences : []).map((sentence) => {
        const [resource, ...rest] = String(sentence).split(": ");
        return { resource: resource ?? "", explanation: rest.join(": ") };
    });
}

/** Minimum number of samples in a clock graph: one minute. The graph grows with the samples available. */
const leastSamples = 30;

/**
 * Draws a clock's accuracy: a band of ± its residual, up to ±1 ms, with gaps while the clock wasn't locked.
 * @param {SVGElement} drawing
 * @param {number[]} values in µs
 */
function drawClock(drawing, values) {
    const [width, height] = [120, 16];
    const count = Math.max(leastSamples, values.length);
    const step = width / (count - 1);
    let path = "";
    /** @type {[number, number][]} */
    let band = [];
    const close = () => {
        if (band.length === 1 && band[0]) band.push([band[0][0] - step / 2, band[0][1]]);
        if (band.length > 0) path += `M${band.map(([x, half]) => `${x.toFixed(1)} ${(height / 2 - half).toFixed(2)}`).join("L")}L${band.reverse().map(([x, half]) => `${x.toFixed(1)} ${(height / 2 + half).toFixed(2)}`).join("L")}Z`;
        band = [];
    };
    values.forEach((value, index) => {
        if (Number.isNaN(value)) close();
        else band.push([width - (values.length - 1 - index) * step, Math.max(0.4, (Math.min(1000, Math.abs(value)) / 1000) * (height / 2))]);
    });
    close();
    const shape = drawing.lastElementChild;
    if (shape) setAttribute(shape, "d", path || "M0 0");
}

export class Health extends StudioElement {
    /**
     * The sample count at the last drawing of each clock, by role.
     * @type {Map<string, number>}
     */
    #drawn = new Map();

    build() {
        this.classList.add("health", "panel");
        this.key = h("kbd", {});
        this.closeButton = h("button", {
            type: "button", class: "quiet close", onclick: () => {
                studio.local.isHealthShown = false;
                studio.tell("local");
            },
        }, say("close"), " ", this.key);
        this.pressure = h("p", { class: "pressure" }, icon("warn"), h("span", {}, h("strong", {}), h("span", {})));
        this.costTitle = h("h3", {}, say("used-here"));
        this.bars = h("div", { class: "costs" });
        this.givenTitle = h("h3", {}, say("given-up"));
        this.given = h("ul", { class: "given" });
        this.clocksTitle = h("h3", {});
        this.clocks = h("div", { class: "clocks" });
        this.rows = h("tbody", {});
        const table = h("table", { class: "ledger" },
            h("thead", {}, h("tr", {}, ...["track", "captured", "duplicated", "lost-column"].map((name) => h("th", { scope: "col" }, say(name))))), this.rows);
        this.append(h("div", { class: "panel-head" }, h("h2", {}, say("health")), this.closeButton),
            h("div", { class: "health-body", tabindex: "0", role: "region", "aria-label": say("health") }, this.pressure, this.costTitle, this.bars, this.givenTitle, this.given, this.clocksTitle, this.clocks, h("h3", {}, say("ledger")), table));
    }

    enter() {
        this.leaving.push(studio.on(["status", "local", "contact", "event"], () => this.update()));
        this.update();
    }

    update() {
        const { key, pressure, bars, costTitle, given, givenTitle, clocks, clocksTitle, rows } = this;
        if (!key || !pressure || !bars || !costTitle || !given || !givenTitle || !clocks || !clocksTitle || !rows || this.offsetParent === null) return;
        const { status } = studio;
        setText(key, keyTextOf("health"));
        setFlag(this, "data-grey", !studio.canAct);
        const level = status.pressure ?? "nominal";
        const isStrained = level === "serious" || level === "critical" || level === "shutdown";
        setFlag(pressure, "data-warn", isStrained);
        const [strong, plain] = pressure.lastElementChild?.children ?? [];
        if (strong && plain) {
            const text = isStrained && pressureText() ? pressureText() ?? "" : `${say("pressure-is", { level: say(level) })}.`;
            const [first, rest] = halves(text);
            setText(strong, first);
            setText(plain, rest ? ` ${rest}` : "");
        }
        setText(costTitle, studio.isRecording ? say("used-here") : say("plan-here"));
        costBars(bars, [...(status.cost?.terms ?? []).filter((term) => !term.resource.startsWith("thread:")), ...unknownTerms(status.cost?.unknown)], status.cost?.budget ?? 1);
        const up = status.given_up ?? [];
        setText(givenTitle, up.length > 0 ? say("given-up") : say("nothing-given-up"));
        const steps = [...(status.governor ?? []), ...studio.events.filter((event) => event.event === "governor")].filter((step) => step.direction !== "up")
            .map((step) => ({ at: Number(step.at_ns ?? 0) / 1e9, step: String(step.step ?? ""), text: String(/** @type {any} */ (step).text ?? "") }));
        keep(given, up.slice(-8), (text) => text, () => h("li", {}, h("span", { class: "change-time" }), h("span", {})), (item, text) => {
            const [time, what] = item.children;
            const step = steps.find((one) => one.text.includes(text) || (one.step !== "" && text.includes(one.step)));
            if (time) setText(time, step ? clockTime(step.at) : "");
            if (what) setText(what, text);
        });
        const devices = [...studio.cameras, ...studio.microphones];
        let longest = leastSamples;
        keep(clocks, devices, (device) => device.role, (device) => h("div", { class: "clock-row" }, h("span", { class: "clock-name" }, device.role),
            /** @type {any} */ (s("svg", { viewBox: "0 0 120 16", preserveAspectRatio: "none", class: "clock-graph", "aria-hidden": "true" }, s("path", { class: "clock-middle", d: "M0 8H120" }), s("path", { class: "clock-band", d: "M0 0" }))), h("span", { class: "clock-value" })), (row, device) => {
            const [, drawing, value] = row.children;
            if (!drawing || !value) return;
            const values = studio.residuals.get(device.role) ?? [];
            if (this.#drawn.get(device.role) !== studio.residualCount) drawClock(/** @type {any} */ (drawing), values);
            this.#drawn.set(device.role, studio.residualCount);
            longest = Math.max(longest, values.length);
            const ppm = device.ppm === undefined ? "" : `, ${fixed(device.ppm, 1)} ppm`;
            setText(value, device.locked === false ? say("unlocked") : device.residual_us === undefined ? "–" : residual(device.residual_us));
            setAttribute(row, "title", `${device.role}${ppm}`);
        });
        setText(clocksTitle, say("clocks-drawn", { n: Math.round((longest * residualStepMs) / 60_000) }));
        keep(rows, studio.cameras, (camera) => camera.role, () => h("tr", {}, h("th", { scope: "row" }), h("td", {}), h("td", {}), h("td", {})), (row, camera) => {
            const [role, captured, duplicated, lost] = row.children;
            if (!role || !captured || !duplicated || !lost) return;
            setText(role, camera.role);
            setText(captured, camera.captured === undefined ? "–" : whole(camera.captured));
            setText(duplicated, camera.duplicated === undefined ? "–" : whole(camera.duplicated));
            const causes = Object.entries(camera.losses ?? {}).filter(([, count]) => count > 0).map(([cause]) => causeText(cause));
            setText(lost, [whole(camera.lost ?? 0), ...causes].join(", "));
        });
    }
}

customElements.define("mc-health", Health);
