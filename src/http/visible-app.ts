import type { SessionRange } from '../log/log.ts'
import { unknownSession } from '../log/log-fault.ts'
import type { LoopRecord } from '../log/types.ts'
import type { AppContext } from './app-context.ts'
import { visibleLog } from './visible-log.ts'

/** What routes work with for a key that is restricted to some projects and sessions. */
export const visibleApp = (app: AppContext, range: SessionRange): AppContext => {
  const log = visibleLog(app.log, range)
  const { sessions, takeover, loops, removal } = app
  const isVisible = ({ projectId = '' }: LoopRecord) => range.projects.includes(projectId)
  const requireVisible = async (id: string): Promise<void> => {
    if (!(await log.sessions.get(id))) throw unknownSession(id)
  }

  return {
    ...app,
    log,
    sessions: {
      ...sessions,
      get: async (id) => ((await log.sessions.get(id)) ? sessions.get(id) : undefined),
      list: log.sessions.list,
      async fork(id, options) {
        await requireVisible(id)
        return sessions.fork(id, options)
      },
      async deactivate(id) {
        await requireVisible(id)
        await sessions.deactivate(id)
      },
      async remove(id, options) {
        await requireVisible(id)
        await sessions.remove(id, options)
      },
    },
    takeover: takeover && {
      async continue(id, options) {
        await requireVisible(id)
        return takeover.continue(id, options)
      },
    },
    loops: loops && {
      ...loops,
      async get(id) {
        const loop = await loops.get(id)
        return loop && isVisible(loop) ? loop : undefined
      },
      list: async () => (await loops.list()).filter(isVisible),
    },
    removal: {
      ...removal,
      async remove(id, worktree) {
        await requireVisible(id)
        await removal.remove(id, worktree)
      },
      async restore(id) {
        await requireVisible(id)
        return removal.restore(id)
      },
    },
  }
}
