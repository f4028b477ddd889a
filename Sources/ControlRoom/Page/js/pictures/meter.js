// Audio meters: sample peak with fall and hold, RMS, and loudness. The meters are drawn on a canvas according
// to the elapsed time.

import { decibels } from "./numbers.js";
import { token } from "./dom.js";

const fallPerSecond = 20 / 1.7;
const holdSeconds = 2;

/** One channel's displayed levels, in dBFS. */
class Channel {
    peak = -120;
    rms = -120;
    hold = -120;
    heldAt = 0;
}

/** A meter's ballistics. */
export class Ballistics {
    /** @type {Channel[]} */
    channels = [];
    #at = 0;

    /**
     * Updates the levels.
     * @param {number[]} peaks linear
     * @param {number[]} rms linear
     * @param {number} now time in ms
     */
    take(peaks, rms, now) {
        const count = Math.min(8, Math.max(peaks.length, rms.length));
        while (this.channels.length < count) this.channels.push(new Channel());
        this.channels.length = count;
        this.move(now);
        this.channels.forEach((channel, index) => {
            const peak = decibels(peaks[index] ?? 0);
            channel.peak = Math.max(channel.peak, peak);
            channel.rms = decibels(rms[index] ?? 0);
            if (peak >= channel.hold) {
                channel.hold = peak;
                channel.heldAt = now;
            }
        });
    }

    /**
     * Lets the peaks fall according to the elapsed time.
     * @param {number} now time in ms
     */
    move(now) {
        const fall = (Math.min(1000, now - this.#at) / 1000) * fallPerSecond;
        this.#at = now;
        for (const channel of this.channels) {
            channel.peak = Math.max(-120, channel.peak - fall);
            if (now - channel.heldAt > holdSeconds * 1000) channel.hold = Math.max(channel.peak, channel.hold - fall);
        }
    }

    /** Whether the display is still changing. */
    get isMoving() {
        return this.channels.some((channel) => channel.peak > -70 || channel.hold > -70);
    }

    get peak() {
        return Math.max(-120, ...this.channels.map((channel) => channel.peak));
    }
}

/**
 * A level's position on the bar: 0 at −60, 0.15 at −40, 0.4 at −20, 1 at 0 dBFS.
 * @param {number} level level in dBFS
 */
export function position(level) {
    if (level >= 0) return 1;
    if (level >= -20) return 1 + (level / 20) * 0.6;
    if (level >= -40) return 0.4 + ((level + 20) / 20) * 0.25;
    if (level >= -60) return 0.15 + ((level + 40) / 20) * 0.15;
    return 0;
}

/**
 * A loudness value's position on the EBU +9 scale around a target.
 * @param {number} value loudness in LUFS
 * @param {number} target target loudness in LUFS
 */
export function loudnessPosition(value, target) {
    return Math.min(1, Math.max(0, (value - target + 18) / 27));
}

/**
 * @typedef {object} MeterLook
 * @property {boolean} isLying whether the meter is horizontal
 * @property {boolean} isSilent whether there is no signal; drawn with hatching
 * @property {number} amberFrom level in dBFS above which the bar is amber
 * @property {boolean} hasBracket
 * @property {boolean} hasScale
 * @property {number} [size] scale factor: 1, or larger if the meter is read from a distance
 * @property {{momentary?: number, integrated?: number, target: number}} [loudness]
 */

/** The root font size as a fraction of 16 pixels. Changes only when the window is resized. */
let rem = 0;
addEventListener("resize", () => {
    rem = 0;
});

/** @type {CanvasPattern | null} */
let hatch = null;
let hatchColor = "";

/** @param {CanvasRenderingContext2D} context @param {number} scale */
function hatching(context, scale) {
    const color = token("warn-bar");
    if (hatch && hatchColor === color + scale) return hatch;
    const size = Math.round(10 * scale);
    const tile = document.createElement("canvas");
    tile.width = tile.height = size;
    const on = tile.getContext("2d");
    if (!on) return null;
    on.fillStyle = token("trough");
    on.fillRect(0, 0, size, size);
    on.strokeStyle = color;
    on.lineWidth = size * 0.36;
    for (const shift of [-size, 0, size]) {
        on.beginPath();
        on.moveTo(shift - 2, size + 2);
        on.lineTo(shift + size + 2, -2);
        on.stroke();
    }
    hatchColor = color + scale;
    hatch = context.createPattern(tile, "repeat");
    return hatch;
}

/**
 * Draws a meter.
 * @param {HTMLCanvasElement} canvas takes the size of its box
 * @param {Ballistics} meter
 * @param {MeterLook} look
 */
export function drawMeter(canvas, meter, look) {
    const dpr = Math.min(3, window.devicePixelRatio || 1);
    if (rem === 0) rem = parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;
    const [cssWidth, cssHeight] = [canvas.clientWidth, canvas.clientHeight];
    if (cssWidth === 0 || cssHeight === 0) return;
    const [width, height] = [Math.round(cssWidth * dpr), Math.round(cssHeight * dpr)];
    if (canvas.width !== width || canvas.height !== height) {
        canvas.width = width;
        canvas.height = height;
    }
    const context = canvas.getContext("2d");
    if (!context) return;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, width, height);
    const unit = dpr * rem * (look.size ?? 1);
    if (look.isLying) drawLying(context, meter, look, width, height, unit);
    else drawStanding(context, meter, look, width, height, unit);
}

/**
 * @param {CanvasRenderingContext2D} context @param {Ballistics} meter @param {MeterLook} look
 * @param {number} width @param {number} height @param {number} unit
 */
function drawStanding(context, meter, look, width, height, unit) {
    const pad = 7 * unit;
    const length = height - 2 * pad;
    const y = (/** @type {number} */ share) => pad + (1 - share) * length;
    const scaleWidth = look.hasScale ? 24 * unit : 0;
    const right = look.loudness ? 64 * unit : look.hasBracket ? 12 * unit : 0;
    const room = width - scaleWidth - right;
    const barsWidth = Math.max(6 * unit, Math.min(look.loudness ? 26 * unit : 28 * unit, room));
    const left = scaleWidth;
    context.font = `${12 * unit}px system-ui, sans-serif`;
    context.textBaseline = "middle";
    if (look.hasScale) {
        context.textAlign = "right";
        context.fillStyle = token("text-3");
        for (const mark of [0, 6, 12, 18, 24, 30, 40, 60]) {
            context.fillText(String(mark), left - 7 * unit, y(position(-mark)));
            context.fillRect(left - 5 * unit, y(position(-mark)) - unit / 2, 4 * unit, unit);
        }
    }
    drawBars(context, meter, look, { across: left, along: pad, thickness: barsWidth, length }, unit, false);
    if (look.hasBracket) {
        context.strokeStyle = token("text-2");
        context.lineWidth = 1.5 * unit;
        const x = left + barsWidth + 4 * unit;
        context.beginPath();
        context.moveTo(x, y(position(-9)));
        context.lineTo(x + 5 * unit, y(position(-9)));
        context.lineTo(x + 5 * unit, y(position(-18)));
        context.lineTo(x, y(position(-18)));
        context.stroke();
    }
    if (look.loudness) {
        const { momentary, integrated, target } = look.loudness;
        const barWidth = 11 * unit;
        const x = width - 46 * unit;
        context.fillStyle = token("trough");
        context.fillRect(x, pad, barWidth, length);
        if (momentary !== undefined) {
            const share = loudnessPosition(momentary, target);
            context.fillStyle = token("rms");
            context.fillRect(x, y(share), barWidth, share * length);
        }
        context.textAlign = "left";
        for (const step of [9, 0, -9, -18]) {
            const at = y(loudnessPosition(target + step, target));
            context.fillStyle = step === 0 ? token("text") : token("text-3");
            context.fillRect(x + barWidth + unit, at - unit / 2, (step === 0 ? 7 : 4) * unit, unit * (step === 0 ? 2 : 1));
            context.fillText(`\u2212${Math.abs(Math.round(target + step))}`, x + barWidth + 8 * unit, at, 27 * unit);
        }
        if (integrated !== undefined) {
            const at = y(loudnessPosition(integrated, target));
            context.fillStyle = token("text");
            context.beginPath();
            context.moveTo(x - 9 * unit, at - 5 * unit);
            context.lineTo(x - 2 * unit, at);
            context.lineTo(x - 9 * unit, at + 5 * unit);
            context.fill();
        }
    }
}

/**
 * @param {CanvasRenderingContext2D} context @param {Ballistics} meter @param {MeterLook} look
 * @param {number} width @param {number} height @param {number} unit
 */
function drawLying(context, meter, look, width, height, unit) {
    const bracket = look.hasBracket ? 6 * unit : 0;
    const thickness = Math.max(4 * unit, height - bracket - 2 * unit);
    drawBars(context, meter, look, { across: 0, along: 0, thickness, length: width }, unit, true);
    if (look.hasBracket) {
        context.strokeStyle = token("text-2");
        context.lineWidth = 1.5 * unit;
        const y = thickness + 1 * unit;
        context.beginPath();
        context.moveTo(position(-18) * width, y);
        context.lineTo(position(-18) * width, y + 4 * unit);
        context.lineTo(position(-9) * width, y + 4 * unit);
        context.lineTo(position(-9) * width, y);
        context.stroke();
    }
}

/**
 * @param {CanvasRenderingContext2D} context @param {Ballistics} meter @param {MeterLook} look
 * @param {{across: number, along: number, thickness: number, length: number}} place @param {number} unit @param {boolean} isLying
 */
function drawBars(context, meter, look, place, unit, isLying) {
    const { across, along, thickness, length } = place;
    /**
     * Fills the bar from one fraction of its length to another.
     * @type {(from: number, to: number, side: number, size: number) => void}
     */
    const fill = (from, to, side, size) => {
        if (isLying) context.fillRect(along + from * length, side, (to - from) * length, size);
        else context.fillRect(side, along + (1 - to) * length, size, (to - from) * length);
    };
    const count = Math.max(1, meter.channels.length);
    const gap = count > 1 ? 2 * unit : 0;
    const size = (thickness - gap * (count - 1)) / count;
    const amber = position(look.amberFrom);
    for (let index = 0; index < count; index += 1) {
        const side = across + index * (size + gap);
        context.fillStyle = look.isSilent ? hatching(context, unit) ?? token("warn-bar") : token("trough");
        fill(0, 1, side, size);
        const channel = meter.channels[index];
        if (!channel || look.isSilent) continue;
        const peak = position(channel.peak);
        const rms = Math.min(peak, position(channel.rms));
        context.fillStyle = token("peak");
        fill(0, Math.min(peak, amber), side, size);
        context.fillStyle = token("rms");
        fill(0, rms, side, size);
        if (peak > amber) {
            context.fillStyle = token("warn-bar");
            fill(amber, peak, side, size);
        }
        if (channel.hold > -60) {
            const hold = position(channel.hold);
            const line = (2.5 * unit) / length;
            context.fillStyle = channel.hold > look.amberFrom ? token("warn-bar") : token("text");
            fill(Math.max(0, hold - line / 2), Math.min(1, hold + line / 2), side, size);
        }
    }
}
