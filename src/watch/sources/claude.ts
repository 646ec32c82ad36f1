import { join } from 'node:path'
import { fieldsOf, stringOf } from '../../shared/fields.ts'
import { type FileSource, onlyName } from './file-source.ts'

/** Most of a file are texts for the model. Lines that hold these begin in these ways. */
const skipped =
  /^\{(?:"parentUuid":(?:null|"[^"]*"),(?:"logicalParentUuid":(?:null|"[^"]*"),)?"isSidechain":(?:true|false),(?:"agentId":"[^"]*",)?"attachment":|"type":"(?:api-request|atis-latch|file-history-snapshot))/

/** In versions 2.0, the files of subagents lie among those of sessions. */
const loose = /^agent-[^/]+\.jsonl$/

/** Claude Code: `projects/<directory>/<id>.jsonl`, and subagents in a folder of the same name. */
export const claudeSource: FileSource = {
  agent: 'claude',
  directory: (env, home) => join(env.CLAUDE_CONFIG_DIR || join(home, '.claude'), 'projects'),
  fileAt(path) {
    const [, own] = /^[^/]+\/([^/]+\.jsonl)$/.exec(path) ?? []
    if (own !== undefined) return { kind: loose.test(own) ? 'loose' : 'session' }
    const [, directory = '', id] =
      /^([^/]+)\/([^/]+)\/subagents\/(?:[^/]+\/)*agent-[^/]+\.jsonl$/.exec(path) ?? []
    return id === undefined
      ? undefined
      : { kind: 'part', session: { directory, ...onlyName(`${id}.jsonl`) } }
  },
  partsOf: (path) => ({
    directory: `${path.slice(0, -'.jsonl'.length)}/subagents`,
    name: /^agent-.+\.jsonl$/,
  }),
  looseParts: {
    name: loose,
    sessionIn(beginning) {
      const [, id] = /"sessionId":"([\w-]{1,200})"/.exec(beginning) ?? []
      return id && `${id}.jsonl`
    },
  },
  // In forks of versions 2.0, the copied prompts name the original.
  nativeIdAt: (path) => /(?:^|\/)([0-9a-f-]{36})\.jsonl$/.exec(path)?.[1],
  loadDecoder: async () =>
    (await import('../../agents/claude/session-file.ts')).createClaudeFileDecoder,
  // The stream marks the lines of a subagent by the call that started it. Before 2.1.212, no file says
  // which call that was.
  partLine: (line, { toolCallId }) =>
    toolCallId === `agent-${stringOf(line.agentId)}`
      ? line
      : { ...line, parent_tool_use_id: toolCallId },
  isSkipped: (beginning) => skipped.test(beginning),
  beginningOf: ({ type, uuid }) =>
    type === 'user' || type === 'assistant' ? stringOf(uuid) : undefined,
  // `/branch` marks its copies. `--fork-session` does not, and goes on with the totals.
  pathBeside: (path, nativeId) => path.replace(/[^/]+$/, `${nativeId}.jsonl`),
  originalOf: ({ forkedFrom }) => stringOf(fieldsOf(forkedFrom).sessionId),
}
