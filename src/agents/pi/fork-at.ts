import { fieldsOf, stringOf } from '../../shared/fields.ts'
import type { ConnectOptions } from '../live.ts'
import { optionalRequestPrefix } from '../live.ts'

/** What stands between the session and a Pi whose copy of a conversation is not cut yet. */
export interface ForkGate extends Required<Pick<ConnectOptions, 'write' | 'onReply'>> {
  /** Cuts the copy. */
  start(): void
}

/**
 * Pi copies a whole conversation when it starts. This makes it go back to the point where the copy must
 * end, before it reads anything else: not even its id is asked for, because Pi changes it then.
 */
export const createForkGate = (options: ConnectOptions, forkAt: string): ForkGate => {
  const { write, emit, onReply = () => {} } = options
  const held: unknown[] = []
  let state: 'cutting' | 'open' | 'failed' = 'cutting'
  let failure = ''

  const refuse = (lines: readonly unknown[]): void => {
    for (const line of lines) {
      const id = stringOf(fieldsOf(line).id)
      if (id !== undefined) onReply({ id, ok: false, error: failure })
    }
  }

  const cut = (problem: string | undefined): void => {
    state = problem === undefined ? 'open' : 'failed'
    const lines = held.splice(0)
    if (problem === undefined) {
      write(lines)
      return
    }
    failure = `Pi could not go back to the message: ${problem}`
    emit([{ type: 'error', code: 'command_failed', message: failure, fatal: false }])
    refuse(lines)
  }

  return {
    start: () => write([{ id: forkId, type: 'fork', entryId: forkAt }]),
    write(lines) {
      if (state === 'open') write(lines)
      else if (state === 'failed') refuse(lines)
      else held.push(...lines)
    },
    onReply(reply) {
      if (reply.id !== forkId) return onReply(reply)
      const isCancelled = fieldsOf(reply.data).cancelled === true
      if (reply.ok && !isCancelled) cut(undefined)
      else cut(reply.error ?? 'an extension refused it.')
    },
  }
}

const forkId = `${optionalRequestPrefix}fork`
