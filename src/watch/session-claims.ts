import type { Log } from '../log/log.ts'
import type { Ownership } from '../session/registry/ownership.ts'
import { Fault } from '../shared/fault.ts'

/**
 * Which node reads a watched session, where several nodes share a log. Nodes may see the same files, for
 * example over NFS: one of them reads and writes the session, and the others wait.
 */
export interface SessionClaims {
  readonly node: string
  /**
   * Makes this node the one that writes a session. False: another node that lives does. Rejects with
   * `owner_unreachable` when that cannot be decided now.
   */
  claim(sessionId: string): Promise<boolean>
  /** Lets other nodes write it. Everything that was written here must be stored. */
  release(sessionId: string): Promise<void>
}

export interface SessionClaimsOptions {
  log: Pick<Log, 'shared'>
  ownership: Pick<Ownership, 'claim' | 'release' | 'isElsewhere'> & { readonly node: string }
  onError(cause: unknown): void
}

export const createSessionClaims = ({
  log: { shared },
  ownership,
  onError,
}: SessionClaimsOptions): SessionClaims => ({
  node: ownership.node,
  async claim(id) {
    // What this node has heard is enough to wait; to claim asks the servers.
    if (ownership.isElsewhere(id)) return false
    try {
      await ownership.claim(id)
    } catch (cause) {
      if (cause instanceof Fault && cause.code === 'owned_elsewhere') return false
      throw cause
    }
    await shared?.arrive(id)
    return true
  },
  async release(id) {
    await shared?.leave(id).catch(onError)
    await ownership.release(id).catch(onError)
  },
})
