import type { SessionInfo } from './types.ts'

/** The display name of a session: its name, else its title, else the name of its directory. */
export const sessionName = ({
  name,
  title,
  cwd,
}: Pick<SessionInfo, 'name' | 'title' | 'cwd'>): string =>
  name ?? title ?? cwd.split('/').findLast((part) => part !== '') ?? 'Session'
