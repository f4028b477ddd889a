// The phone's connection to the web process: its offer, clock queries, outgoing frames and audio, and automatic
// reconnection.

const retryDelays = [300, 700, 1000, 2000, 3000];
/**
 * Time without a message after which the connection is closed, in milliseconds. The web process sends one
 * query per second.
 */
const patience = 3500;
/** Limits for data waiting in the browser, in bytes. If a limit is exceeded, frames or audio are dropped. */
const mostWaiting = { video: 1_500_000, audio: 4_000_000 };
const prefix = 20;

/** @typedef {{name: string, key: string, video: {codec: string, width: number, height: number, rate: number, matrix?: string, full?: boolean}, audio?: {rate: number, channels: number}, dated: string}} Offer */
/** @typedef {{state: string, tally: string, next: boolean, paused?: boolean, recording?: string, role?: string, text?: string, error_us?: number}} PhoneState */
/** @typedef {{kind: number, isKey: boolean, number: number, at: number, bytes: Uint8Array}} Piece `at` is in ms by `performance.now()` */

/**
 * Encodes a binary message as described in docs/reference/control-room.md.
 * @param {Piece} piece
 */
export function encoded(piece) {
    const message = new Uint8Array(prefix + piece.bytes.byteLength);
    const view = new DataView(message.buffer);
    view.setUint8(0, piece.kind);
    view.setUint8(1, piece.isKey ? 1 : 0);
    view.setBigUint64(4, BigInt(piece.number), true);
    view.setBigUint64(12, BigInt(Math.max(0, Math.round(piece.at * 1000))), true);
    message.set(piece.bytes, prefix);
    return message;
}

export class PhoneLink {
    /** @type {(state: PhoneState) => void} */
    onState = () => {};
    /** @type {(isThere: boolean) => void} */
    onContact = () => {};
    /** @type {(sentence: string) => void} */
    onRefused = () => {};
    /** @type {() => void} */
    onKey = () => {};
    /**
     * @type {(offset: number, error: number) => void} relation between this phone's clock and the control room's, in
     * µs
     */
    onDate = () => {};
    /**
     * @type {(number: number, values: Record<string, number>) => void} called when the control room requests control
     * values
     */
    onSet = () => {};
    /** @type {(receipt: import("./phone-keeper.js").Receipt) => void} */
    onReceipt = () => {};

    /** Whether frames may be sent. */
    isWelcome = false;

    /** @type {WebSocket | undefined} */
    #socket;
    /** @type {Offer} */
    #offer;
    #token;
    #tries = 0;
    #heard = 0;
    #isEnded = false;
    #timer = 0;

    /** @param {string} token @param {Offer} offer */
    constructor(token, offer) {
        this.#token = token;
        this.#offer = offer;
    }

    start() {
        this.#timer = setInterval(() => {
            if (this.#socket && performance.now() - this.#heard > patience) this.#lose(this.#socket);
        }, 500);
        this.#connect();
    }

    end() {
        this.#isEnded = true;
        clearInterval(this.#timer);
        const socket = this.#socket;
        this.#socket = undefined;
        socket?.close();
        this.isWelcome = false;
    }

    /** Whether the network is so slow that another frame would only be queued. */
    get isFull() {
        return (this.#socket?.bufferedAmount ?? 0) > mostWaiting.video;
    }

    /**
     * Sends a frame, a slice of audio, or a piece of a local recording.
     * @param {Piece} piece
     * @returns {boolean} whether the data was handed to the connection
     */
    send(piece) {
        const socket = this.#socket;
        if (!this.isWelcome || socket?.readyState !== WebSocket.OPEN) return false;
        if (socket.bufferedAmount > (piece.kind === 3 ? mostWaiting.audio : mostWaiting.video)) return false;
        socket.send(encoded(piece));
        return true;
    }

    /**
     * Asks the control room how much of a local recording it has received.
     * @param {{session: string, role: string, kept: string, bytes: number, discarded: boolean}} question `discarded`: whether the user has discarded the local recording
     * @returns {boolean} whether the data was handed to the connection
     */
    ask(question) {
        if (!this.isWelcome || this.#socket?.readyState !== WebSocket.OPEN) return false;
        this.#socket.send(JSON.stringify({ type: "stored", ...question }));
        return true;
    }

    /**
     * Reports the camera's controls to the control room.
     * @param {import("./phone-controls.js").Control[]} controls
     * @param {number} [number] number of the request that this message answers
     * @param {string[]} [refused] names of the requested controls that were rejected
     */
    tell(controls, number, refused = []) {
        if (this.isWelcome && this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify({ type: "controls", controls, number, refused }));
    }

    /**
     * Reports to the control room why this phone stops acting as a camera.
     * @param {string} text
     */
    fault(text) {
        if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify({ type: "fault", text: text.slice(0, 400) }));
    }

    #connect() {
        if (this.#isEnded) return;
        const scheme = location.protocol === "https:" ? "wss" : "ws";
        const socket = new WebSocket(`${scheme}://${location.host}/api/v1/phone-socket?token=${encodeURIComponent(this.#token)}`);
        this.#socket = socket;
        this.#heard = performance.now();
        let wasOpen = false;
        socket.onopen = () => {
            wasOpen = true;
            this.#heard = performance.now();
            socket.send(JSON.stringify({ type: "offer", ...this.#offer }));
        };
        socket.onmessage = ({ data }) => {
            if (socket !== this.#socket || typeof data !== "string") return;
            this.#heard = performance.now();
            this.#take(socket, data);
        };
        socket.onclose = () => {
            this.#lose(socket);
            if (!wasOpen) void this.#askWhy();
        };
    }

    /** @param {WebSocket} socket @param {string} data */
    #take(socket, data) {
        /** @type {any} */
        let message;
        try {
            message = JSON.parse(data);
        } catch {
            return;
        }
        if (message.type === "ping") {
            socket.send(JSON.stringify({ type: "pong", id: message.id, at_us: Math.round(performance.now() * 1000) }));
        } else if (message.type === "welcome") {
            this.#tries = 0;
            this.isWelcome = true;
            this.onContact(true);
            this.onKey();
        } else if (message.type === "key") {
            this.onKey();
        } else if (message.type === "set") {
            this.onSet(Number(message.number), message.set ?? {});
        } else if (message.type === "state") {
            this.onState(message);
        } else if (message.type === "date") {
            this.onDate(Number(message.offset_us), Number(message.error_us));
        } else if (message.type === "store") {
            this.onReceipt(message);
        } else if (message.type === "refused") {
            this.end();
            this.onRefused(String(message.text));
        }
    }

    /** @param {WebSocket} socket */
    #lose(socket) {
        if (socket !== this.#socket) return;
        this.#socket = undefined;
        socket.onmessage = null;
        socket.close();
        this.isWelcome = false;
        this.onContact(false);
        const delay = retryDelays[Math.min(this.#tries, retryDelays.length - 1)] ?? 1000;
        this.#tries += 1;
        setTimeout(() => {
            if (!this.#socket) this.#connect();
        }, delay);
    }

    /**
     * Sends a plain request to find out whether the token is wrong, because a page can't read the status of a
     * refused WebSocket.
     */
    async #askWhy() {
        try {
            const answer = await fetch(`/api/v1/phone-socket?token=${encodeURIComponent(this.#token)}`, { method: "POST" });
            if (answer.status !== 401) return;
            const { text } = await answer.json();
            this.end();
            this.onRefused(String(text));
        } catch {
            // The web process isn't running. The page reconnects automatically.
        }
    }
}
