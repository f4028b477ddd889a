// A browser whose encoder of H.264 says that it can, and fails at each frame.

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
