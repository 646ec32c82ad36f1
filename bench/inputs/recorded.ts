import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Fill } from './file.ts'

const directory = new URL('../../recordings/', import.meta.url).pathname

/** The recordings of a stream again and again, with other ids each time. */
export const recorded =
  (stream: string, megabytes: number): Fill =>
  (write, scale) => {
    const texts = globSync(`${stream}/*/*.ndjson`, { cwd: directory })
      .filter((file) => !file.endsWith('.stdin.ndjson'))
      .sort()
      .map((file) => readFileSync(join(directory, file), 'utf8'))
      // `readline` would cut a line at these, and count other lines than Sluice.
      .filter((text) => text.endsWith('\n') && !/[\r\u2028\u2029]/.test(text))
    if (texts.length === 0) throw new Error(`There are no recordings of ${stream}.`)
    const size = megabytes * 1_000_000 * scale
    for (let written = 0, round = 1; written < size; round += 1)
      for (const text of texts) {
        const piece = text.replace(ids, `$1-${round}"`)
        write(piece)
        written += piece.length
      }
  }

const ids = /("(?:id|messageID|callID|partID|messageId|toolCallId|tool_id|uuid)":"[^"\\]+)"/g
