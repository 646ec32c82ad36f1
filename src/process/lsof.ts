import { execFile, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)
const options = { timeout: 10_000, maxBuffer: 64 * 1024 * 1024 }

/**
 * The process at the client’s end of each TCP connection of this machine, by `clientPort>serverPort`,
 * for systems without /proc. Only processes of this user; empty without `lsof`.
 */
export const connectionOwners = async (): Promise<ReadonlyMap<string, number>> => {
  const owners = new Map<string, number>()
  let pid = 0
  for (const line of await connectionLines()) {
    if (line.startsWith('p')) pid = Number(line.slice(1))
    const [, client, server] = /^n.*:(\d+)->.*:(\d+)$/.exec(line) ?? []
    if (client !== undefined) owners.set(`${client}>${server}`, pid)
  }
  return owners
}

const connectionLines = async (): Promise<string[]> => {
  try {
    const args = ['-nP', '-iTCP', '-sTCP:ESTABLISHED', '-Fpn']
    return (await run('lsof', args, options)).stdout.split('\n')
  } catch {
    return [] // it is not installed, or there are no connections
  }
}

/** The process that listens on a TCP port; undefined without `lsof`, or if it is another user’s. */
export const listenerOf = (port: number): number | undefined => {
  const args = ['-nP', `-iTCP:${port}`, '-sTCP:LISTEN', '-t']
  const { stdout } = spawnSync('lsof', args, { ...options, encoding: 'utf8' })
  const [pid] = /^\d+/.exec(stdout ?? '') ?? []
  return pid === undefined ? undefined : Number(pid)
}
