import { join } from 'node:path'
import { type FileSource, literally } from './file-source.ts'

/** Gemini CLI: `tmp/<project>/chats/session-<time>-<id>.jsonl`, and subagents in `chats/<id>/`. */
export const geminiSource: FileSource = {
  agent: 'gemini',
  directory: (env, home) => join(env.GEMINI_CLI_HOME || home, '.gemini/tmp'),
  fileAt(path) {
    if (/^[^/]+\/chats\/session-[^/]+\.jsonl$/.test(path)) return { kind: 'session' }
    const [, directory = '', id] = /^([^/]+\/chats)\/([^/]+)\/[^/]+\.jsonl$/.exec(path) ?? []
    return id === undefined
      ? undefined
      : {
          kind: 'part',
          session: { directory, name: new RegExp(`-${literally(id.slice(0, 8))}\\.jsonl$`) },
        }
  },
  partsOf: (path, nativeId) => ({
    directory: path.replace(/[^/]+$/, nativeId),
    name: /^[^/]+\.jsonl$/,
  }),
  loadDecoder: async () =>
    (await import('../../agents/gemini/session-file.ts')).createGeminiFileDecoder,
}
