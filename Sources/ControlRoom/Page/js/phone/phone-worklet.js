// The audio worklet that hands on what a phone's microphone captures, in slices of 20 ms of 16 bits a sample.

const sliceLength = 960;

class PhoneMicrophoneProcessor extends AudioWorkletProcessor {
    #samples = new Int16Array(sliceLength);
    #count = 0;
    #first = 0;

    /** @param {Float32Array[][]} inputs */
    process(inputs) {
        const channels = inputs[0] ?? [];
        const length = channels[0]?.length ?? 0;
        // What comes next belongs to another time where something was left out.
        if (this.#count > 0 && this.#first + this.#count !== currentFrame) this.#count = 0;
        for (let index = 0; index < length; index += 1) {
            if (this.#count === 0) this.#first = currentFrame + index;
            let sum = 0;
            for (const channel of channels) sum += channel[index] ?? 0;
            this.#samples[this.#count] = Math.max(-32768, Math.min(32767, Math.round((sum / channels.length) * 32768)));
            this.#count += 1;
            if (this.#count < sliceLength) continue;
            const samples = this.#samples;
            this.port.postMessage({ first: this.#first, samples }, [samples.buffer]);
            this.#samples = new Int16Array(sliceLength);
            this.#count = 0;
        }
        return true;
    }
}

registerProcessor("phone-microphone", PhoneMicrophoneProcessor);
