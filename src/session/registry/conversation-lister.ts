import type { Agent } from '../../agents/agent.ts'
import type { ConversationListing, ListingResult } from '../../agents/conversations.ts'
import { createStream } from '../../agents/stream.ts'
import { resolveLinks } from '../../files/real-path.ts'
import { LogFault } from '../../log/log-fault.ts'
import { exitError } from '../../process/exit-error.ts'
import { installedVersion } from '../../process/installed-version.ts'
import { nodeTextReader } from '../../process/node-text-reader.ts'
import { refuseOverlap } from '../../process/overlap.ts'
import { type RunningProcess, startProcess } from '../../process/spawn.ts'
import { Fault } from '../../shared/fault.ts'
import { defined } from '../../shared/fields.ts'
import { finishesWithin } from '../../shared/finishes-within.ts'
import { oneLineJson } from '../../shared/one-line-json.ts'
import { findProgramOf, type RegistryDeps } from './load-session.ts'

/** Lists the conversations that agents themselves have stored, each time by a process of its own. */
export interface ConversationLister {
  /** Rejects with a `Fault` if the agent does not list them, fails, or takes too long. */
  list(wanted: ListedDirectory): Promise<ListedConversations>
  /** Ends the processes that still list. Nothing is listed afterwards. */
  close(): Promise<void>
}

export interface ListedDirectory {
  /** The agent’s name. */
  agent: string
  cwd: string
  /** Stops at this conversation. */
  wanted?: string | undefined
}

export type ListedConversations = Extract<ListingResult, { outcome: 'listed' }>

type ListerDeps = Pick<
  RegistryDeps,
  'agentOf' | 'findProgram' | 'trust' | 'env' | 'sandbox' | 'markKey' | 'data' | 'onError'
>

/** How many processes may list at once. */
const maxListings = 4

/** `deadlineMs`: how long the whole listing may take. */
export const createConversationLister = (
  deps: ListerDeps,
  deadlineMs = 30_000,
): ConversationLister => {
  const running = new Map<string, Promise<ListedConversations>>()
  /** Processes, until they have ended. */
  const ending = new Set<Promise<void>>()
  const closing = new AbortController()

  const start = async (wanted: ListedDirectory): Promise<ListedConversations> => {
    const { process, result } = await startListing(deps, wanted, closing.signal, deadlineMs)
    const ended = result.then(() => endProcess(process)).catch(deps.onError)
    ending.add(ended)
    void ended.then(() => ending.delete(ended))
    return listedOf(await result)
  }

  return {
    async list(wanted) {
      if (closing.signal.aborted) throw closed()
      // The same list once more, for another page or person, needs no second process.
      const key = JSON.stringify([wanted.agent, wanted.cwd, wanted.wanted])
      const same = running.get(key)
      if (same !== undefined) return same
      if (running.size + ending.size >= maxListings)
        throw new Fault('too_many_sessions', 'Too many agents list their conversations. Try again.')
      const listing = start(wanted).finally(() => running.delete(key))
      running.set(key, listing)
      return listing
    },
    async close() {
      closing.abort()
      await Promise.allSettled([...running.values()])
      await Promise.all(ending)
    },
  }
}

const closed = () => new LogFault('closed', 'Sluice is shutting down and accepts no more commands.')

const listedOf = (result: ListingResult): ListedConversations => {
  if (result.outcome === 'listed') return result
  const code = result.outcome === 'unsupported' ? 'start_not_supported' : 'agent_not_started'
  throw new Fault(code, result.reason)
}

/** Starts the process. Its result comes in any case: from the agent, at its end, or at the deadline. */
const startListing = async (
  deps: ListerDeps,
  { agent: name, cwd, wanted }: ListedDirectory,
  signal: AbortSignal,
  deadlineMs: number,
): Promise<{ process: RunningProcess; result: Promise<ListingResult> }> => {
  const agent = await (await deps.agentOf(name, cwd)).load()
  const { live, title, capabilities } = agent
  if (!live?.listConversations || capabilities.conversations === false)
    throw new Fault('start_not_supported', `${title} does not list its conversations.`)
  const { promise: result, resolve } = Promise.withResolvers<ListingResult>()
  const listing = live.listConversations({
    ...{ cwd, realCwd: resolveLinks(cwd) ?? cwd, wanted },
    write: (lines) => void process.write(lines.map(toLine).join('')),
    onResult: resolve,
  })
  const options = await processOptions(deps, agent, cwd)
  if (signal.aborted) throw closed()
  const process = await startProcess({ ...options, onChunk: readerOf(listing) })
  const stop = (): void => listing.stop('Sluice is shutting down.')
  signal.addEventListener('abort', stop)
  const timer = setTimeout(
    () => listing.stop(`${title} has not listed its conversations within ${deadlineMs / 1000} s.`),
    deadlineMs,
  )
  void result.then(() => {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
  })
  void process.done.then((exit) =>
    listing.stop(exitError(title, exit, process.stderr(), false).message),
  )
  listing.open()
  if (signal.aborted) stop()
  return { process, result }
}

/** The agent starts as for a session, with the same files of the project. */
const processOptions = async (deps: ListerDeps, agent: Agent, cwd: string) => {
  refuseOverlap(cwd, deps.data)
  const program = findProgramOf(agent, deps)
  const project = await deps.trust.start(agent, program, cwd)
  if (project.refusal !== undefined) throw new Fault('project_not_trusted', project.refusal)
  const { env = process.env, sandbox, markKey } = deps
  const version = installedVersion(program)
  const args = agent.live?.args({ version, extra: project.args }) ?? []
  return {
    ...{ agent, program, args, cwd, env: { ...env, ...project.env }, markKey, stdin: true },
    ...defined({ sandbox }),
  }
}

const readerOf = (listing: ConversationListing) => {
  const decoder = {
    push(line: unknown) {
      listing.push(line)
      return []
    },
    end: () => [],
  }
  const stream = createStream({ createDecoder: () => decoder }, { reader: nodeTextReader })
  return (chunk: Uint8Array): void => void stream.push(chunk)
}

const toLine = (value: unknown): string => `${oneLineJson(JSON.stringify(value))}\n`

/** How long the process may take to end by itself once its input is closed. */
const inputClosedMs = 2000

const endProcess = async (process: RunningProcess): Promise<void> => {
  process.closeInput()
  if (!(await finishesWithin(process.done, inputClosedMs)))
    await process.stop({ signals: ['SIGTERM', 'SIGKILL'] })
  await process.done
}
