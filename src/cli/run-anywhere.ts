import { knownAgent, protocolAgent } from '../agents/known-agents.ts'
import type { SessionInfo } from '../api/types.ts'
import { ApiError } from '../client/api-error.ts'
import type { Client } from '../client/client.ts'
import { Fault } from '../shared/fault.ts'
import { noCommand } from './acp-command.ts'
import { readAttachments } from './read-attachments.ts'
import { openServerSession } from './remote/open-server-session.ts'
import type { RunApproval } from './remote/run-on-server.ts'
import { onServer, type ServerTarget, serverAt } from './remote/server-target.ts'
import type { RunAgentOptions } from './run.ts'
import { printError, type Terminal } from './terminal.ts'

export interface RunAnywhereOptions extends RunAgentOptions, ServerTarget {
  /** Whether a server may do it. */
  server: boolean
  /** Continues the session of the directory that was used last. */
  continue?: boolean
  approve?: RunApproval
  /** Paths of files that go with the prompt. */
  file?: readonly string[]
  /** Options that were given and that no server has. */
  notOnServer: readonly string[]
}

/** `sluice run`: on a server where there is one, otherwise in this process. */
export const runAnywhere = async (
  options: RunAnywhereOptions,
  terminal: Terminal,
  closed: AbortSignal,
): Promise<number> => {
  if (options.agent === protocolAgent && options.extra.length === 0) throw noCommand('run acp "…"')
  const files = await readAttachments(options.file)
  const opened = await openThere(options)
  if (opened) {
    const { approve = 'ask', prompt, out } = options
    const { runOnServer } = await import('./remote/run-on-server.ts')
    return onServer(options, () =>
      runOnServer({ ...opened, prompt, files, out, approve }, terminal, closed),
    )
  }
  const [onlyThere] = onlyOnServer(options)
  if (onlyThere !== undefined)
    throw new Fault(
      'usage',
      `${onlyThere} needs a server, which stores the session. Start one with \`sluice serve\`.`,
    )
  const { runAgent } = await import('./run.ts')
  return runAgent({ ...options, files }, terminal, closed)
}

/** A session on the server; undefined when the run starts in this process. */
const openThere = async (
  options: RunAnywhereOptions,
): Promise<{ client: Client; session: SessionInfo } | undefined> => {
  if (!isLive(options)) return undefined
  const client = options.server ? serverAt(options) : undefined
  if (!client || !canUseServer(options)) return undefined
  try {
    const budget = { limits: {}, onExceeded: 'stop' as const, ...options.budget }
    return { client, session: await openServerSession(client, { ...options, budget }) }
  } catch (cause) {
    const mustRunThere = options.url !== undefined || onlyOnServer(options).length > 0
    const isElsewhere = cause instanceof ApiError && cause.code === 'path_outside_roots'
    if (mustRunThere || !isElsewhere) return onServer(options, () => Promise.reject(cause))
    printError('runs without the server: the directory is outside its roots.')
    return undefined
  }
}

/** Whether a session can be held with the agent. Otherwise it runs in this process. */
const isLive = ({ agent, url }: RunAnywhereOptions): boolean => {
  const known = knownAgent(agent)
  if (!known || known.capabilities.isLive) return true
  if (url === undefined) return false
  throw new Fault('usage', `${known.title} cannot run on a server: it only prints its output.`)
}

/** Whether a server can do what was requested. By a `--url`, it must. */
const canUseServer = ({ url, notOnServer }: RunAnywhereOptions): boolean => {
  const [first] = notOnServer
  if (first === undefined) return true
  if (url !== undefined) throw new Fault('usage', `${first} does not work on a server.`)
  printError(`runs without the server, because of ${first}.`)
  return false
}

/** The options that were given and that only a server has. */
const onlyOnServer = (options: RunAnywhereOptions): string[] => {
  const { agent, continue: isContinued, approve, budget } = options
  // Configured agents speak ACP, too: they request approvals also in this process.
  const canAnswer =
    approve !== 'ask' && (knownAgent(agent)?.adapter ?? protocolAgent) === protocolAgent
  return [
    ...(isContinued === true ? ['--continue'] : []),
    ...(approve === undefined || canAnswer ? [] : ['--approve']),
    ...(budget?.onExceeded === 'ask' ? ['--on-budget ask'] : []),
  ]
}
