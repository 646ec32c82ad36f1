import type { ComparedSession, Comparison } from '../api/types.ts'
import type { Client } from '../client/client.ts'
import type { SessionBudget } from '../events/types.ts'
import type { SandboxMode } from '../process/sandbox.ts'
import { Fault } from '../shared/fault.ts'
import { checkWorktree } from '../worktrees/worktrees.ts'
import { comparisonText } from './comparison-text.ts'
import { exitCodes } from './exit.ts'
import { followComparison } from './follow-comparison.ts'
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
  const { approve = 'ask', json = false } = options
  const signal = await followComparison(client, made, { approve, isQuiet: json, terminal, signals })
  const { agents: read } = await client.comparisons.get(made.id)
  const compared = read.map((each) => withRefusal(each, made))
  if (json) for (const each of compared) terminal.writeJson(rowOf(each))
  else terminal.write(comparisonText(compared, viewOf(options, terminal)))
  await cleanUp(client, compared, options.cleanUp === true)
  await terminal.flush()
  if (signal !== undefined) return exitCodeOfSignal(signal)
  return compared.some(({ state }) => isFailure(state)) ? exitCodes.failed : exitCodes.done
}

/** How the results are shown. Worktrees that are deleted are no results to take. */
const viewOf = ({ cleanUp }: CompareOptions, terminal: Terminal) => ({
  columns: terminal.size()?.columns ?? 80,
  canTake: cleanUp !== true,
})

/** Why an agent refused the prompt is only in the response to it. */
const withRefusal = (each: ComparedSession, { agents }: Comparison): ComparedSession => {
  const first = agents.find(({ session }) => session.id === each.session.id)
  const problem = each.problem ?? (isFailure(each.state) ? first?.problem : undefined)
  return { ...each, ...(problem !== undefined && { problem }) }
}

const isFailure = (state: ComparedSession['state']): boolean =>
  state === 'failed' || state === 'not_started'

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
