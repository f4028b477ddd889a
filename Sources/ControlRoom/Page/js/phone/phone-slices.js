// What a phone's microphone captures, in slices of 20 ms of 16 bits a sample, one channel.

const sliceLength = 960;

export class PhoneSlices {
    #samples = new Int16Array(sliceLength);
    #count = 0;
    #first = 0;
    #take;

    /** @param {(first: number, samples: Int16Array) => void} take gets each slice, and the number of its first sample */
    constructor(take) {
        this.#take = take;
    }

    /**
     * @param {Float32Array[]} channels of equal lengths, from -1 to 1
     * @param {number} start the number of their first sample; what comes between two calls was left out
     */
    add(channels, start) {
        // What comes next belongs to another time where something was left out.
        if (this.#count > 0 && this.#first + this.#count !== start) this.#count = 0;
        const length = channels[0]?.length ?? 0;
        for (let index = 0; index < length; index += 1) {
            if (this.#count === 0) this.#first = start + index;
            let sum = 0;
            for (const channel of channels) sum += channel[index] ?? 0;
            this.#samples[this.#count] = Math.max(-32768, Math.min(32767, Math.round((sum / channels.length) * 32768)));
            this.#count += 1;
            if (this.#count < sliceLength) continue;
            const samples = this.#samples;
            this.#samples = new Int16Array(sliceLength);
            this.#count = 0;
            this.#take(this.#first, samples);
        }
    }
}
