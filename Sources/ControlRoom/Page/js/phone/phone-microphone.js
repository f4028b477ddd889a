// The phone's microphone: samples of 16 bits at 48 kHz, as they come, without echo cancellation, noise suppression or automatic gain.

import { Dating } from "./dating.js";
import { PhoneSlices } from "./phone-slices.js";

const rate = 48_000;
/** A browser without time for audio stands still, and its count of samples with it: by so much, in ms, that is noticed. */
const standstill = 30;
/** How many buffers, of some 10 ms each, wait for a page that is busy. */
const mostWaiting = 100;
/** How long the first samples are waited for, in ms. */
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

    /** @param {MediaStream} stream with an audio track */
    async start(stream) {
        const track = /** @type {MediaStreamTrack} */ (stream.getAudioTracks()[0]);
        // What the browser says of the way from the microphone, in ms.
        this.#latency = Number(/** @type {any} */ (track.getSettings()).latency ?? 0) * 1000;
        // An audio context takes the samples through buffers whose length is another one each time that it begins.
        if (!(await this.#read(track))) await this.#listen(stream);
        return { rate, channels: 1 };
    }

    end() {
        void this.#reader?.cancel();
        void this.#audio?.close();
    }

    /** @param {number} first @param {Int16Array} samples */
    #take(first, samples) {
        const length = (samples.length / rate) * 1000;
        const at = this.#dating.date((first / rate) * 1000, performance.now(), undefined, length + this.#latency);
        this.onAudio({ kind: 3, isKey: true, number: first, at, bytes: new Uint8Array(samples.buffer) });
    }

    /**
     * Takes the track's samples themselves.
     * @param {MediaStreamTrack} track
     * @returns whether the browser has them, at the rate that is wanted
     */
    async #read(track) {
        if (!("MediaStreamTrackProcessor" in window && "AudioData" in window)) return false;
        /** @type {ReadableStreamDefaultReader<AudioData>} */
        const reader = new MediaStreamTrackProcessor({ track, maxBufferSize: mostWaiting }).readable.getReader();
        const late = new Promise((resolve) => setTimeout(resolve, patience, undefined));
        const begin = await Promise.race([reader.read(), late]);
        if (begin?.value?.sampleRate !== rate) {
            begin?.value?.close();
            void reader.cancel();
            return false;
        }
        this.#reader = reader;
        void this.#follow(reader, begin.value);
        return true;
    }

    /** @param {ReadableStreamDefaultReader<AudioData>} reader @param {AudioData} begin */
    async #follow(reader, begin) {
        const slices = new PhoneSlices((first, samples) => this.#take(first, samples));
        let count = 0;
        for (let data = /** @type {AudioData | undefined} */ (begin); data; data = (await reader.read()).value) {
            const { numberOfChannels, numberOfFrames } = data;
            const channels = Array.from({ length: numberOfChannels }, () => new Float32Array(numberOfFrames));
            channels.forEach((channel, planeIndex) => data?.copyTo(channel, { planeIndex, format: "f32-planar" }));
            data.close();
            slices.add(channels, count);
            count += numberOfFrames;
        }
    }

    /**
     * Takes the samples from an audio context.
     * @param {MediaStream} stream
     */
    async #listen(stream) {
        this.#audio = new AudioContext({ sampleRate: rate, latencyHint: "interactive" });
        await this.#audio.audioWorklet.addModule("/page/phone-worklet.js");
        const source = this.#audio.createMediaStreamSource(stream);
        const node = new AudioWorkletNode(this.#audio, "phone-microphone", { numberOfInputs: 1, numberOfOutputs: 1, outputChannelCount: [1] });
        node.port.onmessage = ({ data }) => this.#take(data.first, data.samples);
        source.connect(node);
        // Only what is connected to the speakers runs; the worklet gives them silence.
        node.connect(this.#audio.destination);
        await this.#audio.resume();
    }
}
