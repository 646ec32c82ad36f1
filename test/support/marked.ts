import { readdirSync, readFileSync } from 'node:fs'

/** The living processes that were started for a session, as the system knows them. */
export const processesOf = (sessionId: string): number[] =>
  readdirSync('/proc').flatMap((name) => {
    try {
      const environment = readFileSync(`/proc/${name}/environ`, 'latin1').split('\0')
      return environment.includes(`SLUICE_SESSION=${sessionId}`) ? [Number(name)] : []
    } catch {
      return []
    }
  })
