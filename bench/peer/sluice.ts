import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Durability } from '../../src/sluice/open-log.ts'
import { startProgram } from '../sse/round.ts'
import { orStop, type PeerServer, type PeerSetup, post, writeAgent } from './server.ts'

const program = fileURLToPath(new URL('../../bin/sluice.js', import.meta.url))

/** `sluice serve` from the bundle, with a log. The agent replaces Pi. */
export const startSluice =
  (durability: Durability) =>
  async (setup: PeerSetup): Promise<PeerServer> => {
    const { directory, signal } = setup
    const project = join(directory, 'project')
    const pi = join(directory, 'pi')
    mkdirSync(project)
    writeAgent(pi, 'pi', setup)
    const data = join(directory, 'data')
    const options = ['--port', '0', '--data', data, '--durability', durability, '--root', project]
    const serve = [program, 'serve', '--no-auth', '--log-level', 'error', ...options]
    // Hides its warning that it does not require a token.
    const quiet = ['/bin/sh', '-c', 'exec "$@" 2> "$0"', join(directory, 'stderr')] as const
    const server = startProgram(
      [...quiet, '/usr/bin/env', `PI_BIN=${pi}`, process.execPath, ...serve],
      signal,
    )
    return orStop(server, async () => {
      const url = new URL((await server.waitFor('Sluice')).replace('is at ', ''))
      const api = new URL('api/v1/', url).href
      const { id: projectId } = idOf(await post(`${api}projects`, { name: 'one', path: project }))
      const { id } = idOf(await post(`${api}sessions`, { projectId, agent: 'pi' }))
      return {
        pid: server.pid,
        port: Number(url.port),
        path: `/api/v1/sessions/${id}/stream`,
        before: 4, // session_start, the agent’s state, agent_start, turn_state
        async begin() {
          await post(`${api}sessions/${id}/prompt`, { text: 'begin' })
        },
        stop: server.stop,
      }
    })
  }

const idOf = (body: unknown): { id: string } => {
  const id: unknown = typeof body === 'object' && body ? Reflect.get(body, 'id') : undefined
  if (typeof id !== 'string') throw new Error(`The response has no id: ${JSON.stringify(body)}`)
  return { id }
}
