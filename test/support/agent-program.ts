import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentSetup } from '../agents/sandbox.ts'

/** One program for a setup that names an interpreter and a file: Sluice starts a single program. */
export const agentProgram = (setup: AgentSetup): string => {
  const [program = '', file] = setup.argv
  if (file === undefined || file.startsWith('-')) return program
  const script = join(setup.cwd, 'agent')
  writeFileSync(script, `#!/bin/sh\nexec "${program}" "${file}" "$@"\n`, { mode: 0o755 })
  return script
}
