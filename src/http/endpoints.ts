import type { RequiredScope } from '../auth/gate.ts'
import type { Phase } from './app-context.ts'

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

/** One row of the table that requests are matched against. */
export interface Endpoint {
  readonly method: Method
  /** With parameters as `:id`. `/*` matches every path whose first segment no other endpoint uses. */
  readonly path: string
  readonly scope: RequiredScope
  /** The response is an event stream, which the server opens before the routes are loaded. */
  readonly isStream?: true
}

/** Where the API begins. */
export const apiBase = '/api/v1'

const api = (method: Method, path: string, scope: RequiredScope): Endpoint => ({
  method,
  path: apiBase + path,
  scope,
})

const stream = (path: string): Endpoint => ({ ...api('GET', path, 'read'), isStream: true })

const page = (path: string, scope: RequiredScope = null): Endpoint => ({
  method: 'GET',
  path,
  scope,
})

/** Everything that the server responds to. Apart from `routes/`, because that needs Zod to load. */
export const endpoints = {
  health: api('GET', '/health', null),
  listAgents: api('GET', '/agents', 'read'),
  // It starts a program.
  listAgentConversations: api('GET', '/agents/:name/conversations', 'prompt'),

  listProjects: api('GET', '/projects', 'read'),
  createProject: api('POST', '/projects', 'admin'),
  getProject: api('GET', '/projects/:id', 'read'),
  deleteProject: api('DELETE', '/projects/:id', 'admin'),
  listDirectories: api('GET', '/directories', 'admin'),

  getTrust: api('GET', '/trust', 'read'),
  // To trust a directory is to run its code, now and later.
  decideTrust: api('POST', '/trust', 'admin'),
  forgetTrust: api('DELETE', '/trust', 'admin'),

  listSessions: api('GET', '/sessions', 'read'),
  createSession: api('POST', '/sessions', 'prompt'),
  // It belongs to no project, and can be large.
  importSession: api('POST', '/sessions/import', 'admin'),
  getSession: api('GET', '/sessions/:id', 'read'),
  updateSession: api('PATCH', '/sessions/:id', 'prompt'),
  removeSession: api('DELETE', '/sessions/:id', 'admin'),

  forkSession: api('POST', '/sessions/:id/fork', 'prompt'),
  continueSession: api('POST', '/sessions/:id/continue', 'prompt'),
  // It changes files without an approval.
  rewindSession: api('POST', '/sessions/:id/rewind', 'approve'),

  listWorktrees: api('GET', '/worktrees', 'read'),
  // It deletes work, as deleting a session does.
  removeWorktree: api('DELETE', '/worktrees', 'admin'),
  createComparison: api('POST', '/comparisons', 'prompt'),
  getComparison: api('GET', '/comparisons/:id', 'read'),

  streamSession: stream('/sessions/:id/stream'),
  streamSessions: stream('/stream'),

  prompt: api('POST', '/sessions/:id/prompt', 'prompt'),
  steer: api('POST', '/sessions/:id/steer', 'prompt'),
  followUp: api('POST', '/sessions/:id/follow-up', 'prompt'),
  listQueue: api('GET', '/sessions/:id/queue', 'read'),
  editQueued: api('PATCH', '/sessions/:id/queue/:messageId', 'prompt'),
  removeQueued: api('DELETE', '/sessions/:id/queue/:messageId', 'prompt'),
  sendQueued: api('POST', '/sessions/:id/queue/:messageId/send', 'prompt'),
  abort: api('POST', '/sessions/:id/abort', 'prompt'),
  compact: api('POST', '/sessions/:id/compact', 'prompt'),
  setModel: api('POST', '/sessions/:id/model', 'prompt'),
  listModels: api('GET', '/sessions/:id/models', 'read'),
  // A mode decides what runs without approval, and a shell command runs without one.
  setMode: api('POST', '/sessions/:id/mode', 'approve'),
  listModes: api('GET', '/sessions/:id/modes', 'read'),
  // Agents store it for all their sessions.
  setSwitches: api('POST', '/sessions/:id/switches', 'admin'),
  runShell: api('POST', '/sessions/:id/shell', 'approve'),
  stopShell: api('POST', '/sessions/:id/shell/stop', 'prompt'),

  listTasks: api('GET', '/sessions/:id/tasks', 'read'),
  getTaskOutput: api('GET', '/sessions/:id/tasks/:taskId/output', 'read'),
  stopTask: api('POST', '/sessions/:id/tasks/:taskId/stop', 'prompt'),

  listMessages: api('GET', '/sessions/:id/messages', 'read'),
  listEvents: api('GET', '/sessions/:id/events', 'read'),
  getContext: api('GET', '/sessions/:id/context', 'read'),
  getUsage: api('GET', '/sessions/:id/usage', 'read'),
  getTurnDiff: api('GET', '/sessions/:id/turn-diff', 'read'),
  exportSession: api('GET', '/sessions/:id/export', 'read'),
  search: api('GET', '/search', 'read'),
  getCost: api('GET', '/cost', 'read'),
  getPrices: api('GET', '/prices', 'read'),
  setPrice: api('PATCH', '/prices', 'admin'),

  listLoops: api('GET', '/loops', 'read'),
  createLoop: api('POST', '/loops', 'prompt'),
  getLoop: api('GET', '/loops/:id', 'read'),
  updateLoop: api('PATCH', '/loops/:id', 'prompt'),
  pauseLoop: api('POST', '/loops/:id/pause', 'prompt'),
  resumeLoop: api('POST', '/loops/:id/resume', 'prompt'),
  stopLoop: api('POST', '/loops/:id/stop', 'prompt'),

  listBudgets: api('GET', '/budgets', 'read'),
  setBudget: api('POST', '/budgets', 'admin'),
  changeBudget: api('PATCH', '/budgets/:id', 'admin'),
  removeBudget: api('DELETE', '/budgets/:id', 'admin'),

  listApprovals: api('GET', '/approvals', 'read'),
  // It reads files that the agent names.
  previewApproval: api('GET', '/approvals/:id/preview', 'approve'),
  answerApproval: api('POST', '/approvals/:id', 'approve'),

  listSessionRules: api('GET', '/sessions/:id/rules', 'read'),
  addSessionRule: api('POST', '/sessions/:id/rules', 'approve'),
  removeSessionRule: api('DELETE', '/sessions/:id/rules/:ruleId', 'approve'),
  listProjectRules: api('GET', '/projects/:id/rules', 'read'),
  addProjectRule: api('POST', '/projects/:id/rules', 'approve'),
  removeProjectRule: api('DELETE', '/projects/:id/rules/:ruleId', 'approve'),

  getBlob: api('GET', '/blobs/:hash', 'read'),

  // A token has no more scopes than the key that requests it, so every key may request one.
  issueToken: api('POST', '/auth/token', 'any'),
  getAccess: api('GET', '/access', 'any'),
  listKeys: api('GET', '/keys', 'admin'),
  createKey: api('POST', '/keys', 'admin'),
  revokeKey: api('DELETE', '/keys/:id', 'admin'),
  listAudit: api('GET', '/audit', 'admin'),

  listNodes: api('GET', '/nodes', 'read'),
  changeNode: api('PATCH', '/nodes/:name', 'admin'),

  getWatched: api('GET', '/watched', 'read'),
  changeWatched: api('PATCH', '/watched', 'admin'),

  pair: api('POST', '/auth/pair', null),
  signIn: api('POST', '/auth/sign-in', 'any'),
  signOut: api('POST', '/auth/logout', 'any'),
  createPairing: api('POST', '/auth/pairing', 'admin'),
  listBrowsers: api('GET', '/browsers', 'admin'),
  renameBrowser: api('PATCH', '/browsers/:id', 'admin'),
  revokeBrowser: api('DELETE', '/browsers/:id', 'admin'),

  listPasskeys: api('GET', '/passkeys', 'admin'),
  requirePasskeys: api('PATCH', '/passkeys', 'admin'),
  // A caller who may allow an approval may request a challenge for it.
  challengePasskey: api('POST', '/passkeys/challenge', 'any'),
  beginPasskey: api('POST', '/passkeys/registration', 'admin'),
  addPasskey: api('POST', '/passkeys', 'admin'),
  removePasskey: api('DELETE', '/passkeys/:id', 'admin'),

  openapi: page(`${apiBase}/openapi.json`),
  reference: page('/api/docs'),
  referenceStyle: page('/api/docs.css'),
  // Needs a token on loopback, too: behind a proxy, every request comes from there.
  metrics: page('/metrics', 'read'),
  webApp: page('/*'),
} as const satisfies Readonly<Record<string, Endpoint>>

const whileDraining: ReadonlySet<Endpoint> = new Set<Endpoint>([
  endpoints.abort,
  endpoints.stopTask,
  endpoints.stopShell,
  endpoints.pauseLoop,
  endpoints.stopLoop,
  endpoints.challengePasskey,
])

/** While runs finish, callers may read, decide approvals and abort, but start nothing new. */
export const isOpen = (endpoint: Endpoint, phase: Phase): boolean => {
  if (phase === 'serving' || endpoint === endpoints.health) return true
  if (phase === 'closing') return false
  if (endpoint === endpoints.runShell || endpoint === endpoints.listAgentConversations) return false
  if (endpoint.method === 'GET' || endpoint.scope === 'approve') return true
  return whileDraining.has(endpoint)
}

/**
 * What callers may try while the log cannot store anything: what stops an agent, takes a right away,
 * frees space, or signs a person in to see what is wrong. If it cannot be stored, it fails with the
 * reason.
 */
const withoutLog: ReadonlySet<Endpoint> = new Set<Endpoint>([
  endpoints.abort,
  endpoints.stopTask,
  endpoints.stopShell,
  endpoints.pauseLoop,
  endpoints.stopLoop,
  endpoints.answerApproval, // its route refuses to allow
  endpoints.challengePasskey,
  endpoints.issueToken,
  endpoints.pair,
  endpoints.signIn,
  endpoints.signOut,
  endpoints.createPairing,
])

/** Whether an endpoint is refused while the log cannot store anything. */
export const needsLog = (endpoint: Endpoint): boolean =>
  endpoint.method !== 'GET' && endpoint.method !== 'DELETE' && !withoutLog.has(endpoint)

/**
 * What a key may call that sees only some projects. Each of these shows it nothing else; all others
 * concern the whole server.
 */
const forRestrictedKeys: ReadonlySet<Endpoint> = new Set<Endpoint>([
  endpoints.listAgents,
  endpoints.listAgentConversations,
  endpoints.listProjects,
  endpoints.getProject,
  endpoints.deleteProject,
  endpoints.listSessions,
  endpoints.createSession,
  endpoints.getSession,
  endpoints.updateSession,
  endpoints.removeSession,
  endpoints.forkSession,
  endpoints.continueSession,
  endpoints.listWorktrees,
  endpoints.removeWorktree,
  endpoints.createComparison,
  endpoints.getComparison,
  endpoints.rewindSession,
  endpoints.streamSession,
  endpoints.streamSessions,
  endpoints.prompt,
  endpoints.steer,
  endpoints.followUp,
  endpoints.listQueue,
  endpoints.editQueued,
  endpoints.removeQueued,
  endpoints.sendQueued,
  endpoints.abort,
  endpoints.compact,
  endpoints.setModel,
  endpoints.listModels,
  endpoints.setMode,
  endpoints.listModes,
  endpoints.runShell,
  endpoints.stopShell,
  endpoints.listTasks,
  endpoints.getTaskOutput,
  endpoints.stopTask,
  endpoints.listMessages,
  endpoints.listEvents,
  endpoints.getContext,
  endpoints.getUsage,
  endpoints.getTurnDiff,
  endpoints.exportSession,
  endpoints.search,
  endpoints.listLoops,
  endpoints.createLoop,
  endpoints.getLoop,
  endpoints.updateLoop,
  endpoints.pauseLoop,
  endpoints.resumeLoop,
  endpoints.stopLoop,
  endpoints.getCost,
  endpoints.getPrices,
  endpoints.listBudgets,
  endpoints.listApprovals,
  endpoints.previewApproval,
  endpoints.answerApproval,
  endpoints.listSessionRules,
  endpoints.addSessionRule,
  endpoints.removeSessionRule,
  endpoints.listProjectRules,
  endpoints.addProjectRule,
  endpoints.removeProjectRule,
  endpoints.getBlob,
  endpoints.issueToken,
  endpoints.getAccess,
  endpoints.signIn,
  endpoints.signOut,
  endpoints.listKeys,
  endpoints.createKey,
  endpoints.revokeKey,
])

/** Whether a key that sees only some projects may call an endpoint. */
export const isForRestrictedKeys = (endpoint: Endpoint): boolean =>
  endpoint.scope === null || forRestrictedKeys.has(endpoint)
