import { setTimeout as pause } from 'node:timers/promises'
import { ApiError } from '../../../src/client/api-error.ts'
import { createClient } from '../../../src/client/client.ts'
import { finishesWithin } from '../../../src/shared/finishes-within.ts'
import { readConnection } from '../connection.ts'
import { requireThat } from '../fault.ts'
import type { Random } from '../random.ts'
import { until } from '../server.ts'
import type { CommandHistory } from './command-history.ts'
import type { ServerNode } from './server-node.ts'

export interface RevokerParts {
  nodes: readonly ServerNode[]
  sessionIds: readonly string[]
  commands: CommandHistory
}

/** How long a node may accept a key that was revoked, when it could not reach NATS meanwhile. */
const refusedMs = 60_000
/** How long a stream may take to end: one that was still being opened waits for NATS first. */
const endedMs = 20_000

/**
 * Creates a key, reads a stream with it at every node, and revokes it at one of them. Every node must end
 * the stream and refuse the key, and not accept it again.
 */
export const revokeKey = async (
  { nodes, sessionIds, commands }: RevokerParts,
  random: Random,
): Promise<void> => {
  let id = ''
  let token = ''
  await commands.send('create a key', async (client, idempotencyKey) => {
    const name = `key ${idempotencyKey}`
    const made = await client.keys.create({ name, scopes: ['read'] })
    id = made.id
    token = made.key
  })
  const [session = ''] = sessionIds
  const over = new AbortController()
  const streams = nodes.map((node) => readAll(node, { session, token, signal: over.signal }))
  await pause(random.below(500))
  const outcome = await commands.send('revoke a key', (client) => client.keys.revoke(id))
  requireThat(outcome === 'accepted', `a key could not be revoked: ${outcome}`)
  const answers = () => Promise.all(nodes.map((node) => answerTo(node, token)))
  let last: string[] = []
  const areRefusals = async () => {
    last = await answers()
    return last.every((answer) => answer === 'refused' || answer === 'down')
  }
  await until('every node refuses a key that was revoked', areRefusals, {
    limitMs: refusedMs,
  }).catch((cause: unknown) => {
    throw new Error(`${cause} (${last.join()})`)
  })
  const haveEnded = await finishesWithin(Promise.all(streams), endedMs)
  over.abort()
  requireThat(haveEnded, 'a stream goes on although its key is refused')
  const later = await answers()
  requireThat(!later.includes('accepted'), 'a key that was revoked is accepted again')
}

interface Reading {
  session: string
  token: string
  signal: AbortSignal
}

/** Reads one connection until the server ends it, or the server itself ends. */
const readAll = async (node: ServerNode, { session, token, signal }: Reading): Promise<void> => {
  if (!node.current()) return
  const path = `/api/v1/sessions/${session}/stream`
  await readConnection({ port: node.port(), path, token, signal, onFrame() {} })
}

/** What a node does with a key. `down`: it does not run at the moment. */
const answerTo = async (
  node: ServerNode,
  token: string,
): Promise<'refused' | 'accepted' | 'silent' | 'down'> => {
  if (!node.current()) return 'down'
  try {
    const client = createClient({ url: `http://127.0.0.1:${node.port()}/`, token })
    await client.sessions.list({}, { timeoutMs: 5000 })
    return 'accepted'
  } catch (cause) {
    if (!(cause instanceof ApiError)) throw cause
    return cause.status === 401 ? 'refused' : 'silent'
  }
}
