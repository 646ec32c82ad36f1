import type { Block, TokenCounts } from '../../events/types.ts'
import {
  countOf,
  defined,
  type Fields,
  fieldsOf,
  isFields,
  listOf,
  numberOf,
  stringIn,
  stringOf,
} from '../../shared/fields.ts'
import { foreignBlock } from '../foreign-block.ts'
import { scriptOf } from './shell-command.ts'

/**
 * The fields that are read of Codex’s items and usage. `codex exec` writes their names with underscores
 * (`exit_code`), the app-server in camel case (`exitCode`).
 */
export const itemTypeOf = ({ type }: Fields): string => {
  if (typeof type !== 'string') return 'unknown'
  const known = itemTypes.get(type)
  if (known !== undefined) return known
  const found = type.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  // Codex has some thirty types. Names without end must not fill the memory.
  if (itemTypes.size < 200) itemTypes.set(type, found)
  return found
}

/** Each item is asked for its type several times. */
const itemTypes = new Map<string, string>()

/** Tokens as Codex counts them: the input includes what was read from the cache. */
export const tokensOf = (value: unknown): TokenCounts => {
  const usage = fieldsOf(value)
  const cacheRead = countIn(usage, 'cached_input_tokens', 'cachedInputTokens')
  const cacheWrite = countIn(usage, 'cache_write_input_tokens', 'cacheWriteInputTokens')
  const all = countIn(usage, 'input_tokens', 'inputTokens')
  const input = all === undefined ? undefined : all - (cacheRead ?? 0) - (cacheWrite ?? 0)
  return defined({
    input: input === undefined ? undefined : Math.max(0, input),
    output: countIn(usage, 'output_tokens', 'outputTokens'),
    cacheRead,
    cacheWrite: cacheWrite || undefined,
    reasoning: countIn(usage, 'reasoning_output_tokens', 'reasoningOutputTokens') || undefined,
  })
}

const countIn = (fields: Fields, ...names: readonly string[]): number | undefined => {
  for (const name of names) {
    const found = countOf(fields[name])
    if (found !== undefined) return found
  }
  return undefined
}

/** A tool call, as an item shows it. */
export interface CodexCall {
  readonly id: string
  readonly toolName: string
  readonly input: Fields
}

/** How a tool call ended. */
export interface CodexResult {
  readonly content: Block[]
  readonly isError: boolean
  readonly exitCode?: number
  readonly durationMs?: number
  readonly details?: unknown
  /** The item ended without an outcome. */
  readonly isInterrupted?: true
}

/** The call of an item. `cwd` is the directory of the thread. */
export const callOf = (item: Fields, cwd: string | undefined): CodexCall => {
  const id = stringOf(item.id) ?? ''
  const type = itemTypeOf(item)
  switch (type) {
    case 'command_execution':
      return { id, toolName: type, input: commandInput(item, cwd) }
    case 'file_change':
      return { id, toolName: type, input: { changes: listOf(item.changes).map(changeOf) } }
    case 'mcp_tool_call':
      return { id, toolName: mcpName(item), input: fieldsOf(item.arguments) }
    case 'dynamic_tool_call':
    case 'collab_agent_tool_call':
    case 'collab_tool_call':
      return { id, toolName: stringOf(item.tool) ?? type, input: otherInput(item) }
    case 'sub_agent_activity':
      return { id, toolName: subagentTools.get(item.kind) ?? type, input: activityInput(item) }
    default:
      return { id, toolName: type, input: otherInput(item) }
  }
}

/** The calls behind the activities of subagents. */
const subagentTools: ReadonlyMap<unknown, string> = new Map([
  ['started', 'spawn_agent'],
  ['interacted', 'followup_task'],
  ['interrupted', 'interrupt_agent'],
])

const activityInput = ({ agentPath, model }: Fields): Fields =>
  defined({ agent: stringOf(agentPath), model: stringOf(model) })

/** The command without the shell around it. Its directory is named if it is not the thread’s. */
const commandInput = (item: Fields, cwd: string | undefined): Fields => {
  const own = stringOf(item.cwd)
  return {
    command: scriptOf(stringOf(item.command) ?? ''),
    ...(own !== undefined && own !== cwd && cwd !== undefined && { cwd: own }),
  }
}

/** The name under which the model calls a tool of an MCP server. */
const mcpName = ({ server, tool }: Fields): string =>
  `mcp__${stringOf(server) ?? 'server'}__${stringOf(tool) ?? 'tool'}`

const changeOf = (value: unknown): Fields => {
  const { path, kind, diff } = fieldsOf(value)
  const { type, move_path: movedTo } = fieldsOf(kind)
  return defined({
    path: stringOf(path),
    kind: stringOf(kind) ?? stringOf(type),
    movedTo: stringOf(movedTo),
    diff: stringOf(diff),
  })
}

/** What an item says about its call, without what it says about its course. */
const otherInput = (item: Fields): Fields => {
  const { arguments: args } = item
  if (isFields(args)) return args
  const input: { [name: string]: unknown } = {}
  for (const [name, value] of Object.entries(item))
    if (!courseFields.has(name) && value !== null && value !== undefined) input[name] = value
  return input
}

const courseFields: ReadonlySet<string> = new Set([
  'id',
  'type',
  'tool',
  'status',
  'result',
  'error',
  'success',
  'contentItems',
  'durationMs',
  'startedAtMs',
  'completedAtMs',
  'agentsStates',
  'agents_states',
])

/** How the call of an item ended. */
export const resultOf = (item: Fields): CodexResult => {
  const status = (stringOf(item.status) ?? '').toLowerCase()
  const content = contentOf(item)
  return {
    content,
    isError: failedStatuses.has(status) || isFields(item.error) || item.success === false,
    ...defined({
      exitCode: numberOf(item.exit_code) ?? numberOf(item.exitCode),
      durationMs: countOf(item.durationMs),
      details: detailsOf(item),
    }),
    ...((status === 'in_progress' || status === 'inprogress') && { isInterrupted: true as const }),
  }
}

const failedStatuses: ReadonlySet<string> = new Set(['failed', 'declined', 'errored'])

const contentOf = (item: Fields): Block[] => {
  const output = stringIn(item, 'aggregated_output', 'aggregatedOutput')
  if (output !== undefined) return [{ type: 'text', text: output }]
  const error = stringOf(fieldsOf(item.error).message)
  const items = listOf(fieldsOf(item.result).content)
  const blocks = [...items, ...listOf(item.contentItems)].filter(isFields).map(blockOf)
  return error === undefined ? blocks : [...blocks, { type: 'text', text: error }]
}

/** A block of an MCP result, or of a message of the user; one of an unknown type stays as it is. */
export const blockOf = (block: Fields): Block => {
  const type = stringOf(block.type) ?? 'unknown'
  const text = stringOf(block.text)
  if (text !== undefined && /^(?:input_?text|text)$/i.test(type)) return { type: 'text', text }
  const data = stringOf(block.data)
  if (type === 'image' && data !== undefined)
    return { type, data, mimeType: stringOf(block.mimeType) ?? '' }
  const [, mimeType, encoded] = /^data:([^;,]+);base64,(.*)$/s.exec(stringOf(block.url) ?? '') ?? []
  if (type === 'image' && mimeType !== undefined && encoded !== undefined)
    return { type, data: encoded, mimeType }
  return foreignBlock(block)
}

const detailsOf = (item: Fields): unknown => {
  const result = fieldsOf(item.result)
  return result.structured_content ?? result.structuredContent ?? undefined
}
