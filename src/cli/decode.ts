import { createReadStream } from 'node:fs'
import { basename } from 'node:path'
import { type AgentName, loadAgent } from '../agents/table.ts'
import { Fault } from '../shared/fault.ts'
import { exitCodes } from './exit.ts'
import type { OutName } from './outputs.ts'
import { createPipeline } from './pipeline.ts'
import type { Terminal } from './terminal.ts'

export interface DecodeOptions {
  agent: AgentName
  /** A path, or `-` for stdin. */
  file: string
  out: OutName
  /** Milliseconds between lines, to watch a recording as if it were live. */
  pace?: number
}

/** `sluice decode`: an agent’s stream in, from a file or stdin; ours out. */
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
    // The system’s own error; any other is ours.
    if (!(cause instanceof Error && 'syscall' in cause)) throw cause
    throw new Fault('file_not_readable', `${file} cannot be read: ${reasonOf(cause)}`, { cause })
  }
  pipeline.end()
  await terminal.flush()
  const { lines, raw } = pipeline.counts()
  if (lines > 0 && raw === lines)
    process.stderr.write(`sluice: ${agent.title} writes no such lines; are they another agent’s?\n`)
  return exitCodes.done
}

/** Without the code before the words, and the call and the path behind them. */
const reasonOf = ({ message }: Error): string => message.replace(/^[A-Z]+: |, \w+( '.*')?$/g, '')

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
