import { type Fields, fieldsOf, isFields, listOf, stringOf } from '../../shared/fields.ts'

/** A notification of the app-server. */
export type Notification = readonly [method: string, params: Fields]

/**
 * Reads what files of older versions have instead of items and turns: events for the texts, and calls
 * as the model sees them. Files of later versions have the calls, too, and their items are read: there,
 * only a call whose process died in it is of interest.
 */
export interface OldRollout {
  /** An event of a file. Undefined if it is none of an older version. */
  event(payload: Fields): Notification[] | undefined
  /** A line as the model sees it. */
  response(payload: Fields): Notification[]
  /** The file has items, so it is not of an older version. */
  noteItem(id: unknown): void
  /** What the process that died was doing, or the end of a turn that no line says. */
  end(): Notification[]
}

export const createOldRollout = (): OldRollout => {
  let hasItems = false
  let isTurnOpen = false
  /** The last thing of the turn was an answer: it is over if nothing follows. */
  let isAnswered = false
  let count = 0
  const calls = new Map<string, Fields>()

  const completed = (item: Fields): Notification => ['item/completed', { item }]
  const nextId = (): string => {
    count += 1
    return `item-${count}`
  }
  const end = (): Notification[] => {
    const open = [...calls.values()].filter((item) => !hasItems || isCommand(item))
    calls.clear()
    const started = open.map((item): Notification => ['item/started', { item }])
    const isOver = isTurnOpen && isAnswered
    isTurnOpen = false
    isAnswered = false
    return isOver ? [...started, ['turn/completed', { turn: { status: 'completed' } }]] : started
  }
  const text = (type: string, value: unknown): Notification[] => {
    isAnswered = type === 'agentMessage'
    const words = stringOf(value) ?? ''
    const fields = isAnswered ? { text: words } : { summary: [words] }
    return [completed({ type, id: nextId(), ...fields })]
  }
  const user = ({ message, images }: Fields): Notification[] => {
    const before = isTurnOpen ? end() : []
    isTurnOpen = true
    isAnswered = false
    const shown = listOf(images).map((url) => ({ type: 'image', url }))
    const content = [{ type: 'text', text: stringOf(message) ?? '' }, ...shown]
    const started: Notification = ['turn/started', { turn: {} }]
    return [...before, started, completed({ type: 'userMessage', id: nextId(), content })]
  }

  return {
    event(payload) {
      if (!oldEvents.has(payload.type)) return undefined
      if (hasItems) return []
      if (payload.type === 'user_message') return user(payload)
      if (payload.type === 'agent_message') return text('agentMessage', payload.message)
      return payload.type === 'agent_reasoning' ? text('reasoning', payload.text) : []
    },
    response(payload) {
      const id = stringOf(payload.call_id)
      if (id === undefined) return []
      if (callTypes.has(payload.type)) {
        isAnswered = false
        calls.set(id, callItem(id, payload))
        return []
      }
      const item = outputTypes.has(payload.type) ? calls.get(id) : undefined
      if (!item) return []
      calls.delete(id)
      return hasItems || item.tool === 'update_plan'
        ? []
        : [['item/started', { item }], completed({ ...item, ...outcomeOf(item, payload.output) })]
    },
    noteItem(id) {
      hasItems = true
      calls.delete(stringOf(id) ?? '')
    },
    end,
  }
}

/** Events of older versions. The last three are written again in other forms. */
const oldEvents: ReadonlySet<unknown> = new Set([
  ...['user_message', 'agent_message', 'agent_reasoning'],
  ...['agent_reasoning_raw_content', 'context_compacted', 'entered_review_mode'],
])

const callTypes: ReadonlySet<unknown> = new Set([
  'function_call',
  'custom_tool_call',
  'local_shell_call',
])
const outputTypes: ReadonlySet<unknown> = new Set([
  'function_call_output',
  'custom_tool_call_output',
])

/** The tools that run a command, as versions have named them. */
const shells: ReadonlySet<unknown> = new Set(['shell', 'shell_command', 'exec_command', 'bash'])

const isCommand = ({ type }: Fields): boolean => type === 'commandExecution'

const callItem = (id: string, payload: Fields): Fields => {
  const { name, input } = payload
  const args = isFields(payload.action)
    ? payload.action
    : isFields(input) || typeof input === 'string'
      ? { input }
      : jsonIn(payload.arguments)
  const command = args.command ?? args.cmd
  if (payload.type === 'local_shell_call' || (shells.has(name) && command !== undefined))
    return { type: 'commandExecution', id, command: commandText(command) }
  return { type: 'dynamicToolCall', id, tool: name, arguments: args }
}

/** The script of a shell, or the words of a command. */
const commandText = (command: unknown): string => {
  if (typeof command === 'string') return command
  const words = listOf(command).map(String)
  const [, flag, script] = words
  return words.length === 3 && /^-l?c$/.test(flag ?? '') && script ? script : words.join(' ')
}

/** How a call ended, from what the model got of it. */
const outcomeOf = (item: Fields, output: unknown): Fields => {
  const given = stringOf(output) ?? stringOf(fieldsOf(output).content) ?? ''
  const { output: inner, metadata } = jsonIn(given)
  const [head, printedCode] =
    /^Exit code: (-?\d+)\n(?:[^\n]+\n)*?Output:\n/.exec(given) ??
    /^(?:[^\n]+\n)*?Process exited with code (-?\d+)\n(?:[^\n]+\n)*?Output:\n/.exec(given) ??
    []
  const code = fieldsOf(metadata).exit_code ?? (printedCode && Number(printedCode))
  const text = stringOf(inner) ?? given.slice(head?.length ?? 0)
  const isFailed = typeof code === 'number' ? code !== 0 : fieldsOf(output).success === false
  const status = isFailed ? 'failed' : 'completed'
  if (isCommand(item)) return { status, aggregatedOutput: text, exitCode: code }
  return { status, contentItems: [{ type: 'inputText', text }] }
}

const jsonIn = (text: unknown): Fields => {
  try {
    return fieldsOf(JSON.parse(stringOf(text) ?? ''))
  } catch {
    return {}
  }
}
