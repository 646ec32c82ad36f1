import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Durability } from '../../src/sluice/open-log.ts'
import { start } from '../sse/round.ts'
import { orStop, type PeerServer, type PeerSetup, post, writeAgent } from './server.ts'

const program = fileURLToPath(new URL('../../bin/sluice.js', import.meta.url))

/** `sluice serve` from the bundle, with its log, and the agent as its Pi. */
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
    // Its warning that it asks for no token is no news here.
    const quiet = ['/bin/sh', '-c', 'exec "$@" 2> "$0"', join(directory, 'stderr')] as const
    const server = start(
      [...quiet, '/usr/bin/env', `PI_BIN=${pi}`, process.execPath, ...serve],
      signal,
    )
    return orStop(server, async () => {
      const url = new URL((await server.said('Sluice')).replace('is at ', ''))
      const api = new URL('api/v1/', url).href
      const { id: projectId } = idOf(await post(`${api}projects`, { name: 'one', path: project }))
      const { id } = idOf(await post(`${api}sessions`, { projectId, agent: 'pi' }))
      return {
        pid: server.pid,
        port: Number(url.port),
        path: `/api/v1/sessions/${id}/stream`,
        before: 4, // session_start, what the agent says of itself, agent_start, turn_state
        async begin() {
          await post(`${api}sessions/${id}/prompt`, { text: 'begin' })
        },
        stop: server.stop,
      }
    })
  }

const idOf = (answer: unknown): { id: string } => {
  const id: unknown = typeof answer === 'object' && answer ? Reflect.get(answer, 'id') : undefined
  if (typeof id !== 'string') throw new Error(`There is no id in ${JSON.stringify(answer)}.`)
  return { id }
}
