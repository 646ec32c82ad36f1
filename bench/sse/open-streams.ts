import { createServer } from 'node:http'
import { type Log, openMemoryLog } from '../../src/log/index.ts'
import { createStreams } from '../../src/streams/streams.ts'

/** Serves the streams of one session, `s`, without agents, tokens and routes. */
export const openStreams = async (existing?: Log) => {
  const log = existing ?? (await openMemoryLog())
  if (!(await log.sessions.get('s')))
    await log.sessions.create({
      id: 's',
      agent: 'demo',
      cwd: '/',
      state: 'running',
      createdAt: 1,
      updatedAt: 1,
    })
  const streams = createStreams({ log })
  const { signal } = new AbortController()
  const server = createServer((request, response) => {
    const [, after] = request.url?.split('after=') ?? []
    void streams.open({ request, response, sessionId: 's', after, signal })
  })
  return { streams, server, log }
}
