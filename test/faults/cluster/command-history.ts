import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { ApiError } from '../../../src/client/api-error.ts'
import { type Client, createClient } from '../../../src/client/client.ts'
import { requireThat, type Trial } from '../fault.ts'
import type { Random } from '../random.ts'
import type { ServerNode } from './server-node.ts'

/** Sends commands through any node, and records how each of them ended. */
/** A prompt in the log. */
export interface StoredPrompt {
  readonly text: string
  /** The log says that the agent did not get it. */
  readonly isFailed: boolean
}

export interface CommandHistory {
  /**
   * Sends a command, and again with the same key while the answer says that it may work later, or got
   * lost. Returns the name of the outcome.
   */
  send(kind: string, call: (client: Client, key: string) => Promise<unknown>): Promise<string>
  /** Notes the text of a prompt, which must be in the log at most once; exactly once when accepted. */
  notePrompt(sessionId: string, text: string, outcome: string): void
  /** Compares the prompts with the texts that the log has of a session. */
  compare(sessionId: string, stored: readonly StoredPrompt[], trial: Trial): void
  readonly outcomes: ReadonlyMap<string, number>
  /** The answers after which a command was sent again, by status and code. */
  readonly retried: ReadonlyMap<string, number>
  /** The last answers, with the node that gave each. */
  recent(): readonly string[]
}

/** How long a request may take. Every node must have answered by then, or be dead. */
const answerMs = 25_000
/** How long a command is sent again. */
const patienceMs = 120_000
/** How many answers are kept to explain a failure. */
const keptAnswers = 40

export const createCommandHistory = (
  nodes: readonly ServerNode[],
  token: string,
  random: Random,
): CommandHistory => {
  const outcomes = new Map<string, number>()
  const retried = new Map<string, number>()
  const countIn = (counts: Map<string, number>, name: string): void =>
    void counts.set(name, (counts.get(name) ?? 0) + 1)
  const recent: string[] = []
  const prompts = new Map<string, Map<string, string>>()

  const anyNode = (): ServerNode | undefined => {
    const node = nodes[random.below(nodes.length)]
    return node?.current() && node
  }
  /** Sends it once. Undefined: it must be sent again. */
  const attempt = async (
    kind: string,
    node: ServerNode,
    call: (client: Client) => Promise<unknown>,
  ): Promise<string | undefined> => {
    const started = performance.now()
    const note = (answer: string): void => {
      const seconds = ((performance.now() - started) / 1000).toFixed(1)
      recent.push(`${kind} at ${node.name}: ${answer} after ${seconds} s`)
      if (recent.length > keptAnswers) recent.shift()
    }
    try {
      await call(createClient({ url: `http://127.0.0.1:${node.port()}/`, token }))
      note('accepted')
      return 'accepted'
    } catch (cause) {
      if (!(cause instanceof ApiError)) throw cause
      note(`${cause.status} ${cause.code}: ${cause.detail}`)
      const { status, code } = cause
      // A server that has no name for what happened.
      requireThat(
        status !== 500,
        () => `${kind} at ${node.name} ended with 500 ${code}:\n${node.errors().slice(-3000)}`,
      )
      if (status > 0 && status < 500 && code !== 'request_running') return code
      countIn(retried, `${status} ${code}`)
      return undefined
    }
  }

  const withoutOutcome = (kind: string): string => {
    const logs = nodes.map((node) => `${node.name}: ${node.errors().slice(-2000)}`)
    return [`${kind} had no outcome for ${patienceMs / 1000} s`, ...recent, ...logs].join('\n')
  }

  return {
    outcomes,
    retried,
    recent: () => recent,
    async send(kind, call) {
      const key = randomUUID()
      const end = performance.now() + patienceMs
      let outcome: string | undefined
      while (outcome === undefined) {
        requireThat(performance.now() < end, () => withoutOutcome(kind))
        const node = anyNode()
        if (node) outcome = await attempt(kind, node, (client) => call(client, key))
        if (outcome === undefined) await pause(200)
      }
      countIn(outcomes, `${kind}: ${outcome}`)
      return outcome
    },
    notePrompt(sessionId, text, outcome) {
      const all = prompts.get(sessionId) ?? new Map<string, string>()
      prompts.set(sessionId, all.set(text, outcome))
    },
    compare(sessionId, stored, { count }) {
      for (const [text, outcome] of prompts.get(sessionId) ?? []) {
        const same = stored.filter((each) => each.text === text)
        const found = same.length
        requireThat(found <= 1, `the prompt ${text} of ${sessionId} is stored ${found} times`)
        requireThat(
          outcome !== 'accepted' || found === 1,
          `the prompt ${text} of ${sessionId} was accepted, and is not in the log`,
        )
        if (outcome === 'accepted') count('accepted prompts, each once in the log')
        // An agent that died before it accepted the prompt leaves it there as failed.
        const isFailed = outcome === 'agent_failed' && same.every((each) => each.isFailed)
        requireThat(
          outcome === 'accepted' || found === 0 || isFailed,
          `the prompt ${text} was refused with ${outcome}, and is in the log`,
        )
      }
    },
  }
}

export const requestOptions = (idempotencyKey: string) => ({ idempotencyKey, timeoutMs: answerMs })
