// The page's connection with the web process: logging in, the WebSocket, its streams, and coming back by itself.

/**
 * Who shows or plays a stream.
 * @typedef {object} StreamUser
 * @property {(info: StreamInfo) => void} [onStream] the codec, before the first data and when it changes
 * @property {(data: StreamData) => void} onData one frame, packet or piece of sound
 */

/** @typedef {{codec: string, description?: string, width?: number, height?: number, channels?: number, sample_rate?: number}} StreamInfo */

/**
 * @typedef {object} StreamData
 * @property {number} kind 1 JPEG, 2 H.264, 3 PCM
 * @property {boolean} isKey
 * @property {number} sequence
 * @property {bigint} atNs on CLOCK_MONOTONIC
 * @property {number} durationUs
 * @property {Uint8Array} bytes
 */

const retryDelays = [200, 500, 1000, 2000, 3000];
const headerLength = 20;

/** One connection; it lasts as long as the page. */
export class Contact {
    /**
     * Called with each JSON message of the web process.
     * @type {(message: any) => void}
     */
    onMessage = () => {};
    /**
     * Called when contact is made or lost.
     * @type {(isThere: boolean) => void}
     */
    onContact = () => {};
    /**
     * Called when the web process wants a token first.
     * @type {() => void}
     */
    onLocked = () => {};

    isThere = false;
    /** When the next try is made, by `performance.now()`; 0 while one runs. */
    retryAt = 0;
    /** How long the last ping took, in ms. */
    roundTrip = 0;
    /** What is added to `performance.now()` for CLOCK_MONOTONIC of the machine, in ms, by the fastest answer so far. */
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

    /** Logs in with the token of the address, if there is one, and connects. */
    async start() {
        const token = new URLSearchParams(location.hash.slice(1)).get("token");
        if (token) {
            try {
                const answer = await fetch("/api/v1/login", {
                    method: "POST", headers: { Authorization: `Bearer ${token}` },
                });
                if (answer.ok) history.replaceState(null, "", location.pathname + location.search);
            } catch {
                // The socket below tells whether the web process is there.
            }
        }
        setInterval(() => this.#ping(), 1000);
        this.#connect();
    }

    /**
     * Asks for a stream.
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
     * Changes what is asked of a stream.
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
     * Says that a frame was drawn or dropped.
     * @param {number} stream
     * @param {number} sequence
     */
    seen(stream, sequence) {
        if (this.#streams.has(stream)) this.#send({ type: "seen", stream, sequence });
    }

    /**
     * Says which cameras this page shows as next, which phones are told.
     * @param {string[]} roles
     */
    tellNext(roles) {
        this.#send({ type: "next", roles });
    }

    /** Tries again at once. */
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

    /** A refused socket has no status, so the status of a plain request tells whether the token is missing. */
    async #askWhy() {
        try {
            const answer = await fetch("/api/v1/status");
            if (answer.status === 401 || answer.status === 403) this.onLocked();
        } catch {
            // Nobody listens there now; the next try comes by itself.
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
            if (this.roundTrip < this.#fastest) {
                this.#fastest = this.roundTrip;
                this.clockOffset = Number(message.now_ns) / 1e6 - (Number(message.at) + this.roundTrip / 2);
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
        // Where the page itself stood still, answers wait to be read: they are given another second.
        if (now - this.#pingedAt > 1800) this.#lastAnswer = now;
        this.#pingedAt = now;
        if (now - this.#lastAnswer > 3000) {
            this.#lose(socket);
            return;
        }
        this.#send({ type: "ping", at: Math.round(now) });
    }
}

/** The page's connection. */
export const contact = new Contact();
