import type { ContextReport } from '../api/types.ts'
import type { Client } from '../client/client.ts'
import { blobIn } from '../events/blob-preview.ts'
import type {
  BlobRef,
  Block,
  ContextGauge,
  Message,
  SnapshotTask,
  ToolResultMessage,
} from '../events/types.ts'
import { Fault } from '../shared/fault.ts'
import { plainLine } from './clean-text.ts'
import { exitCodes } from './exit.ts'
import { findServerSession } from './find-session.ts'
import { onServer, requireServerAt, type ServerTarget } from './remote/server-target.ts'
import type { Terminal } from './terminal.ts'

export interface InspectOptions extends ServerTarget {
  session: string
  json: boolean
}

/** Shows something of a session on a server. */
const inspect = (
  options: InspectOptions,
  terminal: Terminal,
  show: (client: Client, id: string) => Promise<void>,
): Promise<number> => {
  const client = requireServerAt(options)
  return onServer(options, async () => {
    const { id } = await findServerSession(client, options.session)
    await show(client, id)
    await terminal.flush()
    return exitCodes.done
  })
}

/** `sluice tasks`: the subagents and long-running commands of a session’s agent. */
export const printTasks = (options: InspectOptions, terminal: Terminal): Promise<number> =>
  inspect(options, terminal, async (client, id) => {
    const { tasks } = await client.sessions.tasks(id)
    if (options.json) for (const task of tasks) terminal.writeJson(task)
    else if (tasks.length === 0) terminal.write('The agent has started no tasks.\n')
    else for (const task of tasks) terminal.write(taskLine(task))
  })

/** `sluice tasks output`: what a command in the background has printed. */
export const printTaskOutput = (
  options: InspectOptions & { task: string },
  terminal: Terminal,
): Promise<number> =>
  inspect(options, terminal, async (client, id) => {
    const output = await client.sessions.taskOutput(id, options.task)
    if (options.json) terminal.writeJson(output)
    else writeOutput(terminal, output.text)
  })

/** `sluice tasks stop`: ends a task. The run of the session goes on. */
export const stopTaskOnServer = (
  options: InspectOptions & { task: string },
  terminal: Terminal,
): Promise<number> =>
  inspect(options, terminal, async (client, id) => {
    const accepted = await client.sessions.stopTask(id, options.task)
    if (options.json) terminal.writeJson(accepted)
    else terminal.write(`Stopping ${plainLine(options.task)}.\n`)
  })

/** `sluice context`: how full the context of the model is, and what it consists of. */
export const printContext = (options: InspectOptions, terminal: Terminal): Promise<number> =>
  inspect(options, terminal, async (client, id) => {
    const report = await client.sessions.context(id)
    if (options.json) terminal.writeJson(report)
    else for (const line of contextLines(report)) terminal.write(`${line}\n`)
  })

/** `sluice output`: the complete output of a tool call, also where the model got only a part of it. */
export const printOutput = (
  options: InspectOptions & { call?: string },
  terminal: Terminal,
): Promise<number> =>
  inspect(options, terminal, async (client, id) => {
    const { messages } = await client.sessions.messages(id)
    const result = findResult(messages, options.call)
    const textOf = async ({ hash }: BlobRef) => (await client.blobs.get(hash)).text()
    const text = await completeText(result, textOf)
    const { toolCallId, toolName, outputSize } = result
    if (options.json) terminal.writeJson({ toolCallId, toolName, output: text, outputSize })
    else writeOutput(terminal, text)
  })

const findResult = (
  messages: readonly (Message | ToolResultMessage)[],
  call: string | undefined,
): ToolResultMessage => {
  const results = messages.filter((each) => each.role === 'toolResult')
  const found = results.findLast(({ toolCallId }) => call === undefined || toolCallId === call)
  if (found) return found
  throw new Fault(
    'usage',
    call === undefined
      ? 'No tool has returned anything yet.'
      : `There is no result of ${plainLine(call)}.`,
  )
}

/** The whole output of a call. What is too large for an event is stored as a blob. */
const completeText = async (
  { content, contentBlob, output, outputBlob }: ToolResultMessage,
  textOf: (blob: BlobRef) => Promise<string>,
): Promise<string> => {
  if (outputBlob) return textOf(outputBlob)
  if (output !== undefined) return output
  const blocks: Block[] = contentBlob ? JSON.parse(await textOf(contentBlob)) : content
  const texts = blocks.map(async (block) => {
    if (block.type !== 'text' || typeof block.text !== 'string') return ''
    const blob = blobIn(block)
    return blob ? textOf(blob) : block.text
  })
  return (await Promise.all(texts)).join('\n')
}

const taskLine = ({ id, state, description, activity, isBackground }: SnapshotTask): string => {
  const about = [
    plainLine(id),
    isBackground && state === 'running' ? 'running in the background' : state,
    ...(description === undefined ? [] : [plainLine(description)]),
    ...(activity === undefined || activity === description ? [] : [plainLine(activity)]),
  ]
  return `${about.join('  ')}\n`
}

const contextLines = ({ context, model, parts = [] }: ContextReport): string[] => {
  if (!context && parts.length === 0)
    return ['Nothing is known about the context yet: no model call has ended.']
  const widest = Math.max(0, ...parts.map(({ tokens }) => count(tokens).length))
  return [
    ...(context ? [`${usedText(context)}${modelText(model)}`] : []),
    ...parts.map(({ name, tokens }) => `  ${count(tokens).padStart(widest)}  ${plainLine(name)}`),
    ...(parts.length === 0
      ? ['The agent does not report what it consists of, or is not running.']
      : []),
  ]
}

const usedText = ({ used, window }: ContextGauge): string =>
  window === null ? `${count(used)} tokens` : `${count(used)} of ${count(window)} tokens`

const modelText = (model: string | undefined): string =>
  model === undefined ? '' : ` (${plainLine(model)})`

const count = (tokens: number): string => tokens.toLocaleString('en-US')

const writeOutput = (terminal: Terminal, text: string): void =>
  terminal.write(text === '' || text.endsWith('\n') ? text : `${text}\n`)
