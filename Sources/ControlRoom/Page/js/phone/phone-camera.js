// The phone's camera: frames as they are captured, dated and encoded, H.264 where the browser has an encoder, else JPEG.

import { Dating } from "./dating.js";

/** @typedef {{kind: 1 | 2, isKey: boolean, number: number, at: number, bytes: Uint8Array}} EncodedFrame */
/** @typedef {{codec: string, width: number, height: number, rate: number, matrix?: string, full?: boolean}} CameraFormat */

/** A key frame at least so often, in ms. */
const keyInterval = 2000;
/** Frames by which format and dating are decided. */
const firstFrames = 20;
/** Frames that may wait in the encoder. */
const mostQueued = 4;
/** Faults of the encoder in a row after which it is given up. */
const mostFaults = 5;
const jpegQuality = 0.85;

/**
 * The configuration for H.264 without B-frames, in Annex B.
 * @param {number} width @param {number} height @param {number} rate
 */
function h264(width, height, rate) {
    // Levels 3.1, 4.0, 5.1: macroblocks of a frame, and of a second (ITU-T H.264, table A-1).
    const blocks = Math.ceil(width / 16) * Math.ceil(height / 16);
    const level = blocks <= 3600 && blocks * rate <= 108_000 ? "1f" : blocks <= 8192 && blocks * rate <= 245_760 ? "28" : "33";
    return {
        codec: `avc1.42e0${level}`, width, height, framerate: rate, latencyMode: "realtime", avc: { format: "annexb" },
        bitrate: Math.min(16_000_000, Math.max(2_000_000, Math.round(width * height * rate * 0.14))),
    };
}

export class PhoneCamera {
    /** @type {(frame: EncodedFrame) => void} */
    onFrame = () => {};
    /**
     * Whether a frame that is captured now can be sent.
     * @type {() => boolean}
     */
    canSend = () => false;

    /**
     * Called when the encoder has failed for good, with the browser's words.
     * @type {(what: string) => void}
     */
    onFault = () => {};

    /** @type {Promise<CameraFormat & {dated: string}>} */
    format;
    /** Frames that were captured, those left out among them. */
    captured = 0;

    /** @type {(format: CameraFormat & {dated: string}) => void} */
    #tellFormat = () => {};
    /** @type {(CameraFormat & {dated: string}) | undefined} */
    #known;
    /** @type {any} */
    #encoder;
    /** @type {OffscreenCanvas | undefined} */
    #canvas;
    #dating = new Dating();
    /** @type {Map<number, {number: number, at: number}>} */
    #encoding = new Map();
    #needsKey = true;
    #keyAt = -1e9;
    #isDrawing = false;
    /** Whether frames are drawn anew before they are encoded. */
    #isDrawn = false;
    /** Faults of the encoder since it encoded a frame. */
    #faults = 0;
    /** The track whose frames count; of others what still comes is closed. */
    #track;
    #video;
    #rate;
    #isEnded = false;

    /**
     * @param {MediaStreamTrack} track
     * @param {HTMLVideoElement} video shows the track
     * @param {number} rate frames a second, as asked for
     */
    constructor(track, video, rate) {
        this.#track = track;
        this.#video = video;
        this.#rate = rate;
        this.format = new Promise((resolve) => {
            this.#tellFormat = resolve;
        });
        void this.#read(track);
    }

    /**
     * Goes on with another track, in the same format.
     * @param {MediaStreamTrack} track
     */
    use(track) {
        this.#track = track;
        this.#dating = new Dating();
        void this.#read(track);
    }

    /** The next frame is to be a key frame. */
    key() {
        this.#needsKey = true;
    }

    end() {
        this.#isEnded = true;
        if (this.#encoder?.state === "configured") this.#encoder.close();
    }

    /** @param {MediaStreamTrack} track */
    async #read(track) {
        const isTurn = () => !this.#isEnded && this.#track === track;
        const video = /** @type {any} */ (this.#video);
        if ("MediaStreamTrackProcessor" in window) {
            // Every frame comes here; when some of them were captured, the element that shows them tells.
            const dating = this.#dating;
            const tell = (/** @type {number} */ _, /** @type {any} */ facts) => {
                if (!isTurn()) return;
                if (typeof facts.captureTime === "number") dating.anchor(facts.captureTime);
                video.requestVideoFrameCallback(tell);
            };
            video.requestVideoFrameCallback?.(tell);
            const reader = new MediaStreamTrackProcessor({ track, maxBufferSize: 4 }).readable.getReader();
            while (isTurn()) {
                const { done, value } = await reader.read();
                if (done || !value) break;
                if (isTurn()) await this.#take(value, value.metadata?.().captureTime);
                else value.close();
            }
            void reader.cancel();
            return;
        }
        const look = (/** @type {number} */ _, /** @type {any} */ facts) => {
            if (!isTurn()) return;
            video.requestVideoFrameCallback(look);
            const stamp = Math.round(Number(facts.mediaTime) * 1e6);
            void this.#take(new VideoFrame(video, { timestamp: stamp }), facts.captureTime);
        };
        video.requestVideoFrameCallback(look);
    }

    /**
     * Dates a frame and encodes it, or leaves it out.
     * @param {VideoFrame} frame it is closed here
     * @param {number | undefined} capture
     */
    async #take(frame, capture) {
        const number = this.captured;
        this.captured += 1;
        // Without a capture time a frame came at the end of its exposure at the earliest.
        const at = this.#dating.date(frame.timestamp / 1000, performance.now(), capture, 1000 / this.#rate);
        if (!this.#known) {
            if (this.captured === firstFrames) await this.#decide(frame);
            frame.close();
            return;
        }
        if (!this.canSend()) {
            this.#needsKey = true;
            frame.close();
            return;
        }
        if (this.#encoder) this.#encode(frame, number, at);
        else void this.#compress(frame, number, at);
    }

    /** @param {VideoFrame} frame */
    async #decide(frame) {
        const [width, height] = [frame.displayWidth & ~1, frame.displayHeight & ~1];
        const config = h264(width, height, this.#rate);
        let codec = "jpeg";
        if ("VideoEncoder" in window) {
            try {
                if ((await VideoEncoder.isConfigSupported(config)).supported) codec = "h264";
            } catch {
                // It knows no such codec at all.
            }
        }
        if (codec === "h264") {
            this.#start(config);
        }
        // What is no YUV the encoder makes YUV of.
        const { matrix, fullRange } = frame.colorSpace ?? {};
        const isYUV = matrix !== "rgb";
        this.#known = {
            codec, width, height, rate: this.#rate, matrix: isYUV && matrix ? matrix : "smpte170m", full: (isYUV && fullRange) ?? false,
            dated: this.#dating.known * 2 > this.#dating.count ? "capture" : "arrival",
        };
        this.#tellFormat(this.#known);
    }

    /** @param {any} config */
    #start(config) {
        this.#encoding.clear();
        this.#needsKey = true;
        this.#encoder = new VideoEncoder({
            output: (chunk) => this.#encoded(chunk),
            error: (fault) => {
                if (this.#isEnded) return;
                // Some encoders take no frames of another pixel format than the first one's: drawn ones they take.
                this.#isDrawn = true;
                this.#faults += 1;
                if (this.#faults > mostFaults) this.onFault(fault.message);
                else this.#start(config);
            },
        });
        this.#encoder.configure(config);
    }

    /**
     * The frame in the size that was told, within black bars where it has another shape.
     * @param {VideoFrame} frame
     * @returns {VideoFrame}
     */
    #fitted(frame) {
        const { width, height } = /** @type {CameraFormat} */ (this.#known);
        if (!this.#isDrawn && frame.displayWidth === width && frame.displayHeight === height && !frame.rotation) return frame;
        const canvas = this.#draw(frame);
        const fitted = new VideoFrame(canvas, { timestamp: frame.timestamp });
        frame.close();
        return fitted;
    }

    /** @param {VideoFrame} frame */
    #draw(frame) {
        const { width, height } = /** @type {CameraFormat} */ (this.#known);
        this.#canvas ??= new OffscreenCanvas(width, height);
        const context = /** @type {any} */ (this.#canvas.getContext("2d", { alpha: false }));
        const scale = Math.min(width / frame.displayWidth, height / frame.displayHeight);
        const [w, h] = [Math.round(frame.displayWidth * scale), Math.round(frame.displayHeight * scale)];
        if (w < width || h < height) context.fillRect(0, 0, width, height);
        context.drawImage(frame, (width - w) >> 1, (height - h) >> 1, w, h);
        return this.#canvas;
    }

    /** @param {VideoFrame} frame @param {number} number @param {number} at */
    #encode(frame, number, at) {
        if (this.#encoder.state !== "configured" || this.#encoder.encodeQueueSize > mostQueued) {
            frame.close();
            return;
        }
        const fitted = this.#fitted(frame);
        const now = performance.now();
        const isKey = this.#needsKey || now - this.#keyAt >= keyInterval;
        if (isKey) this.#keyAt = now;
        this.#needsKey = false;
        this.#encoding.set(fitted.timestamp, { number, at });
        this.#encoder.encode(fitted, { keyFrame: isKey });
        fitted.close();
    }

    /** @param {any} chunk */
    #encoded(chunk) {
        const facts = this.#encoding.get(chunk.timestamp);
        this.#encoding.delete(chunk.timestamp);
        if (!facts) return;
        this.#faults = 0;
        const bytes = new Uint8Array(chunk.byteLength);
        chunk.copyTo(bytes);
        this.onFrame({ kind: 2, isKey: chunk.type === "key", ...facts, bytes });
    }

    /** @param {VideoFrame} frame @param {number} number @param {number} at */
    async #compress(frame, number, at) {
        if (this.#isDrawing) {
            frame.close();
            return;
        }
        this.#isDrawing = true;
        const canvas = this.#draw(frame);
        frame.close();
        try {
            const blob = await canvas.convertToBlob({ type: "image/jpeg", quality: jpegQuality });
            this.onFrame({ kind: 1, isKey: true, number, at, bytes: new Uint8Array(await blob.arrayBuffer()) });
        } finally {
            this.#isDrawing = false;
        }
    }
}
