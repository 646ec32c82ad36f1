import { setTimeout as pause } from 'node:timers/promises'
import type { ComparedSession, Comparison, SessionInfo } from '../api/types.ts'
import type { Client } from '../client/client.ts'
import type { SessionBudget } from '../events/types.ts'
import type { SandboxMode } from '../process/sandbox.ts'
import { Fault } from '../shared/fault.ts'
import { checkWorktree } from '../worktrees/worktrees.ts'
import { comparisonRow, comparisonText } from './comparison-text.ts'
import { exitCodes } from './exit.ts'
import { projectAt } from './remote/open-server-session.ts'
import type { RunApproval } from './remote/run-on-server.ts'
import { onServer, type ServerTarget, serverAt } from './remote/server-target.ts'
import { exitCodeOfSignal, type StopSignals, watchStopSignals } from './signals.ts'
import { startStopDeadline } from './stop-deadline.ts'
import type { Terminal } from './terminal.ts'

export interface CompareOptions extends ServerTarget {
  agents: readonly string[]
  /** By agent. Default: the agent’s own choice. */
  models?: Record<string, string>
  prompt: string
  cwd: string
  sandbox: SandboxMode
  approve?: RunApproval
  /** Starts from the last commit, although there are changes that are not committed. */
  fromHead?: boolean
  /** Deletes the worktrees in the end. */
  cleanUp?: boolean
  budget?: SessionBudget | undefined
  /** Prints one JSON object per agent, once all are done. */
  json?: boolean
}

const pollMs = 500
/** How long agents have to stop. */
const stopMs = 5000

/** `sluice run --agents`: the same prompt to several agents, each in a git worktree of its own. */
export const compareAgents = async (
  options: CompareOptions,
  terminal: Terminal,
  closed: AbortSignal,
): Promise<number> => {
  const { agents, cwd, fromHead, url } = options
  if (agents.length < 2 || new Set(agents).size < agents.length)
    throw new Fault('usage', 'Name at least two different agents, such as --agents pi,claude.')
  if (url === undefined) await checkWorktree({ directory: cwd, fromHead }).catch(withOption)
  const signals = watchStopSignals(closed)
  try {
    const server = serverAt(options)
    if (server) return await onServer(options, () => compareOn(server, options, terminal, signals))
    return await compareHere(options, terminal, signals)
  } finally {
    signals.stop()
  }
}

/** Names the option that starts from the last commit. */
const withOption = (cause: unknown): never => {
  if (!(cause instanceof Fault) || cause.code !== 'uncommitted_changes') throw cause
  throw new Fault(cause.code, cause.message.replace(/\.$/, ' with --from-head.'), { cause })
}

/** Without a server, this process is one for as long as the agents work. */
const compareHere = async (
  options: CompareOptions,
  terminal: Terminal,
  signals: StopSignals,
): Promise<number> => {
  const { data, sandbox, cwd, approve = 'deny' } = options
  const { openSluice } = await import('../sluice/sluice.ts')
  const sluice = await openSluice({
    ...{ data, sandbox, name: 'terminal', resumeLoops: false, roots: [cwd] },
    policy: approve === 'ask' ? 'deny' : approve,
    http: { port: 0 },
  })
  try {
    const own = serverAt({ data })
    if (!own) throw new Error('The server of this process is not found.')
    return await onServer({}, () => compareOn(own, options, terminal, signals))
  } finally {
    startStopDeadline(sluice)
    await sluice.close()
  }
}

const compareOn = async (
  client: Client,
  options: CompareOptions,
  terminal: Terminal,
  signals: StopSignals,
): Promise<number> => {
  const { agents, models = {}, prompt, cwd, fromHead = false, budget } = options
  const { id: projectId } = await projectAt(client, cwd)
  const made = await client.comparisons.create({
    ...{ projectId, agents: [...agents], models, prompt, fromHead },
    ...(budget && { budget }),
  })
  const signal = await follow(client, made, options, { terminal, signals })
  const { agents: read } = await client.comparisons.get(made.id)
  const compared = read.map((each) => withRefusal(each, made))
  if (options.json) for (const each of compared) terminal.writeJson(rowOf(each))
  else terminal.write(comparisonText(compared, terminal.size()?.columns ?? 80))
  await cleanUp(client, compared, options.cleanUp === true)
  await terminal.flush()
  if (signal !== undefined) return exitCodeOfSignal(signal)
  return compared.some(({ state }) => isFailure(state)) ? exitCodes.failed : exitCodes.done
}

/** Why an agent refused the prompt is only in the response to it. */
const withRefusal = (each: ComparedSession, { agents }: Comparison): ComparedSession => {
  const first = agents.find(({ session }) => session.id === each.session.id)
  const problem = each.problem ?? (isFailure(each.state) ? first?.problem : undefined)
  return { ...each, ...(problem !== undefined && { problem }) }
}

const isFailure = (state: ComparedSession['state']): boolean =>
  state === 'failed' || state === 'not_started'

/** Prints each change of state until all agents are done. Returns the signal that stopped them. */
const follow = async (
  client: Client,
  { id, agents }: Comparison,
  { approve = 'ask', json }: CompareOptions,
  { terminal, signals }: { terminal: Terminal; signals: StopSignals },
): Promise<NodeJS.Signals | undefined> => {
  let stopped: NodeJS.Signals | undefined
  let isOver = false
  let stopUntil = 0
  void signals.second.then(() => {
    isOver = true
  })
  const shown = new Map<string, string>()
  const refused = new Set(agents.filter(({ problem }) => problem).map((each) => each.session.id))
  while (!isOver) {
    const { sessions } = await client.sessions.list({ comparisonId: id })
    await answerAll(client, approve, sessions)
    for (const session of sessions.toReversed()) if (!json) printRow(session, shown, terminal)
    await terminal.flush()
    if (sessions.every((session) => refused.has(session.id) || isDone(session))) break
    if (stopped !== undefined) {
      // Agents that do not stop are ended with this process, or go on at the server.
      isOver ||= Date.now() > stopUntil
      await pause(pollMs)
      continue
    }
    stopped = (await Promise.race([signals.first, pause(pollMs)])) ?? undefined
    if (stopped === undefined) continue
    stopUntil = Date.now() + stopMs
    await Promise.all(sessions.map((session) => client.sessions.abort(session.id)))
  }
  return stopped
}

const isDone = ({ state, seq = 0 }: SessionInfo): boolean => state !== 'running' && seq > 0

/** Answers what the agents ask, as `--approve` says. With `ask`, people answer elsewhere. */
const answerAll = async (
  client: Client,
  approve: RunApproval,
  sessions: readonly SessionInfo[],
): Promise<void> => {
  if (approve === 'ask') return
  for (const { id } of sessions) {
    for (const { approvalId, hash } of await client.approvals.list({ sessionId: id }))
      await client.approvals.answer(approvalId, {
        action: approve,
        ...(hash !== undefined && { hash }),
      })
  }
}

const printRow = (session: SessionInfo, shown: Map<string, string>, terminal: Terminal): void => {
  const kind = session.activity?.kind
  const isWaiting = kind === 'failed' || kind === 'approval'
  const state = session.state === 'running' ? 'running' : isDone(session) ? 'done' : 'not_started'
  const row = comparisonRow({ session, state: isWaiting ? kind : state })
  const step = `${state} ${kind}`
  if (shown.get(session.id) === step) return
  shown.set(session.id, step)
  terminal.write(`${row}\n`)
}

/** One agent, as `--json` prints it. */
const rowOf = ({
  session,
  state,
  problem,
  files,
  additions,
  deletions,
  text,
}: ComparedSession) => ({
  agent: session.agent,
  sessionId: session.id,
  state,
  ...(problem !== undefined && { problem }),
  costUsd: session.usage?.costUsd ?? null,
  workedMs: session.workedMs ?? null,
  files: files.map(({ path }) => path),
  ...{ additions, deletions, text, worktree: session.worktree ?? null },
})

/** Deletes all worktrees with `--clean-up`, and otherwise those in which nothing changed. */
const cleanUp = async (
  client: Client,
  compared: readonly ComparedSession[],
  isWanted: boolean,
): Promise<void> => {
  const [first] = compared
  const projectId = first?.session.projectId
  if (projectId === undefined) return
  const own = new Set(compared.map(({ session }) => session.worktree?.path))
  for (const { path, state, commits } of await client.worktrees.list({ projectId })) {
    const isUnchanged = state === 'clean' && commits === 0
    if (own.has(path) && (isWanted || isUnchanged))
      await client.worktrees.remove(path, { force: isWanted })
  }
}
