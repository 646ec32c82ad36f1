import { allows, chosenOption } from '../../events/chosen-option.ts'
import { fieldsOf } from '../../shared/fields.ts'
import { cancelledElicitation } from '../elicitation.ts'
import { createRpcPeer, type RpcMessage, type RpcPeer, rpcErrors } from '../json-rpc.ts'
import type { Command, Connection, ConnectOptions, SendKind } from '../live.ts'
import { createHandshake, type Handshake } from './handshake.ts'
import { promptContent } from './prompt-content.ts'
import { createQuietSubagents } from './quiet-subagents.ts'
import { type AcpReader, createAcpReader } from './reader.ts'
import { createServices, type Services } from './services.ts'
import { createSettings, type Settings } from './settings.ts'
import { type AcpTerminals, createAcpTerminals } from './terminals.ts'

/** The agent of a connection, for its events and for people. */
export interface AcpAgent {
  /** Its name in the table of agents. */
  agent: string
  /** What people call it. */
  title: string
  /** It reads files better by itself, so that Sluice only writes for it. */
  readsItself?: true
  /** How a person logs in, as a sentence. */
  login?: string | undefined
}

interface Parts {
  options: ConnectOptions
  title: string
  peer: RpcPeer
  reader: AcpReader
  handshake: Handshake
  settings: Settings
  terminals: AcpTerminals
  /** Absent if Sluice offers the agent neither files nor terminals. */
  services: Services | undefined
  /** A person chose that further edits need no approval. */
  areEditsAllowed: boolean
  reply(id: string, error?: string): void
  /** Emits what the reader has, unless a line is being read: then its events include it. */
  publish(): void
}

/** Connects to one process of an agent that speaks the Agent Client Protocol. */
export const connectAcp = (about: AcpAgent, options: ConnectOptions): Connection => {
  const parts = createParts(about, options)
  const { peer, reader, handshake, settings } = parts
  let isReading = false
  let isOver = false
  parts.publish = () => {
    const events = isReading || isOver ? [] : reader.take()
    if (events.length > 0) options.emit(events)
  }

  const reading = (read: () => void) => {
    isReading = true
    try {
      read()
    } finally {
      isReading = false
    }
    return reader.take()
  }

  const quietSubagents = createQuietSubagents({ ...parts, publish: () => parts.publish() })

  return {
    decoder: {
      push: (line) =>
        reading(() => {
          receive(parts, peer.receive(line), line)
          quietSubagents.lineSeen()
        }),
      end() {
        quietSubagents.end()
        const events = reading(reader.end)
        isOver = true
        return events
      },
    },
    open: handshake.open,
    send: (command) => send(parts, command),
    models: settings.models,
  }
}

const createParts = (about: AcpAgent, options: ConnectOptions): Parts => {
  const { agent, title, readsItself, login } = about
  const { scope = '', cwd, workspace } = options
  const publish = () => parts.publish()
  const terminals = createAcpTerminals(scope, publish)
  const peer = createRpcPeer({ write: options.write, hasVersion: true })
  const reader = createAcpReader({
    ...{ agent, title, scope, model: options.model, isLive: true, terminals },
  })
  const reply: Parts['reply'] = (id, error) =>
    options.onReply?.(error === undefined ? { id, ok: true } : { id, ok: false, error })
  const sessionId = () => handshake.sessionId()
  const settings = createSettings({ peer, reader, session: sessionId, onReply: options.onReply })
  const handshake: Handshake = createHandshake({
    ...{ title, readsItself, login, options, peer, reader, settings },
  })
  const mayEdit = () => parts.areEditsAllowed || isEditMode(parts)
  const services =
    workspace &&
    createServices({ workspace, peer, reader, terminals, scope, cwd, sessionId, mayEdit, publish })
  const parts: Parts = {
    ...{ options, title, peer, reader, handshake, settings, terminals, services, reply },
    areEditsAllowed: false,
    publish() {},
  }
  return parts
}

/** Whether a person chose a mode in which the agent edits without a request. */
const isEditMode = ({ reader, settings }: Parts): boolean => {
  const mode = settings.chosenMode()
  return mode !== undefined && reader.session.dialect().editModes?.includes(mode) === true
}

const receive = (parts: Parts, message: RpcMessage, line: unknown) => {
  const { peer, reader, services } = parts
  // The one who sent the request has the response already.
  if (message.kind === 'response') return
  if (message.kind === 'notification' && message.method === 'elicitation/complete')
    return completeElicitation(parts, message.params.elicitationId)
  reader.read(message, line)
  if (message.kind === 'notification' && message.method === '$/cancel_request')
    services?.cancel(message.params.requestId)
  if (message.kind !== 'request' || reader.permissions.isOpen(message.id)) return
  if (message.method === 'elicitation/create') return peer.respond(message.id, cancelledElicitation)
  if (services?.request(message)) return
  peer.refuse(message.id, {
    code: rpcErrors.methodNotFound,
    message: `Method not found: ${message.method}`,
  })
}

/** The person is done at the address, so the agent needs no answer about it any more. */
const completeElicitation = ({ peer, reader }: Parts, elicitationId: unknown) => {
  const request = reader.permissions.elicitationCompleted(elicitationId)
  if (request?.elicitation)
    peer.respond(request.rpcId, request.elicitation.responseTo({ action: 'allow' }))
}

const send = (parts: Parts, command: Command): SendKind => {
  const { handshake, settings } = parts
  switch (command.type) {
    case 'prompt':
      return sendPrompt(parts, command)
    case 'steer':
      return canSteer(parts) ? sendPrompt(parts, command) : 'unsupported'
    case 'abort':
      return abort(parts)
    case 'answer':
      return answer(parts, command)
    case 'setModel':
      return handshake.whenReady(command.id, () => settings.set('model', command.model, command.id))
    case 'setMode':
      return handshake.whenReady(command.id, () => settings.set('mode', command.mode, command.id))
    case 'setThinking':
      return handshake.whenReady(command.id, () =>
        settings.set('thinking', command.level, command.id),
      )
    default:
      return 'unsupported'
  }
}

/** Whether a prompt joins the run. Most agents cancel their run for a second prompt. */
const canSteer = ({ reader }: Parts): boolean =>
  reader.isPromptOpen() && reader.session.dialect().joinsPrompts === true

type Prompt = Extract<Command, { type: 'prompt' | 'steer' | 'followUp' }>

const sendPrompt = (parts: Parts, prompt: Prompt): SendKind => {
  const { handshake, reader, peer, reply, title } = parts
  const { id } = prompt
  return handshake.whenReady(id, () => {
    const content = promptContent(prompt, reader.session.capabilities())
    if (typeof content === 'string') return reply(id, `${title} does not accept ${content}.`)
    if (prompt.type === 'steer') reader.joined.sent(prompt)
    else parts.terminals.nextPrompt()
    reader.promptSent()
    peer.request(
      'session/prompt',
      { sessionId: handshake.sessionId(), prompt: content },
      (outcome) => {
        if ('result' in outcome) reader.promptAnswered(fieldsOf(outcome.result))
        else reader.promptFailed(handshake.explained(outcome.error))
      },
    )
    reply(id)
    parts.publish()
  })
}

/** Some agents wait for the answer to a permission request for ever, also when they are cancelled. */
const abort = ({ peer, reader, handshake, services }: Parts): SendKind => {
  handshake.dropCommands('The run was stopped.')
  const sessionId = handshake.sessionId()
  if (sessionId === undefined) return 'written'
  peer.notify('session/cancel', { sessionId })
  for (const { rpcId, elicitation } of reader.permissions.takeAll())
    peer.respond(rpcId, elicitation ? cancelledElicitation : cancelled)
  services?.abort()
  return 'written'
}

const cancelled = { outcome: { outcome: 'cancelled' } }

const answer = (
  parts: Parts,
  { request, answer: reply }: Extract<Command, { type: 'answer' }>,
): SendKind => {
  const { peer, reader, services } = parts
  if (services?.answer(request.approvalId, reply)) return 'written'
  const found = reader.permissions.take(request.approvalId)
  if (!found) return 'written'
  if (found.elicitation) {
    peer.respond(found.rpcId, found.elicitation.responseTo(reply))
    return 'written'
  }
  // The protocol cannot change arguments, and the call must not run with those that were replaced.
  const decision = reply.updatedInput === undefined ? reply : { action: 'deny' as const }
  const option = chosenOption(found.options, decision)
  const isAllowed = option !== undefined && allows(option)
  if (!isAllowed && found.toolCallId !== undefined) reader.tools.rejected(found.toolCallId)
  if (isAllowed && found.toolCallId !== undefined)
    reader.tools.allowed(found.toolCallId, request.args)
  if (option?.kind === 'allow_always' && isEdit(parts, found.toolCallId))
    parts.areEditsAllowed = true
  peer.respond(
    found.rpcId,
    option ? { outcome: { outcome: 'selected', optionId: option.id } } : cancelled,
  )
  return 'written'
}

const isEdit = ({ reader }: Parts, toolCallId = ''): boolean =>
  reader.tools.callOf(toolCallId)?.fields.kind === 'edit'
