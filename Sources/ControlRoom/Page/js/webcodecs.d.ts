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
    /** In microseconds. */
    timestamp: number;
    /** In microseconds. */
    duration?: number;
    data: BufferSource;
}

declare class EncodedVideoChunk {
    constructor(init: EncodedVideoChunkInit);
}

declare class VideoFrame {
    readonly timestamp: number;
    readonly displayWidth: number;
    readonly displayHeight: number;
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

declare class AudioWorkletProcessor {
    readonly port: MessagePort;
}

declare function registerProcessor(name: string, type: new () => AudioWorkletProcessor): void;
