// HTTP requests to the web process. Each request returns an answer or an error message.

/**
 * @template T
 * @param {string} address
 * @param {{method?: string, body?: unknown}} [options]
 * @returns {Promise<{ok: boolean, status: number, value?: T, text: string}>}
 */
export async function ask(address, options = {}) {
    try {
        const answer = await fetch(address, {
            method: options.method ?? "GET",
            headers: options.body === undefined ? {} : { "Content-Type": "application/json" },
            body: options.body === undefined ? undefined : JSON.stringify(options.body),
        });
        /** @type {any} */
        let value;
        try {
            value = await answer.json();
        } catch {
            value = undefined;
        }
        return { ok: answer.ok && value !== undefined && value.ok !== false, status: answer.status, value, text: String(value?.text ?? answer.statusText) };
    } catch {
        return { ok: false, status: 0, text: "" };
    }
}
