// Draws a stream on a canvas: the latest JPEG frame of a camera or of the program, or the program's packets decoded
// with WebCodecs.

import { Assists } from "./assists.js";
import { Decoder } from "./decoder.js";
import { forgetStream, momentToPaint, paintRegulars } from "./painting.js";
import { contact } from "./contact.js";

/**
 * @typedef {object} Turn
 * @property {number} rotation clockwise rotation in degrees that makes the frame upright
 * @property {boolean} isMirrored whether the frame is mirrored horizontally after rotation
 */

/** Whether the browser decodes JPEGs without a `Blob`, which its other processes would copy. */
const hasImageDecoder = "ImageDecoder" in window;
const widthSteps = [160, 320, 480, 640, 960, 1280, 1920, 2560, 3840];
/**
 * The cameras' pictures by role, used to compose arrangements.
 * @type {Map<string, Picture>}
 */
export const cameraPictures = new Map();

export class Picture {
    /** @type {Turn} */
    turn = { rotation: 0, isMirrored: false };
    /** Whether a part of the picture is shown at 1:1. */
    isOneToOne = false;
    /** Center of the visible part in 1:1 view, 0…1 from the left and from the top. */
    look = { x: 0.5, y: 0.5 };
    /** Time when a frame was last painted, from `performance.now()`. */
    paintedAt = 0;
    frames = 0;
    /** @type {Assists} */
    assists;
    /** Capture time of the painted frame on CLOCK_MONOTONIC, in ms. */
    #capturedAt = 0;

    #stream = 0;
    #isDecoding = false;
    /** @type {import("./contact.js").StreamData | undefined} */
    #waiting;
    #isPaused = false;
    #isOver = false;
    #width = 0;
    /** @type {Decoder | undefined} */
    #decoder;
    #canDecode = "VideoDecoder" in window;
    #decodes = false;
    #onVisibility = () => this.#pauseOrGoOn();
    /** @type {ResizeObserver} */
    #sizes;

    /**
     * @param {HTMLCanvasElement} canvas
     * @param {HTMLCanvasElement} overlay canvas for the assists
     * @param {{of: "camera" | "program", role?: string, rate: number}} source
     * @param {(picture: Picture) => void} [onPaint]
     */
    constructor(canvas, overlay, source, onPaint) {
        this.canvas = canvas;
        this.source = source;
        this.onPaint = onPaint;
        this.assists = new Assists(overlay);
        this.context = canvas.getContext("2d", { alpha: false, desynchronized: false });
        this.#sizes = new ResizeObserver(() => this.#resized());
    }

    /**
     * Age of the painted frame.
     * @returns {import("./plate.js").PictureAge}
     */
    get age() {
        const now = performance.now();
        return {
            sincePaint: this.frames === 0 ? Infinity : now - this.paintedAt,
            sinceCapture: Number.isNaN(contact.clockOffset) ? 0 : now + contact.clockOffset - this.#capturedAt,
        };
    }

    start() {
        this.#isOver = false;
        this.#sizes.observe(this.canvas.parentElement ?? this.canvas);
        document.addEventListener("visibilitychange", this.#onVisibility);
        this.#width = this.#wantedWidth();
        this.#pauseOrGoOn();
    }

    stop() {
        this.#isOver = true;
        this.#sizes.disconnect();
        document.removeEventListener("visibilitychange", this.#onVisibility);
        this.#unwatch();
    }

    #wantedWidth() {
        if (this.isOneToOne) return 3840;
        const box = this.canvas.parentElement ?? this.canvas;
        const wanted = box.clientWidth * Math.min(2, window.devicePixelRatio || 1);
        return widthSteps.find((step) => step >= wanted * 0.9) ?? 3840;
    }

    /** Updates the stream request if the required size has changed. */
    #resized() {
        const width = this.#wantedWidth();
        const isShown = this.#isShown();
        if (width !== this.#width && isShown && this.#stream > 0) {
            this.#width = width;
            contact.change(this.#stream, this.#wish());
        }
        this.#width = width;
        this.#pauseOrGoOn();
    }

    /** @param {boolean} isOn */
    setOneToOne(isOn) {
        this.isOneToOne = isOn;
        this.#resized();
    }

    /**
     * Selects the quality of the program.
     * @param {number} rate maximum number of JPEGs per second
     * @param {boolean} isWhole whether to show each recorded frame at full size while the program is being recorded. This
     *     costs several times as much as JPEGs in the size shown.
     */
    setQuality(rate, isWhole) {
        const decodes = isWhole && this.#canDecode;
        if (decodes === this.#decodes && rate === this.source.rate) return;
        this.#decodes = decodes;
        this.source.rate = rate;
        if (this.#stream > 0) contact.change(this.#stream, this.#wish());
    }

    #wish() {
        const { of, role, rate } = this.source;
        return of === "camera"
            ? { of, role, width: this.#width, rate } : { of, decodes: this.#decodes, width: this.#width, rate };
    }

    #isShown() {
        return !document.hidden && (this.canvas.parentElement ?? this.canvas).clientWidth > 0;
    }

    #pauseOrGoOn() {
        if (this.#isOver) return;
        const isShown = this.#isShown();
        if (isShown && this.#stream === 0) {
            this.#stream = contact.watch(this.#wish(), {
                onStream: (info) => this.#takeStream(info),
                onData: (data) => this.#take(data),
            });
        } else if (!isShown && this.#stream > 0) {
            this.#unwatch();
        }
    }

    #unwatch() {
        if (this.#stream > 0) contact.unwatch(this.#stream);
        forgetStream(this);
        this.#stream = 0;
        this.#waiting = undefined;
        this.#decoder?.close();
        this.#decoder = undefined;
    }

    /** @param {import("./contact.js").StreamInfo} info */
    #takeStream(info) {
        this.#decoder?.close();
        this.#decoder = undefined;
        this.canvas.dataset.codec = info.codec;
        if (!info.codec.startsWith("avc1")) return;
        this.#decoder = new Decoder(info, {
            paint: (frame, atNs) => {
                this.#paintFrame(frame, atNs);
                paintRegulars();
            },
            seen: (sequence) => contact.seen(this.#stream, sequence),
            fail: () => {
                // The browser can't decode this stream, so request JPEG frames instead.
                this.#canDecode = false;
                this.#decoder = undefined;
                this.setQuality(this.source.rate, false);
            },
        });
    }

    /** @param {import("./contact.js").StreamData} data */
    #take(data) {
        if (data.kind === 2) {
            if (this.#decoder) this.#decoder.take(data);
            else contact.seen(this.#stream, data.sequence);
            return;
        }
        if (data.kind !== 1) return;
        if (this.#isDecoding) {
            if (this.#waiting) contact.seen(this.#stream, this.#waiting.sequence);
            this.#waiting = data;
            return;
        }
        void this.#decode(data);
    }

    /** @param {import("./contact.js").StreamData} first */
    async #decode(first) {
        this.#isDecoding = true;
        /** @type {import("./contact.js").StreamData | undefined} */
        let data = first;
        while (data) {
            const stream = this.#stream;
            try {
                await this.#paintJPEG(data, stream);
            } catch {
                // Drop a frame that isn't a valid JPEG. The next frame is drawn.
            }
            contact.seen(stream, data.sequence);
            data = this.#waiting;
            this.#waiting = undefined;
        }
        this.#isDecoding = false;
    }

    /** @param {import("./contact.js").StreamData} data @param {number} stream */
    async #paintJPEG(data, stream) {
        const isCurrent = () => stream > 0 && stream === this.#stream;
        if (hasImageDecoder) {
            const decoder = new ImageDecoder({ type: "image/jpeg", data: data.bytes });
            try {
                const { image } = await decoder.decode();
                if (isCurrent()) await momentToPaint(this, this.source.rate);
                if (isCurrent()) this.#paintFrame(image, data.atNs);
                image.close();
            } finally {
                decoder.close();
            }
            return;
        }
        const bitmap = await createImageBitmap(new Blob([data.bytes], { type: "image/jpeg" }));
        if (isCurrent()) await momentToPaint(this, this.source.rate);
        if (isCurrent()) this.#paint(bitmap, bitmap.width, bitmap.height, data.atNs);
        bitmap.close();
    }

    /** @param {VideoFrame} frame @param {bigint} atNs */
    #paintFrame(frame, atNs) {
        this.#paint(/** @type {any} */ (frame), frame.displayWidth, frame.displayHeight, atNs);
    }

    /**
     * @param {CanvasImageSource} image
     * @param {number} width
     * @param {number} height
     * @param {bigint} atNs
     */
    #paint(image, width, height, atNs) {
        const { canvas, context, turn } = this;
        if (!context || this.#isOver) return;
        const isAcross = turn.rotation % 180 !== 0;
        const [uprightWidth, uprightHeight] = isAcross ? [height, width] : [width, height];
        let [canvasWidth, canvasHeight] = [uprightWidth, uprightHeight];
        let [left, top] = [0, 0];
        if (this.isOneToOne) {
            const box = canvas.parentElement ?? canvas;
            const scale = window.devicePixelRatio || 1;
            canvasWidth = Math.max(1, Math.min(uprightWidth, Math.round(box.clientWidth * scale)));
            canvasHeight = Math.max(1, Math.min(uprightHeight, Math.round(box.clientHeight * scale)));
            left = Math.round((canvasWidth - uprightWidth) * this.look.x);
            top = Math.round((canvasHeight - uprightHeight) * this.look.y);
        }
        if (canvas.width !== canvasWidth || canvas.height !== canvasHeight) {
            canvas.width = canvasWidth;
            canvas.height = canvasHeight;
        }
        context.setTransform(1, 0, 0, 1, left + uprightWidth / 2, top + uprightHeight / 2);
        if (turn.isMirrored) context.scale(-1, 1);
        if (turn.rotation !== 0) context.rotate((turn.rotation * Math.PI) / 180);
        context.drawImage(image, -width / 2, -height / 2, width, height);
        context.setTransform(1, 0, 0, 1, 0, 0);
        this.frames += 1;
        this.paintedAt = performance.now();
        this.#capturedAt = Number(atNs / 1000n) / 1000;
        canvas.dataset.atNs = String(atNs);
        canvas.dataset.frames = String(this.frames);
        this.assists.paint(canvas, this.isOneToOne);
        this.onPaint?.(this);
    }
}
