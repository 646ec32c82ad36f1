import type { AgentEntry } from '../agent.ts'
import { acpCapabilities } from '../default-capabilities.ts'

/** Cline in the table of agents. */
export const clineEntry = {
  name: 'cline',
  title: 'Cline',
  program: 'cline',
  programVariable: 'CLINE_BIN',
  install: 'npm install -g cline',
  login: 'Run `cline auth` and sign in. A key is enough for `sluice run cline`, not for sessions.',
  config: { variable: 'CLINE_DIR', directories: ['.cline'] },
  capabilities: { ...acpCapabilities, conversations: false, models: false, files: ['text'] },
  adapter: 'clineCli',
  projectPaths: [
    { path: '.cline/hooks', kind: 'hook' },
    { path: '.clinerules/hooks', kind: 'hook' },
    { path: '.cline/plugins', kind: 'extension' },
    { path: '.cline/agents', kind: 'agent' },
    { path: '.cline/workflows', kind: 'command' },
    { path: '.clinerules/workflows', kind: 'command' },
    { path: '.cline/skills', kind: 'skill' },
    { path: '.clinerules/skills', kind: 'skill' },
    { path: '.agents/skills', kind: 'skill' },
  ],
  load: async () => (await import('./index.ts')).cline,
} as const satisfies AgentEntry
