// Audio worklet that plays the selected microphone or mix. The ring buffer holds half a second of audio.
// Playback starts when 60 ms are buffered. If more than 200 ms are buffered, the excess is skipped.

const ringLength = 24_000;
const startAt = 2_880;
const mostWaiting = 9_600;

class Listener extends AudioWorkletProcessor {
    #left = new Float32Array(ringLength);
    #right = new Float32Array(ringLength);
    #write = 0;
    #waiting = 0;
    #isPlaying = false;

    constructor() {
        super();
        this.port.onmessage = ({ data }) => {
            if (data === null) {
                this.#waiting = 0;
                this.#isPlaying = false;
                return;
            }
            this.#take(data.samples, Math.max(1, data.channels));
        };
    }

    /** @param {Int16Array} samples @param {number} channels */
    #take(samples, channels) {
        const count = Math.floor(samples.length / channels);
        for (let index = 0; index < count; index += 1) {
            this.#left[this.#write] = (samples[index * channels] ?? 0) / 32768;
            this.#right[this.#write] = (samples[index * channels + (channels > 1 ? 1 : 0)] ?? 0) / 32768;
            this.#write = (this.#write + 1) % ringLength;
        }
        this.#waiting = Math.min(ringLength, this.#waiting + count);
        if (this.#waiting > mostWaiting) this.#waiting = startAt;
        if (this.#waiting >= startAt) this.#isPlaying = true;
    }

    /** @param {Float32Array[][]} _ @param {Float32Array[][]} outputs */
    process(_, outputs) {
        const [left, right] = outputs[0] ?? [];
        if (!left) return true;
        for (let index = 0; index < left.length; index += 1) {
            if (this.#isPlaying && this.#waiting > 0) {
                const at = (this.#write - this.#waiting + ringLength) % ringLength;
                left[index] = this.#left[at] ?? 0;
                if (right) right[index] = this.#right[at] ?? 0;
                this.#waiting -= 1;
            } else {
                this.#isPlaying = false;
                left[index] = 0;
                if (right) right[index] = 0;
            }
        }
        return true;
    }
}

registerProcessor("listener", Listener);
