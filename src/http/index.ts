/**
 * A server to put into a program of one’s own. What it is made of is opened by whoever runs it, and
 * closed by them after it:
 *
 *     const log = await openSqliteLog(directory)
 *     const feeds = createStreams({ log })
 *     const turnDiffs = createTurnDiffs({ directory: join(directory, 'turns'), log })
 *     const turnStarts = createTurnStarts({ log, turnDiffs, onError: console.error })
 *     const sessions = await openSessions({
 *       log, gate, findProgram,
 *       onSession: feeds.publishLifecycle,
 *       publish(event) { turnStarts.onEvent(event); feeds.publish(event) },
 *     })
 *     const auth = createAuth({ keys: log.keys, secret: loadSecret(directory) })
 *     const server = createServer({
 *       log, feeds, auth, announce: feeds.publishLifecycle,
 *       work: () => ({ sessions, turnDiffs, turnStarts, agents }),
 *       host: '127.0.0.1', roots: [homedir()], version: '1.0.0',
 *     })
 *     const port = await server.listen(0)
 */

export { type Access, type Auth, type AuthOptions, createAuth } from '../auth/auth.ts'
export { loadSecret } from '../auth/secret.ts'
export { openMemoryLog, openSqliteLog } from '../log/index.ts'
export type { AgentCatalog } from '../process/agent-catalog.ts'
export { openSessions, type Sessions, type SessionsOptions } from '../session/registry/sessions.ts'
export { Problem, type ProblemCode, problems } from '../shared/problem.ts'
export type { StreamFigures } from '../streams/figures.ts'
export {
  createStreams,
  type IncomingStreamRequest,
  type Streams,
  type StreamsOptions,
} from '../streams/streams.ts'
export { createTurnDiffs, type TurnDiffs } from '../turn-diff/turn-diffs.ts'
export { createTurnStarts } from '../turn-diff/turn-starts.ts'
export type { AgentContext } from './app-context.ts'
export { createMetrics, type Metrics } from './metrics.ts'
export { type Answered, createServer, type Server, type ServerOptions } from './server.ts'
