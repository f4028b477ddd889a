// Layout diagrams with the numbers of the cameras.

import { layoutNamed } from "./arrangement.js";
import { s } from "./dom.js";
import { iconSize } from "./layout-table.js";

/** Maximum number of cameras shown in the icon of an arrangement. */
const mostDrawn = 9;

/**
 * Draws an arrangement as a diagram.
 * @param {{layout: string, shown: string[], corner: string}} arrangement
 * @param {(role: string) => number} numberOf
 * @returns {SVGElement}
 */
export function drawLayout(arrangement, numberOf) {
    const [width, height] = [46, 28];
    const layout = layoutNamed(arrangement.layout);
    const shown = arrangement.shown.slice(0, mostDrawn);
    const icon = layout?.icons[arrangement.corner]?.[shown.length - 1] ?? [];
    const layers = icon.map((rectangle, index) => {
        const [x = 0, y = 0, w = 0, h = 0] = rectangle.map((side) => (side * width) / iconSize[0]);
        return { role: shown[index] ?? "", x, y, width: w, height: h };
    });
    const drawing = s("svg", { viewBox: `-1 -1 ${width + 2} ${height + 2}`, class: "layout-drawing", "aria-hidden": "true" });
    if (layers.length === 0) drawing.append(s("rect", { x: 0, y: 0, width, height, class: "drawn-frame" }));
    const hasInset = layout?.insets === true && layers.length > 1;
    layers.forEach((layer, index) => {
        drawing.append(s("rect", { x: layer.x, y: layer.y, width: layer.width, height: layer.height, class: index > 0 && hasInset ? "drawn-inset" : "drawn-frame" }));
        const isLeft = arrangement.corner.endsWith("left");
        const x = hasInset && index === 0 ? width * (isLeft ? 0.74 : 0.28) : layer.x + layer.width / 2;
        const size = Math.min(13, layer.height * 0.82, layer.width * 0.9);
        drawing.append(s("text", { x, y: layer.y + layer.height / 2 + size * 0.36, "font-size": size, "text-anchor": "middle" }, String(numberOf(layer.role) || "")));
    });
    return drawing;
}

/**
 * Draws the inset's corners and size.
 * @param {string} corner
 * @returns {SVGElement}
 */
export function drawCorners(corner) {
    const drawing = s("svg", { viewBox: "-1 -1 48 30", class: "layout-drawing", "aria-hidden": "true" },
        s("rect", { x: 0, y: 0, width: 46, height: 28, class: "drawn-frame" }));
    for (const [name, x, y] of /** @type {[string, number, number][]} */ ([["top-left", 7, 7], ["top-right", 39, 7], ["bottom-left", 7, 21], ["bottom-right", 39, 21]])) {
        if (name === corner) drawing.append(s("rect", { x: x < 20 ? 4 : 26, y: y < 14 ? 3.5 : 15.5, width: 16, height: 9, class: "drawn-full" }));
        else drawing.append(s("circle", { cx: x, cy: y, r: 2.2, class: "drawn-full" }));
    }
    return drawing;
}
