import { copyFileSync, mkdirSync, mkdtempSync, rmSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { recordings } from '../support/recordings.ts'

const samples = new URL('./samples/', import.meta.url).pathname
const stored = new URL('../../recordings/', import.meta.url).pathname

/** A home directory for agents, which is removed after the test. */
export const agentHome = (): string => {
  const home = mkdtempSync(join(tmpdir(), 'sluice-home-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  return home
}

/** Where an agent stores the session of a recording, by the agent’s id of it. */
const paths: Readonly<Record<string, (id: string) => string>> = {
  claude: (id) => `.claude/projects/-home-dev-project/${id}.jsonl`,
  pi: (id) => `.pi/agent/sessions/--home-dev-project--/2026-11-15T23-00-36-438Z_${id}.jsonl`,
  codex: (id) => `.codex/sessions/2026/11/15/rollout-2026-11-15T22-58-26-${id}.jsonl`,
  gemini: (id) => `.gemini/tmp/project/chats/session-2026-11-15T22-59-${id.slice(0, 8)}.jsonl`,
  qwen: (id) => `.qwen/projects/-home-dev-project/chats/${id}.jsonl`,
  copilot: (id) => `.copilot/session-state/${id}/events.jsonl`,
}

/** The recordings of session files. */
export const fileRecordings = recordings.filter(
  ({ name }) =>
    /^(?:claude|pi|codex|gemini|qwen|copilot)-session-file\//.test(name) &&
    !name.endsWith('-stream') &&
    !name.endsWith('-subagent'),
)

const put = (from: string, to: string): string => {
  mkdirSync(dirname(to), { recursive: true })
  copyFileSync(from, to)
  age(to)
  return to
}

/** Makes a file look as if its agent had gone long ago. */
export const age = (path: string): void => {
  const longAgo = new Date('2026-11-16T00:00:00Z')
  utimesSync(path, longAgo, longAgo)
}

/** Puts the file of a recording where its agent stores it. Returns its path. */
export const putRecording = (home: string, name: string, nativeId: string): string => {
  const [agent = ''] = name.split('-session-file/')
  const to = join(home, paths[agent]?.(nativeId) ?? '')
  return put(join(stored, `${name}.ndjson`), to)
}

/** Puts a file of a subagent below the home directory. */
export const putSample = (home: string, sample: string, to: string): string =>
  put(join(samples, sample), join(home, to))

export const putStored = (home: string, name: string, to: string): string =>
  put(join(stored, name), join(home, to))
