import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { note } from '../model/scripts.ts'

/** How to start one agent: `argv` needs only the prompt; `remove` deletes its files. */
export interface AgentSetup {
  argv: string[]
  env: Record<string, string>
  cwd: string
  remove(): void
}

/** The setup; if the agent is not installed, the reason to skip the test. */
export type FoundSetup = { setup: AgentSetup } | { setup: undefined; reason: string }

/** New folders for one run. `env` has only PATH, HOME and TMPDIR, so that no key leaks in. */
export interface Sandbox {
  home: string
  cwd: string
  env: Record<string, string>
  remove(): void
}

/** Creates the folders. The cwd contains the note that the scenario `parallel` reads. */
export function createSandbox(agent: string): Sandbox {
  const root = mkdtempSync(join(tmpdir(), `sluice-${agent}-`))
  const home = join(root, 'home')
  const cwd = join(root, 'cwd')
  const temp = join(root, 'tmp')
  for (const folder of [home, cwd, temp]) mkdirSync(folder)
  writeFileSync(join(cwd, note.name), note.text)
  return {
    home,
    cwd,
    env: { PATH: process.env.PATH ?? '', HOME: home, TMPDIR: temp },
    remove: () => rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }),
  }
}
