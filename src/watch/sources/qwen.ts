import { join } from 'node:path'
import { type FileSource, onlyName } from './file-source.ts'

/** Qwen Code: `projects/<directory>/chats/<id>.jsonl`, and subagents in `subagents/<id>/`. */
export const qwenSource: FileSource = {
  agent: 'qwen',
  directory: (env, home) => join(env.QWEN_HOME || join(home, '.qwen'), 'projects'),
  fileAt(path) {
    if (/^[^/]+\/chats\/[^/]+\.jsonl$/.test(path)) return { kind: 'session' }
    const [, project = '', id] =
      /^([^/]+)\/subagents\/([^/]+)\/agent-[^/]+\.jsonl$/.exec(path) ?? []
    return id === undefined
      ? undefined
      : {
          kind: 'part',
          session: {
            directory: `${project}/chats`,
            ...onlyName(`${id}.jsonl`),
          },
        }
  },
  partsOf: (path, nativeId) => ({
    directory: path.replace(/chats\/[^/]+$/, `subagents/${nativeId}`),
    name: /^agent-.+\.jsonl$/,
  }),
  loadDecoder: async () =>
    (await import('../../agents/qwen/session-file.ts')).createQwenFileDecoder,
}
