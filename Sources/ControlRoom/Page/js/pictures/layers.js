// The positions of the cameras in an arrangement. The recorder reports the positions in the program. The web
// process computes the positions in scenes and previews with the recorder's rules.

import { looksAlike } from "./arrangement.js";
import { ask } from "./ask.js";
import { studio } from "./studio.js";

/** @typedef {import("./arrangement.js").Layer} Layer */

/**
 * Positions by request; undefined while the answer is awaited.
 * @type {Map<string, Layer[] | undefined>}
 */
const known = new Map();
const mostKnown = 100;
const retryMs = 2000;
/** The properties of the program that positions depend on. */
let basis = "";

/**
 * The cameras' positions from back to front, in pixels of the program; undefined until they are known. The
 * array is empty if the web process can't compute the positions.
 * @param {import("./arrangement.js").Arrangement} arrangement
 * @param {() => void} [whenKnown] called once if the positions become known later
 * @returns {Layer[] | undefined}
 */
export function layersOf(arrangement, whenKnown) {
    const onAir = studio.status.arrangement;
    if (!onAir || arrangement.shown.length === 0) return undefined;
    if (looksAlike(arrangement, studio.arrangement)) return onAir.layers;
    const now = JSON.stringify([onAir.frames, onAir.size, onAir.margin, onAir.layout, onAir.fit]);
    if (now !== basis || known.size > mostKnown) known.clear();
    basis = now;
    const { layout, shown, corner, scale } = arrangement;
    const query = new URLSearchParams({ layout, show: shown.join(","), corner, scale: String(scale) }).toString();
    if (!known.has(query)) void request(query, now, whenKnown);
    return known.get(query);
}

/** @param {string} query @param {string} asked @param {() => void} [whenKnown] */
async function request(query, asked, whenKnown) {
    known.set(query, undefined);
    /** @type {{ok: boolean, value?: {layers: Layer[]}}} */
    const answer = await ask(`/api/v1/layers?${query}`);
    // If the program or its frames have changed since the request, the positions are obsolete.
    if (asked !== basis) return;
    known.set(query, answer.ok && answer.value ? answer.value.layers : []);
    if (answer.ok) whenKnown?.();
    else setTimeout(() => known.delete(query), retryMs);
}
