import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { clientError } from '../api-error.ts'

/** The most characters of one frame. A snapshot of a long session is large. */
const frameLimit = 128 * 1024 * 1024

/** Bytes in, frames out: those that each piece completes. */
export const createFrameParser = (onRetry: (ms: number) => void) => {
  let frames: EventSourceMessage[] = []
  let isTooLarge = false
  const decoder = new TextDecoder()
  const parser = createParser({
    maxBufferSize: frameLimit,
    onEvent: (frame) => frames.push(frame),
    onRetry,
    onError({ type }) {
      if (type === 'max-buffer-size-exceeded') isTooLarge = true
    },
  })
  return (bytes: Uint8Array): EventSourceMessage[] => {
    frames = []
    parser.feed(decoder.decode(bytes, { stream: true }))
    if (isTooLarge) throw clientError('frame_too_large')
    return frames
  }
}
