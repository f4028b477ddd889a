// Edits single fields of a profile's text, and preserves comments and order. The reader supports the subset
// of YAML that profiles use: maps and lists in block and flow style, plain and quoted scalars, and comments.

import { special } from "./layout-table.js";

/**
 * @typedef {object} YamlNode
 * @property {"map" | "list" | "scalar"} kind
 * @property {number} start offset of the value in the text
 * @property {number} end offset after the value
 * @property {boolean} isFlow
 * @property {number} indent indentation of a block map's entries
 * @property {string} value text of a scalar
 * @property {Map<string, YamlNode>} entries entries of a map
 * @property {YamlNode[]} items items of a list
 */

/** @param {YamlNode["kind"]} kind @param {number} start @returns {YamlNode} */
function node(kind, start) {
    return { kind, start, end: start, isFlow: false, indent: 0, value: "", entries: new Map(), items: [] };
}

const mostDepth = 12;
const mixPath = "program.audio.mix";
const switchingPath = ["program", "switching"];

class Reader {
    /** @param {string} text */
    constructor(text) {
        this.text = text;
        this.at = 0;
    }

    /**
     * Skips spaces, line ends and comments.
     * @param {boolean} acrossLines
     */
    skip(acrossLines) {
        const { text } = this;
        for (;;) {
            const letter = text[this.at];
            if (letter === " " || letter === "\t" || (acrossLines && (letter === "\n" || letter === "\r"))) this.at += 1;
            else if (letter === "#" && (this.at === 0 || /\s/.test(text[this.at - 1] ?? " "))) {
                while (this.at < text.length && text[this.at] !== "\n") this.at += 1;
            } else return;
        }
    }

    /** The reader's current column. */
    column() {
        return this.at - (this.text.lastIndexOf("\n", this.at - 1) + 1);
    }

    /** @param {number} depth @returns {YamlNode} */
    flow(depth) {
        const { text } = this;
        const isMap = text[this.at] === "{";
        const made = node(isMap ? "map" : "list", this.at);
        made.isFlow = true;
        this.at += 1;
        for (let count = 0; count < 1000; count += 1) {
            this.skip(true);
            const letter = text[this.at];
            if (letter === undefined) break;
            if (letter === "}" || letter === "]") {
                this.at += 1;
                break;
            }
            if (letter === ",") {
                this.at += 1;
                continue;
            }
            if (isMap) {
                const key = this.scalar(true);
                this.skip(true);
                if (text[this.at] === ":") this.at += 1;
                this.skip(true);
                made.entries.set(key.value, this.value(true, depth + 1));
            } else made.items.push(this.value(true, depth + 1));
        }
        made.end = this.at;
        return made;
    }

    /** @param {boolean} inFlow @returns {YamlNode} */
    scalar(inFlow) {
        const { text } = this;
        const made = node("scalar", this.at);
        const quote = text[this.at];
        if (quote === '"' || quote === "'") {
            this.at += 1;
            while (this.at < text.length && text[this.at] !== quote) {
                if (quote === '"' && text[this.at] === "\\") this.at += 1;
                this.at += 1;
            }
            this.at = Math.min(text.length, this.at + 1);
            made.end = this.at;
            made.value = text.slice(made.start + 1, made.end - 1);
            return made;
        }
        while (this.at < text.length) {
            const letter = text[this.at] ?? "";
            if (letter === "\n" || letter === "\r") break;
            if (letter === ":" && /[\s,}\]]|^$/.test(text[this.at + 1] ?? "")) break;
            if (letter === "#" && /\s/.test(text[this.at - 1] ?? "")) break;
            if (inFlow && (letter === "," || letter === "}" || letter === "]")) break;
            this.at += 1;
        }
        made.value = text.slice(made.start, this.at).trimEnd();
        made.end = made.start + made.value.length;
        return made;
    }

    /** @param {boolean} inFlow @param {number} depth @returns {YamlNode} */
    value(inFlow, depth) {
        const letter = this.text[this.at];
        if ((letter === "{" || letter === "[") && depth < mostDepth) return this.flow(depth);
        return this.scalar(inFlow);
    }

    /**
     * Reads a block map or list with entries at the given indentation.
     * @param {number} indent
     * @param {number} depth
     * @returns {YamlNode}
     */
    block(indent, depth) {
        const { text } = this;
        this.skip(true);
        const isList = text[this.at] === "-" && /\s/.test(text[this.at + 1] ?? " ");
        const made = node(isList ? "list" : "map", this.at);
        made.indent = indent;
        made.end = this.at;
        for (let count = 0; count < 2000; count += 1) {
            this.skip(true);
            if (this.at >= text.length || this.column() !== indent) break;
            if (isList) {
                if (text[this.at] !== "-") break;
                this.at += 1;
                this.skip(false);
                const item = this.value(false, depth + 1);
                made.items.push(item);
                made.end = item.end;
                continue;
            }
            const before = this.at;
            const key = this.scalar(false);
            if (text[this.at] !== ":") {
                // Lines other than `key: value` are left to the checker.
                this.at = Math.max(this.at, before + 1);
                continue;
            }
            this.at += 1;
            const afterColon = this.at;
            this.skip(false);
            let value;
            if (this.at >= text.length || text[this.at] === "\n" || text[this.at] === "\r") {
                this.skip(true);
                const column = this.column();
                const isDeeper = this.at < text.length && (column > indent || (column === indent && text[this.at] === "-"));
                if (isDeeper && depth < mostDepth) value = this.block(column, depth + 1);
                else {
                    value = node("scalar", afterColon);
                    this.at = Math.max(afterColon, this.text.lastIndexOf("\n", this.at - 1) + 1);
                }
            } else {
                value = this.value(false, depth + 1);
            }
            made.entries.set(key.value, value);
            made.end = Math.max(made.end, value.end);
        }
        return made;
    }
}

/**
 * Reads a profile's text.
 * @param {string} text
 * @returns {YamlNode}
 */
export function readYaml(text) {
    const reader = new Reader(text);
    reader.skip(true);
    return reader.block(reader.at < text.length ? reader.column() : 0, 0);
}

/**
 * The keys of a path: a text such as `cameras.desk.rate`, or a list of keys that may contain periods.
 * @typedef {string | string[]} Path
 */

/** @param {Path} path */
function keysOf(path) {
    return typeof path === "string" ? path.split(".") : path;
}

/**
 * The node at a path.
 * @param {YamlNode} root
 * @param {Path} path
 */
export function nodeAt(root, path) {
    /** @type {YamlNode | undefined} */
    let found = root;
    for (const part of keysOf(path)) found = found?.entries.get(part);
    return found;
}

/**
 * The scalar at a path as text, or undefined.
 * @param {YamlNode} root
 * @param {Path} path
 */
export function textAt(root, path) {
    const found = nodeAt(root, path);
    return found?.kind === "scalar" && found.value !== "" ? found.value : undefined;
}

/**
 * The items of a list at a path. A scalar counts as a list of one item.
 * @param {YamlNode} root
 * @param {Path} path
 */
export function listAt(root, path) {
    const found = nodeAt(root, path);
    if (!found) return undefined;
    return found.kind === "list" ? found.items.map((item) => item.value) : [found.value];
}

/**
 * Formats a value as YAML.
 * @param {string} value
 */
function written(value) {
    if (/^\[.*\]$/.test(value) || /^[\w./+\-–×]([\w./:+\-–×@ ]*[\w./+\-–×])?$/.test(value) && !/: /.test(value)) return value;
    return JSON.stringify(value);
}

/**
 * Returns a profile's text with the value at a path replaced. Creates any missing maps on the path.
 * @param {string} text
 * @param {Path} path
 * @param {string} value
 * @returns {string}
 */
export function withValue(text, path, value) {
    const root = readYaml(text);
    const parts = keysOf(path);
    let parent = root;
    for (let depth = 0; depth < parts.length; depth += 1) {
        const key = parts[depth] ?? "";
        const found = parent.entries.get(key);
        const isLast = depth === parts.length - 1;
        if (found && (isLast || found.kind !== "map")) {
            const rest = parts.slice(depth + 1);
            const made = rest.length === 0 ? written(value) : `{ ${rest.join(": { ")}: ${written(value)}${" }".repeat(rest.length)}`;
            const space = text[found.start - 1] === ":" ? " " : "";
            return text.slice(0, found.start) + space + made + text.slice(found.end);
        }
        if (!found) {
            const rest = parts.slice(depth + 1);
            const made = rest.length === 0 ? `${key}: ${written(value)}` : `${key}: { ${rest.join(": { ")}: ${written(value)}${" }".repeat(rest.length)}`;
            if (parent.isFlow) {
                const end = parent.end - 1;
                const inside = text.slice(parent.start + 1, end).trimEnd();
                const glue = inside.trim() === "" ? " " : ", ";
                return text.slice(0, parent.start + 1) + inside + glue + made + " " + text.slice(end);
            }
            const lineEnd = text.indexOf("\n", parent.end);
            const at = lineEnd < 0 ? text.length : lineEnd;
            return `${text.slice(0, at)}\n${" ".repeat(parent.indent)}${made}${text.slice(at)}`;
        }
        parent = found;
    }
    return text;
}

/**
 * Returns a profile's text without the entry at a path.
 * @param {string} text
 * @param {Path} path
 * @returns {string}
 */
export function withoutValue(text, path) {
    const root = readYaml(text);
    const keys = keysOf(path);
    const key = keys.at(-1) ?? "";
    const found = nodeAt(root, keys);
    const parent = nodeAt(root, keys.slice(0, -1));
    if (!found || !parent) return text;
    let start = text.lastIndexOf(key, found.start - 1);
    if (/["']/.test(text[start - 1] ?? "")) start -= 1;
    let { end } = found;
    if (!parent.isFlow) {
        // Remove the field's lines, including a trailing comment.
        const next = text.indexOf("\n", end);
        return text.slice(0, text.lastIndexOf("\n", start - 1) + 1) + (next < 0 ? "" : text.slice(next + 1));
    }
    const before = text.slice(0, start).trimEnd();
    const after = /^\s*,\s*/.exec(text.slice(end));
    if (before.endsWith(",")) start = before.length - 1;
    else if (after) end += after[0].length;
    return text.slice(0, start) + text.slice(end);
}

/**
 * Returns a profile's text with another camera or microphone. It is also part of the program's mix, if the profile
 * lists the mix.
 * @param {string} text
 * @param {"cameras" | "microphones"} kind
 * @returns {string}
 */
export function withRole(text, kind) {
    const root = readYaml(text);
    const used = new Set([...(nodeAt(root, "cameras")?.entries.keys() ?? []), ...(nodeAt(root, "microphones")?.entries.keys() ?? [])]);
    const name = kind === "cameras" ? "camera" : "microphone";
    let number = 1;
    while (used.has(`${name}-${number}`)) number += 1;
    const role = `${name}-${number}`;
    const added = withValue(text, `${kind}.${role}.device`, kind === "cameras" ? "any" : "default");
    const mix = listAt(root, mixPath);
    return kind === "microphones" && mix ? withValue(added, mixPath, `[${[...mix, role].join(", ")}]`) : added;
}

/**
 * Returns a profile's text without a camera or microphone, and removes it from the program, the scenes, the mix, other
 * cameras and microphones, and the people. The first remaining inset becomes the main camera if the main camera is
 * removed. If only the main camera remains, the layout shows only this camera. An emptied mix stays empty. Voice switching, which
 * needs a camera for each microphone, is turned off if a microphone loses its camera.
 * @param {string} text
 * @param {"cameras" | "microphones"} kind
 * @param {string} role
 * @returns {string}
 */
export function withoutRole(text, kind, role) {
    const root = readYaml(text);
    const scenes = [...(nodeAt(root, "scenes")?.entries.keys() ?? [])].map((name) => ["scenes", name]);
    let result = text;
    /** @param {string[]} path */
    const remove = (path) => { result = withoutValue(result, path); };
    /** @param {string[]} path @param {string} value */
    const set = (path, value) => { if (textAt(root, path) !== value) result = withValue(result, path, value); };
    /** @param {string[]} path @param {string[]} items */
    const setList = (path, items) => set(path, items.length === 1 && nodeAt(root, path)?.kind === "scalar" ? items[0] ?? "" : `[${items.join(", ")}]`);
    const cameras = [...(nodeAt(root, "cameras")?.entries.keys() ?? [])].filter((other) => other !== role);
    /**
     * Removes the camera from the program or from a scene.
     * @param {string[]} path
     * @param {string | undefined} usualMain main camera if the arrangement doesn't specify it
     * @param {string | undefined} usualLayout
     * @returns {{main: string | undefined, layout: string | undefined}}
     */
    const removeFrom = (path, usualMain, usualLayout) => {
        const listed = listAt(root, [...path, "inset"]);
        const insets = (listed ?? []).filter((other) => other !== role);
        let main = textAt(root, [...path, "main"]);
        if (main === role) {
            main = insets.shift();
            if (main === undefined) remove([...path, "main"]);
            else set([...path, "main"], main);
        }
        main ??= usualMain;
        const others = insets.filter((other) => other !== main);
        let layout = textAt(root, [...path, "layout"]) ?? usualLayout;
        if (listed && others.length < listed.length) {
            if (others.length > 0) setList([...path, "inset"], others);
            else remove([...path, "inset"]);
        }
        const isAlone = listed ? others.length < listed.length && others.length === 0 : cameras.length === 1 && layout !== undefined;
        if (isAlone && layout !== special.one) {
            layout = special.one;
            set([...path, "layout"], layout);
        }
        return { main, layout };
    };
    if (kind === "microphones") {
        for (const path of [keysOf(mixPath), ...scenes.map((scene) => [...scene, "mix"])]) {
            const mix = listAt(root, path);
            if (mix?.includes(role)) setList(path, mix.filter((other) => other !== role));
        }
        for (const scene of scenes) remove([...scene, "gains", role]);
    } else {
        const { main, layout } = removeFrom(["program"], cameras[0], undefined);
        for (const scene of scenes) {
            removeFrom(scene, main, layout);
            for (const field of ["zoom", "pan", "tilt"]) remove([...scene, field, role]);
        }
        for (const [section, field] of [["cameras", "match"], ["microphones", "camera"]]) {
            for (const other of nodeAt(root, [section])?.entries.keys() ?? []) {
                const path = [section, other, field];
                if (textAt(root, path) !== role && textAt(root, [...path, "camera"]) !== role) continue;
                remove(path);
                if (section === "microphones" && textAt(root, switchingPath) === "voice") remove(switchingPath);
            }
        }
    }
    remove(["people", role]);
    return withoutValue(result, [kind, role]);
}

/**
 * Converts a line and a column, both starting at 1, to an offset in a text.
 * @param {string} text
 * @param {number} line
 * @param {number} column
 */
export function offsetOf(text, line, column) {
    let at = 0;
    for (let count = 1; count < line; count += 1) {
        const end = text.indexOf("\n", at);
        if (end < 0) return text.length;
        at = end + 1;
    }
    return Math.min(text.length, at + column - 1);
}
