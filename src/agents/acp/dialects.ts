import type { Usage } from '../../events/types.ts'
import { countOf, defined, type Fields, fieldsOf, stringOf } from '../../shared/fields.ts'

/**
 * Where agents differ although all of them are valid ACP. An agent is recognised by the name that it
 * gives itself in its answer to `initialize`; an agent without an entry is read as the protocol says.
 */
export interface AcpDialect {
  /** The name of a call’s tool, where the protocol’s own field does not carry it. */
  toolName?(call: Fields): string | undefined
  /**
   * A new call does not have all its arguments yet: they are complete when its status changes, or with
   * the first line that is about something else. Default: a call that has arguments has all of them.
   */
  readonly inputUntil?: 'status' | 'next_line'
  /** What `usage` in the answer to a prompt counts. Default: the whole process. */
  readonly usageOf?: 'prompt' | 'last_call' | 'process'
  /** `inputTokens` includes the tokens that were read from a cache. */
  readonly inputHasCache?: true
  /** `outputTokens` leaves the tokens of thoughts out. */
  readonly outputLacksThoughts?: true
  /** A second prompt during a run joins the run, and both prompts are answered. */
  readonly joinsPrompts?: true
  /** It does not forward what its subagents request, so that nobody can answer. */
  readonly hidesSubagents?: true
  /** It cannot read the error about a missing file, and takes an empty one for it. */
  readonly missingIsEmpty?: true
  /** It offers `session/load`, but loses the conversation with it. */
  readonly cannotLoad?: true
  /** The modes in which the agent edits files without a request. */
  readonly editModes?: readonly string[]
  /** The mode in a text that is no message. */
  modeIn?(text: string): string | undefined
  /** The error in a text with which the agent ends a prompt that has failed. */
  failureIn?(text: string): string | undefined
  /** A notice of the agent in a text that is no message. */
  noticeIn?(text: string): string | undefined
  /** It names no model: it uses the one that it was started with. */
  readonly usesStartModel?: true
  /** The model’s own name in the name of a choice. */
  modelName?(id: string): string
  /** The model that a `usage_update` counts for. */
  usedModel?(update: Fields): string | undefined
}

const standard: AcpDialect = {}

const gemini: AcpDialect = {
  // Its ids have the form `<tool>__<tool>_<time>_<number>`, and it names the tool nowhere else.
  toolName: ({ toolCallId }) => /^(\w+?)__\1_\d+_\d+$/.exec(stringOf(toolCallId) ?? '')?.[1],
  inputHasCache: true,
  outputLacksThoughts: true,
  // 0.61 fails each time, and writes into the stored conversation before it does.
  cannotLoad: true,
  editModes: ['autoEdit', 'yolo'],
  missingIsEmpty: true,
  modeIn: (text) => /^\[MODE_UPDATE\] (\S+)$/.exec(text)?.[1],
}

const opencode: AcpDialect = {
  // The title of a new call is the name of its tool. Updates have other titles.
  toolName: ({ sessionUpdate, status, title }) =>
    sessionUpdate === 'tool_call' && status === 'pending' && /^\w+$/.test(stringOf(title) ?? '')
      ? stringOf(title)
      : undefined,
  inputUntil: 'status',
  usageOf: 'last_call',
  outputLacksThoughts: true,
  joinsPrompts: true,
  hidesSubagents: true,
}

const copilot: AcpDialect = {
  inputHasCache: true,
  failureIn: (text) => /^Error: (.+)$/s.exec(text)?.[1],
  noticeIn: (text) =>
    /^Info: ((?:Operation cancelled by user|Response was interrupted).*)$/s.exec(text)?.[1],
  usesStartModel: true,
}

const qwen: AcpDialect = {
  toolName: (call) => stringOf(fieldsOf(call._meta).toolName),
  inputHasCache: true,
  editModes: ['auto-edit', 'auto', 'yolo'],
  modelName: (id) => /^\$runtime\|[^|]*\|(.+?)(?:\([^)]*\))?$/.exec(id)?.[1] ?? id,
}

const claude: AcpDialect = {
  toolName: (call) => stringOf(fieldsOf(fieldsOf(call._meta).claudeCode).toolName),
  inputUntil: 'next_line',
  usedModel: (update) => stringOf(fieldsOf(update._meta)['_claude/model']),
  usageOf: 'prompt',
  joinsPrompts: true,
  editModes: ['acceptEdits', 'bypassPermissions'],
}

const pi: AcpDialect = {
  // Calls of `bash` have their command as the title, other calls the name of their tool.
  toolName: ({ kind, title }) =>
    kind !== 'execute' && /^\w+$/.test(stringOf(title) ?? '') ? stringOf(title) : undefined,
  noticeIn: (text) => /^(pi v\d\S*)\s+---/.exec(text)?.[1],
}

const dialects = new Map<string, AcpDialect>([
  ['gemini-cli', gemini],
  ['OpenCode', opencode],
  ['Copilot', copilot],
  ['qwen-code', qwen],
  ['pi-acp', pi],
  ['@agentclientprotocol/claude-agent-acp', claude],
  ['@zed-industries/claude-code-acp', claude],
])

/** The dialect of an agent, by its answer to `initialize`. */
export const dialectOf = (initialized: Fields): AcpDialect =>
  dialects.get(stringOf(fieldsOf(initialized.agentInfo).name) ?? '') ?? standard

export const standardDialect = standard

/** The tokens in a `usage` of an agent. */
export const usageIn = (value: unknown, dialect: AcpDialect): Usage | undefined => {
  const fields = fieldsOf(value)
  const count = (...names: string[]) =>
    names.map((name) => countOf(fields[name])).find((each) => each !== undefined)
  const input = count('inputTokens', 'input_tokens')
  const output = count('outputTokens', 'output_tokens')
  if (input === undefined && output === undefined) return undefined
  const cacheRead = count('cachedReadTokens', 'cachedInputTokens')
  const cacheWrite = count('cachedWriteTokens')
  const thoughts = count('thoughtTokens', 'reasoningOutputTokens')
  return defined({
    input:
      input !== undefined && dialect.inputHasCache ? Math.max(0, input - (cacheRead ?? 0)) : input,
    output: output !== undefined && dialect.outputLacksThoughts ? output + (thoughts ?? 0) : output,
    cacheRead,
    cacheWrite,
    reasoning: thoughts || undefined,
  })
}
