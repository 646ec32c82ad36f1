import { createServer } from 'node:http'
import { type Log, openMemoryLog } from '../../src/log/index.ts'
import { createStreams } from '../../src/streams/streams.ts'

/** Sluice’s streams of one session, `s`, without agents, tokens and routes. */
export const openStreams = async (log?: Log) => {
  const used = log ?? (await openMemoryLog())
  if (!(await used.sessions.get('s')))
    await used.sessions.create({
      id: 's',
      agent: 'demo',
      cwd: '/',
      state: 'running',
      createdAt: 1,
      updatedAt: 1,
    })
  const streams = createStreams({ log: used })
  const { signal } = new AbortController()
  const server = createServer((request, response) => {
    const [, after] = request.url?.split('after=') ?? []
    void streams.open({ request, response, sessionId: 's', after, signal })
  })
  return { streams, server, log: used }
}
