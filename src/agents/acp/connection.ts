import { chosenOption } from '../../events/chosen-option.ts'
import { fieldsOf } from '../../shared/fields.ts'
import { createRpcPeer, type RpcMessage, type RpcPeer, rpcErrors } from '../json-rpc.ts'
import type { Command, Connection, ConnectOptions, SendKind } from '../live.ts'
import { createHandshake, type Handshake } from './handshake.ts'
import { type AcpReader, createAcpReader } from './reader.ts'
import { createSettings, type Settings } from './settings.ts'

/** The agent of a connection, for its events and for people. */
export interface AcpAgent {
  agent: string
  title: string
}

interface Parts {
  options: ConnectOptions
  title: string
  peer: RpcPeer
  reader: AcpReader
  handshake: Handshake
  settings: Settings
  reply(id: string, error?: string): void
  /** Emits what the reader has, unless a line is being read: then its events include it. */
  publish(): void
}

/** Connects to one process of an agent that speaks the Agent Client Protocol. */
export const connectAcp = (about: AcpAgent, options: ConnectOptions): Connection => {
  const parts = createParts(about, options)
  const { peer, reader, handshake, settings } = parts
  let isReading = false
  parts.publish = () => {
    const events = isReading ? [] : reader.take()
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

  return {
    decoder: {
      push: (line) => reading(() => receive(parts, peer.receive(line), line)),
      end: () => reading(reader.end),
    },
    open: handshake.open,
    send: (command) => send(parts, command),
    models: settings.models,
  }
}

const createParts = ({ agent, title }: AcpAgent, options: ConnectOptions): Parts => {
  const peer = createRpcPeer({ write: options.write, hasVersion: true })
  const reader = createAcpReader({ agent, scope: options.scope ?? '', isLive: true })
  const reply: Parts['reply'] = (id, error) =>
    options.onReply?.(error === undefined ? { id, ok: true } : { id, ok: false, error })
  const session = () => handshake.sessionId()
  const settings = createSettings({ peer, reader, session, onReply: options.onReply })
  const handshake: Handshake = createHandshake({ title, options, peer, reader, settings })
  return { options, title, peer, reader, handshake, settings, reply, publish() {} }
}

const receive = (parts: Parts, message: RpcMessage, line: unknown) => {
  const { peer, reader } = parts
  // The one who sent the request has the response already.
  if (message.kind === 'response') return
  reader.read(message, line)
  if (message.kind !== 'request' || message.method === 'session/request_permission') return
  peer.refuse(message.id, {
    code: rpcErrors.methodNotFound,
    message: `Method not found: ${message.method}`,
  })
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
  const { id, text, images = [] } = prompt
  return handshake.whenReady(id, () => {
    const { image } = fieldsOf(reader.session.capabilities().promptCapabilities)
    if (images.length > 0 && image !== true) return reply(id, `${title} does not accept images.`)
    const content = [{ type: 'text', text }, ...images.map((each) => ({ type: 'image', ...each }))]
    if (prompt.type === 'steer') reader.joined.sent(prompt)
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
const abort = ({ peer, reader, handshake }: Parts): SendKind => {
  handshake.dropCommands('The run was stopped.')
  const sessionId = handshake.sessionId()
  if (sessionId === undefined) return 'written'
  peer.notify('session/cancel', { sessionId })
  for (const { rpcId } of reader.permissions.takeAll()) peer.respond(rpcId, cancelled)
  return 'written'
}

const cancelled = { outcome: { outcome: 'cancelled' } }

const answer = (
  { peer, reader }: Parts,
  { request, answer: reply }: Extract<Command, { type: 'answer' }>,
): SendKind => {
  const found = reader.permissions.take(request.approvalId)
  if (!found) return 'written'
  // The protocol cannot change arguments, and the call must not run with those that were replaced.
  const decision = reply.updatedInput === undefined ? reply : { action: 'deny' as const }
  const option = chosenOption(found.options, decision)
  const isAllowed = option?.kind === 'allow_once' || option?.kind === 'allow_always'
  if (!isAllowed && found.toolCallId !== undefined) reader.tools.rejected(found.toolCallId)
  peer.respond(
    found.rpcId,
    option ? { outcome: { outcome: 'selected', optionId: option.id } } : cancelled,
  )
  return 'written'
}
