import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { SessionInfo, TurnDiff } from '../api/types.ts'
import { ApiError } from '../client/api-error.ts'
import type { Client } from '../client/client.ts'
import type { SessionBudget } from '../events/types.ts'
import type { SandboxMode } from '../process/sandbox.ts'
import { Fault } from '../shared/fault.ts'
import { checkWorktree, removeWorktree } from '../worktrees/worktrees.ts'
import { type ComparedAgent, comparisonRow, comparisonText } from './comparison-text.ts'
import { exitCodes } from './exit.ts'
import { projectAt } from './remote/open-server-session.ts'
import type { RunApproval } from './remote/run-on-server.ts'
import { onServer, type ServerTarget, serverAt } from './remote/server-target.ts'
import { printError, type Terminal } from './terminal.ts'

export interface CompareOptions extends ServerTarget {
  agents: readonly string[]
  prompt: string
  cwd: string
  sandbox: SandboxMode
  approve?: RunApproval
  /** Starts from the last commit, although there are changes that are not committed. */
  fromHead?: boolean
  /** Deletes the worktrees in the end. */
  cleanUp?: boolean
  budget?: SessionBudget | undefined
  json?: boolean
}

const pollMs = 500

/** `sluice run --agents`: the same prompt to several agents, each in a git worktree of its own. */
export const compareAgents = async (
  options: CompareOptions,
  terminal: Terminal,
  closed: AbortSignal,
): Promise<number> => {
  const { agents, cwd, fromHead, url } = options
  if (agents.length < 2 || new Set(agents).size < agents.length)
    throw new Fault('usage', 'Name at least two different agents, such as --agents pi,claude.')
  if (url === undefined) await checkWorktree({ directory: cwd, fromHead })
  const server = serverAt(options)
  if (server) return onServer(options, () => compareOn(server, options, terminal, closed))
  // Without a server, this process is one for as long as the agents work.
  const { openSluice } = await import('../sluice/sluice.ts')
  const { data, sandbox, approve = 'deny' } = options
  const sluice = await openSluice({
    ...{ data, sandbox, name: 'terminal', resumeLoops: false, roots: [cwd] },
    policy: approve === 'ask' ? 'deny' : approve,
    http: { port: 0 },
  })
  try {
    const own = serverAt({ data })
    if (!own) throw new Error('The server of this process is not found.')
    return await onServer({}, () => compareOn(own, options, terminal, closed))
  } finally {
    await sluice.close()
  }
}

const compareOn = async (
  client: Client,
  options: CompareOptions,
  terminal: Terminal,
  closed: AbortSignal,
): Promise<number> => {
  const sessions = await createAll(client, options)
  const compared = sessions.map((session): ComparedAgent => ({ session }))
  await Promise.all(compared.map((each) => start(client, each, options.prompt)))
  const shown = new Map<string, string>()
  for (;;) {
    for (const each of compared) await refresh(client, each)
    await answerAll(client, options.approve ?? 'ask', sessions)
    for (const each of compared) if (!options.json) printRow(each, shown, terminal)
    if (closed.aborted || compared.every(isOver)) break
    await pause(pollMs)
  }
  if (closed.aborted) await Promise.all(sessions.map(({ id }) => client.sessions.abort(id)))
  for (const each of compared) await readResult(client, each)
  for (const each of compared) if (options.json) terminal.writeJson(rowOf(each))
  if (!options.json) terminal.write(comparisonText(compared, process.stdout.columns || 80))
  await cleanUp(client, compared, options)
  await terminal.flush()
  return compared.some(hasFailed) ? exitCodes.failed : exitCodes.done
}

/** Creates all sessions, or none. */
const createAll = async (client: Client, options: CompareOptions): Promise<SessionInfo[]> => {
  const { agents, cwd, fromHead = false, budget } = options
  const { id: projectId } = await projectAt(client, cwd)
  const comparisonId = randomBytes(3).toString('hex')
  const created: SessionInfo[] = []
  try {
    for (const agent of agents)
      created.push(
        await client.sessions.create({
          ...{ projectId, agent, comparisonId, worktree: true as const, fromHead },
          ...(budget && { budget }),
        }),
      )
    return created
  } catch (cause) {
    for (const { id, worktree } of created) {
      await client.sessions.remove(id)
      if (worktree && options.url === undefined) await removeWorktree(worktree)
    }
    throw cause
  }
}

const start = async (client: Client, each: ComparedAgent, prompt: string): Promise<void> => {
  try {
    await client.sessions.prompt(each.session.id, prompt)
  } catch (cause) {
    if (!(cause instanceof ApiError)) throw cause
    each.problem = cause.detail
  }
}

const refresh = async (client: Client, each: ComparedAgent): Promise<void> => {
  if (each.problem === undefined) each.session = await client.sessions.get(each.session.id)
}

const isOver = ({ session, problem }: ComparedAgent): boolean =>
  problem !== undefined || (session.state !== 'running' && (session.seq ?? 0) > 0)

const hasFailed = ({ session, problem }: ComparedAgent): boolean =>
  problem !== undefined || session.activity?.kind === 'failed'

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

const printRow = (each: ComparedAgent, shown: Map<string, string>, terminal: Terminal): void => {
  const row = comparisonRow(each)
  const state = `${each.session.state} ${each.session.activity?.kind}`
  if (shown.get(each.session.id) === state) return
  shown.set(each.session.id, state)
  terminal.write(`${row}\n`)
}

const readResult = async (client: Client, each: ComparedAgent): Promise<void> => {
  if (each.problem !== undefined) return
  const { id } = each.session
  each.session = await client.sessions.get(id)
  each.diff = await client.sessions.turnDiff(id)
  const { messages } = await client.sessions.messages(id)
  each.text = lastText(messages)
}

/** The text of the last message of the agent. */
const lastText = (messages: readonly { role: string; content?: unknown }[]): string => {
  const last = messages.findLast(({ role }) => role === 'assistant')
  const content = Array.isArray(last?.content) ? last.content : []
  return content
    .map((block: unknown) =>
      typeof block === 'object' && block !== null && 'text' in block ? `${block.text}` : '',
    )
    .join('')
}

/** One agent, as `--json` prints it. */
const rowOf = ({ session, diff, text, problem }: ComparedAgent) => ({
  agent: session.agent,
  sessionId: session.id,
  state: problem === undefined ? (session.activity?.kind ?? session.state) : 'failed',
  ...(problem !== undefined && { problem }),
  costUsd: session.usage?.costUsd ?? null,
  workedMs: session.workedMs ?? null,
  ...(diff && linesOf(diff)),
  text: text ?? '',
  worktree: session.worktree ?? null,
})

const linesOf = ({ files }: TurnDiff) => ({
  files: files.map(({ path }) => path),
  additions: files.reduce((sum, { additions = 0 }) => sum + additions, 0),
  deletions: files.reduce((sum, { deletions = 0 }) => sum + deletions, 0),
})

/** Deletes all worktrees with `--clean-up`, and otherwise those in which nothing changed. */
const cleanUp = async (
  client: Client,
  compared: readonly ComparedAgent[],
  { cleanUp: isWanted = false, url }: CompareOptions,
): Promise<void> => {
  if (url !== undefined) {
    if (isWanted) printError('the worktrees are on the server, so --clean-up does not reach them.')
    return
  }
  for (const { session, diff, problem } of compared) {
    const isUnchanged = problem !== undefined || (diff?.source === 'git' && diff.files.length === 0)
    if (!session.worktree || !(isWanted || isUnchanged)) continue
    await client.sessions.abort(session.id).catch(() => undefined)
    await removeWorktree(session.worktree)
  }
}
