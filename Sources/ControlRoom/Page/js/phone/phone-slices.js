// Divides a phone's microphone audio into slices of 20 ms with 16-bit samples and one channel.

const sliceLength = 960;

export class PhoneSlices {
    #samples = new Int16Array(sliceLength);
    #count = 0;
    #first = 0;
    #take;

    /**
     * @param {(first: number, samples: Int16Array) => void} take receives each slice and the number of its first
     * sample
     */
    constructor(take) {
        this.#take = take;
    }

    /**
     * @param {Float32Array[]} channels channels of equal length, values from -1 to 1
     * @param {number} start number of the first sample; a jump between two calls means that samples are missing
     */
    add(channels, start) {
        // After a gap, the buffered samples are dropped, because the next samples don't directly follow them.
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
