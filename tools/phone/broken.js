// A browser with an H.264 encoder that reports support but fails on each frame.

window.VideoEncoder = class {
    state = "unconfigured";
    encodeQueueSize = 0;
    static isConfigSupported = async (config) => ({ supported: true, config });
    constructor({ error }) {
        this.error = error;
    }
    configure() {
        this.state = "configured";
    }
    encode() {
        this.state = "closed";
        setTimeout(() => this.error(new Error("no such luck")));
    }
    close() {
        this.state = "closed";
    }
};
