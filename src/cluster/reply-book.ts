/** What became of a request, for its sender. */
export type KnownReply =
  | { state: 'done'; reply: string }
  | { state: 'running' }
  /** It has not arrived, and is not run if it arrives later. */
  | { state: 'refused' }
  /** It was answered so long ago that the reply is not known any more. */
  | { state: 'forgotten' }

/**
 * Remembers for a while what other nodes have requested, by the id of the request: a reply can get lost
 * with a connection, and its sender asks for it again.
 */
export interface ReplyBook {
  /** Runs a request, and remembers its reply. Undefined: the request is not run, and its sender has that answer. */
  run(id: string, work: () => Promise<string>): Promise<string | undefined>
  /** What became of a request. One that has not arrived is refused from now on. */
  replyTo(id: string): KnownReply
}

export interface ReplyBookLimits {
  /** How long a reply is remembered. */
  keptMs: number
  /** How many characters of replies are remembered. */
  length: number
}

const defaultLimits: ReplyBookLimits = { keptMs: 90_000, length: 16 * 1024 * 1024 }

interface Entry {
  known: KnownReply
  at: number
}

export const createReplyBook = ({ keptMs, length }: ReplyBookLimits = defaultLimits): ReplyBook => {
  /** Those that ended first come first. */
  const entries = new Map<string, Entry>()
  let stored = 0

  const lengthOf = ({ known }: Entry): number => (known.state === 'done' ? known.reply.length : 0)
  const set = (id: string, known: KnownReply): void => {
    const before = entries.get(id)
    if (before) stored -= lengthOf(before)
    entries.delete(id)
    const entry = { known, at: performance.now() }
    entries.set(id, entry)
    stored += lengthOf(entry)
  }
  const sweep = (): void => {
    const oldest = performance.now() - keptMs
    for (const [id, entry] of entries) {
      if (entry.known.state === 'running') continue
      if (entry.at < oldest) {
        stored -= lengthOf(entry)
        entries.delete(id)
      } else if (stored <= length) return
      // One that was refused stays refused: its sender has that answer.
      else if (entry.known.state === 'done') set(id, { state: 'forgotten' })
    }
  }

  return {
    async run(id, work) {
      if (entries.get(id)?.known.state === 'refused') return undefined
      set(id, { state: 'running' })
      const reply = await work()
      set(id, { state: 'done', reply })
      sweep()
      return reply
    },
    replyTo(id) {
      const found = entries.get(id)
      if (found) return found.known
      const refused: KnownReply = { state: 'refused' }
      set(id, refused)
      sweep()
      return refused
    },
  }
}
