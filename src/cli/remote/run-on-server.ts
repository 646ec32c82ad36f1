import { knownAgent } from '../../agents/known-agents.ts'
import type { SessionInfo } from '../../api/types.ts'
import { describeUse } from '../../budget/amounts.ts'
import { ApiError } from '../../client/api-error.ts'
import type { Client } from '../../client/client.ts'
import { loginAdvice } from '../../events/login-advice.ts'
import type { EventOf, StampedEvent } from '../../events/types.ts'
import type { RunResult } from '../../handler/stream-handler.ts'
import { createStreamOutput } from '../../handler/stream-output.ts'
import type { FileToAttach } from '../../session/conversation/session.ts'
import { plainLine } from '../clean-text.ts'
import { exitCodes } from '../exit.ts'
import { shortId } from '../find-session.ts'
import { createOpenApprovals } from '../open-approvals.ts'
import type { OutName } from '../out-names.ts'
import { sinkFor } from '../outputs.ts'
import { exitCodeOfSignal, onStopSignal, signalOfClosedOutput } from '../signals.ts'
import { startStopDeadline } from '../stop-deadline.ts'
import { createTally } from '../tally.ts'
import { printError, type Terminal } from '../terminal.ts'
import { openServerFeed, type ServerFeed } from './server-feed.ts'

/** What a run answers when the agent needs an approval: `ask` leaves it to people elsewhere. */
export type RunApproval = 'ask' | 'allow' | 'deny'

export interface ServerRunOptions {
  client: Client
  session: SessionInfo
  prompt: string
  files?: FileToAttach[]
  out: OutName
  approve: RunApproval
}

/** The server may restart, but a script should not wait for ever. */
const giveUpMs = 5 * 60_000
/** The agent is not read further while so many bytes of our output wait for their reader. */
const waitingBytes = 1024 * 1024

/** Runs one prompt in a session on a server, and prints its events as `sluice run` does. */
export const runOnServer = async (
  options: ServerRunOptions,
  terminal: Terminal,
  closed: AbortSignal,
): Promise<number> => {
  const { client, session, out } = options
  const run = createRun(options, terminal)
  const { cursor } = await client.sessions.events(session.id, { after: lastSeq(session), limit: 1 })
  const feed = openServerFeed(client, session.id, {
    after: cursor,
    giveUpMs,
    onEvent: run.push,
    onSnapshot: () => printError('some events are missing: the server no longer had them ready.'),
    notice: (text) => printError(text),
  })
  const stopping = watchStop(client, session.id, closed)
  const problem = await sendPrompt(options)
  if (problem === undefined) await Promise.race([run.ended, feed.ended, stopping.forced])
  await Promise.race([catchUp(client, session.id, feed), feed.ended, stopping.forced])
  feed.close()
  stopping.end()
  const result = run.end()
  if (problem !== undefined && !result.isError) printError(problem.detail)
  if (out === 'text' && (result.isError || run.isOverLimit()))
    printError(plainLine(result.errorMessage ?? 'The run did not finish.'))
  const agent = knownAgent(session.agent)
  const advice = result.isError && agent ? loginAdvice(agent, result.errorMessage) : undefined
  if (advice !== undefined) printError(advice)
  await terminal.flush()
  const signal = stopping.signal()
  if (signal) return exitCodeOfSignal(signal)
  if (run.isOverLimit() || problem?.code === 'budget_exceeded') return exitCodes.budget
  return result.isError || result.stopReason === undefined ? exitCodes.failed : exitCodes.done
}

const lastSeq = ({ seq }: SessionInfo): number => seq ?? 0

/** Sends the prompt. Returns why it was refused, if it was. */
const sendPrompt = async (options: ServerRunOptions): Promise<ApiError | undefined> => {
  const { client, session, prompt: text, files = [] } = options
  try {
    await client.sessions.prompt(session.id, { text, ...(files.length > 0 && { files }) })
    return undefined
  } catch (cause) {
    if (!(cause instanceof ApiError)) throw cause
    return cause
  }
}

interface ServerRun {
  push(event: StampedEvent): Promise<void>
  /** Resolves when the agent has ended the run. */
  readonly ended: Promise<void>
  /** Whether the run was stopped at a limit. */
  isOverLimit(): boolean
  /** Prints what comes last. */
  end(): RunResult
}

const createRun = (options: ServerRunOptions, terminal: Terminal): ServerRun => {
  const output = createStreamOutput(sinkFor(options.out, terminal), Date.now)
  const tally = createTally(Date.now)
  const { promise: ended, resolve } = Promise.withResolvers<void>()
  const approvals = createOpenApprovals()
  let isOverLimit = false
  return {
    async push(event) {
      isOverLimit ||= event.type === 'error' && event.code === 'budget_exceeded'
      tally.push(event)
      output.push(event)
      approvals.push(event, (request) => printRequest(options, request))
      if (event.type === 'approval_request') void answer(options, event)
      const flushed = terminal.flush()
      if (terminal.waiting() > waitingBytes) await flushed
      if (event.type === 'agent_end' && event.parentToolCallId === undefined) resolve()
    },
    ended,
    isOverLimit: () => isOverLimit,
    end() {
      approvals.clear()
      const result = output.end()
      if (options.out === 'summary') terminal.writeJson(summaryOf(options.session, tally), 2)
      return result
    },
  }
}

const uncounted = {
  ...{ lines: 0, empty: 0, events: 0, raw: 0, malformed: 0, oversize: 0, torn: 0 },
}

/** What `--out summary` prints. The lines of the agent are counted by the server, not here. */
const summaryOf = (
  { agent, id }: SessionInfo,
  tally: ReturnType<typeof createTally>,
): Record<string, unknown> => {
  const { isError, stopReason, errorMessage, context, durationMs } = tally.result()
  const { lines: _, raw: _raw, malformed: _malformed, torn: _torn, ...row } = tally.row(uncounted)
  return { agent, sessionId: id, ...row, isError, stopReason, errorMessage, context, durationMs }
}

/** Whether a person elsewhere decides, not this command. */
const isForPeople = (
  { approve }: ServerRunOptions,
  { kind }: EventOf<'approval_request'>,
): boolean => approve === 'ask' || kind === 'budget'

const subjectOf = ({ toolName, dialog, kind }: EventOf<'approval_request'>): string =>
  plainLine(toolName ?? dialog?.title ?? `a ${kind}`)

/** Says where a person can answer an approval. */
const printRequest = (options: ServerRunOptions, request: EventOf<'approval_request'>): void => {
  if (!isForPeople(options, request)) return
  const { approvalId, kind, budget } = request
  if (kind === 'budget')
    printError(
      `${budget ? describeUse(budget) : 'A limit is reached.'} The agent is paused. Raise it with: sluice answer ${shortId(approvalId)} --raise <amount>; or stop it with: --stop`,
    )
  else
    printError(
      `waiting for approval: ${subjectOf(request)}. Answer it with: sluice attach ${shortId(options.session.id)}`,
    )
}

/** Answers an approval as `--approve` says. */
const answer = async (
  options: ServerRunOptions,
  request: EventOf<'approval_request'>,
): Promise<void> => {
  if (isForPeople(options, request)) return
  const { client, approve } = options
  const { approvalId, hash, kind } = request
  // Nobody is here who could answer a question.
  const action = approve === 'allow' && kind === 'tool' ? 'allow' : 'deny'
  const message = action === 'deny' ? 'Nobody is there to answer.' : undefined
  try {
    await client.approvals.answer(approvalId, {
      action,
      ...(hash !== undefined && { hash }),
      ...(message !== undefined && { message }),
    })
  } catch (cause) {
    if (!(cause instanceof ApiError)) throw cause
    // Somebody else may have answered it.
    if (cause.code !== 'approval_resolved') printError(`${subjectOf(request)}: ${cause.detail}`)
  }
}

/** Waits for the events that were stored by now. */
const catchUp = async (client: Client, id: string, feed: ServerFeed): Promise<void> => {
  try {
    const { seq = 0 } = await client.sessions.get(id)
    await feed.reached(seq)
  } catch (cause) {
    // What is missing can be read later: the run is over.
    if (!(cause instanceof ApiError)) throw cause
  }
}

/** Ctrl-C and the like abort the run on the server; the second one leaves at once. */
const watchStop = (client: Client, id: string, closed: AbortSignal) => {
  const { promise: forced, resolve } = Promise.withResolvers<void>()
  let first: NodeJS.Signals | undefined
  const abort = async (): Promise<void> => {
    await client.sessions.abort(id).catch((cause: unknown) => {
      if (!(cause instanceof ApiError)) throw cause
      printError(`not stopped: ${cause.detail}`)
      resolve()
    })
  }
  const stop = (signal: NodeJS.Signals): void => {
    if (first !== undefined) {
      resolve()
      return
    }
    first = signal
    startStopDeadline()
    if (signal !== 'SIGPIPE') printError('stopping')
    void abort()
  }
  // A closed window arrives as SIGHUP and as a closed stdout; the second one must not force.
  const leave = (signal: NodeJS.Signals): void => {
    if (first === undefined) stop(signal)
  }
  const stopWatching = onStopSignal((signal) =>
    signal === 'SIGHUP' ? leave(signal) : stop(signal),
  )
  closed.addEventListener('abort', () => leave(signalOfClosedOutput()))
  return { forced, signal: () => first, end: stopWatching }
}
