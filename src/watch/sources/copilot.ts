import { join } from 'node:path'
import type { FileSource } from './file-source.ts'

/** GitHub Copilot: `session-state/<id>/events.jsonl`. Locks and settings beside it are not read. */
export const copilotSource: FileSource = {
  agent: 'copilot',
  directory: (env, home) => join(env.COPILOT_HOME || join(home, '.copilot'), 'session-state'),
  fileAt: (path) => (/^[^/]+\/events\.jsonl$/.test(path) ? { kind: 'session' } : undefined),
  loadDecoder: async () =>
    (await import('../../agents/copilot/session-file.ts')).createCopilotFileDecoder,
}
