import { existsSync, globSync } from 'node:fs'
import { join } from 'node:path'
import { knownAgent } from '../../src/agents/known-agents.ts'
import { findAgent } from '../../src/process/find-agent.ts'

/** Where `npm run agents:install` puts agents. */
export const agentCache = join(import.meta.dirname, '../../node_modules/.cache/sluice-agents')

/** An agent that can be installed for tests: its package, and its program below `node_modules`. */
export interface CachedAgent {
  readonly package: string
  /** A pattern. Not the wrapper where that needs install scripts or starts a second process. */
  readonly program: string
}

const { platform, arch } = process

export const cachedAgents: Readonly<Record<string, CachedAgent>> = {
  codex: {
    package: '@openai/codex',
    program: `@openai/codex-${platform}-${arch}/vendor/*/bin/codex`,
  },
  opencode: { package: 'opencode-ai', program: `opencode-${platform}-${arch}/bin/opencode` },
  gemini: { package: '@google/gemini-cli', program: '.bin/gemini' },
  qwen: { package: '@qwen-code/qwen-code', program: '.bin/qwen' },
}

/** The program of an agent for a test: of its variable, on PATH, or in the cache. */
export const programForTests = (name: string, cache = agentCache): string | undefined => {
  const agent = knownAgent(name)
  if (!agent) throw new Error(`There is no agent ${name}.`)
  if (process.env[agent.programVariable]) return process.env[agent.programVariable]
  return findAgent(agent) ?? cachedProgram(name, cache)
}

/** The program of an agent in the cache. */
export const cachedProgram = (name: string, cache = agentCache): string | undefined => {
  const cached = cachedAgents[name]
  const modules = join(cache, 'node_modules')
  if (!cached || !existsSync(modules)) return undefined
  return globSync(join(modules, cached.program))[0]
}
