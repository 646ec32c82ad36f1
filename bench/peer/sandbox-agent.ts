import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '../../scripts/free-port.ts'
import { startProgram } from '../sse/round.ts'
import { orStop, type PeerServer, type PeerSetup, post, writeAgent } from './server.ts'

/** `sandbox-agent` 0.4. The agent replaces the mock agent that it can install. */
export const startSandboxAgent =
  (program: string) =>
  async (setup: PeerSetup): Promise<PeerServer> => {
    const { directory, signal } = setup
    const agents = join(directory, 'sandbox-agent', 'bin', 'agent_processes')
    mkdirSync(agents, { recursive: true })
    writeAgent(join(agents, 'mock-acp'), 'acp', setup)
    const port = await freePort()
    const serve = [program, 'server', '--no-token', '--no-telemetry', '--port', String(port)]
    const server = startProgram(['/usr/bin/env', `XDG_DATA_HOME=${directory}`, ...serve], signal)
    const url = `http://127.0.0.1:${port}/v1`
    return orStop(server, async () => {
      await untilHealthy(`${url}/health`)
      const initialize = { id: 1, method: 'initialize', params: {} }
      await post(`${url}/acp/one?agent=mock`, { jsonrpc: '2.0', ...initialize })
      return {
        pid: server.pid,
        port,
        path: '/v1/acp/one',
        before: 1, // the response to `initialize`
        async begin() {
          await post(`${url}/acp/one`, { jsonrpc: '2.0', method: 'session/prompt', params: {} })
        },
        stop: server.stop,
      }
    })
  }

const untilHealthy = async (url: string): Promise<void> => {
  for (let tries = 0; tries < 200; tries += 1) {
    const response = await fetch(url).catch(() => undefined)
    if (response?.ok) return
    await pause(50)
  }
  throw new Error(`${url} does not respond.`)
}
