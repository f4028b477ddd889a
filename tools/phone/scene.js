// A camera and a microphone for Chromium instead of a phone: frames with a code strip (docs/reference/virtual-devices.md) of their drawing
// time on CLOCK_MONOTONIC, and a flash and a beep at each of its whole seconds. `zero` is CLOCK_MONOTONIC in ms at performance.now() = 0;
// `late` is the latency of image and sound in ms, which no timestamp reveals.

((zero, width, height, rate) => {
    const bitsOf = (number, at) => {
        const tenths = Math.round(at * 10) % 2 ** 24;
        const bytes = [0b10101100, (number >> 16) & 255, (number >> 8) & 255, number & 255, (tenths >> 16) & 255, (tenths >> 8) & 255, tenths & 255];
        bytes.push(bytes.slice(1).reduce((sum, byte) => sum + byte, 0) & 255);
        return bytes.flatMap((byte) => [7, 6, 5, 4, 3, 2, 1, 0].map((bit) => (byte >> bit) & 1));
    };
    window.late = { video: 0, audio: 0 };
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
            // Blocks of 10 ms, each delivered at the time of its last sample.
            const track = new MediaStreamTrackGenerator({ kind: "audio" });
            const writer = track.writable.getWriter();
            const [begin, length, perMs] = [performance.now(), 480, 48];
            let count = 0;
            const write = () => {
                if (track.readyState === "ended") return;
                while (begin + (count + length) / perMs <= performance.now()) {
                    const data = Float32Array.from({ length }, (_, index) => {
                        const second = ((zero + begin + (count + index) / perMs - window.late.audio) / 1000) % 1;
                        return second < 0.04 ? 0.5 * Math.sin(2000 * Math.PI * second) : 0;
                    });
                    const timestamp = Math.round((begin + count / perMs) * 1000);
                    const block = { format: "f32-planar", sampleRate: 48000, numberOfFrames: length, numberOfChannels: 1, timestamp, data };
                    writer.write(new AudioData(block)).catch(() => {});
                    count += length;
                }
                setTimeout(write, begin + (count + length) / perMs - performance.now());
            };
            write();
            stream.addTrack(track);
        }
        return stream;
    };
})
