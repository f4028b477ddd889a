// Composes an arrangement in the page from the pictures of the tiles.

import { layersOf } from "./arrangement.js";
import { studio } from "./studio.js";
import { cameraPictures } from "./picture.js";

/**
 * Paints an arrangement.
 * @param {HTMLCanvasElement} canvas
 * @param {import("./arrangement.js").Arrangement} arrangement
 * @param {number} width of the canvas in pixels
 */
export function compose(canvas, arrangement, width) {
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
    const layers = layersOf(arrangement, (role) => studio.aspectOf(role));
    layers.forEach((layer, index) => {
        const picture = cameraPictures.get(layer.role);
        const place = { x: layer.x * scale, y: layer.y * scale, width: layer.width * scale, height: layer.height * scale };
        const isFilled = arrangement.layout === "side-by-side" || arrangement.layout === "grid" || index > 0;
        const isAway = studio.cameras.find((camera) => camera.role === layer.role)?.away === true;
        if (!picture || picture.frames === 0 || isAway) {
            context.fillStyle = "#222";
            context.fillRect(place.x, place.y, place.width, place.height);
            context.fillStyle = "#f0f0f0";
            context.font = `600 ${Math.round(place.height / 9)}px system-ui, sans-serif`;
            context.textAlign = "center";
            context.fillText(layer.role, place.x + place.width / 2, place.y + place.height / 2, place.width);
            return;
        }
        const from = picture.canvas;
        const factor = isFilled
            ? Math.max(place.width / from.width, place.height / from.height) : Math.min(place.width / from.width, place.height / from.height);
        const size = { width: from.width * factor, height: from.height * factor };
        context.save();
        context.beginPath();
        context.rect(place.x, place.y, place.width, place.height);
        context.clip();
        context.translate(place.x + place.width / 2, place.y + place.height / 2);
        // The preview of a camera may be mirrored for the person before it; the program is not.
        if (picture.turn.isMirrored) context.scale(-1, 1);
        context.drawImage(from, -size.width / 2, -size.height / 2, size.width, size.height);
        context.restore();
    });
}

/**
 * Calls back at most so many times a second while the page is seen.
 * @param {number} rate
 * @param {() => void} paint
 * @returns {() => void} ends it
 */
export function paintAt(rate, paint) {
    let last = 0;
    let frame = 0;
    const step = (/** @type {number} */ now) => {
        frame = requestAnimationFrame(step);
        if (now - last < 1000 / rate - 4) return;
        last = now;
        paint();
    };
    frame = requestAnimationFrame(step);
    return () => cancelAnimationFrame(frame);
}
