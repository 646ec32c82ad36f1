import { chosenOption } from '../../events/chosen-option.ts'
import { defined, fieldsOf, listOf, stringOf, stringsOf } from '../../shared/fields.ts'
import { textWithFiles } from '../attached-files.ts'
import { connectLines, type LineProtocol } from '../line-protocol.ts'
import {
  type ApprovalReply,
  type Command,
  type Connection,
  type ConnectOptions,
  type ForkPoint,
  type Live,
  optionalRequestPrefix,
  type PromptFile,
  type PromptImage,
} from '../live.ts'
import { shippedFile } from '../shipped-file.ts'
import { isAtLeast } from '../version.ts'
import { createPiDecoder } from './decode.ts'
import { createForkGate } from './fork-at.ts'
import { findName, namesIn, providerAndId } from './models.ts'
import { createPiShortcut } from './shortcut.ts'
import { piStartFlags } from './start.ts'

/** Pi in RPC mode. */
export const piLive: Live = {
  queue: 'agent',
  args: ({ model, resume, fork, requestApprovals, start = {}, extra = [] }) => [
    '--mode',
    'rpc',
    ...(model === undefined ? [] : ['--model', model]),
    ...(resume === undefined ? [] : [fork ? '--fork' : '--session', resume]),
    ...(requestApprovals ? ['--extension', shippedFile('pi/gate.js')] : []),
    ...piStartFlags(start),
    ...extra,
  ],
  connect: (options) => connectPi(options),
  isUnknownSession: (stderr) => stderr.includes('No session found matching'),
  forkPoints: 'requested',
}

const connectPi = (options: ConnectOptions): Connection => {
  if (options.forkAt === undefined) return connectLines(piProtocol, options)
  const { start, write, onReply } = createForkGate(options, options.forkAt)
  const connection = connectLines(piProtocol, { ...options, write, onReply })
  return {
    ...connection,
    open() {
      start()
      connection.open()
    },
  }
}

/** One JSON object per line. The reply carries the same id. */
export const piProtocol: LineProtocol = {
  createDecoder: createPiDecoder,
  createShortcut: createPiShortcut,
  repliesTo: (type) => type !== 'answer',
  // The reply has the session’s id, model and context window.
  opening: ({ version }) => [
    stateRequest,
    commandsRequest,
    ...(version !== undefined && isAtLeast(version, '0.87.0') ? [levelsRequest] : []),
  ],
  // How full the context is after a compaction, and what Pi kept in it.
  follow: (event) =>
    event.type === 'compaction_end' && event.summary !== undefined
      ? [
          { id: 'stats', type: 'get_session_stats' },
          { id: 'context', type: 'get_messages' },
        ]
      : [],
  state: {
    request: (id) => [{ id, type: 'get_state' }],
    isWorking: (response) => fieldsOf(response).isStreaming !== false,
  },
  models: {
    request: (id) => [{ id, type: 'get_available_models' }],
    namesIn,
    find: findName,
  },
  forkPoints: {
    request: (id) => [{ id, type: 'get_fork_messages' }],
    pointsIn: (response) => listOf(fieldsOf(response).messages).flatMap(pointOf),
  },
  // Since 0.87. It gives all messages back at once.
  withdrawal: {
    request: (id) => [{ id, type: 'clear_queue' }],
    resultOf(response, text) {
      const { steering, followUp } = fieldsOf(response)
      const texts = [...stringsOf(steering), ...stringsOf(followUp)]
      const index = texts.indexOf(text)
      return { isWithdrawn: index >= 0, others: texts.filter((_, other) => other !== index) }
    },
  },
  encode(command) {
    const { id } = command
    switch (command.type) {
      case 'prompt':
        return [{ id, type: 'prompt', ...messageOf(command) }]
      case 'steer':
        return [{ id, type: 'steer', ...messageOf(command) }]
      case 'followUp':
        return [{ id, type: 'follow_up', ...messageOf(command) }]
      case 'abort':
        return [{ id, type: 'abort' }]
      case 'stopTask':
      case 'setMode':
        return undefined
      case 'compact':
        return [{ id, type: 'compact', ...defined({ customInstructions: command.instructions }) }]
      case 'setModel':
        return [{ id, type: 'set_model', ...providerAndId(command.model) }]
      case 'setThinking':
        // Pi may choose another level: the state has the one that holds.
        return [{ id, type: 'set_thinking_level', level: command.level }, stateRequest]
      case 'setSwitch':
        return [{ id, type: switchCommands[command.name], enabled: command.isOn }]
      case 'shell':
        return [{ id, type: 'bash', command: command.command }]
      case 'abortShell':
        return [{ id, type: 'abort_bash' }]
      case 'setName':
        return [{ id, type: 'set_session_name', name: command.name }]
      case 'answer':
        return [
          // First: Pi would call the model again after the denial.
          ...(stops(command) ? [{ id, type: 'abort' }] : []),
          { type: 'extension_ui_response', id: command.request.approvalId, ...answerOf(command) },
        ]
    }
  },
}

const stateRequest = { id: 'opening', type: 'get_state' }

/** Slash commands and skills, for completion. The decoder ignores that a version has no such list. */
const commandsRequest = { id: `${optionalRequestPrefix}commands`, type: 'get_commands' }

/** Which levels there are depends on the model. Older versions reply with an error without the id. */
const levelsRequest = {
  id: `${optionalRequestPrefix}levels`,
  type: 'get_available_thinking_levels',
}

const switchCommands = {
  autoCompaction: 'set_auto_compaction',
  autoRetry: 'set_auto_retry',
} as const

const messageOf = (message: { text: string; images?: PromptImage[]; files?: PromptFile[] }) => ({
  message: textWithFiles(message),
  ...defined({ images: message.images?.map((image) => ({ type: 'image', ...image })) }),
})

const pointOf = (value: unknown): ForkPoint[] => {
  const { entryId, text } = fieldsOf(value)
  const id = stringOf(entryId)
  return id === undefined ? [] : [{ id, text: stringOf(text) ?? '' }]
}

/** Whether a person denied a call and stopped the run with it. */
const stops = ({ request: { options = [] }, answer }: Answer): boolean =>
  answer.action === 'deny' && chosenOption(options, answer)?.kind === 'stop'

type Answer = Extract<Command, { type: 'answer' }>

const answerOf = ({ request, answer }: Answer): object => {
  if (request.dialog === undefined) return { value: JSON.stringify(answer) }
  return dialogAnswer(request.dialog.kind, answer)
}

/** Allowed without a value, nothing was chosen. */
const dialogAnswer = (kind: string, { action, value }: ApprovalReply): object => {
  if (kind === 'confirm') return { confirmed: action === 'allow' }
  return action === 'deny' || value === undefined ? { cancelled: true } : { value }
}
