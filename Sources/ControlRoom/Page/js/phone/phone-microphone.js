// The phone's microphone: samples of 16 bits at 48 kHz, as they come, without echo cancellation, noise suppression or automatic gain.

import { Dating } from "./dating.js";

const rate = 48_000;
/** A browser without time for audio stands still, and its count of samples with it: by so much, in ms, that is noticed. */
const standstill = 30;

export class PhoneMicrophone {
    /** @type {(piece: {kind: 3, isKey: boolean, number: number, at: number, bytes: Uint8Array}) => void} */
    onAudio = () => {};

    /** @type {AudioContext | undefined} */
    #audio;
    #dating = new Dating(standstill);

    /** @param {MediaStream} stream with an audio track */
    async start(stream) {
        this.#audio = new AudioContext({ sampleRate: rate, latencyHint: "interactive" });
        await this.#audio.audioWorklet.addModule("/page/phone-worklet.js");
        const source = this.#audio.createMediaStreamSource(stream);
        const node = new AudioWorkletNode(this.#audio, "phone-microphone", { numberOfInputs: 1, numberOfOutputs: 1, outputChannelCount: [1] });
        // What the browser says of the way from the microphone.
        const latency = Number(/** @type {any} */ (stream.getAudioTracks()[0]?.getSettings()).latency ?? 0) * 1000;
        node.port.onmessage = ({ data }) => {
            const { first, samples } = data;
            const length = (samples.length / rate) * 1000;
            const at = this.#dating.date((first / rate) * 1000, performance.now(), undefined, length + latency);
            this.onAudio({ kind: 3, isKey: true, number: first, at, bytes: new Uint8Array(samples.buffer) });
        };
        source.connect(node);
        // Only what is connected to the speakers runs; the worklet gives them silence.
        node.connect(this.#audio.destination);
        await this.#audio.resume();
        return { rate, channels: 1 };
    }

    end() {
        void this.#audio?.close();
    }
}
