import { realpath, stat } from 'node:fs/promises'
import type { AgentDescription } from '../agents/agent.ts'
import type { Presence } from '../events/types.ts'
import { agentsInDirectory } from '../process/agents-in-directory.ts'
import { startOfProcess } from '../process/live-process.ts'
import type { PresenceQuery, PresenceReader } from './presence.ts'

/** Finds out whether an agent that leaves no marker works in a session. */
export interface UnmarkedPresence extends PresenceReader {
  /** `ignored`: processes that are known to work in other sessions. */
  find(query: PresenceQuery, ignored?: ReadonlySet<number>): Promise<Presence>
}

/**
 * For agents that leave no marker. A process with the session’s file open works in it; so does one in
 * its directory that was there already when the session was last written. A younger one may have loaded
 * the session and not written yet: nobody can tell.
 */
export const createUnmarkedPresence = (agent: AgentDescription): UnmarkedPresence => ({
  async find(query, ignored) {
    const cwd = await realPathOf(query.cwd)
    // The folder was deleted: an agent whose folder is gone cannot be told from others.
    if (cwd === undefined) return { state: 'unknown' }
    const file = query.file === undefined ? undefined : await realPathOf(query.file)
    const isShared = agent.name === 'opencode'
    const found = agentsInDirectory({ agent, cwd, file: isShared ? undefined : file })
    if (found === undefined) return { state: 'unknown' }
    const others = found.filter(({ pid }) => !ignored?.has(pid))
    const [first] = others
    if (!first) return { state: 'gone' }
    const lastWrite = query.lastWrite ?? (await lastChangeOf(query))
    const writer = others.find(({ pid, hasFile }) => hasFile || wasThereAt(pid, lastWrite))
    return writer ? { state: 'alive', pid: writer.pid } : { state: 'unknown', pid: first.pid }
  },
})

const wasThereAt = (pid: number, time: number | undefined): boolean => {
  const started = startOfProcess(pid)
  return time !== undefined && started !== undefined && started <= time
}

const realPathOf = (path: string): Promise<string | undefined> =>
  realpath(path).catch(() => undefined)

const lastChangeOf = async ({ file }: PresenceQuery): Promise<number | undefined> =>
  file === undefined
    ? undefined
    : stat(file).then(
        ({ mtimeMs }) => mtimeMs,
        () => undefined,
      )
