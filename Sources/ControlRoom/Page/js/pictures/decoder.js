// Decodes the program's packets with WebCodecs.

/**
 * Maximum number of packets waiting in the decoder. If more packets are waiting, packets are dropped until
 * the next key frame.
 */
const mostWaiting = 20;

export class Decoder {
    #needsKey = true;
    /**
     * Sequence numbers of the packets in the decoder, the oldest first.
     * @type {number[]}
     */
    #sequences = [];
    /**
     * Times of the packets in the decoder, by time stamp in µs.
     * @type {Map<number, bigint>}
     */
    #times = new Map();
    /** @type {VideoDecoder | undefined} */
    #decoder;

    /**
     * @param {import("./contact.js").StreamInfo} info
     * @param {{paint: (frame: VideoFrame, atNs: bigint) => void, seen: (sequence: number) => void, fail: () => void}} user
     */
    constructor(info, user) {
        this.user = user;
        const description = info.description ? Uint8Array.from(atob(info.description), (letter) => letter.charCodeAt(0)) : undefined;
        try {
            this.#decoder = new VideoDecoder({ output: (frame) => this.#output(frame), error: () => this.#fail() });
            this.#decoder.configure({ codec: info.codec, description, codedWidth: info.width, codedHeight: info.height, optimizeForLatency: true });
        } catch {
            queueMicrotask(() => this.#fail());
        }
    }

    /** @param {import("./contact.js").StreamData} data */
    take(data) {
        const decoder = this.#decoder;
        if (!decoder || decoder.state !== "configured") {
            this.user.seen(data.sequence);
            return;
        }
        if (decoder.decodeQueueSize > mostWaiting) this.#needsKey = true;
        if (this.#needsKey && !data.isKey) {
            this.user.seen(data.sequence);
            return;
        }
        this.#needsKey = false;
        const timestamp = Number(data.atNs / 1000n);
        this.#sequences.push(data.sequence);
        this.#times.set(timestamp, data.atNs);
        try {
            decoder.decode(new EncodedVideoChunk({ type: data.isKey ? "key" : "delta", timestamp, duration: data.durationUs, data: data.bytes }));
        } catch {
            this.#fail();
        }
    }

    close() {
        const decoder = this.#decoder;
        this.#decoder = undefined;
        if (decoder && decoder.state !== "closed") decoder.close();
        for (const sequence of this.#sequences) this.user.seen(sequence);
        this.#sequences = [];
        this.#times.clear();
    }

    /** @param {VideoFrame} frame */
    #output(frame) {
        const atNs = this.#times.get(frame.timestamp) ?? BigInt(Math.round(frame.timestamp)) * 1000n;
        this.#times.delete(frame.timestamp);
        // The decoder never output these frames, so their times are dropped.
        if (this.#times.size > 300) this.#times.clear();
        if (this.#decoder) this.user.paint(frame, atNs);
        frame.close();
        const sequence = this.#sequences.shift();
        if (sequence !== undefined) this.user.seen(sequence);
    }

    #fail() {
        if (!this.#decoder) return;
        this.close();
        this.user.fail();
    }
}
