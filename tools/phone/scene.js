// A camera and a microphone for Chromium in the place of a phone: frames with a code strip (docs/reference/virtual-devices.md) of the instant
// at which they are drawn, on CLOCK_MONOTONIC, and a flash and a beep at each of its whole seconds. `zero` is CLOCK_MONOTONIC in ms at
// performance.now() = 0; `late` is how late they show and sound, in ms, as nothing tells.

((zero, width, height, rate) => {
    const bitsOf = (number, at) => {
        const tenths = Math.round(at * 10) % 2 ** 24;
        const bytes = [0b10101100, (number >> 16) & 255, (number >> 8) & 255, number & 255, (tenths >> 16) & 255, (tenths >> 8) & 255, tenths & 255];
        bytes.push(bytes.slice(1).reduce((sum, byte) => sum + byte, 0) & 255);
        return bytes.flatMap((byte) => [7, 6, 5, 4, 3, 2, 1, 0].map((bit) => (byte >> bit) & 1));
    };
    window.late = { video: 0, audio: 0 };
    // By how much, in ms, the page's audio clocks stand behind the time: more when the browser had no time for audio.
    const clocks = [];
    window.AudioContext = class extends window.AudioContext {
        constructor(options) {
            super(options);
            clocks.push(this);
        }
    };
    window.audioLag = async () => {
        const least = clocks.map(() => Infinity);
        for (let n = 0; n < 100; n++) {
            clocks.forEach((clock, index) => {
                least[index] = Math.min(least[index], performance.now() - clock.currentTime * 1000);
            });
            await new Promise((resolve) => setTimeout(resolve, 5));
        }
        return least;
    };
    navigator.mediaDevices.getUserMedia = async (wanted) => {
        const stream = new MediaStream();
        if (wanted.video) {
            const canvas = document.createElement("canvas");
            [canvas.width, canvas.height] = [width, height];
            const context = canvas.getContext("2d", { alpha: false });
            const [track] = canvas.captureStream(0).getVideoTracks();
            window.drawn = 0;
            const begin = performance.now();
            let flashed = Infinity;
            const draw = () => {
                const at = zero + performance.now() - window.late.video;
                const second = Math.floor((zero + begin + ((window.drawn + 1) * 1000) / rate - window.late.video) / 1000);
                context.fillStyle = second > flashed ? "#fff" : "#556";
                flashed = second;
                context.fillRect(0, 0, width, height);
                context.fillStyle = "#fc0";
                context.fillRect((window.drawn * 7) % width, height / 2, 40, 40);
                const cell = width / 64;
                bitsOf(window.drawn, at).forEach((bit, index) => {
                    context.fillStyle = bit ? "#fff" : "#000";
                    context.fillRect(index * cell, 0, cell, height / 16);
                });
                window.drawn += 1;
                track.requestFrame();
                setTimeout(draw, Math.max(0, begin + (window.drawn * 1000) / rate - performance.now()));
            };
            draw();
            track.getSettings = () => ({ width, height, frameRate: rate });
            stream.addTrack(track);
        }
        if (wanted.audio) {
            const audio = new AudioContext({ sampleRate: 48000, latencyHint: "interactive" });
            await audio.resume();
            const out = audio.createMediaStreamDestination();
            let next = 0;
            setInterval(() => {
                // The samples of contextTime are those of performanceTime.
                const { contextTime, performanceTime } = audio.getOutputTimestamp();
                if (!performanceTime) return;
                const now = (zero + performanceTime) / 1000;
                const second = Math.floor(now) + 1;
                if (second <= next) return;
                next = second;
                const when = contextTime + (second - now) + window.late.audio / 1000;
                const [tone, gain] = [audio.createOscillator(), audio.createGain()];
                tone.frequency.value = 1000;
                gain.gain.value = 0.5;
                tone.connect(gain).connect(out);
                tone.start(when);
                tone.stop(when + 0.04);
            }, 100);
            stream.addTrack(out.stream.getAudioTracks()[0]);
        }
        return stream;
    };
})
