// Plays one microphone or the mix on the computer that shows this page. Playback doesn't affect the recording.

import { contact } from "./contact.js";
import { note } from "./commands.js";
import { studio } from "./studio.js";

/** @type {AudioContext | undefined} */
let audio;
/** @type {AudioWorkletNode | undefined} */
let node;
let stream = 0;
let channels = 1;

/** @returns {Promise<AudioWorkletNode | undefined>} */
async function player() {
    if (node && audio) {
        await audio.resume();
        return node;
    }
    audio = new AudioContext({ sampleRate: 48000, latencyHint: "interactive" });
    await audio.audioWorklet.addModule("/page/listener.js");
    node = new AudioWorkletNode(audio, "listener", { numberOfInputs: 0, outputChannelCount: [2] });
    node.connect(audio.destination);
    await audio.resume();
    return node;
}

/**
 * Plays a microphone, or the mix if the role is `program`. Without a role, playback stops.
 * @param {string | undefined} role
 */
export async function listenTo(role) {
    if (stream > 0) contact.unwatch(stream);
    stream = 0;
    studio.local.listensTo = role;
    studio.tell("local");
    if (role === undefined) {
        node?.port.postMessage(null);
        await audio?.suspend();
        return;
    }
    try {
        const to = await player();
        if (!to || studio.local.listensTo !== role) return;
        to.port.postMessage(null);
        stream = contact.watch({ of: "audio", role }, {
            onStream: (info) => {
                channels = info.channels ?? 1;
            },
            onData: (data) => {
                contact.seen(stream, data.sequence);
                if (data.kind !== 3) return;
                const samples = new Int16Array(data.bytes.slice().buffer, 0, data.bytes.byteLength >> 1);
                to.port.postMessage({ channels, samples }, [samples.buffer]);
            },
        });
    } catch (error) {
        studio.local.listensTo = undefined;
        studio.tell("local");
        note(String(error instanceof Error ? error.message : error), true);
    }
}

/**
 * Starts or stops playback of a microphone or the mix.
 * @param {string} role
 */
export function toggleListen(role) {
    void listenTo(studio.local.listensTo === role ? undefined : role);
}
