import { wholeCharacters } from '../files/whole-characters.ts'

/** The last bytes of an output of any length. */
export interface OutputTail {
  push(chunk: Uint8Array): void
  /** The bytes as a text, without cut characters, and whether something is missing before them. */
  text(): { text: string; isTruncated: boolean }
}

export const createOutputTail = (limit: number): OutputTail => {
  let chunks: Buffer[] = []
  let size = 0
  let isTruncated = false

  const shorten = () => {
    const all = Buffer.concat(chunks)
    chunks = [all.subarray(Math.max(0, all.length - limit))]
    isTruncated ||= all.length > limit
    size = Math.min(all.length, limit)
  }

  return {
    push(chunk) {
      chunks.push(Buffer.from(chunk))
      size += chunk.length
      // Twice the limit: so that not every chunk copies everything.
      if (size > 2 * limit + 64 * 1024) shorten()
    },
    text() {
      shorten()
      const bytes = chunks[0] ?? Buffer.alloc(0)
      const { first, last } = wholeCharacters(bytes)
      // Without a cut, bytes that begin with half a character are what the command printed.
      return { text: bytes.toString('utf8', isTruncated ? first : 0, last), isTruncated }
    },
  }
}
