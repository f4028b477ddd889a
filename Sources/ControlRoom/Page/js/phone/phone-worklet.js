// The audio worklet that hands on what a phone's microphone captures, where the browser gives it to audio contexts alone.

import { PhoneSlices } from "./phone-slices.js";

class PhoneMicrophoneProcessor extends AudioWorkletProcessor {
    #slices = new PhoneSlices((first, samples) => this.port.postMessage({ first, samples }, [samples.buffer]));

    /** @param {Float32Array[][]} inputs */
    process(inputs) {
        this.#slices.add(inputs[0] ?? [], currentFrame);
        return true;
    }
}

registerProcessor("phone-microphone", PhoneMicrophoneProcessor);
