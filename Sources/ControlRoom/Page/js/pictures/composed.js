// Composes an arrangement in the page from the tiles' pictures.

import { layersOf } from "./layers.js";
import { cameraPictures } from "./picture.js";
import { plateOf } from "./plate.js";

/**
 * Draws an arrangement. Until the positions of its cameras are known, the canvas keeps its content.
 * @param {HTMLCanvasElement} canvas
 * @param {import("./arrangement.js").Arrangement} arrangement
 * @param {number} width width of the canvas in pixels
 * @param {() => void} [whenKnown] called when the positions become known later
 */
export function compose(canvas, arrangement, width, whenKnown) {
    const layers = layersOf(arrangement, whenKnown);
    if (!layers) return;
    const height = Math.round((width * arrangement.height) / arrangement.width);
    if (canvas.width !== width || canvas.height !== height) {
        canvas.width = width;
        canvas.height = height;
    }
    const context = canvas.getContext("2d", { alpha: false });
    if (!context) return;
    context.fillStyle = "#000";
    context.fillRect(0, 0, width, height);
    const scale = width / arrangement.width;
    for (const layer of layers) {
        const picture = cameraPictures.get(layer.role);
        const place = { x: layer.x * scale, y: layer.y * scale, width: layer.width * scale, height: layer.height * scale };
        const plate = plateOf({ of: "camera", role: layer.role }, picture?.age);
        if (!picture || plate) {
            context.fillStyle = "#222";
            context.fillRect(place.x, place.y, place.width, place.height);
            context.fillStyle = "#f0f0f0";
            context.font = `600 ${Math.round(place.height / 9)}px system-ui, sans-serif`;
            context.textAlign = "center";
            context.fillText(layer.role, place.x + place.width / 2, place.y + place.height / 2, place.width);
            context.fillStyle = "#ffb52e";
            if (plate) context.fillText(plate.text, place.x + place.width / 2, place.y + place.height * 0.65, place.width);
            continue;
        }
        const from = picture.canvas;
        const factor = layer.fit === "cover"
            ? Math.max(place.width / from.width, place.height / from.height) : Math.min(place.width / from.width, place.height / from.height);
        const size = { width: from.width * factor, height: from.height * factor };
        context.save();
        context.beginPath();
        context.rect(place.x, place.y, place.width, place.height);
        context.clip();
        context.translate(place.x + place.width / 2, place.y + place.height / 2);
        // A camera's preview may be mirrored for the person in front of it, but the program isn't.
        if (picture.turn.isMirrored) context.scale(-1, 1);
        context.drawImage(from, -size.width / 2, -size.height / 2, size.width, size.height);
        context.restore();
    }
}
