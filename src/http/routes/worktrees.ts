import type { Project, WorktreeInfo } from '../../api/types.ts'
import { worktreeList, worktreeQuery, worktreeRemoval } from '../../api/worktree.ts'
import type { SessionRecord } from '../../log/types.ts'
import { Problem } from '../../shared/problem.ts'
import {
  type FoundWorktree,
  listWorktrees,
  readWorktreeStatus,
} from '../../worktrees/list-worktrees.ts'
import { removeWorktree } from '../../worktrees/worktrees.ts'
import type { AppContext } from '../app-context.ts'
import { apiBase, endpoints } from '../endpoints.ts'
import { sessionsInWorktrees } from '../session-worktrees.ts'
import { requireProject } from './projects.ts'
import { route } from './route.ts'

const tag = 'Worktrees'

/** The git worktrees that were made for sessions. */
export const worktreeRoutes = [
  route({
    endpoint: endpoints.listWorktrees,
    tag,
    summary: 'List the git worktrees that were made for sessions',
    description: 'Also those whose sessions were deleted.',
    parts: { query: worktreeQuery },
    reply: { status: 200, schema: worktreeList },
    problems: ['unknown_project'],
    async handle({ query: { projectId } }, { app }) {
      const projects =
        projectId === undefined
          ? await app.log.projects.list()
          : [await requireProject(app.log, projectId)]
      const sessions = await sessionsInWorktrees(app.log)
      const worktrees: WorktreeInfo[] = []
      for (const project of projects) {
        const directory = await directoryOf(app, project)
        for (const found of directory === undefined ? [] : await listWorktrees(directory))
          worktrees.push({
            ...found,
            ...{ projectId: project.id, project: directory ?? '' },
            sessionIds: (sessions.get(found.path) ?? []).map(({ id }) => id),
            ...(await readWorktreeStatus(found, { project: directory ?? '' })),
          })
      }
      return { status: 200, body: { worktrees } }
    },
  }),
  route({
    endpoint: endpoints.removeWorktree,
    tag,
    summary: 'Delete a git worktree',
    description:
      'Its branch stays if it has commits that the project’s current branch does not have. The sessions that worked in it stay, and can be read.',
    parts: { query: worktreeRemoval },
    reply: { status: 204 },
    problems: ['unknown_worktree', 'uncommitted_changes', 'agent_busy'],
    async handle({ query: { path, force } }, { app, audit }) {
      const { project, directory, found } = await requireWorktree(app, path)
      const sessions = (await sessionsInWorktrees(app.log)).get(path) ?? []
      await endAgents(app, sessions)
      const { state, changedFiles } = await readWorktreeStatus(found, { project: directory })
      if (state === 'changed' && force !== 'true') throw notCommitted(path, changedFiles)
      const { branch = '' } = found
      const base = sessions.find(({ worktree }) => worktree?.branch === branch)?.worktree?.base
      await removeWorktree({
        path,
        branch,
        project: directory,
        ...(base !== undefined && { base }),
      })
      audit({ action: 'worktree_removed', projectId: project.id, detail: path })
      return { status: 204 }
    },
  }),
]

/** The real directory of a project; undefined if it is gone, or a link that leads out of the roots. */
const directoryOf = async (app: AppContext, { path }: Project): Promise<string | undefined> => {
  try {
    return await app.roots.resolve(path)
  } catch (cause) {
    if (cause instanceof Problem) return undefined
    throw cause
  }
}

interface RequiredWorktree {
  project: Project
  directory: string
  found: FoundWorktree
}

/** A worktree of a project that the caller sees. Only a path that git itself lists is accepted. */
const requireWorktree = async (app: AppContext, path: string): Promise<RequiredWorktree> => {
  for (const project of await app.log.projects.list()) {
    const directory = await directoryOf(app, project)
    if (directory === undefined || !path.startsWith(`${directory}/`)) continue
    const found = (await listWorktrees(directory)).find((each) => each.path === path)
    if (found) return { project, directory, found }
  }
  throw new Problem(
    404,
    'unknown_worktree',
    `There is no worktree ${path}. GET ${apiBase}/worktrees lists them.`,
  )
}

/** Ends agents that wait in a worktree. Throws a `Problem` 409 if one works. */
const endAgents = async (app: AppContext, sessions: readonly SessionRecord[]): Promise<void> => {
  const busy = sessions.find(({ state }) => state === 'running')
  if (busy)
    throw new Problem(
      409,
      'agent_busy',
      `The agent of session ${busy.id} works in this worktree. Abort its run first.`,
      { state: 'running' },
    )
  for (const { id } of sessions) await (await app.sessions.get(id))?.stop()
}

const notCommitted = (path: string, count: number): Problem =>
  new Problem(
    409,
    'uncommitted_changes',
    `${path} has ${count === 1 ? 'a file' : `${count} files`} with changes that are not committed. Commit them, or delete the worktree with force=true.`,
  )
