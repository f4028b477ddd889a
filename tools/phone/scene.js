// A camera and a microphone for Chromium in the place of a phone: frames with a code strip (docs/reference/virtual-devices.md) of the instant
// at which they are drawn, on CLOCK_MONOTONIC, and a beep at each of its whole seconds. `zero` is CLOCK_MONOTONIC in ms at performance.now() = 0.

((zero, width, height, rate) => {
    const bitsOf = (number, at) => {
        const tenths = Math.round(at * 10) % 2 ** 24;
        const bytes = [0b10101100, (number >> 16) & 255, (number >> 8) & 255, number & 255, (tenths >> 16) & 255, (tenths >> 8) & 255, tenths & 255];
        bytes.push(bytes.slice(1).reduce((sum, byte) => sum + byte, 0) & 255);
        return bytes.flatMap((byte) => [7, 6, 5, 4, 3, 2, 1, 0].map((bit) => (byte >> bit) & 1));
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
            const draw = () => {
                const at = zero + performance.now();
                context.fillStyle = "#556";
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
                const when = contextTime + (second - now);
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
