// The page's connection to the web process: login, the WebSocket and its streams, and automatic reconnection.

/**
 * A consumer that shows or plays a stream.
 * @typedef {object} StreamUser
 * @property {(info: StreamInfo) => void} [onStream] receives the codec before the first data and whenever it changes
 * @property {(data: StreamData) => void} onData receives one frame, packet or block of audio
 */

/** @typedef {{codec: string, description?: string, width?: number, height?: number, channels?: number, sample_rate?: number}} StreamInfo */

/**
 * @typedef {object} StreamData
 * @property {number} kind 1 for JPEG, 2 for H.264, 3 for PCM
 * @property {boolean} isKey
 * @property {number} sequence
 * @property {bigint} atNs time on CLOCK_MONOTONIC
 * @property {number} durationUs
 * @property {Uint8Array} bytes
 */

const retryDelays = [200, 500, 1000, 2000, 3000];
const headerLength = 20;

/** The connection to the web process. Each page has one connection, which reconnects automatically. */
export class Contact {
    /**
     * Called for each JSON message from the web process.
     * @type {(message: any) => void}
     */
    onMessage = () => {};
    /**
     * Called when the connection is established or lost.
     * @type {(isThere: boolean) => void}
     */
    onContact = () => {};
    /**
     * Called when the web process requires a token.
     * @type {() => void}
     */
    onLocked = () => {};

    isThere = false;
    /** Time when the next connection attempt starts, from `performance.now()`; 0 during an attempt. */
    retryAt = 0;
    /** Round-trip time of the last ping, in ms. */
    roundTrip = 0;
    /** Offset from `performance.now()` to the machine's CLOCK_MONOTONIC, in ms, based on the fastest answer so far. */
    clockOffset = NaN;

    #fastest = Infinity;

    /** @type {WebSocket | undefined} */
    #socket;
    /** @type {Map<number, {wish: Record<string, unknown>, user: StreamUser}>} */
    #streams = new Map();
    #nextStream = 1;
    #tries = 0;
    #lastAnswer = 0;
    #pingedAt = 0;

    /** Signs in with the token in the address, if there is one, and connects. */
    async start() {
        const token = new URLSearchParams(location.hash.slice(1)).get("token");
        if (token) {
            try {
                const answer = await fetch("/api/v1/login", {
                    method: "POST", headers: { Authorization: `Bearer ${token}` },
                });
                if (answer.ok) history.replaceState(null, "", location.pathname + location.search);
            } catch {
                // The WebSocket below shows whether the web process is running.
            }
        }
        setInterval(() => this.#ping(), 1000);
        document.addEventListener("visibilitychange", () => this.#send({ type: "hidden", hidden: document.hidden }));
        this.#connect();
    }

    /**
     * Requests a stream.
     * @param {Record<string, unknown>} wish `of`, `role`, `width`, `rate`, `decodes`
     * @param {StreamUser} user
     * @returns {number} the stream's number
     */
    watch(wish, user) {
        const stream = this.#nextStream;
        this.#nextStream = (this.#nextStream % 65535) + 1;
        this.#streams.set(stream, { wish, user });
        this.#send({ type: "watch", stream, ...wish });
        return stream;
    }

    /**
     * Changes the request of a stream.
     * @param {number} stream
     * @param {Record<string, unknown>} wish
     */
    change(stream, wish) {
        const entry = this.#streams.get(stream);
        if (!entry) return;
        entry.wish = wish;
        this.#send({ type: "watch", stream, ...wish });
    }

    /**
     * Ends a stream.
     * @param {number} stream
     */
    unwatch(stream) {
        if (this.#streams.delete(stream)) this.#send({ type: "unwatch", stream });
    }

    /**
     * Reports that a frame was drawn or dropped.
     * @param {number} stream
     * @param {number} sequence
     */
    seen(stream, sequence) {
        if (this.#streams.has(stream)) this.#send({ type: "seen", stream, sequence });
    }

    /**
     * Reports which cameras this page shows in the preview, so that phones can indicate that they are in
     * preview.
     * @param {string[]} roles
     */
    tellNext(roles) {
        this.#send({ type: "next", roles });
    }

    /** Reconnects immediately. */
    retryNow() {
        if (!this.isThere && this.retryAt > 0) this.#connect();
    }

    /** @param {unknown} message */
    #send(message) {
        if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
    }

    #connect() {
        this.retryAt = 0;
        const scheme = location.protocol === "https:" ? "wss" : "ws";
        const socket = new WebSocket(`${scheme}://${location.host}/api/v1/socket`);
        socket.binaryType = "arraybuffer";
        this.#socket = socket;
        this.#lastAnswer = performance.now();
        socket.onopen = () => {
            this.#lastAnswer = performance.now();
            if (document.hidden) this.#send({ type: "hidden", hidden: true });
            for (const [stream, { wish }] of this.#streams) this.#send({ type: "watch", stream, ...wish });
        };
        socket.onmessage = ({ data }) => {
            if (socket !== this.#socket) return;
            this.#lastAnswer = performance.now();
            if (typeof data === "string") this.#text(data);
            else this.#binary(data);
        };
        socket.onclose = () => this.#lose(socket);
    }

    /** @param {WebSocket} socket */
    #lose(socket) {
        if (socket !== this.#socket) return;
        this.#socket = undefined;
        socket.onmessage = null;
        socket.close();
        const wasThere = this.isThere;
        this.isThere = false;
        const delay = retryDelays[Math.min(this.#tries, retryDelays.length - 1)] ?? 1000;
        this.#tries += 1;
        this.retryAt = performance.now() + delay;
        setTimeout(() => {
            if (!this.#socket) this.#connect();
        }, delay);
        if (wasThere || this.#tries === 1) this.onContact(false);
        if (!wasThere) this.#askWhy();
    }

    /**
     * Sends a plain request to find out whether the token is missing, because a page can't read the status of
     * a refused WebSocket.
     */
    async #askWhy() {
        try {
            const answer = await fetch("/api/v1/status");
            if (answer.status === 401 || answer.status === 403) this.onLocked();
        } catch {
            // The web process isn't running. The page reconnects automatically.
        }
    }

    /** @param {string} data */
    #text(data) {
        /** @type {any} */
        let message;
        try {
            message = JSON.parse(data);
        } catch {
            return;
        }
        if (message === null || typeof message !== "object") return;
        if (message.type === "hello") {
            this.isThere = true;
            this.#tries = 0;
            this.onContact(true);
        }
        if (message.type === "pong") {
            this.roundTrip = performance.now() - Number(message.at);
            const offset = Number(message.now_ns) / 1e6 - (Number(message.at) + this.roundTrip / 2);
            // Two correct measurements differ by at most half of both round trips. Otherwise, this device was suspended.
            const hasJumped = Math.abs(offset - this.clockOffset) > (this.roundTrip + this.#fastest) / 2 + 1;
            if (this.roundTrip < this.#fastest || hasJumped) {
                this.#fastest = this.roundTrip;
                this.clockOffset = offset;
            }
        } else if (message.type === "stream") {
            this.#streams.get(message.stream)?.user.onStream?.(message);
        } else {
            this.onMessage(message);
        }
    }

    /** @param {ArrayBuffer} buffer */
    #binary(buffer) {
        if (buffer.byteLength < headerLength) return;
        const view = new DataView(buffer);
        const stream = view.getUint16(2, true);
        const entry = this.#streams.get(stream);
        if (!entry) return;
        entry.user.onData({
            kind: view.getUint8(0), isKey: (view.getUint8(1) & 1) === 1, sequence: view.getUint32(4, true),
            atNs: view.getBigUint64(8, true), durationUs: view.getUint32(16, true),
            bytes: new Uint8Array(buffer, headerLength),
        });
    }

    #ping() {
        const socket = this.#socket;
        if (!socket) return;
        const now = performance.now();
        // If the page itself was suspended, answers are waiting to be read, so allow another second.
        if (now - this.#pingedAt > 1800) this.#lastAnswer = now;
        this.#pingedAt = now;
        if (now - this.#lastAnswer > 3000) {
            this.#lose(socket);
            return;
        }
        this.#send({ type: "ping", at: Math.round(now) });
    }
}

/** The page's connection to the web process. */
export const contact = new Contact();
