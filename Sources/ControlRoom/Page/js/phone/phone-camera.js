// The phone's camera: captures, timestamps and encodes frames, as H.264 if the browser has an encoder, otherwise as
// JPEG.

import { Dating } from "./dating.js";

/** @typedef {{kind: 1 | 2, isKey: boolean, number: number, at: number, bytes: Uint8Array}} EncodedFrame */
/** @typedef {{source?: HTMLVideoElement, timestamp: number, displayWidth: number, displayHeight: number, rotation?: number, colorSpace?: any, close: () => void}} CameraFrame */
/** @typedef {{codec: string, width: number, height: number, rate: number, matrix?: string, full?: boolean}} CameraFormat */

/** Maximum interval between key frames, in ms. */
const keyInterval = 2000;
/** Number of frames used to determine the format and the source of the capture times. */
const firstFrames = 20;
/** Maximum number of frames waiting in the encoder. */
const mostQueued = 4;
/** Number of consecutive errors after which the encoder is abandoned. */
const mostFaults = 5;
const jpegQuality = 0.85;

/**
 * The configuration for H.264 without B-frames, in Annex B.
 * @param {number} width @param {number} height @param {number} rate
 */
function h264(width, height, rate) {
    // Levels 3.1, 4.0, 5.1: macroblocks per frame and per second (ITU-T H.264, table A-1).
    const blocks = Math.ceil(width / 16) * Math.ceil(height / 16);
    const level = blocks <= 3600 && blocks * rate <= 108_000 ? "1f" : blocks <= 8192 && blocks * rate <= 245_760 ? "28" : "33";
    return {
        codec: `avc1.42e0${level}`, width, height, framerate: rate, latencyMode: "realtime", avc: { format: "annexb" },
        bitrate: Math.min(16_000_000, Math.max(2_000_000, Math.round(width * height * rate * 0.14))),
    };
}

/**
 * Wraps a video element's current frame for browsers without VideoFrame. The wrapped frame must be drawn
 * before the element shows the next frame.
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
     * Whether a frame captured now should be encoded.
     * @type {() => boolean}
     */
    isWanted = () => false;

    /**
     * Called with the browser's error message when the camera can no longer be encoded.
     * @type {(what: string) => void}
     */
    onFault = () => {};

    /**
     * Promise of the format that is sent. The promise is fulfilled after the first frames, and rejected if no
     * format is possible.
     * @type {Promise<CameraFormat & {dated: string}>}
     */
    format;

    /** @type {(format: CameraFormat & {dated: string}) => void} */
    #tellFormat = () => {};
    /** Number of captured frames, including those that weren't sent. */
    #captured = 0;
    /** @type {(CameraFormat & {dated: string}) | undefined} */
    #known;
    /** @type {any} */
    #encoder;
    /** @type {HTMLCanvasElement | undefined} */
    #canvas;
    #dating = new Dating();
    /**
     * Frames in the encoder, by time stamp, in order.
     * @type {Map<number, {number: number, at: number}>}
     */
    #encoding = new Map();
    #needsKey = true;
    #keyAt = -1e9;
    #isDrawing = false;
    /** Whether frames are drawn on a canvas before they are encoded. */
    #isDrawn = false;
    /** Consecutive encoder errors since the last encoded frame. */
    #faults = 0;
    /** The active track. Frames that still arrive from other tracks are closed. */
    #track;
    #video;
    #rate;
    #isEnded = false;

    /**
     * @param {MediaStreamTrack} track
     * @param {HTMLVideoElement} video element that shows the track
     * @param {number} rate requested frames per second
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
     * Continues with another track, in the same format.
     * @param {MediaStreamTrack} track
     */
    use(track) {
        this.#track = track;
        this.#dating = new Dating();
        this.#read(track).catch((error) => this.onFault(String(error)));
    }

    /** Makes the next frame a key frame. */
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
            // Every frame arrives here. The video element reports the capture times of some of the frames.
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
        if (!video.requestVideoFrameCallback) throw new Error("the browser can't report video frames");
        const look = (/** @type {number} */ _, /** @type {any} */ facts) => {
            if (!isTurn()) return;
            video.requestVideoFrameCallback(look);
            const stamp = Math.round(Number(facts.mediaTime) * 1e6);
            void this.#take("VideoFrame" in window ? new VideoFrame(video, { timestamp: stamp }) : shown(video, stamp), facts.captureTime);
        };
        video.requestVideoFrameCallback(look);
    }

    /**
     * Computes a frame's capture time, and encodes or drops the frame.
     * @param {CameraFrame} frame is closed by this function
     * @param {number | undefined} capture
     */
    async #take(frame, capture) {
        const number = this.#captured;
        this.#captured += 1;
        // Without a capture time, assume that the frame arrived at the end of its exposure at the earliest.
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
                // The browser doesn't support the codec at all.
            }
        }
        if (codec === "h264") this.#start(config);
        // The encoder converts frames that aren't YUV to YUV.
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
                // Some encoders reject frames if the pixel format differs from the first frame, but accept drawn
                // frames.
                this.#isDrawn = true;
                this.#faults += 1;
                if (this.#faults > mostFaults) this.onFault(fault.message);
                else this.#start(config);
            },
        });
        this.#encoder.configure(config);
    }

    /**
     * The frame scaled to the format's size, with black bars if its aspect ratio differs.
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
            // After a missing frame, no frame can be decoded until the next key frame.
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
        // The encoder outputs frames in order, so it has dropped all earlier frames that are still in this
        // list.
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
