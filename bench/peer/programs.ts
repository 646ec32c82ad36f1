import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Setting } from '../setting.ts'
import { compilePrograms } from '../sse/programs.ts'

/** The programs that are written in C. */
export interface PeerPrograms {
  /** The agent behind the servers. */
  agent: string
  /** The clients before them. */
  load: string
}

/** Compiles them; a text says why it could not be done. */
export const compilePeerPrograms = (setting: Setting): PeerPrograms | string => {
  const common = compilePrograms(setting)
  if (typeof common === 'string') return common
  const source = fileURLToPath(new URL('agent.c', import.meta.url))
  const agent = join(setting.directory, 'agent')
  const args = ['-O2', '-Wall', '-o', agent, source]
  const { status } = spawnSync('gcc', args, { stdio: ['ignore', 'ignore', 'inherit'] })
  return status === 0 ? { agent, load: common.load } : 'agent.c could not be compiled'
}
