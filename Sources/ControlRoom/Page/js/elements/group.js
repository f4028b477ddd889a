// The nodes of a group: state, cost, disk, clock and losses of each. A node that can't be reached is gray and
// shows the age of its data. The recording on such a node continues.

import { ask } from "./ask.js";
import { leftTime, percent, shortTime } from "./numbers.js";
import { say } from "./words.js";
import { studio } from "./studio.js";
import { StudioElement, h, keep, setAttribute, setFlag, setText } from "./dom.js";

/** Polling intervals in milliseconds: for a computer in a group, and for a computer outside any group. */
const [everyMs, seldomMs] = [2000, 30000];
/** A node is shown as silent if its last status is older than this, in milliseconds. */
const silentMs = 4000;
const mostNodes = 64;

/**
 * @typedef {{name: string, group: string, ageMs?: number, state?: Record<string, any>}} GroupNode
 * @param {any} value response of `GET /api/v1/group`
 * @returns {GroupNode[]}
 */
export function nodesOf(value) {
    const now = Number(value?.now_ns);
    const groups = Array.isArray(value?.groups) ? value.groups : [];
    return groups.flatMap((/** @type {any} */ group) => (Array.isArray(group?.nodes) ? group.nodes : []).map((/** @type {any} */ node) => ({
        name: String(node?.name ?? ""), group: String(group?.group ?? ""),
        ageMs: Number.isFinite(node?.received_ns) && Number.isFinite(now) ? Math.max(0, (now - node.received_ns) / 1e6) : undefined,
        state: node?.state && typeof node.state === "object" ? node.state : undefined,
    }))).slice(0, mostNodes);
}

/** @param {number} ns */
function clockText(ns) {
    const us = ns / 1000;
    return us < 1000 ? `±${Math.max(1, Math.round(us))} µs` : `±${(us / 1000).toFixed(1)} ms`;
}

/**
 * Returns a link address only if it is a web address.
 * @param {unknown} page
 */
function address(page) {
    return typeof page === "string" && /^https?:\/\/[^\s]+$/.test(page) ? page : undefined;
}

/** @param {GroupNode} node */
function factsOf(node) {
    const state = node.state ?? {};
    const facts = [];
    if (Number.isFinite(state.time_ns) && state.recording) facts.push([say("node-time"), shortTime(state.time_ns / 1e9)]);
    if (Number.isFinite(state.cost)) facts.push([say("node-cost"), percent(state.cost)]);
    if (Number.isFinite(state.disk_seconds)) facts.push([say("node-disk"), leftTime(state.disk_seconds)]);
    facts.push([say("node-clock"), Number.isFinite(state.clock?.bound_ns) ? clockText(state.clock.bound_ns) : say("unknown")]);
    if (Number.isFinite(state.lost_frames)) facts.push([say("node-lost"), String(state.lost_frames)]);
    return facts;
}

export class GroupNodes extends StudioElement {
    /** @type {GroupNode[]} */
    nodes = [];
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    #timer;

    build() {
        this.classList.add("group-nodes");
        this.setAttribute("role", "list");
        this.setAttribute("aria-label", say("group"));
        this.hidden = true;
    }

    enter() {
        this.leaving.push(studio.on(["contact"], () => void this.#look()), () => clearTimeout(this.#timer));
    }

    async #look() {
        clearTimeout(this.#timer);
        const answer = await ask("/api/v1/group");
        if (!this.isConnected) return;
        clearTimeout(this.#timer);
        if (answer.ok) this.nodes = nodesOf(answer.value);
        else for (const node of this.nodes) node.ageMs = node.ageMs === undefined ? undefined : node.ageMs + everyMs;
        this.update();
        this.#timer = setTimeout(() => void this.#look(), this.nodes.length > 0 ? everyMs : seldomMs);
    }

    update() {
        setFlag(this, "hidden", this.nodes.length === 0);
        keep(this, this.nodes, (node) => `${node.group}/${node.name}`, () => h("div", { class: "node", role: "listitem" },
            h("div", { class: "node-head" }, h("a", { class: "node-name", target: "_blank", rel: "noreferrer" }), h("span", { class: "node-state" })),
            h("p", { class: "node-note", hidden: true }), h("dl", { class: "node-facts" })), (tile, node) => {
            const [head, note, facts] = /** @type {[HTMLElement, HTMLElement, HTMLElement]} */ (/** @type {unknown} */ ([...tile.children]));
            const [name, word] = /** @type {[HTMLElement, HTMLElement]} */ (/** @type {unknown} */ ([...head.children]));
            const state = String(node.state?.state ?? "");
            const isSilent = node.ageMs === undefined || node.ageMs > silentMs;
            const wasRecording = node.state?.recording !== undefined && (state === "recording" || state === "finishing");
            setText(name, node.name);
            setAttribute(name, "href", address(node.state?.page));
            setFlag(tile, "data-silent", isSilent);
            setFlag(tile, "data-recording", wasRecording);
            setFlag(tile, "data-lost", Number(node.state?.lost_frames) > 0);
            setText(word, isSilent ? say("node-silent") : ["starting", "standby", "recording", "finishing", "paused"].includes(state) ? say(`node-${state}`) : say("node-away"));
            const age = node.ageMs === undefined ? "" : say("node-age", { time: shortTime(node.ageMs / 1000) });
            setFlag(note, "hidden", !isSilent);
            const words = [age, wasRecording ? say("node-goes-on") : ""].filter((text) => text !== "").join(" ");
            const told = factsOf(node);
            setText(note, words);
            setAttribute(tile, "title", isSilent ? words : told.map(([term, value]) => `${term} ${value}`).join(", "));
            keep(facts, told, ([term]) => term, ([term]) => h("div", {}, h("dt", {}, term), h("dd")), (row, [, value]) => {
                setText(/** @type {Node} */ (row.lastElementChild), value);
            });
        });
    }
}

customElements.define("mc-group", GroupNodes);
