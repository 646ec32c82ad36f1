import { join } from 'node:path'
import { fieldsOf, stringOf } from '../../shared/fields.ts'
import type { FileSource } from './file-source.ts'

/** Codex: `sessions/<year>/<month>/<day>/rollout-<time>-<id>.jsonl`. */
export const codexSource: FileSource = {
  agent: 'codex',
  directory: (env, home) => join(env.CODEX_HOME || join(home, '.codex'), 'sessions'),
  fileAt: (path) =>
    /^(?:\d+\/){3}rollout-[^/]+\.jsonl$/.test(path) ? { kind: 'session' } : undefined,
  loadDecoder: async () =>
    (await import('../../agents/codex/session-file.ts')).createCodexFileDecoder,
  beginningOf: ({ type, payload }) =>
    type === 'response_item' ? stringOf(fieldsOf(payload).id) : undefined,
}
