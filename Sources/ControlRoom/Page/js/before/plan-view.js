// A profile's cost, the changes that would make it fit, and the files that it would write.

import { addWords, say } from "./words.js";
import { bytes, leftTime, percent, resourceName } from "./numbers.js";
import { costBars, unknownTerms } from "./health.js";
import { StudioElement, h, keep, setFlag, setText } from "./dom.js";

addWords({
    "plan-title": ["Hardware cost", "Hardwarekosten"],
    "of-scarcest": ["Most used resource: {resource}.", "Knappste Ressource: {resource}."],
    "make-fit": ["Ways to stay within budget", "Budget einhalten"],
    "it-fits": ["Within budget.", "Im Budget."],
    use: ["Apply", "Anwenden"],
    "by-hand": ["manual", "manuell"],
    then: ["{resource} usage would be {percent}", "{resource} dann bei {percent}"],
    "if-now": ["The profile isn't changed. If you record now: {what}", "Das Profil bleibt unverändert. Bei Aufnahme jetzt: {what}"],
    "be-written": ["Files to be written", "Zu schreibende Dateien"],
    "per-hour": ["{size}/h", "{size}/h"],
    "recordings-free": ["Recordings, {size} free", "Aufnahmen, {size} frei"],
    "together": ["total", "gesamt"],
    "others-busy": ["Other programs use {percent} of the processors. The plan doesn't include them. Close other programs before you record.",
        "Andere Programme belegen {percent} der Prozessoren. Der Plan enthält sie nicht. Vor der Aufnahme andere Programme beenden."],
    copied: ["stream copy", "Stream-Kopie"],
});

/** @param {string} text */
function capital(text) {
    return text.slice(0, 1).toUpperCase() + text.slice(1);
}

export class PlanView extends StudioElement {
    /** @param {(changes: Record<string, unknown>) => void} onUse */
    constructor(onUse) {
        super();
        this.onUse = onUse;
    }

    build() {
        this.classList.add("plan-view");
        this.setAttribute("role", "region");
        this.setAttribute("aria-label", say("plan-title"));
        this.big = h("p", { class: "plan-big" }, "–");
        this.sentence = h("p", { class: "plan-sentence" });
        this.busy = h("p", { class: "plan-busy" });
        this.bars = h("div", { class: "costs" });
        this.fixes = h("ul", { class: "plan-fixes" });
        this.reduced = h("p", { class: "quiet-text" });
        this.tracks = h("ul", { class: "plan-tracks" });
        this.append(
            h("div", { class: "panel" }, h("h3", {}, say("plan-title")), this.big, this.sentence, this.busy, this.bars),
            h("div", { class: "panel" }, h("h3", {}, say("make-fit")), this.fixes, this.reduced),
            h("div", { class: "panel" }, h("h3", {}, say("be-written")), this.tracks));
    }

    /** @param {any} plan output of `multicam plan --json` with the load of other programs */
    showLoad(plan) {
        if (this.busy) setText(this.busy, plan.other_programs_busy ? say("others-busy", { percent: percent(Number(plan.other_programs)) }) : "");
    }

    /** @param {any} plan output of `multicam plan --json` @param {string | undefined} problem */
    show(plan, problem) {
        const { big, sentence, bars, fixes, reduced, tracks } = this;
        if (!big || !sentence || !bars || !fixes || !reduced || !tracks) return;
        if (!plan) {
            if (problem !== undefined) setText(sentence, problem);
            setFlag(this, "data-old", true);
            return;
        }
        setFlag(this, "data-old", false);
        const cost = plan.cost ?? {};
        const hardware = Number(cost.hardware ?? 0);
        const budget = Number(plan.budget?.hardware ?? 1);
        /** @type {any[]} */
        const terms = Array.isArray(cost.terms) ? cost.terms : [];
        setText(big, percent(hardware));
        setFlag(big, "data-warn", hardware > budget);
        const worst = terms.reduce((/** @type {any} */ most, term) => (most === undefined || term.used > most.used ? term : most), undefined);
        setText(sentence, problem ?? (worst ? `${say("of-scarcest", { resource: resourceName(String(worst.resource)) })} ${worst.explanation ?? ""}` : ""));
        const unknown = unknownTerms(cost.unknown);
        costBars(bars, [...terms.filter((term) => !String(term.resource).startsWith("thread:")).map((term) => ({
            resource: String(term.resource), used: Number(term.used), explanation: term.explanation,
            owners: (term.parts ?? term.owners ?? []).map((/** @type {any} */ part) => ({ name: String(part.owner ?? part.name ?? ""), used: Number(part.used) })),
        })), ...unknown], budget);
        /** @type {any[]} */
        const all = Array.isArray(cost.fixes) ? cost.fixes.slice(0, 8) : [];
        keep(fixes, all, (fix) => String(fix.action), (fix) => {
            const item = h("li", {}, h("span", { class: "fix-words" }, h("span", {}, capital(String(fix.action))), h("span", { class: "quiet-text" })));
            if (fix.set && typeof fix.set === "object") item.append(h("button", { type: "button", onclick: () => this.onUse(fix.set) }, say("use")));
            else item.append(h("span", { class: "quiet-text by-hand" }, say("by-hand")));
            return item;
        }, (item, fix) => {
            const after = item.querySelector(".quiet-text");
            if (after && fix.after !== undefined) setText(after, say("then", { resource: resourceName(String(fix.resource ?? worst?.resource ?? "")), percent: percent(Number(fix.after)) }));
        });
        /** @type {any[]} */
        const reductions = Array.isArray(plan.reductions) ? plan.reductions : [];
        const what = reductions.map((step) => String(step.text ?? step.step ?? step)).join("; ");
        setText(reduced, reductions.length > 0 ? say("if-now", { what: `${what}.` }) : all.length === 0 ? (plan.fits === false ? (plan.remedies ?? []).join(" ") : say("it-fits")) : "");
        /** @type {any[]} */
        const files = Array.isArray(plan.tracks) ? plan.tracks : [];
        const rows = files.map((track) => ({
            name: String(track.file ?? track.name),
            what: track.kind === "program" ? (track.layers ?? []).map((/** @type {any} */ layer) => layer.role).join(", ") : track.mode === "copy" ? say("copied") : track.codec ? `${track.width}×${track.height}` : "48 kHz",
            size: track.bytes_per_second === undefined ? "" : say("per-hour", { size: bytes(track.bytes_per_second * 3600) }),
        }));
        const disk = plan.disk ?? {};
        if (disk.bytes_per_second !== undefined) rows.push({ name: say("together"), what: "", size: say("per-hour", { size: bytes(disk.bytes_per_second * 3600) }) });
        if (disk.free_bytes !== undefined) rows.push({ name: say("recordings-free", { size: bytes(disk.free_bytes) }), what: "", size: disk.minutes === undefined || disk.minutes === null ? "" : leftTime(disk.minutes * 60) });
        // The tracks of one file share a name.
        keep(tracks, rows.slice(0, 24), (row, index) => `${index}/${row.name}`, () => h("li", {}, h("span", {}), h("span", { class: "quiet-text" }), h("span", { class: "track-size" })), (item, row) => {
            const [name, words, size] = item.children;
            if (!name || !words || !size) return;
            setText(name, row.name);
            setText(words, row.what);
            setText(size, row.size);
        });
    }
}

customElements.define("mc-plan", PlanView);
