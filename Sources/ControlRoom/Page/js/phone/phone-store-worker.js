// Worker for the phone's local storage (origin private file system). The worker runs on a separate thread
// because storage may be slow. Each file is a sequence of messages, each preceded by its length in four
// bytes. Only this worker accesses the files.

const folderName = "multicam";
/** Maximum time until written data is flushed to disk, in ms. */
const flushInterval = 1000;

/** @typedef {{createSyncAccessHandle(): Promise<Handle>, getFile(): Promise<File>}} StoreFile */
/** @typedef {{write(bytes: Uint8Array, options?: {at: number}): number, flush(): void, close(): void, getSize(): number}} Handle */

/** @type {Handle | undefined} the file of the current recording */
let handle;
let size = 0;
let flushedAt = 0;
/**
 * Commands are executed one at a time, in order.
 * @type {Promise<unknown>}
 */
let last = Promise.resolve();

async function folder() {
    return (await navigator.storage.getDirectory()).getDirectoryHandle(folderName, { create: true });
}

/** @type {Record<string, (order: any) => Promise<unknown>>} */
const orders = {
    async begin({ name }) {
        handle?.close();
        handle = undefined;
        const file = /** @type {any} */ (await (await folder()).getFileHandle(name, { create: true }));
        handle = /** @type {Handle} */ (await file.createSyncAccessHandle());
        size = handle.getSize();
        flushedAt = performance.now();
    },
    async add({ bytes }) {
        if (!handle) return;
        const message = new Uint8Array(4 + bytes.byteLength);
        new DataView(message.buffer).setUint32(0, bytes.byteLength, true);
        message.set(bytes, 4);
        // A message is written completely or not at all. If the disk is full, the file ends with the previous
        // message.
        if (handle.write(message, { at: size }) !== message.byteLength) throw new Error("The phone's storage is full.");
        size += message.byteLength;
        if (performance.now() - flushedAt < flushInterval) return;
        flushedAt = performance.now();
        handle.flush();
    },
    async end() {
        handle?.flush();
        handle?.close();
        handle = undefined;
    },
    async list() {
        const files = [];
        for await (const [name, entry] of /** @type {any} */ (await folder()).entries()) {
            if (entry.kind === "file") files.push({ name, size: (await entry.getFile()).size });
        }
        return files;
    },
    async read({ name, offset, count }) {
        const file = await (await (await folder()).getFileHandle(name)).getFile();
        return new Uint8Array(await file.slice(offset, offset + count).arrayBuffer());
    },
    async remove({ name }) {
        await (await folder()).removeEntry(name);
    },
};

onmessage = ({ data }) => {
    last = last.then(async () => {
        try {
            postMessage({ ticket: data.ticket, value: await orders[data.order]?.(data) });
        } catch (error) {
            postMessage({ ticket: data.ticket, error: error instanceof Error ? error.message || error.name : String(error) });
        }
    });
};
