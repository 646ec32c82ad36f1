import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BenchOptions } from '../part.ts'
import { compilePrograms } from '../sse/programs.ts'

/** The programs in C. */
export interface PeerPrograms {
  /** The agent that both servers run. */
  agent: string
  /** The clients. */
  load: string
}

/** Compiles the programs. Returns the reason when that fails. */
export const compilePeerPrograms = (options: BenchOptions): PeerPrograms | string => {
  const common = compilePrograms(options)
  if (typeof common === 'string') return common
  const source = fileURLToPath(new URL('agent.c', import.meta.url))
  const agent = join(options.directory, 'agent')
  const args = ['-O2', '-Wall', '-o', agent, source]
  const { status } = spawnSync('gcc', args, { stdio: ['ignore', 'ignore', 'inherit'] })
  return status === 0 ? { agent, load: common.load } : 'agent.c could not be compiled'
}
