import { createServer } from 'node:http'
import { type Log, openMemoryLog } from '../../src/log/index.ts'
import { createStreams } from '../../src/streams/streams.ts'

/** Sluice’s streams of one session, `s`, without agents, tokens and routes. */
export const openFeeds = async (log?: Log) => {
  const kept = log ?? (await openMemoryLog())
  if (!(await kept.sessions.get('s')))
    await kept.sessions.create({
      id: 's',
      agent: 'demo',
      cwd: '/',
      state: 'running',
      createdAt: 1,
      updatedAt: 1,
    })
  const feeds = createStreams({ log: kept })
  const { signal } = new AbortController()
  const server = createServer((request, response) => {
    const [, after] = request.url?.split('after=') ?? []
    void feeds.open({ request, response, sessionId: 's', after, signal })
  })
  return { feeds, server, log: kept }
}
