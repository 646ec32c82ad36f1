/**
 * The HTTP server, for programs that open its parts themselves. `openSluice` of the package root opens
 * everything with one call. The caller closes the parts, after the server:
 *
 *     const log = await openSqliteLog(directory)
 *     const streams = createStreams({ log })
 *     const turnDiffs = createTurnDiffs({ directory: join(directory, 'turns'), log })
 *     const turnStarts = createTurnStarts({ log, turnDiffs, onError: console.error })
 *     const sessions = await openSessions({
 *       log, gate, findProgram,
 *       onSession: streams.publishLifecycle,
 *       publish(event) { turnStarts.onEvent(event); streams.publish(event) },
 *     })
 *     const auth = createAuth({ ...log, serverId: 'my-server' })
 *     const server = createServer({
 *       log, streams, auth,
 *       openAgents: () => ({ sessions, turnDiffs, turnStarts, agents }),
 *       host: '127.0.0.1', roots: [homedir()], version: '1.0.0',
 *     })
 *     const port = await server.listen(0)
 */

export {
  type Access,
  type Auth,
  type AuthOptions,
  createAuth,
  type TokenOptions,
} from '../auth/auth.ts'
export type { LimitOptions } from '../auth/limits/limits.ts'
export { type Log, openMemoryLog, openSqliteLog } from '../log/index.ts'
export { createLoops } from '../loop/runner/create-loops.ts'
export type { Loops, LoopsOptions } from '../loop/runner/loops.ts'
export { type AgentCatalog, createAgentCatalog } from '../process/agent-catalog.ts'
export { openSessions } from '../session/registry/open-sessions.ts'
export type { Sessions, SessionsOptions } from '../session/registry/sessions.ts'
export { Problem, type ProblemCode, problems } from '../shared/problem.ts'
export type { StreamFigures } from '../streams/figures.ts'
export {
  createStreams,
  type IncomingStreamRequest,
  type Streams,
  type StreamsOptions,
} from '../streams/streams.ts'
export { createTurnDiffs, type TurnDiffs } from '../turn-diff/turn-diffs.ts'
export { createTurnStarts, type TurnStarts } from '../turn-diff/turn-starts.ts'
export type { AgentContext } from './app-context.ts'
export { createMetrics, type MetricSources, type Metrics } from './metrics.ts'
export { createServer, type ResponseInfo, type Server, type ServerOptions } from './server.ts'
