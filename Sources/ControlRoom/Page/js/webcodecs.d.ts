// Declarations that Debian's TypeScript 4.8 lacks: the part of WebCodecs and of audio worklets that the page uses.
// https://www.w3.org/TR/webcodecs/ and https://www.w3.org/TR/webaudio/#audioworkletprocessor

interface VideoDecoderConfig {
    codec: string;
    description?: BufferSource;
    codedWidth?: number;
    codedHeight?: number;
    optimizeForLatency?: boolean;
}

interface VideoDecoderInit {
    output: (frame: VideoFrame) => void;
    error: (error: DOMException) => void;
}

interface EncodedVideoChunkInit {
    type: "key" | "delta";
    /** Timestamp in microseconds. */
    timestamp: number;
    /** Duration in microseconds. */
    duration?: number;
    data: BufferSource;
}

declare class EncodedVideoChunk {
    constructor(init: EncodedVideoChunkInit);
}

declare class OffscreenCanvas {
    constructor(width: number, height: number);
    getContext(type: "2d", options: { alpha: boolean }): unknown;
    convertToBlob(options: { type: string; quality: number }): Promise<Blob>;
}

declare class VideoFrame {
    constructor(image: CanvasImageSource | OffscreenCanvas, init: { timestamp: number });
    readonly timestamp: number;
    readonly displayWidth: number;
    readonly displayHeight: number;
    /** Clockwise rotation for display, in degrees. Not all browsers support this property. */
    readonly rotation?: number;
    readonly colorSpace?: { matrix: string | null; fullRange: boolean | null };
    /**
     * Returns the metadata of the frame. Not all browsers support this method. `captureTime` is on the clock
     * of `performance.now()`.
     */
    metadata?(): { captureTime?: number };
    close(): void;
}

interface VideoEncoderConfig {
    codec: string;
    width: number;
    height: number;
    framerate: number;
    bitrate: number;
    latencyMode: string;
    avc: { format: string };
}

interface EncodedVideoOutput {
    readonly type: "key" | "delta";
    readonly timestamp: number;
    readonly byteLength: number;
    copyTo(bytes: BufferSource): void;
}

declare class VideoEncoder {
    constructor(init: { output: (chunk: EncodedVideoOutput) => void; error: (error: DOMException) => void });
    static isConfigSupported(config: VideoEncoderConfig): Promise<{ supported?: boolean }>;
    readonly state: "unconfigured" | "configured" | "closed";
    readonly encodeQueueSize: number;
    configure(config: VideoEncoderConfig): void;
    encode(frame: VideoFrame, options: { keyFrame: boolean }): void;
    close(): void;
}

/** https://www.w3.org/TR/mediacapture-transform/ */
declare class MediaStreamTrackProcessor {
    constructor(init: { track: MediaStreamTrack; maxBufferSize?: number });
    /** The frames of a camera's track, or the samples of a microphone's track. */
    readonly readable: ReadableStream<any>;
}

declare class AudioData {
    /** Timestamp in microseconds. */
    readonly timestamp: number;
    readonly sampleRate: number;
    readonly numberOfChannels: number;
    readonly numberOfFrames: number;
    copyTo(destination: BufferSource, options: { planeIndex: number; format: "f32-planar" }): void;
    close(): void;
}

declare class VideoDecoder {
    constructor(init: VideoDecoderInit);
    readonly state: "unconfigured" | "configured" | "closed";
    readonly decodeQueueSize: number;
    configure(config: VideoDecoderConfig): void;
    decode(chunk: EncodedVideoChunk): void;
    reset(): void;
    close(): void;
}

interface CanvasDrawImage {
    drawImage(image: VideoFrame, dx: number, dy: number, dw: number, dh: number): void;
}

declare class ImageDecoder {
    constructor(init: { type: string; data: BufferSource });
    decode(): Promise<{ image: VideoFrame }>;
    close(): void;
}

declare class AudioWorkletProcessor {
    readonly port: MessagePort;
}

/** The number of sample frames processed before this call. */
declare const currentFrame: number;

declare function registerProcessor(name: string, type: new () => AudioWorkletProcessor): void;
