/** An event as a frame of the stream, made of its JSON, which holds no line feed. */
export const frameOf = (seq: number, text: string): string => `id: ${seq}\ndata: ${text}\n\n`

/** The frame without its id and its end: those come before and behind it. */
export const lineOf = (text: string): string => `data: ${text}\n`

/** How many bytes of a frame stand before its `data:` line. */
export const idBytes = (seq: number): number => `id: ${seq}\n`.length

/** Something about the connection: it has no place in a session. */
export const noticeOf = (event: object): string => `data: ${JSON.stringify(event)}\n\n`

/** Proxies hold small writes back: this is large enough to push what they hold through. */
export const heartbeat = Buffer.from(`:${' '.repeat(2045)}\n\n`)

/** When to come back after the server has ended the stream, in ms. */
export const retryHint = (delayMs: number): string => `retry: ${delayMs}\n\n`
