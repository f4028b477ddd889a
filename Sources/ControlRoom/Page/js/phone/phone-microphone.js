// The phone's microphone: 16-bit samples at 48 kHz as captured, without echo cancellation, noise suppression or
// automatic gain control.

import { Dating } from "./dating.js";
import { PhoneSlices } from "./phone-slices.js";

const rate = 48_000;
/**
 * If the browser can't process audio in time, its sample count pauses. Pauses longer than this number of
 * milliseconds are detected.
 */
const standstill = 30;
/** Maximum number of buffers, about 10 ms each, queued while the page is busy. */
const mostWaiting = 1000;
/**
 * Samples are missing if a buffer's time stamp is later than the end of the previous buffer by more than this, in ms.
 * Smaller differences are jitter.
 */
const longestVariation = 200;
/** Maximum wait for the first samples, in ms. */
const patience = 2000;

export class PhoneMicrophone {
    /** @type {(piece: {kind: 3, isKey: boolean, number: number, at: number, bytes: Uint8Array}) => void} */
    onAudio = () => {};

    /** @type {ReadableStreamDefaultReader<AudioData> | undefined} */
    #reader;
    /** @type {AudioContext | undefined} */
    #audio;
    #dating = new Dating(standstill);
    #latency = 0;
    #isEnded = false;
    /** The number of the audio context's first sample. */
    #offset = 0;

    /** @param {MediaStream} stream must have an audio track */
    async start(stream) {
        const track = /** @type {MediaStreamTrack} */ (stream.getAudioTracks()[0]);
        // The browser's reported latency of the microphone, in ms.
        this.#latency = Number(/** @type {any} */ (track.getSettings()).latency ?? 0) * 1000;
        // Prefer reading the track directly: an audio context uses buffers with a different length on each start.
        if (!(await this.#read(track, stream))) await this.#listen(stream);
        return { rate, channels: 1 };
    }

    end() {
        this.#isEnded = true;
        this.#reader?.cancel().catch(() => {});
        void this.#audio?.close();
    }

    /** @param {number} first @param {Int16Array} samples */
    #take(first, samples) {
        const length = (samples.length / rate) * 1000;
        const at = this.#dating.date((first / rate) * 1000, performance.now(), undefined, length + this.#latency);
        this.onAudio({ kind: 3, isKey: true, number: first, at, bytes: new Uint8Array(samples.buffer) });
    }

    /**
     * Reads the samples directly from the track.
     * @param {MediaStreamTrack} track
     * @param {MediaStream} stream
     * @returns whether the browser supports direct reading at the required sample rate
     */
    async #read(track, stream) {
        if (!("MediaStreamTrackProcessor" in window && "AudioData" in window)) return false;
        /** @type {ReadableStreamDefaultReader<AudioData> | undefined} */
        let reader;
        try {
            reader = new MediaStreamTrackProcessor({ track, maxBufferSize: mostWaiting }).readable.getReader();
            const late = new Promise((resolve) => setTimeout(resolve, patience, undefined));
            const begin = await Promise.race([/** @type {ReadableStreamDefaultReader<AudioData>} */ (reader).read(), late]);
            if (begin?.value?.sampleRate === rate) {
                this.#reader = reader;
                void this.#follow(begin.value, stream);
                return true;
            }
            begin?.value?.close();
        } catch {
            // An audio context may still accept the track.
        }
        reader?.cancel().catch(() => {});
        return false;
    }

    /**
     * Processes samples until the track ends. If reading fails, for example after a device change, continues with an
     * audio context.
     * @param {AudioData} begin
     * @param {MediaStream} stream
     */
    async #follow(begin, stream) {
        const slices = new PhoneSlices((first, samples) => this.#take(first, samples));
        let [count, due] = [0, begin.timestamp / 1000];
        try {
            for (let data = /** @type {AudioData | undefined} */ (begin); data; data = (await this.#reader?.read())?.value) {
                try {
                    if (data.sampleRate !== rate) throw new Error("unexpected sample rate");
                    const { numberOfChannels, numberOfFrames } = data;
                    const missing = data.timestamp / 1000 - due;
                    if (missing > longestVariation) count += Math.round((missing / 1000) * rate);
                    due = data.timestamp / 1000 + (numberOfFrames / rate) * 1000;
                    const channels = Array.from({ length: numberOfChannels }, () => new Float32Array(numberOfFrames));
                    channels.forEach((channel, planeIndex) => data?.copyTo(channel, { planeIndex, format: "f32-planar" }));
                    slices.add(channels, count);
                    count += numberOfFrames;
                } finally {
                    data.close();
                }
            }
        } catch {
            this.#reader?.cancel().catch(() => {});
            if (this.#isEnded) return;
            this.#offset = count;
            this.#dating = new Dating(standstill);
            await this.#listen(stream);
        }
    }

    /**
     * Reads the samples from an audio context.
     * @param {MediaStream} stream
     */
    async #listen(stream) {
        this.#audio = new AudioContext({ sampleRate: rate, latencyHint: "interactive" });
        await this.#audio.audioWorklet.addModule("/page/phone-worklet.js");
        const source = this.#audio.createMediaStreamSource(stream);
        const node = new AudioWorkletNode(this.#audio, "phone-microphone", { numberOfInputs: 1, numberOfOutputs: 1, outputChannelCount: [1] });
        node.port.onmessage = ({ data }) => this.#take(this.#offset + data.first, data.samples);
        source.connect(node);
        // An audio node runs only if it is connected to the speakers. The worklet outputs silence.
        node.connect(this.#audio.destination);
        await this.#audio.resume();
    }
}
