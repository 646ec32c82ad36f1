import type { SessionInfo } from './types.ts'

/** What a session is called: by the person, by its first prompt, or else by its directory. */
export const sessionName = ({
  name,
  title,
  cwd,
}: Pick<SessionInfo, 'name' | 'title' | 'cwd'>): string =>
  name ?? title ?? cwd.split('/').findLast((part) => part !== '') ?? 'Session'
