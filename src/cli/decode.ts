import { createReadStream } from 'node:fs'
import { basename } from 'node:path'
import { loadAgent } from '../agents/known-agents.ts'
import { Fault } from '../shared/fault.ts'
import { exitCodes } from './exit.ts'
import type { OutName } from './out-names.ts'
import { createPipeline } from './pipeline.ts'
import { systemReason } from './system-reason.ts'
import { printError, type Terminal } from './terminal.ts'

export interface DecodeOptions {
  agent: string
  /** A path, or `-` for stdin. */
  file: string
  out: OutName
  /** Milliseconds to wait between lines, to replay a recording. */
  pace?: number
}

/** `sluice decode`: reads an agent’s stream from a file or stdin, and prints Sluice’s events. */
export const decode = async (options: DecodeOptions, terminal: Terminal): Promise<number> => {
  const { file, pace } = options
  const isStdin = file === '-'
  const name = isStdin ? 'stdin' : basename(file).replace(/\.ndjson$/, '')
  const agent = await loadAgent(options.agent)
  const pipeline = createPipeline(agent, name, options.out, terminal)
  const input = isStdin ? process.stdin : createReadStream(file)
  try {
    for await (const chunk of pace === undefined ? input : paced(input, pace)) {
      pipeline.push(chunk)
      await terminal.flush()
      if (terminal.isClosed()) return exitCodes.done
    }
  } catch (cause) {
    // Only errors of the system are the file’s fault.
    if (!(cause instanceof Error && 'syscall' in cause)) throw cause
    throw new Fault('file_not_readable', `Cannot read ${file}: ${systemReason(cause)}`, { cause })
  }
  const { isError } = pipeline.end()
  await terminal.flush()
  const { lines, raw, malformed } = pipeline.counts()
  if (lines > 0 && raw + malformed === lines)
    printError(
      `none of the ${lines} lines is from ${agent.title}. Is it a stream of another agent?`,
    )
  return isError ? exitCodes.failed : exitCodes.done
}

const paced = async function* (input: AsyncIterable<Buffer>, ms: number): AsyncGenerator<Buffer> {
  for await (const chunk of input) {
    let start = 0
    while (start < chunk.length) {
      const end = chunk.indexOf(10, start) + 1 || chunk.length
      yield chunk.subarray(start, end)
      start = end
      await new Promise((resolve) => setTimeout(resolve, ms))
    }
  }
}
