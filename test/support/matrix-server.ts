import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { allScopes } from '../../src/api/scopes.ts'
import type { NewKey, Scope } from '../../src/api/types.ts'
import { nobody } from '../../src/auth/auth.ts'
import { neverAborts } from '../../src/auth/lifetimes.ts'
import type { Endpoint } from '../../src/http/endpoints.ts'
import {
  createAuth,
  createLoops,
  createServer,
  createStreams,
  createTurnDiffs,
  createTurnStarts,
  openMemoryLog,
  openSessions,
} from '../../src/http/index.ts'
import { approval, loop, project, session, textEvent, usageEvent } from '../log/samples.ts'

/** A credential of each kind. */
interface MatrixTokens {
  wrong: string
  expired: string
  forged: string
  revokedKey: string
  ofRevokedKey: string
  expiredKey: string
  orphanedKey: string
  /** A key with all scopes that sees only the project `ours`. */
  restricted: string
  /** A key with all scopes but one. */
  without(scope: Scope): string
  /** A token of a key with all scopes, without one. */
  tokenWithout(scope: Scope): string
  /** A key with one scope. */
  only(scope: Scope): string
}

/** The headers of browsers. */
interface MatrixBrowsers {
  withoutPageKey: Record<string, string>
  signedOut: Record<string, string>
  otherPort: Record<string, string>
  ofRevokedKey: Record<string, string>
  /** A browser with all scopes but one. */
  without(scope: Scope): Record<string, string>
}

interface MatrixRequest {
  headers?: Record<string, string>
  query?: string
  body?: unknown
}

export interface MatrixServer {
  tokens: MatrixTokens
  browsers: MatrixBrowsers
  /** Sends a request to an endpoint, about what belongs to the project `theirs`. */
  request(endpoint: Endpoint, request: MatrixRequest): Promise<{ status: number; body: string }>
  close(): Promise<void>
}

const day = 24 * 60 * 60 * 1000

/**
 * Starts a server over a log in memory with two projects, `ours` and `theirs`. Each has a session with
 * the same id, an approval and a blob. There are no agents.
 */
export const startMatrixServer = async (): Promise<MatrixServer> => {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-matrix-')))
  const log = await openMemoryLog()
  let hash = ''
  for (const id of ['ours', 'theirs']) {
    const name = id === 'theirs' ? 'secret' : 'open'
    await log.projects.create(project(id, { name, path: join(directory, name) }))
    const cwd = join(directory, name)
    await log.sessions.create(session(id, { projectId: id, name, cwd }))
    await log.append(id, [
      textEvent(id, 1, `text of ${name}`),
      usageEvent(id, 2, 1000, { [`model of ${name}`]: { input: 1, costUsd: 1 } }),
    ])
    await log.approvals.put(approval(id, id, { args: { command: name } }))
    await log.loops.put(loop(id, { projectId: id, name, cwd, state: 'paused' }))
    hash = (await log.blobs.put(id, Buffer.from(`blob of ${name}`))).hash
  }
  const streams = createStreams({ log })
  const turnDiffs = createTurnDiffs({ directory, log })
  const turnStarts = createTurnStarts({ log, turnDiffs, onError: fail })
  const sessions = await openSessions({ log, publish: streams.publish })
  const loops = createLoops({ log, sessions, runner: 'server', now: Date.now, onError: fail })
  // `recover` closes what a crash left open, and there is no agent that waits for the decisions.
  for (const id of ['ours', 'theirs']) await log.approvals.put(approval(id, id))
  let time = Date.now()
  const auth = createAuth({ ...log, serverId: 'matrix', now: () => time })
  const server = createServer({
    log,
    streams,
    auth,
    openAgents: () => ({
      sessions,
      loops,
      turnDiffs,
      turnStarts,
      agents: { list: async () => [], isInstalled: () => false },
    }),
    limits: { refusals: { burst: 100_000, perSecond: 100_000 } },
    host: '127.0.0.1',
    roots: [directory],
    version: '0',
    onError: fail,
  })
  const port = await server.listen(0)
  const tokens = await createTokens(auth, (ms) => {
    time += ms
  })

  return {
    tokens,
    browsers: await createBrowsers(auth),
    async request({ method, path, isStream }, { headers, query = '', body }) {
      const target = path.replace(':hash', hash).replace(':id', 'theirs').replace('/*', '/')
      const cut = new AbortController()
      const response = await fetch(`http://127.0.0.1:${port}${target}${query}`, {
        method,
        signal: cut.signal,
        headers: {
          ...headers,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      const { status } = response
      if (!isStream || status !== 200) return { status, body: await response.text() }
      cut.abort()
      return { status, body: '' }
    },
    async close() {
      await sessions.close()
      await Promise.all([server.close(0), streams.close()])
      await turnDiffs.close()
      auth.close()
      await log.close()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

type TestAuth = ReturnType<typeof createAuth>

const createTokens = async (auth: TestAuth, move: (ms: number) => void): Promise<MatrixTokens> => {
  const create = async (more: Partial<NewKey> = {}, parent?: string) => {
    const access = parent === undefined ? undefined : await auth.authenticate(`Bearer ${parent}`)
    return auth.keys.create({ name: 'k', scopes: [...allScopes], ...more }, access)
  }
  const tokenOf = async (key: string, options: { scopes?: Scope[]; ttlSeconds?: number } = {}) => {
    const access = await auth.authenticate(`Bearer ${key}`)
    return (await auth.issueToken({ access, ...options })).token
  }
  const whole = await create()
  const expired = await tokenOf(whole.key, { ttlSeconds: 60 })
  const expiring = await create({ expiresAt: Date.now() + 60_000 })
  move(day)

  const others = (scope: Scope) => allScopes.filter((each) => each !== scope)
  const without = new Map<Scope, string>()
  const tokenWithout = new Map<Scope, string>()
  const only = new Map<Scope, string>()
  for (const scope of allScopes) {
    without.set(scope, (await create({ scopes: others(scope) })).key)
    tokenWithout.set(
      scope,
      await tokenOf(whole.key, { scopes: others(scope), ttlSeconds: day / 1000 }),
    )
    only.set(scope, (await create({ scopes: [scope] })).key)
  }
  const revoked = await create()
  const ofRevokedKey = await tokenOf(revoked.key)
  const orphaned = await create({}, revoked.key)
  await auth.keys.revoke(revoked.id)
  return {
    wrong: `sluice_${'A'.repeat(43)}`,
    expired,
    forged: `${expired.slice(0, -4)}AAAA`,
    revokedKey: revoked.key,
    ofRevokedKey,
    expiredKey: expiring.key,
    orphanedKey: orphaned.key,
    restricted: (await create({ projects: ['ours'] })).key,
    without: (scope) => without.get(scope) ?? '',
    tokenWithout: (scope) => tokenWithout.get(scope) ?? '',
    only: (scope) => only.get(scope) ?? '',
  }
}

const createBrowsers = async (auth: TestAuth): Promise<MatrixBrowsers> => {
  const pair = async (scopes: readonly Scope[] = allScopes, keyId?: string) => {
    const whole = { actor: nobody, scopes: new Set(allScopes), signal: neverAborts }
    const access = keyId === undefined ? whole : { ...whole, keyId }
    const { code } = auth.signIn.createCode(access, scopes)
    const details = { name: 'b', address: undefined, isSecure: false }
    const { setCookie, pageKey, browser } = await auth.signIn.pair(code, details)
    const headers: Record<string, string> = {
      cookie: setCookie.split(';', 1).join(''),
      'sluice-page': pageKey,
      'sec-fetch-site': 'same-origin',
    }
    return { headers, id: browser.id }
  }
  const { 'sluice-page': _, ...withoutPageKey } = (await pair()).headers
  const signedOut = await pair()
  await auth.browsers.revoke(signedOut.id)
  const key = await auth.keys.create({ name: 'k', scopes: [...allScopes] })
  const ofRevokedKey = await pair(allScopes, key.id)
  await auth.keys.revoke(key.id)
  const without = new Map<Scope, Record<string, string>>()
  for (const scope of allScopes)
    without.set(scope, (await pair(allScopes.filter((each) => each !== scope))).headers)
  return {
    withoutPageKey,
    signedOut: signedOut.headers,
    otherPort: { ...(await pair()).headers, 'sec-fetch-site': 'same-site' },
    ofRevokedKey: ofRevokedKey.headers,
    without: (scope) => without.get(scope) ?? {},
  }
}

const fail = (cause: unknown) => {
  throw cause
}
