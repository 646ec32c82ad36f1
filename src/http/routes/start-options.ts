import { requireScope } from '../../auth/gate.ts'
import type { StartOptions } from '../../events/types.ts'
import { isInside } from '../../files/is-inside.ts'
import { Problem } from '../../shared/problem.ts'
import type { RouteContext } from './route.ts'
import { confirmLess } from './rules.ts'

/**
 * The options that a caller may start an agent with, with real paths. Throws a `Problem` for those that
 * need more than the right to send prompts.
 */
export const allowedStart = async (
  context: RouteContext,
  projectId: string,
  start: StartOptions | undefined,
): Promise<StartOptions | undefined> => {
  if (!start || Object.keys(start).length === 0) return undefined
  const { access } = context
  // A caller who may not allow a call may not switch the request for it off.
  if (start.mode !== undefined || start.allowedTools) {
    requireScope(access, 'approve')
    await confirmLess(context, projectId)
  }
  // The agent starts these programs without a request.
  if (start.mcpServers) requireScope(access, 'admin')
  if (!start.directories) return start
  const directories = await Promise.all(
    start.directories.map((path) => allowedDirectory(context, path)),
  )
  return { ...start, directories }
}

/** A directory below the roots. A key that sees only some projects may name only those. */
const allowedDirectory = async (
  { app, access: { range } }: RouteContext,
  path: string,
): Promise<string> => {
  const directory = await app.roots.resolve(path)
  if (!range) return directory
  const projects = await app.log.projects.list()
  const seen = projects.filter(({ id }) => range.projects.includes(id))
  if (seen.some((project) => isInside(directory, project.path))) return directory
  throw new Problem(
    403,
    'key_limited',
    'This key sees only some projects, so an agent may work only in their directories.',
  )
}
