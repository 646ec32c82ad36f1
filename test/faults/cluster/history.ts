import { requireThat, type Trial } from '../fault.ts'

/** What all nodes have tried and seen, and what must hold of it. */
export interface History {
  /** Reads a line that a node has printed. Returns what kind it is. Throws when a promise is broken. */
  add(node: string, line: string): string
  /** A node has ended: what it had not finished has an unknown outcome. */
  ended(node: string): void
  /** How many appends of a session were acknowledged. */
  acked(sessionId: string): number
  /** The last event that a node has seen of a session. */
  seenBy(node: string, sessionId: string): number
  /** The node that was the last to append to a session. */
  writerOf(sessionId: string): string | undefined
  /** Throws the first promise that was broken while lines were read. */
  check(): void
  /** Compares everything with what is stored of a session in the end. */
  compare(sessionId: string, stored: readonly string[], trial: Trial): void
  /** How often calls ended, by name. */
  readonly outcomes: ReadonlyMap<string, number>
}

interface Line {
  invoke?: string
  done?: string
  seen?: string
  first: number
  values: string[]
  code?: string
  bug?: string
  ready?: string
}

interface Session {
  /** What was acknowledged, and what readers have seen, by seq. */
  readonly known: Map<number, string>
  /** Everything that a node has tried to append. */
  readonly tried: Set<string>
  readonly seen: Map<string, number>
  acked: number
  writer?: string
}

export const createHistory = (): History => {
  const sessions = new Map<string, Session>()
  const outcomes = new Map<string, number>()
  /** The appends without an outcome, by node and session. */
  const open = new Map<string, Line>()
  let broken: Error | undefined
  const of = (id: string): Session => {
    const found = sessions.get(id) ?? {
      known: new Map(),
      tried: new Set(),
      seen: new Map(),
      acked: 0,
    }
    sessions.set(id, found)
    return found
  }
  const count = (outcome: string): void =>
    void outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)

  /** An event has one value, whoever says so. */
  const know = (id: string, { first, values }: Line, who: string): void => {
    const { known } = of(id)
    for (const [index, value] of values.entries()) {
      const seq = first + index
      requireThat(
        (known.get(seq) ?? value) === value,
        () => `${who}: event ${seq} of ${id} is ${value}, and was ${known.get(seq)}`,
      )
      known.set(seq, value)
    }
  }
  const read = (node: string, line: Line): void => {
    const { invoke, done, seen, bug, first, values, code = '' } = line
    if (bug !== undefined) throw new Error(`node ${node}: ${bug}`)
    if (invoke !== undefined) {
      for (const value of values) of(invoke).tried.add(value)
      open.set(`${node} ${invoke}`, line)
    }
    if (done !== undefined) {
      open.delete(`${node} ${done}`)
      count(code)
      if (code !== 'ok') return
      know(done, line, `acknowledged to ${node}`)
      Object.assign(of(done), { acked: of(done).acked + 1, writer: node })
    }
    if (seen !== undefined) {
      know(seen, line, `seen by ${node}`)
      of(seen).seen.set(node, first + values.length - 1)
    }
  }

  return {
    outcomes,
    add(node, text) {
      const line: Line = JSON.parse(text)
      try {
        read(node, line)
      } catch (cause) {
        broken ??= cause instanceof Error ? cause : new Error(String(cause))
      }
      return Object.keys(line)[0] ?? ''
    },
    ended(node) {
      for (const key of open.keys())
        if (key.startsWith(`${node} `)) {
          open.delete(key)
          count('killed meanwhile')
        }
    },
    acked: (id) => of(id).acked,
    seenBy: (node, id) => of(id).seen.get(node) ?? 0,
    writerOf: (id) => of(id).writer,
    check() {
      if (broken) throw broken
    },
    compare(id, stored, { count: compared }) {
      requireThat(open.size === 0, () => `an append has no outcome: ${[...open.keys()][0]}`)
      compareSession(id, of(id), stored)
      compared('events', stored.length)
      compared('acknowledged or seen', of(id).known.size)
    },
  }
}

const compareSession = (id: string, { known, tried }: Session, stored: readonly string[]): void => {
  for (const [seq, value] of known)
    requireThat(
      stored[seq - 1] === value,
      () => `event ${seq} of ${id} was ${value}, and is ${stored[seq - 1] ?? 'lost'}`,
    )
  requireThat(new Set(stored).size === stored.length, `an event of ${id} is stored twice`)
  const ended = new Set<string>()
  let writer = ''
  let next = 0
  for (const value of stored) {
    requireThat(tried.has(value), `${value} of ${id} was never appended`)
    const [claim = '', number = ''] = value.split(':')
    if (claim !== writer) {
      ended.add(writer)
      requireThat(!ended.has(claim), `${claim} wrote to ${id} again after ${writer}`)
      writer = claim
      next = 0
    }
    requireThat(
      Number(number) === next,
      `after event ${next - 1} of ${claim} in ${id} comes ${number}`,
    )
    next += 1
  }
}
