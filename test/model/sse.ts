import type { ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'

import type { Frame } from './message.ts'

/** Writes frames as server-sent events, with a delay before each delta, until the client leaves. */
export async function writeFrames(
  response: ServerResponse,
  frames: Iterable<Frame>,
  { delayMs = 0, signal }: { delayMs?: number | undefined; signal: AbortSignal },
): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
  for (const frame of frames) {
    if (delayMs > 0 && isDelta(frame)) await pause(delayMs, signal)
    if (signal.aborted) return
    await writeFrame(response, frame)
  }
}

/** Resolves when the frame is in the socket, so that the connection can be closed after it. */
export async function writeFrame(response: ServerResponse, frame: Frame): Promise<void> {
  const isNamed = 'type' in frame
  const text = isNamed
    ? `event: ${frame.type}\ndata: ${JSON.stringify(frame)}\n\n`
    : `data: ${frame.data}\n\n`
  await new Promise<void>((written) => response.write(text, () => written()))
}

/** Frames that carry a piece of a text, by the names that the APIs give them. */
const isDelta = (frame: Frame): boolean =>
  'type' in frame
    ? frame.type === 'content_block_delta' || frame.type.endsWith('.delta')
    : frame.isDelta === true

async function pause(delayMs: number, signal: AbortSignal): Promise<void> {
  await wait(delayMs, undefined, { signal }).catch(() => {}) // the caller checks the signal
}
