// Stores every frame of a recording on the phone. Uploads the local recording afterward if the network was too slow for
// some frames.

import { encoded } from "./phone-link.js";

/** Minimum duration buffered before a recording starts, in ms. The buffer is part of the local recording. */
const before = 1000;
/** Bytes per uploaded piece. */
const pieceSize = 256 << 10;
/** Delay before the control room is asked again after a refusal, in ms. */
const retryDelay = 10_000;

/**
 * The control room's state of a local recording's upload.
 * @typedef {{kept: string, offset?: number, done?: boolean, text?: string}} Receipt
 */
/** @typedef {{name: string, session: string, role: string, id: string, size: number}} Kept */

export class PhoneKeeper {
    /**
     * The connection; `undefined` while disconnected.
     * @type {import("./phone-link.js").PhoneLink | undefined}
     */
    link;
    /** @type {() => void} called when the displayed state changes */
    onChange = () => {};

    /**
     * Local recordings of sessions that have ended.
     * @type {Kept[]}
     */
    kept = [];
    /**
     * Discarded local recordings whose uploaded part the control room hasn't deleted yet.
     * @type {Kept[]}
     */
    #discarded = [];
    /** The uploaded fraction of the first local recording, 0…1. */
    share = 0;
    /** Reason why the control room doesn't accept the upload now, or why no local recording is made. */
    text = "";

    /** @type {Worker | undefined} */
    #worker;
    /** @type {Map<number, {resolve: (value: any) => void, reject: (error: Error) => void}>} */
    #waiting = new Map();
    #ticket = 0;
    /**
     * The current local recording.
     * @type {{session: string, role: string, name: string} | undefined}
     */
    #current;
    /**
     * The most recent frames, starting with a key frame. These frames are needed because the phone is
     * notified of a recording only after the recording has started.
     * @type {import("./phone-link.js").Piece[]}
     */
    #recent = [];
    /** Whether the control room may have missed a frame of the current recording. */
    #hasHole = false;
    #mayUpload = false;
    #isAsking = false;
    /** Whether the pending request is a deletion. */
    #isDiscarding = false;
    #timer = 0;

    constructor() {
        if (!("storage" in navigator) || !("getDirectory" in navigator.storage)) return;
        this.#worker = new Worker("/page/phone-store-worker.js", { type: "module" });
        this.#worker.onmessage = ({ data }) => {
            const waiting = this.#waiting.get(data.ticket);
            this.#waiting.delete(data.ticket);
            if (data.error === undefined) waiting?.resolve(data.value);
            else waiting?.reject(new Error(data.error));
        };
        void this.#look();
    }

    /** Whether a local recording is in progress. */
    get isKeeping() {
        return this.#current !== undefined;
    }

    /**
     * Follows the recorder's state: stores the frames while the recorder records with this phone, and uploads local
     * recordings when no recording is in progress.
     * @param {string | undefined} session the recording's folder; `undefined` if none is in progress
     * @param {string | undefined} role this phone's role in the recording
     * @param {Record<string, unknown>} format the frames' format
     */
    follow(session, role, format) {
        const wanted = session !== undefined && role !== undefined ? { session, role } : undefined;
        this.#mayUpload = session === undefined;
        if (this.#current && (this.#current.session !== wanted?.session || this.#current.role !== wanted?.role)) void this.#end();
        if (wanted && !this.#current) void this.#begin(wanted.session, wanted.role, format);
        if (this.#mayUpload) this.#ask();
    }

    /** Handles the loss of the connection. Data in transit may be lost too. */
    lose() {
        this.#hasHole = true;
        this.#mayUpload = false;
        [this.#isAsking, this.#isDiscarding] = [false, false];
    }

    /** Registers that a locally stored frame wasn't sent. */
    miss() {
        this.#hasHole = true;
    }

    /** @param {import("./phone-link.js").Piece} piece frame to be stored */
    add(piece) {
        if (this.#current) return this.#add(piece);
        if (!this.#worker) return;
        this.#recent.push(piece);
        if (!piece.isKey) return;
        let first = 0;
        this.#recent.forEach((former, index) => {
            if (former.isKey && former.at < piece.at - before) first = index;
        });
        this.#recent.splice(0, first);
    }

    /**
     * Sets the relation between the phone's clock and the control room's clock.
     * @param {number} offset to be added to the phone's time, in µs
     * @param {number} error uncertainty of the offset, in µs
     */
    date(offset, error) {
        if (!this.#current) return;
        const bytes = new Uint8Array(16);
        const view = new DataView(bytes.buffer);
        view.setBigInt64(0, BigInt(Math.round(offset)), true);
        view.setBigInt64(8, BigInt(Math.round(error)), true);
        this.#add({ kind: 4, isKey: true, number: 0, at: performance.now(), bytes });
    }

    /** @param {Receipt} receipt the upload's state in the control room */
    take(receipt) {
        const [first] = this.kept;
        this.#isAsking = false;
        // The deletion of a local recording is requested only once, even if it fails, because the session may
        // no longer exist.
        if (this.#isDiscarding) this.#discarded.shift();
        const isOther = this.#isDiscarding || receipt.kept !== first?.id;
        this.#isDiscarding = false;
        if (!first || isOther) return this.#ask();
        this.text = receipt.text ?? "";
        if (receipt.done) {
            this.kept.shift();
            this.share = 0;
            void this.#order("remove", { name: first.name }).catch(() => {});
            this.#ask();
        } else if (receipt.text !== undefined) {
            clearTimeout(this.#timer);
            this.#timer = setTimeout(() => this.#ask(), retryDelay);
        } else {
            void this.#sendFrom(first, receipt.offset ?? 0);
        }
        this.onChange();
    }

    /** Discards the first local recording, as requested by the user. */
    async discard() {
        const first = this.kept.shift();
        if (first) this.#discarded.push(first);
        if (first) await this.#order("remove", { name: first.name }).catch(() => {});
        [this.share, this.text] = [0, ""];
        this.onChange();
        this.#ask();
    }

    /** @param {string} session @param {string} role @param {Record<string, unknown>} format */
    async #begin(session, role, format) {
        const id = [...crypto.getRandomValues(new Uint8Array(8))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
        const name = [id, role, session].join("~");
        this.#current = { session, role, name };
        this.#hasHole = false;
        // The worker executes commands in order.
        const begun = this.#order("begin", { name });
        this.#add({ kind: 5, isKey: true, number: 0, at: 0, bytes: new TextEncoder().encode(JSON.stringify(format)) });
        for (const piece of this.#recent.splice(0)) this.#add(piece);
        try {
            await begun;
            await navigator.storage.persist?.();
        } catch (error) {
            this.#fail(error);
        }
    }

    async #end() {
        const current = this.#current;
        this.#current = undefined;
        if (!current || !this.#worker) return;
        try {
            await this.#order("end");
            if (!this.#hasHole) await this.#order("remove", { name: current.name });
        } catch {
            // If the file exists, `#look` lists it.
        }
        await this.#look();
    }

    /** Lists the local recordings. */
    async #look() {
        /** @type {{name: string, size: number}[]} */
        const files = await this.#order("list").catch(() => []);
        this.kept = files.filter(({ name, size }) => size > 0 && name !== this.#current?.name).flatMap(({ name, size }) => {
            const [id, role, ...session] = name.split("~");
            return id && role && session.length > 0 ? [{ name, id, role, session: session.join("~"), size }] : [];
        });
        this.onChange();
        this.#ask();
    }

    #ask() {
        const [gone] = this.#discarded;
        const first = gone ?? this.kept[0];
        if (!first || !this.#mayUpload || this.#isAsking) return;
        const { session, role, id, size } = first;
        this.#isAsking = this.link?.ask({ session, role, kept: id, bytes: size, discarded: gone !== undefined }) ?? false;
        this.#isDiscarding = this.#isAsking && gone !== undefined;
    }

    /** @param {Kept} kept @param {number} offset */
    async #sendFrom(kept, offset) {
        this.share = offset / kept.size;
        try {
            const bytes = await this.#order("read", { name: kept.name, offset, count: pieceSize });
            if (this.#mayUpload) this.#isAsking = this.link?.send({ kind: 6, isKey: false, number: offset, at: 0, bytes }) ?? false;
        } catch (error) {
            this.#fail(error);
        }
    }

    /** @param {import("./phone-link.js").Piece} piece */
    #add(piece) {
        const bytes = encoded(piece);
        this.#order("add", { bytes }, [bytes.buffer]).catch((error) => this.#fail(error));
    }

    /** @param {unknown} error */
    #fail(error) {
        this.text = error instanceof Error ? error.message : String(error);
        // The data already stored is still useful.
        void this.#end();
    }

    /**
     * @param {string} order @param {Record<string, unknown>} [facts] @param {Transferable[]} [moved]
     * @returns {Promise<any>}
     */
    #order(order, facts = {}, moved = []) {
        if (!this.#worker) return Promise.reject(new Error("This browser can't store recordings."));
        this.#ticket += 1;
        const ticket = this.#ticket;
        this.#worker.postMessage({ order, ticket, ...facts }, moved);
        return new Promise((resolve, reject) => this.#waiting.set(ticket, { resolve, reject }));
    }
}
