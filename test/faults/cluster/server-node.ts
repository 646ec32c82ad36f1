import { join } from 'node:path'
import { type ServerProcess, startServerProcess } from '../../support/server-process.ts'
import { leaseMs, type NodeSettings, type RigNode } from './rig.ts'
import { wrongClock } from './wrong-clock.ts'

/** A node that is a real `sluice serve`. */
export interface ServerNode extends RigNode {
  /** The server that runs; undefined while none does. */
  current(): ServerProcess | undefined
  port(): number
  /** What its process has printed on stderr so far. */
  errors(): string
}

export const createServerNode = (
  { name, servers, tenant, data, setLink }: NodeSettings,
  { projects, agent }: { projects: string; agent: string },
): ServerNode => {
  let server: ServerProcess | undefined
  let port = 0
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    const ending = server
    server = undefined
    await ending?.stop(signal)
  }

  return {
    ...{ name, setLink, current: () => server, port: () => port },
    errors: () => server?.output.stderr ?? '',
    async start(skew = 0) {
      const directories = { data: join(data, 'node'), projects, remove: () => {} }
      const started = await startServerProcess(directories, {
        port,
        args: [
          ...['--nats', servers.join(), '--tenant', tenant, '--node', name, '--replicas', '3'],
          ...['--lease', `${Math.ceil(leaseMs / 1000)}s`, '--sandbox', 'off'],
        ],
        env: {
          ...process.env,
          ...wrongClock(skew),
          ...{ CLAUDE_BIN: agent, SLUICE_DEMO_PACE: '1' },
        },
      })
      if (!(started.port > 0))
        throw new Error(`node ${name} did not start: ${started.output.stderr}`)
      port = started.port
      server = started
    },
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
    signal: (signal) => void server?.child.kill(signal),
  }
}
