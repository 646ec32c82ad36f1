import { join } from 'node:path'
import { stringOf } from '../../shared/fields.ts'
import type { FileSource } from './file-source.ts'

/** Pi: `sessions/<directory>/<time>_<id>.jsonl`. */
export const piSource: FileSource = {
  agent: 'pi',
  directory: (env, home) => join(env.PI_CODING_AGENT_DIR || join(home, '.pi/agent'), 'sessions'),
  fileAt: (path) => (/^[^/]+\/[^/]+\.jsonl$/.test(path) ? { kind: 'session' } : undefined),
  loadDecoder: async () => (await import('../../agents/pi/session-file.ts')).createPiFileDecoder,
  beginningOf({ type, id, timestamp }) {
    const key = stringOf(id)
    return type === 'session' || key === undefined ? undefined : `${key} ${stringOf(timestamp)}`
  },
}
