import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { note } from '../model/scripts.ts'

/** How to start one agent: `argv` lacks only the prompt; `remove` deletes all that it wrote. */
export interface AgentSetup {
  argv: string[]
  env: Record<string, string>
  cwd: string
  remove(): void
}

/** Fresh folders for one run. `env` has PATH, HOME and TMPDIR only: no key of ours leaks in. */
export interface Sandbox {
  home: string
  cwd: string
  env: Record<string, string>
  remove(): void
}

/** Makes the folders; the cwd holds the note that the scenario `parallel` reads. */
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
