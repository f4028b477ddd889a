// Arrangements of the program: which cameras it shows and where. The rules are those of the recorder's `ProgramLayout`.

import { list } from "./numbers.js";
import { say } from "./words.js";

/**
 * What the program shows.
 * @typedef {object} Arrangement
 * @property {string} layout `pip`, `side-by-side`, `grid` or `single`
 * @property {string[]} shown roles, the main camera first
 * @property {string} corner where insets are stacked from
 * @property {number} scale an inset's width as a share of the program's
 * @property {number} margin a share of the program's width
 * @property {number} width of the program in pixels
 * @property {number} height of the program in pixels
 */

/** @typedef {{role: string, x: number, y: number, width: number, height: number}} Layer */

export const layoutNames = ["single", "pip", "side-by-side", "grid"];
export const cornerNames = ["top-left", "top-right", "bottom-left", "bottom-right"];

/**
 * The arrangement that a status tells of; undefined when there is no program.
 * @param {import("./studio.js").Status} status
 * @returns {Arrangement | undefined}
 */
export function arrangementOf(status) {
    const program = status.program;
    const more = status.arrangement;
    if (!program && !more) return undefined;
    const layout = program?.layout ?? more?.layout ?? "single";
    const insets = more?.inset === undefined ? [] : Array.isArray(more.inset) ? more.inset : [more.inset];
    const shown = program?.shown ?? (more?.main ? [more.main, ...insets] : []);
    return {
        layout, shown: layout === "single" ? shown.slice(0, 1) : shown.slice(0, 32),
        corner: more?.corner ?? "bottom-right",
        scale: more?.scale ?? 0.25,
        margin: more?.margin ?? 0.02,
        width: more?.size?.[0] ?? 1920,
        height: more?.size?.[1] ?? 1080,
    };
}

/** @param {Arrangement} a @param {Arrangement | undefined} b */
export function looksAlike(a, b) {
    return b !== undefined && a.layout === b.layout && a.shown.join("\n") === b.shown.join("\n")
        && (a.layout !== "pip" || (a.corner === b.corner && Math.abs(a.scale - b.scale) < 0.001));
}

/**
 * The places of the cameras, from the back to the front, in pixels of the program.
 * @param {Arrangement} arrangement
 * @param {(role: string) => number} aspect width by height of a camera's upright frame
 * @returns {Layer[]}
 */
export function layersOf(arrangement, aspect) {
    const { layout, shown, width, height } = arrangement;
    const whole = { x: 0, y: 0, width, height };
    if (layout === "single") return shown.slice(0, 1).map((role) => ({ role, ...whole }));
    if (layout === "pip") {
        const [main, ...insets] = shown;
        if (main === undefined) return [];
        const margin = width * arrangement.margin;
        const heights = insets.map((role) => (width * arrangement.scale) / aspect(role));
        const sum = heights.reduce((a, b) => a + b, 0);
        const room = height - margin * (insets.length + 1);
        const shrink = Math.min(1, (width - 2 * margin) / (width * arrangement.scale), sum > 0 ? room / sum : 1);
        const isLeft = arrangement.corner.endsWith("left");
        const isTop = arrangement.corner.startsWith("top");
        let fromEdge = margin;
        const small = insets.map((role, index) => {
            const size = { width: width * arrangement.scale * shrink, height: (heights[index] ?? 0) * shrink };
            const x = isLeft ? margin : width - size.width - margin;
            const y = isTop ? fromEdge : height - size.height - fromEdge;
            fromEdge += size.height + margin;
            return { role, x, y, ...size };
        });
        return [{ role: main, ...whole }, ...small];
    }
    let columns = shown.length;
    if (layout === "grid") {
        columns = 1;
        while (columns * columns < shown.length) columns += 1;
    }
    const rows = Math.max(1, Math.ceil(shown.length / Math.max(1, columns)));
    return shown.map((role, index) => ({
        role, x: (width * (index % columns)) / columns, y: (height * Math.floor(index / columns)) / rows,
        width: width / columns, height: height / rows,
    }));
}

/**
 * The arrangement after a camera became the main one: it changes places where it is shown, else it takes the main place.
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
 * The arrangement after a camera went into the inset.
 * @param {Arrangement} from
 * @param {string} role
 * @returns {Arrangement}
 */
export function withInset(from, role) {
    const [main, first] = from.shown;
    if (main === undefined) return { ...from, shown: [role] };
    if (from.layout === "single") return { ...from, layout: "pip", shown: role === main ? [main] : [main, role] };
    if (role === main) return first === undefined ? from : withMain(from, first);
    const rest = from.shown.slice(2).map((other) => (other === role && first !== undefined ? first : other));
    return { ...from, shown: [main, role, ...rest] };
}

/**
 * The arrangement after a layout was chosen: `pip` and `side-by-side` keep two, `grid` shows all.
 * @param {Arrangement} from
 * @param {string} layout
 * @param {string[]} roles of all cameras
 * @returns {Arrangement}
 */
export function withLayout(from, layout, roles) {
    const order = [...from.shown, ...roles.filter((role) => !from.shown.includes(role))];
    if (layout === "single") return { ...from, layout, shown: order.slice(0, 1) };
    if (layout === "grid") return { ...from, layout, shown: roles.length > 1 ? [...roles] : order };
    const count = from.layout === "grid" || from.layout === "single" ? 2 : Math.max(2, from.shown.length);
    return { ...from, layout, shown: order.slice(0, count) };
}

/**
 * The words that make one arrangement out of another.
 * @param {Arrangement} from
 * @param {Arrangement} to
 * @param {boolean} knowsArrange whether the recorder takes all of it as one change
 * @returns {string[][]}
 */
export function wordsBetween(from, to, knowsArrange) {
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
        if (to.shown.length > 1 && layout === "single") layout = "pip";
    }
    if (layout !== to.layout) words.push(["layout", to.layout]);
    if (to.layout === "pip" && from.corner !== to.corner) words.push(["corner", to.corner]);
    if (to.layout === "pip" && Math.abs(from.scale - to.scale) > 0.001) words.push(["scale", to.scale.toFixed(2)]);
    if (!knowsArrange || words.length < 2 && !(isOther && to.layout === "single")) return words;
    const fields = [`layout=${to.layout}`, `main=${main}`];
    if (to.layout !== "single" && to.shown.length > 1) fields.push(`inset=${to.shown.slice(1).join(",")}`);
    if (to.layout === "pip" && from.corner !== to.corner) fields.push(`corner=${to.corner}`);
    if (to.layout === "pip" && Math.abs(from.scale - to.scale) > 0.001) fields.push(`scale=${to.scale.toFixed(2)}`);
    return [["arrange", ...fields]];
}

/**
 * An arrangement in words, such as `guest, host inset`.
 * @param {Arrangement | undefined} arrangement
 * @returns {string}
 */
export function describe(arrangement) {
    if (!arrangement || arrangement.shown.length === 0) return say("nothing");
    const [main = "", ...rest] = arrangement.shown;
    if (arrangement.layout === "single") return `${main}, ${say("single")}`;
    if (arrangement.layout === "pip") return rest.length === 0 ? main : say("inset", { main, roles: list(rest) });
    return `${list(arrangement.shown)}, ${say(arrangement.layout)}`;
}

/**
 * A shot in the timeline's words: `2+1`.
 * @param {string} layout
 * @param {number[]} numbers of the cameras
 */
export function shotText(layout, numbers) {
    if (layout === "single") return String(numbers[0] ?? "");
    if (layout === "side-by-side") return numbers.slice(0, 3).join("|");
    if (layout === "grid") return "▦";
    return numbers.slice(0, 3).join("+");
}
