// Audio worklet that forwards a phone's microphone audio, for browsers that provide it only to audio contexts.

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
