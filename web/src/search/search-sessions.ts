import type { MessageList, Session } from '../../../src/api/index.ts'
import type { Client } from '../../../src/client/index.ts'
import { nameOf } from '../app/needs.ts'
import { createStore } from '../store/store.ts'
import { textOf } from '../tools/output-of.ts'

/** A place where the words occur. */
export interface Hit {
  readonly session: Session
  /** The message; absent where it is the session’s own name. */
  readonly messageId?: string
  readonly excerpt: string
}

export interface Search {
  readonly hits: readonly Hit[]
  readonly searched: number
  readonly total: number
}

/** How many sessions are read at a time, and how many hits are shown. */
const together = 4
const hitLimit = 200
const pauseMs = 250

/** Searches sessions one after the other, newest first. What was read once is not fetched again. */
export const searchSessions = (client: Client) => {
  const store = createStore<Search>({ hits: [], searched: 0, total: 0 })
  const read = new Map<string, { at: number; list: MessageList }>()

  const messagesOf = async (session: Session, signal: AbortSignal): Promise<MessageList> => {
    const known = read.get(session.id)
    if (known && known.at === session.updatedAt) return known.list
    const list = await client.sessions.messages(session.id, { signal })
    read.set(session.id, { at: session.updatedAt, list })
    return list
  }

  const look = async (session: Session, wanted: string, signal: AbortSignal) => {
    const list = await messagesOf(session, signal).catch(() => undefined)
    if (signal.aborted) return
    const hits = [...nameHits(session, wanted), ...(list ? messageHits(session, list, wanted) : [])]
    store.update((before) => ({
      ...before,
      hits: [...before.hits, ...hits].slice(0, hitLimit),
      searched: before.searched + 1,
    }))
  }

  const lookAll = async (wanted: string, sessions: readonly Session[], signal: AbortSignal) => {
    const waiting = sessions.slice()
    const next = async (): Promise<void> => {
      for (let each = waiting.shift(); each && !signal.aborted; each = waiting.shift())
        await look(each, wanted, signal)
    }
    await Promise.all(Array.from({ length: together }, next))
  }

  return {
    ...store,
    /** Begins after a moment without typing; gives its undo. */
    begin(query: string, sessions: readonly Session[]): () => void {
      const control = new AbortController()
      store.set({ hits: [], searched: 0, total: sessions.length })
      const timer = setTimeout(
        () => void lookAll(query.toLowerCase(), sessions, control.signal),
        pauseMs,
      )
      return () => {
        clearTimeout(timer)
        control.abort()
      }
    },
  }
}

const nameHits = (session: Session, wanted: string): Hit[] => {
  const words = [nameOf(session), session.cwd, session.agent, session.model ?? ''].join(' · ')
  return words.toLowerCase().includes(wanted) ? [{ session, excerpt: words }] : []
}

const messageHits = (session: Session, { messages }: MessageList, wanted: string): Hit[] => {
  let last: string | undefined
  return messages.flatMap((message): Hit[] => {
    if ('messageId' in message) last = message.messageId
    const text = textOf(message.content)
    const at = text.toLowerCase().indexOf(wanted)
    if (at === -1) return []
    return [{ session, ...(last !== undefined && { messageId: last }), excerpt: around(text, at) }]
  })
}

const around = (text: string, at: number): string => {
  const from = Math.max(0, at - 60)
  return `${from > 0 ? '…' : ''}${text.slice(from, at + 140).replace(/\s+/g, ' ')}`
}
