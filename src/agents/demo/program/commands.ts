import { createLineReader } from '../../../lines/index.ts'
import {
  defined,
  type Fields,
  fieldsOf,
  isFields,
  listOf,
  stringOf,
} from '../../../shared/fields.ts'
import type { ApprovalReply, CommandReply, PromptImage } from '../../live.ts'
import type { InputMessage, QueueKind } from './message-queue.ts'

/** What the commands do. */
export interface CommandTarget {
  isBusy(): boolean
  /** Starts a run. */
  prompt(message: InputMessage): void
  /** Queues a message for the run. */
  queue(kind: QueueKind, message: InputMessage): void
  /** Starts a compaction. */
  compact(): void
  /** Stops what runs; resolves when it has ended. */
  abort(): Promise<void>
  /** Passes on a reply to an approval request; false if no such request waits. */
  approve(approvalId: string, reply: ApprovalReply): boolean
  change(field: ChangeableField, value: string): void
  /** Prints the reply to a command. */
  reply(reply: CommandReply): void
  /** Prints an error about a command. */
  fail(message: string): void
}

export type ChangeableField = 'model' | 'thinkingLevel' | 'name'

/** Reads commands from the bytes of stdin, one JSON object per line, and executes them. */
export const createCommandReader = (target: CommandTarget) =>
  createLineReader({
    line(text) {
      const command = parse(text)
      if (command) execute(command, target)
      else target.fail('The command is not a JSON object.')
    },
    value() {},
    malformed: () => target.fail('The command is not JSON.'),
    oversize: () => target.fail('The command is too long.'),
    torn() {},
  })

const parse = (text: string): Fields | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return isFields(value) ? value : undefined
  } catch {
    return undefined
  }
}

const execute = (line: Fields, target: CommandTarget): unknown => {
  switch (line.type) {
    case 'prompt':
      return send(line, target)
    case 'steer':
      return send(line, target, 'steering')
    case 'followUp':
      return send(line, target, 'followUp')
    case 'answer':
      return approve(line, target)
    case 'abort':
      return target.abort().then(() => reply(line, target))
    case 'compact':
      return start(line, target, target.compact)
    case 'setModel':
      return change(line, target, 'model', line.model)
    case 'setThinking':
      return change(line, target, 'thinkingLevel', line.level)
    case 'setName':
      return change(line, target, 'name', line.name)
    default:
      return fail(line, target, `The demo has no command of type ${JSON.stringify(line.type)}.`)
  }
}

/** A prompt needs an idle demo. A queued message waits for the run, or starts one. */
const send = (line: Fields, target: CommandTarget, kind?: QueueKind) => {
  const message = userMessageOf(line)
  if (!message) return fail(line, target, 'The message has no text.')
  if (!kind || !target.isBusy()) return start(line, target, () => target.prompt(message))
  reply(line, target)
  target.queue(kind, message)
}

const start = (line: Fields, target: CommandTarget, run: () => void) => {
  if (target.isBusy()) return reply(line, target, 'The demo is busy.')
  reply(line, target)
  run()
}

const change = (line: Fields, target: CommandTarget, field: ChangeableField, value: unknown) => {
  const text = stringOf(value)
  if (!text) return fail(line, target, `The command has no ${field}.`)
  target.change(field, text)
  reply(line, target)
}

const approve = (line: Fields, target: CommandTarget) => {
  const isWaiting = target.approve(stringOf(line.approvalId) ?? '', approvalReplyOf(line))
  reply(line, target, isWaiting ? undefined : 'No such approval request waits.')
}

const reply = (line: Fields, target: CommandTarget, error?: string) => {
  const id = stringOf(line.id)
  if (id !== undefined) target.reply({ id, ok: error === undefined, ...defined({ error }) })
}

const fail = (line: Fields, target: CommandTarget, message: string) => {
  reply(line, target, message)
  target.fail(message)
}

/** The message in a command; undefined if it has no text. */
const userMessageOf = (line: Fields): InputMessage | undefined => {
  const text = stringOf(line.text)
  return text === undefined ? undefined : { text, images: listOf(line.images).flatMap(imageOf) }
}

const imageOf = (value: unknown): PromptImage[] => {
  const { data, mimeType } = fieldsOf(value)
  return typeof data === 'string' && typeof mimeType === 'string' ? [{ data, mimeType }] : []
}

/** The reply in a command. Whatever is not clearly allowed is denied. */
const approvalReplyOf = (line: Fields): ApprovalReply => ({
  action: line.action === 'allow' ? 'allow' : 'deny',
  ...defined({ message: stringOf(line.message), updatedInput: line.updatedInput }),
})
