import { homedir } from 'node:os'
import { join } from 'node:path'

/** Where OpenCode stores the sessions of all projects. */
export const openCodeFile = (env: NodeJS.ProcessEnv = process.env): string =>
  openCodeFileIn(join(env.XDG_DATA_HOME || join(env.HOME ?? homedir(), '.local/share'), 'opencode'))

/** The database in the directory of OpenCode; a path of the database itself is returned as it is. */
export const openCodeFileIn = (path: string): string =>
  path.endsWith('.db') ? path : join(path, 'opencode.db')
