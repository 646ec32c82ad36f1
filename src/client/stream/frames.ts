import { createParser } from 'eventsource-parser'
import { clientError } from '../api-error.ts'

/** One frame of a server-sent event stream. */
export interface Frame {
  readonly id?: string | undefined
  readonly data: string
}

/** The most characters of one frame: the snapshot of a long session is large. */
const frameLimit = 128 * 1024 * 1024

/** Parses a stream: each chunk of bytes returns the frames that it completes. */
export const createFrameParser = (
  onRetry: (ms: number) => void,
): ((bytes: Uint8Array) => Frame[]) => {
  let frames: Frame[] = []
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
  return (bytes) => {
    frames = []
    parser.feed(decoder.decode(bytes, { stream: true }))
    if (isTooLarge) throw clientError('frame_too_large')
    return frames
  }
}
