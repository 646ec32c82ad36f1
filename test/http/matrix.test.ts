import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { allScopes } from '../../src/api/scopes.ts'
import type { Scope } from '../../src/api/types.ts'
import { type Endpoint, endpoints } from '../../src/http/endpoints.ts'
import { type MatrixServer, startMatrixServer } from '../support/matrix-server.ts'

/**
 * What a request to each endpoint looks like, and what a key gets that is restricted to another
 * project. An endpoint without a row does not compile: add one, and think about restricted keys
 * (`forRestrictedKeys` in `endpoints.ts`).
 *
 * - `hidden`: 404, as if there were no such thing.
 * - `filtered`: a response without anything of other projects.
 * - `refused`: 403 `key_limited`, because the endpoint concerns the whole server.
 * - `open`: the endpoint needs no token.
 */
interface Row {
  restricted: 'hidden' | 'filtered' | 'refused' | 'open'
  query?: string
  body?: unknown
  /** What the endpoint responds with when it needs no token. Default: 200. */
  status?: number
}

const message = { text: 'Hello' }
const rule = { effect: 'deny', tool: 'bash' }
const rows = {
  health: { restricted: 'open' },
  pair: { restricted: 'open', body: { code: 'pair_wrong' }, status: 401 },
  openapi: { restricted: 'open' },
  reference: { restricted: 'open' },
  referenceStyle: { restricted: 'open' },
  webApp: { restricted: 'open' },
  metrics: { restricted: 'refused' },
  listAgents: { restricted: 'filtered' },
  listAgentConversations: { restricted: 'hidden', query: '?projectId=theirs' },

  listProjects: { restricted: 'filtered' },
  createProject: { restricted: 'refused', body: { name: 'P', path: '/nowhere' } },
  getProject: { restricted: 'hidden' },
  deleteProject: { restricted: 'hidden' },
  listDirectories: { restricted: 'refused' },
  getTrust: { restricted: 'refused', query: '?path=/nowhere' },
  decideTrust: { restricted: 'refused', body: { path: '/nowhere', decision: 'trusted' } },
  forgetTrust: { restricted: 'refused', query: '?path=/nowhere' },

  getWatched: { restricted: 'refused' },
  changeWatched: { restricted: 'refused', body: { agent: 'claude', state: 'off' } },

  listSessions: { restricted: 'filtered' },
  createSession: { restricted: 'hidden', body: { projectId: 'theirs', agent: 'pi' } },
  importSession: { restricted: 'refused' },
  getSession: { restricted: 'hidden' },
  updateSession: { restricted: 'hidden', body: { name: 'New' } },
  removeSession: { restricted: 'hidden' },
  streamSession: { restricted: 'hidden' },
  streamSessions: { restricted: 'hidden', query: '?sessions=theirs' },

  listWorktrees: { restricted: 'filtered' },
  removeWorktree: { restricted: 'hidden', query: '?path=/nowhere' },
  createComparison: {
    restricted: 'hidden',
    body: { projectId: 'theirs', agents: ['pi', 'claude'], prompt: 'Go' },
  },
  getComparison: { restricted: 'hidden' },
  forkSession: { restricted: 'hidden', body: {} },
  continueSession: { restricted: 'hidden', body: {} },
  rewindSession: { restricted: 'hidden', body: { beforeMessage: 'm' } },
  prompt: { restricted: 'hidden', body: message },
  steer: { restricted: 'hidden', body: message },
  followUp: { restricted: 'hidden', body: message },
  listQueue: { restricted: 'hidden' },
  editQueued: { restricted: 'hidden', body: message },
  removeQueued: { restricted: 'hidden' },
  sendQueued: { restricted: 'hidden' },
  abort: { restricted: 'hidden' },
  compact: { restricted: 'hidden' },
  setModel: { restricted: 'hidden', body: { model: 'm' } },
  setMode: { restricted: 'hidden', body: { mode: 'plan' } },
  listModes: { restricted: 'hidden' },
  setSwitches: { restricted: 'refused', body: { autoRetry: true } },
  runShell: { restricted: 'hidden', body: { command: 'true' } },
  stopShell: { restricted: 'hidden' },
  listModels: { restricted: 'hidden' },
  listTasks: { restricted: 'hidden' },
  getTaskOutput: { restricted: 'hidden' },
  stopTask: { restricted: 'hidden' },

  listMessages: { restricted: 'hidden' },
  listEvents: { restricted: 'hidden' },
  getContext: { restricted: 'hidden' },
  getUsage: { restricted: 'hidden' },
  getTurnDiff: { restricted: 'hidden' },
  exportSession: { restricted: 'hidden', query: '?format=jsonl' },
  search: { restricted: 'filtered', query: '?q=secret' },
  getPrices: { restricted: 'filtered', query: '?search=opus' },
  setPrice: { restricted: 'refused', body: { model: 'm', price: null } },
  getCost: { restricted: 'filtered', query: '?group=session' },

  listLoops: { restricted: 'filtered' },
  createLoop: { restricted: 'hidden', body: { projectId: 'theirs', agent: 'pi', prompt: 'Go' } },
  getLoop: { restricted: 'hidden' },
  updateLoop: { restricted: 'hidden', body: { name: 'New' } },
  pauseLoop: { restricted: 'hidden' },
  resumeLoop: { restricted: 'hidden' },
  stopLoop: { restricted: 'hidden' },

  listBudgets: { restricted: 'filtered' },
  setBudget: { restricted: 'refused', body: { scope: 'day', limits: { costUsd: 5 } } },
  changeBudget: { restricted: 'refused', body: { onExceeded: 'stop' } },
  removeBudget: { restricted: 'refused' },

  listApprovals: { restricted: 'filtered' },
  previewApproval: { restricted: 'hidden' },
  answerApproval: { restricted: 'hidden', body: { action: 'deny' } },
  listSessionRules: { restricted: 'hidden' },
  addSessionRule: { restricted: 'hidden', body: rule },
  removeSessionRule: { restricted: 'hidden' },
  listProjectRules: { restricted: 'hidden' },
  addProjectRule: { restricted: 'hidden', body: rule },
  removeProjectRule: { restricted: 'hidden' },
  getBlob: { restricted: 'hidden' },

  issueToken: { restricted: 'filtered' },
  getAccess: { restricted: 'filtered' },
  listKeys: { restricted: 'filtered' },
  createKey: { restricted: 'filtered', body: { name: 'child', scopes: ['admin'] } },
  revokeKey: { restricted: 'hidden' },
  listAudit: { restricted: 'refused' },
  listNodes: { restricted: 'refused' },
  changeNode: { restricted: 'refused', body: { state: 'draining' } },

  signIn: { restricted: 'filtered' },
  signOut: { restricted: 'filtered' },
  createPairing: { restricted: 'refused' },
  listBrowsers: { restricted: 'refused' },
  renameBrowser: { restricted: 'refused', body: { name: 'B' } },
  revokeBrowser: { restricted: 'refused' },
  listPasskeys: { restricted: 'refused' },
  requirePasskeys: { restricted: 'refused', body: { isRequired: false } },
  challengePasskey: { restricted: 'refused', body: { kind: 'add' } },
  beginPasskey: { restricted: 'refused' },
  addPasskey: { restricted: 'refused', body: { name: 'P', credential: {} } },
  removePasskey: { restricted: 'refused' },
} satisfies Record<keyof typeof endpoints, Row>

/** These would take away what the other cases look at. */
const destructive = new Set(['removeSession', 'deleteProject', 'answerApproval', 'revokeKey'])

let server: MatrixServer
beforeAll(async () => {
  server = await startMatrixServer()
})
afterAll(() => server.close())

const cases = Object.entries(rows).map(([name, row]: [string, Row]) => {
  const endpoint = Object.entries(endpoints).find(([each]) => each === name)?.[1]
  if (!endpoint) throw new Error(`There is no endpoint ${name}.`)
  return { name, row, endpoint: endpoint satisfies Endpoint as Endpoint }
})
const guarded = cases.filter(({ endpoint }) => endpoint.scope !== null)

/** The status and code of a response. A stream is closed again. */
const ask = async (
  { endpoint, row }: (typeof cases)[number],
  credentials: string | Record<string, string> = {},
) => {
  const headers =
    typeof credentials === 'string' ? { authorization: `Bearer ${credentials}` } : credentials
  const { status, body } = await server.request(endpoint, { ...row, headers })
  const code: unknown = status >= 400 ? JSON.parse(body).code : undefined
  return { status, code, body }
}

test.each(cases)('$name: without a token', async (each) => {
  const { status, code } = await ask(each)
  if (each.endpoint.scope === null) expect(status).toBe(each.row.status ?? 200)
  else expect({ status, code }).toEqual({ status: 401, code: 'token_missing' })
})

describe.each(guarded)('$name', (each) => {
  test.each([
    ['a wrong token', () => server.tokens.wrong, 'token_invalid'],
    ['an expired token', () => server.tokens.expired, 'token_expired'],
    ['a token that was forged', () => server.tokens.forged, 'token_invalid'],
    ['a revoked key', () => server.tokens.revokedKey, 'key_revoked'],
    ['a token of a revoked key', () => server.tokens.ofRevokedKey, 'key_revoked'],
    ['an expired key', () => server.tokens.expiredKey, 'key_expired'],
    ['a key whose creator was revoked', () => server.tokens.orphanedKey, 'key_revoked'],
  ])('%s', async (_, token, code) => {
    expect(await ask(each, token())).toMatchObject({ status: 401, code })
  })

  test.each([
    ['a paired browser without its page key', () => server.browsers.withoutPageKey, 401],
    ['a browser that was signed out', () => server.browsers.signedOut, 401],
    ['a page of another port', () => server.browsers.otherPort, 403],
    ['a browser whose API key was revoked', () => server.browsers.ofRevokedKey, 401],
  ])('%s', async (_, headers, status) => {
    const { status: actual, code } = await ask(each, headers())
    expect(actual).toBe(status)
    expect(['browser_signed_out', 'foreign_origin']).toContain(code)
  })

  const { scope } = each.endpoint
  test.each(allScopes.filter((one) => one === scope))('all scopes but %s', async (missing) => {
    expect(await ask(each, server.tokens.without(missing))).toMatchObject({
      status: 403,
      code: 'wrong_scope',
    })
    expect(await ask(each, server.tokens.tokenWithout(missing))).toMatchObject({
      status: 403,
      code: 'wrong_scope',
    })
    expect(await ask(each, server.browsers.without(missing))).toMatchObject({
      status: 403,
      code: 'wrong_scope',
    })
  })

  test('a key that is restricted to another project', async () => {
    const { status, code, body } = await ask(each, server.tokens.restricted)
    if (each.row.restricted === 'hidden') expect({ status, code }).toMatchObject({ status: 404 })
    if (each.row.restricted === 'refused') expect(code).toBe('key_limited')
    if (each.row.restricted !== 'filtered') return
    expect(status).toBeLessThan(300)
    expect(body).not.toContain('theirs')
    expect(body).not.toContain('secret')
  })
})

test.each(guarded.filter(({ name }) => !destructive.has(name)))(
  '$name: a key with only this scope',
  async (each) => {
    const { scope } = each.endpoint
    const only: Scope = scope === 'any' || scope === null ? 'read' : scope
    const { status, code } = await ask(each, server.tokens.only(only))
    expect(status).not.toBe(401)
    expect(['wrong_scope', 'key_limited']).not.toContain(code)
  },
)
