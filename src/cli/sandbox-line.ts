import type { SandboxInfo } from '../api/types.ts'
import type { SandboxMode } from '../process/sandbox.ts'

/** The line on stderr that says how agents run. */
export const sandboxLine = (sandbox: SandboxInfo): string => `sluice: ${sandboxText(sandbox)}\n`

/** The same line, but only where a person may expect a sandbox and there is none. */
export const sandboxWarning = (wanted: SandboxMode, sandbox: SandboxInfo): string =>
  wanted !== 'off' && sandbox.mode === 'off' ? sandboxLine(sandbox) : ''

/** Says how agents run on this machine. */
export const sandboxText = ({ mode, reason }: SandboxInfo): string => {
  switch (mode) {
    case 'on':
      return 'agents run in a sandbox: they cannot reach the data of Sluice'
    case 'project':
      return 'agents run in a sandbox: they can write only to their project'
    case 'off':
      return `agents are not sandboxed. ${reason ?? ''} Every command that you allow can then control Sluice. See docs/sandbox.md.`
  }
}
