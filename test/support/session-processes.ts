import { readdirSync, readFileSync } from 'node:fs'

/** The running processes that have a session’s id in their environment. */
export const processesOfSession = (sessionId: string): number[] =>
  readdirSync('/proc').flatMap((name) => {
    try {
      const environment = readFileSync(`/proc/${name}/environ`, 'latin1').split('\0')
      return environment.includes(`AGENT_SESSION_TAG=${sessionId}`) ? [Number(name)] : []
    } catch {
      return []
    }
  })
