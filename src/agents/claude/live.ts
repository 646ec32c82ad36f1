import {
  countOf,
  defined,
  type Fields,
  fieldsOf,
  listOf,
  stringOf,
  stringsOf,
} from '../../shared/fields.ts'
import { fileText, isTextFile } from '../attached-files.ts'
import { withForkPoints } from '../fork-points.ts'
import { connectLines, type LineProtocol } from '../line-protocol.ts'
import {
  type Command,
  type ContextShare,
  type Live,
  optionalRequestPrefix,
  type PromptFile,
  type PromptImage,
  type RestoredFiles,
} from '../live.ts'
import { hookFlags } from './command.ts'
import { control } from './control-line.ts'
import { createClaudeDecoder } from './decode.ts'
import { claudePointIn } from './fork-points.ts'
import { permissionVerdict } from './permission-verdict.ts'
import { createClaudeShortcut } from './shortcut.ts'
import { claudeStartFlags, claudeStartLines, thinkingLines } from './start.ts'

/** Claude Code with streaming input and the control protocol. */
export const claudeLive: Live = {
  queue: 'session',
  args: ({ model, resume, fork, forkAt, version, start = {}, extra = [] }) => [
    '-p',
    '--input-format',
    'stream-json',
    '--output-format',
    'stream-json',
    '--verbose',
    '--include-partial-messages',
    ...hookFlags(version),
    '--replay-user-messages',
    '--permission-prompt-tool',
    'stdio',
    ...(model === undefined ? [] : ['--model', model]),
    ...(resume === undefined ? [] : ['--resume', resume]),
    ...(fork ? ['--fork-session'] : []),
    ...(forkAt === undefined ? [] : [`--resume-session-at=${forkAt}`]),
    ...claudeStartFlags(start, version),
    ...extra,
  ],
  connect: (options) => connectLines(claudeProtocol, options),
  isUnknownSession: (stderr) => stderr.includes('No conversation found with session ID'),
  forkPoints: 'reported',
}

/** Messages and control requests, one JSON object per line. Only control requests have replies. */
export const claudeProtocol: LineProtocol = {
  createDecoder: (options) => withForkPoints(createClaudeDecoder(options), claudePointIn),
  createShortcut: createClaudeShortcut,
  repliesTo: (type) => type === 'abort' || type === 'stopTask' || type.startsWith('set'),
  models: {
    request: (id) => [control(id, { subtype: 'list_models' })],
    namesIn: (response) =>
      listOf(fieldsOf(response).models).flatMap((each) => stringOf(fieldsOf(each).value) ?? []),
  },
  context: {
    request: (id) => [control(id, { subtype: 'get_context_usage' })],
    partsIn: (response) => listOf(fieldsOf(response).categories).map(fieldsOf).flatMap(partOf),
  },
  withdrawal: {
    request: (id, uuid) => [control(id, { subtype: 'cancel_async_message', message_uuid: uuid })],
    resultOf: (response) => ({ isWithdrawn: fieldsOf(response).cancelled === true, others: [] }),
  },
  rewind: {
    request: (id, messageId, dryRun) => [
      control(id, { subtype: 'rewind_files', user_message_id: messageId, dry_run: dryRun }),
    ],
    resultOf: (response) => restoredIn(response),
  },
  opening: ({ start = {}, version }) => [commandsRequest, ...claudeStartLines(start, version)],
  encode(command, { version } = {}) {
    const { id } = command
    switch (command.type) {
      case 'prompt':
      case 'steer':
      case 'followUp':
        return [userLine(id, command)]
      case 'abort':
        return [
          ...(command.sent ?? []).map(withdraw),
          control(id, { subtype: 'interrupt', cancel_queued: true }),
        ]
      case 'stopTask':
        return [control(id, { subtype: 'stop_task', task_id: command.taskId })]
      case 'compact':
        return [userLine(id, { text: `/compact ${command.instructions ?? ''}`.trim() })]
      case 'setModel':
        return [control(id, { subtype: 'set_model', model: command.model })]
      case 'setName':
        return [control(id, { subtype: 'rename_session', title: command.name })]
      case 'setMode':
        return [control(id, { subtype: 'set_permission_mode', mode: command.mode })]
      case 'setThinking':
        return thinkingLines(id, command.level, version)
      case 'setSwitch':
      case 'shell':
      case 'abortShell':
        return undefined
      case 'answer':
        return [permission(command)]
    }
  },
}

/** The reply describes slash commands, skills and subagents. Nothing waits for it. */
const commandsRequest = control(`${optionalRequestPrefix}commands`, { subtype: 'initialize' })

/** A queued message would start a run of its own. Some versions withdraw it this way. */
const withdraw = (uuid: string) =>
  control(`${optionalRequestPrefix}${uuid}`, {
    subtype: 'cancel_async_message',
    message_uuid: uuid,
  })

interface SentMessage {
  text: string
  images?: PromptImage[]
  files?: PromptFile[]
}

/** The id comes back with the echo of the message, when the agent starts to work on it. */
const userLine = (uuid: string, { text, images = [], files = [] }: SentMessage) => ({
  type: 'user',
  message: {
    role: 'user',
    content: [{ type: 'text', text }, ...images.map(imageBlock), ...files.map(documentBlock)],
  },
  parent_tool_use_id: null,
  session_id: '',
  uuid,
})

const imageBlock = ({ data, mimeType }: PromptImage) => ({
  type: 'image',
  source: { type: 'base64', media_type: mimeType, data },
})

const documentBlock = (file: PromptFile) => ({
  type: 'document',
  source: isTextFile(file)
    ? { type: 'text', media_type: 'text/plain', data: fileText(file) }
    : { type: 'base64', media_type: file.mimeType, data: file.data },
  title: file.name,
})

const permission = ({ request, answer }: Extract<Command, { type: 'answer' }>) => ({
  type: 'control_response',
  response: {
    subtype: 'success',
    request_id: request.approvalId,
    response: permissionVerdict(answer, request),
  },
})

/** What `rewind_files` changed, or would change. */
const restoredIn = (response: unknown): RestoredFiles => {
  const { canRewind, error, filesChanged, insertions, deletions } = fieldsOf(response)
  return {
    paths: stringsOf(filesChanged),
    ...defined({
      insertions: countOf(insertions),
      deletions: countOf(deletions),
      problem:
        canRewind === false ? (stringOf(error) ?? 'There is nothing to restore.') : undefined,
    }),
  }
}

/** A category that takes up space. What is free, reserved or not loaded yet does not. */
const partOf = ({ name, tokens, kind, isDeferred }: Fields): ContextShare[] => {
  const label = stringOf(name) ?? ''
  const isUsed = kind === undefined ? !/^(free|autocompact)/i.test(label) : kind === 'used'
  const count = countOf(tokens) ?? 0
  return isUsed && isDeferred !== true && count > 0 ? [{ name: label, tokens: count }] : []
}
