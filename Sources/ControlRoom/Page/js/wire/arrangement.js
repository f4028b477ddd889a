// Arrangements of the program: which cameras are shown, and in which layout. The recorder computes the
// positions of the cameras.

import { layouts, special } from "./layout-table.js";
import { list } from "./numbers.js";
import { isGerman, say } from "./words.js";

/**
 * The program's arrangement.
 * @typedef {object} Arrangement
 * @property {string} layout name of a layout
 * @property {string[]} shown roles of the visible cameras, the main camera first
 * @property {string} corner corner where the stack of insets starts
 * @property {number} scale width of an inset as a fraction of the program's width
 * @property {number} width width of the program in pixels
 * @property {number} height height of the program in pixels
 */

/** @typedef {{role: string, x: number, y: number, width: number, height: number, fit: string}} Layer */

/**
 * The layout with the given name; undefined if a recording names a layout that this version doesn't have.
 * @param {string} name
 */
export function layoutNamed(name) {
    return layouts.find((layout) => layout.name === name);
}

/** @param {string} name */
export function titleOf(name) {
    return layoutNamed(name)?.title[isGerman ? 1 : 0] ?? name;
}

/** @param {Arrangement} arrangement */
export function hasInsets(arrangement) {
    return layoutNamed(arrangement.layout)?.insets === true;
}

/** @param {string} layout */
function showsOne(layout) {
    return layoutNamed(layout)?.maximum === 1;
}

/**
 * The arrangement reported by a status; undefined if there is no program.
 * @param {import("./studio.js").Status} status
 * @returns {Arrangement | undefined}
 */
export function arrangementOf(status) {
    const { program, arrangement } = status;
    if (!program || !arrangement) return undefined;
    const [width, height] = arrangement.size;
    const { layout, corner, scale } = arrangement;
    return { layout, shown: program.shown.slice(0, 32), corner, scale, width, height };
}

/** @param {Arrangement} a @param {Arrangement | undefined} b */
export function looksAlike(a, b) {
    return b !== undefined && a.layout === b.layout && a.shown.join("\n") === b.shown.join("\n")
        && (!hasInsets(a) || (a.corner === b.corner && Math.abs(a.scale - b.scale) < 0.001));
}

/**
 * The arrangement after a camera is moved to the main position. A camera that is already visible swaps places
 * with the main camera. Any other camera replaces the main camera.
 * @param {Arrangement} from
 * @param {string} role
 * @returns {Arrangement}
 */
export function withMain(from, role) {
    const shown = [...from.shown];
    const place = shown.indexOf(role);
    if (place > 0) {
        shown[place] = shown[0] ?? role;
    }
    shown[0] = role;
    return { ...from, shown };
}

/**
 * The arrangement after a camera is moved to the inset.
 * @param {Arrangement} from
 * @param {string} role
 * @returns {Arrangement}
 */
export function withInset(from, role) {
    const [main, first] = from.shown;
    if (main === undefined) return { ...from, shown: [role] };
    if (showsOne(from.layout)) return { ...from, layout: special.inset, shown: role === main ? [main] : [main, role] };
    if (role === main) return first === undefined ? from : withMain(from, first);
    const rest = from.shown.slice(2).map((other) => (other === role && first !== undefined ? first : other));
    return { ...from, shown: [main, role, ...rest] };
}

/**
 * The arrangement after a layout is selected. If the new layout is designed for the same number of cameras as
 * the old one, additional cameras stay visible.
 * @param {Arrangement} from
 * @param {import("./layout-table.js").Layout} to
 * @param {string[]} roles roles of all cameras
 * @returns {Arrangement}
 */
export function withLayout(from, to, roles) {
    const layout = to.name;
    const order = [...from.shown, ...roles.filter((role) => !from.shown.includes(role))];
    if (to.selected === undefined) return { ...from, layout, shown: roles.length > 1 ? [...roles] : order };
    const isSameCount = layoutNamed(from.layout)?.selected === to.selected;
    const count = isSameCount ? Math.max(to.selected, from.shown.length) : to.selected;
    return { ...from, layout, shown: order.slice(0, Math.min(count, to.maximum ?? count)) };
}

/**
 * The commands that change one arrangement into another.
 * @param {Arrangement} from
 * @param {Arrangement} to
 * @returns {string[][]}
 */
export function wordsBetween(from, to) {
    const isOther = from.shown.join("\n") !== to.shown.join("\n");
    const main = to.shown[0] ?? "";
    const isSwap = isOther && to.shown.length === from.shown.length && from.layout === to.layout && from.shown.includes(main)
        && withMain(from, main).shown.join("\n") === to.shown.join("\n");
    /** @type {string[][]} */
    const words = [];
    let { layout } = from;
    if (isSwap) words.push(["swap", main]);
    else if (isOther) {
        words.push(["show", ...to.shown]);
        if (to.shown.length > 1 && showsOne(layout)) layout = special.inset;
    }
    if (layout !== to.layout) words.push(["layout", to.layout]);
    if (hasInsets(to) && from.corner !== to.corner) words.push(["corner", to.corner]);
    if (hasInsets(to) && Math.abs(from.scale - to.scale) > 0.001) words.push(["scale", to.scale.toFixed(2)]);
    if (words.length < 2 && !(isOther && showsOne(to.layout))) return words;
    const fields = [`layout=${to.layout}`, `main=${main}`];
    if (!showsOne(to.layout) && to.shown.length > 1) fields.push(`inset=${to.shown.slice(1).join(",")}`);
    if (hasInsets(to) && from.corner !== to.corner) fields.push(`corner=${to.corner}`);
    if (hasInsets(to) && Math.abs(from.scale - to.scale) > 0.001) fields.push(`scale=${to.scale.toFixed(2)}`);
    return [["arrange", ...fields]];
}

/**
 * Describes an arrangement, such as `guest, host inset`.
 * @param {{layout: string, shown: string[]} | undefined} arrangement
 * @returns {string}
 */
export function describe(arrangement) {
    if (!arrangement || arrangement.shown.length === 0) return say("nothing");
    const [main = "", ...rest] = arrangement.shown;
    if (!layoutNamed(arrangement.layout)?.insets) return `${list(arrangement.shown)}, ${titleOf(arrangement.layout)}`;
    return rest.length === 0 ? main : say("inset", { main, roles: list(rest) });
}

/**
 * A shot's short label in the timeline, such as `2+1`.
 * @param {string} name name of the layout
 * @param {number[]} numbers the cameras' numbers
 */
export function shotText(name, numbers) {
    const layout = layoutNamed(name);
    return layout?.symbol ?? numbers.slice(0, Math.min(3, layout?.maximum ?? 3)).join(layout?.separator ?? " ");
}
