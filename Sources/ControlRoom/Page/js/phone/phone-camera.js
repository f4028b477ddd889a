// The phone's camera: frames as they are captured, dated and encoded, H.264 where the browser has an encoder, else JPEG.

import { Dating } from "./dating.js";

/** @typedef {{kind: 1 | 2, isKey: boolean, number: number, at: number, bytes: Uint8Array}} EncodedFrame */
/** @typedef {{source?: HTMLVideoElement, timestamp: number, displayWidth: number, displayHeight: number, rotation?: number, colorSpace?: any, close: () => void}} CameraFrame */
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

/**
 * What an element shows, for browsers that have no VideoFrame; it is drawn before another one is shown.
 * @param {HTMLVideoElement} video @param {number} timestamp
 * @returns {CameraFrame}
 */
function shown(video, timestamp) {
    return { source: video, timestamp, displayWidth: video.videoWidth, displayHeight: video.videoHeight, close() {} };
}

export class PhoneCamera {
    /** @type {(frame: EncodedFrame) => void} */
    onFrame = () => {};
    /**
     * Whether a frame that is captured now is to be encoded.
     * @type {() => boolean}
     */
    isWanted = () => false;

    /**
     * Called when the camera cannot be encoded any more, with the browser's words.
     * @type {(what: string) => void}
     */
    onFault = () => {};

    /**
     * What it sends, once some frames have come; rejected where none can be had.
     * @type {Promise<CameraFormat & {dated: string}>}
     */
    format;

    /** @type {(format: CameraFormat & {dated: string}) => void} */
    #tellFormat = () => {};
    /** Frames that were captured, those left out among them. */
    #captured = 0;
    /** @type {(CameraFormat & {dated: string}) | undefined} */
    #known;
    /** @type {any} */
    #encoder;
    /** @type {HTMLCanvasElement | undefined} */
    #canvas;
    #dating = new Dating();
    /**
     * Frames in the encoder, by their stamps, in order.
     * @type {Map<number, {number: number, at: number}>}
     */
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
        this.format = new Promise((resolve, reject) => {
            this.#tellFormat = resolve;
            this.#read(track).catch(reject);
        });
    }

    /**
     * Goes on with another track, in the same format.
     * @param {MediaStreamTrack} track
     */
    use(track) {
        this.#track = track;
        this.#dating = new Dating();
        this.#read(track).catch((error) => this.onFault(String(error)));
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
            /** @type {ReadableStreamDefaultReader<VideoFrame>} */
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
        if (!video.requestVideoFrameCallback) throw new Error("the browser does not tell of a camera's frames");
        const look = (/** @type {number} */ _, /** @type {any} */ facts) => {
            if (!isTurn()) return;
            video.requestVideoFrameCallback(look);
            const stamp = Math.round(Number(facts.mediaTime) * 1e6);
            void this.#take("VideoFrame" in window ? new VideoFrame(video, { timestamp: stamp }) : shown(video, stamp), facts.captureTime);
        };
        video.requestVideoFrameCallback(look);
    }

    /**
     * Dates a frame and encodes it, or leaves it out.
     * @param {CameraFrame} frame it is closed here
     * @param {number | undefined} capture
     */
    async #take(frame, capture) {
        const number = this.#captured;
        this.#captured += 1;
        // Without a capture time a frame came at the end of its exposure at the earliest.
        const at = this.#dating.date(frame.timestamp / 1000, performance.now(), capture, 1000 / this.#rate);
        if (!this.#known) {
            if (this.#captured === firstFrames) await this.#decide(frame);
            frame.close();
            return;
        }
        if (!this.isWanted()) {
            this.#needsKey = true;
            frame.close();
            return;
        }
        if (this.#encoder) this.#encode(frame, number, at);
        else void this.#compress(frame, number, at);
    }

    /** @param {CameraFrame} frame */
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
        if (codec === "h264") this.#start(config);
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
     * @param {CameraFrame} frame
     * @returns {CameraFrame}
     */
    #fitted(frame) {
        const { width, height } = /** @type {CameraFormat} */ (this.#known);
        if (!this.#isDrawn && frame.displayWidth === width && frame.displayHeight === height && !frame.rotation) return frame;
        const canvas = this.#draw(frame);
        const fitted = new VideoFrame(canvas, { timestamp: frame.timestamp });
        frame.close();
        return fitted;
    }

    /** @param {CameraFrame} frame */
    #draw(frame) {
        const { width, height } = /** @type {CameraFormat} */ (this.#known);
        this.#canvas ??= Object.assign(document.createElement("canvas"), { width, height });
        const context = /** @type {any} */ (this.#canvas.getContext("2d", { alpha: false }));
        const scale = Math.min(width / frame.displayWidth, height / frame.displayHeight);
        const [w, h] = [Math.round(frame.displayWidth * scale), Math.round(frame.displayHeight * scale)];
        if (w < width || h < height) context.fillRect(0, 0, width, height);
        context.drawImage(frame.source ?? frame, (width - w) >> 1, (height - h) >> 1, w, h);
        return this.#canvas;
    }

    /** @param {CameraFrame} frame @param {number} number @param {number} at */
    #encode(frame, number, at) {
        if (this.#encoder.state !== "configured" || this.#encoder.encodeQueueSize > mostQueued) {
            // Nothing after a frame that is missing can be decoded, up to the next key frame.
            this.#needsKey = true;
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
        if (!facts) return;
        // Frames come out in order: those before were left out by the encoder.
        for (const stamp of this.#encoding.keys()) {
            this.#encoding.delete(stamp);
            if (stamp === chunk.timestamp) break;
            this.#needsKey = true;
        }
        this.#faults = 0;
        const bytes = new Uint8Array(chunk.byteLength);
        chunk.copyTo(bytes);
        this.onFrame({ kind: 2, isKey: chunk.type === "key", ...facts, bytes });
    }

    /** @param {CameraFrame} frame @param {number} number @param {number} at */
    async #compress(frame, number, at) {
        if (this.#isDrawing) {
            frame.close();
            return;
        }
        this.#isDrawing = true;
        const canvas = this.#draw(frame);
        frame.close();
        try {
            /** @type {Blob | null} */
            const blob = await new Promise((resolve) => canvas.toBlob(resolve, "image/jpeg", jpegQuality));
            if (blob) this.onFrame({ kind: 1, isKey: true, number, at, bytes: new Uint8Array(await blob.arrayBuffer()) });
        } finally {
            this.#isDrawing = false;
        }
    }
}
