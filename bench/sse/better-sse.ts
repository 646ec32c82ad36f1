// The library `better-sse`, used as its guide recommends: one channel, a session for each connection.
import { createServer } from 'node:http'
import { createChannel, createSession } from 'better-sse'
import { readJob } from './job.ts'
import { eventOf, produce } from './produce.ts'

const channel = createChannel()
const server = createServer((request, response) => {
  void createSession(request, response).then((session) => channel.register(session))
})
await produce(server, readJob(), (first, count) => {
  for (let seq = first; seq < first + count; seq += 1)
    channel.broadcast(eventOf(seq), 'message', { eventId: `${seq}` })
})
process.exit()
