import { defined, fieldsOf, stringsOf } from '../../shared/fields.ts'
import { connectLines, type LineProtocol } from '../line-protocol.ts'
import {
  type ApprovalReply,
  type Command,
  type Live,
  optionalRequestPrefix,
  type PromptImage,
} from '../live.ts'
import { shippedFile } from '../shipped-file.ts'
import { isAtLeast } from '../version.ts'
import { createPiDecoder } from './decode.ts'
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
  connect: (options) => connectLines(piProtocol, options),
  isUnknownSession: (stderr) => stderr.includes('No session found matching'),
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

const messageOf = ({ text, images }: { text: string; images?: PromptImage[] }) => ({
  message: text,
  ...defined({ images: images?.map((image) => ({ type: 'image', ...image })) }),
})

const answerOf = ({ request, answer }: Extract<Command, { type: 'answer' }>): object => {
  if (request.dialog === undefined) return { value: JSON.stringify(answer) }
  return dialogAnswer(request.dialog.kind, answer)
}

/** Allowed without a value, nothing was chosen. */
const dialogAnswer = (kind: string, { action, value }: ApprovalReply): object => {
  if (kind === 'confirm') return { confirmed: action === 'allow' }
  return action === 'deny' || value === undefined ? { cancelled: true } : { value }
}
