import { createCaller } from './caller.ts'
import { type ApprovalCalls, approvalCalls } from './calls/approvals.ts'
import { type AuditCalls, auditCalls } from './calls/audit.ts'
import { type BrowserCalls, browserCalls } from './calls/browsers.ts'
import { type BudgetCalls, budgetCalls } from './calls/budgets.ts'
import { type AuthCalls, authCalls, type KeyCalls, keyCalls } from './calls/keys.ts'
import { type LoopCalls, loopCalls } from './calls/loops.ts'
import { type NodeCalls, nodeCalls } from './calls/nodes.ts'
import { type PasskeyCalls, passkeyCalls } from './calls/passkeys.ts'
import { type ProjectCalls, projectCalls } from './calls/projects.ts'
import { type RuleCalls, ruleCalls } from './calls/rules.ts'
import {
  type AgentCalls,
  agentCalls,
  type BlobCalls,
  blobCalls,
  type ServerCalls,
  serverCalls,
} from './calls/server.ts'
import { type SessionCalls, sessionCalls } from './calls/sessions.ts'
import { type TrustCalls, trustCalls } from './calls/trust.ts'
import { type WatchedCalls, watchedCalls } from './calls/watched.ts'
import {
  type ComparisonCalls,
  comparisonCalls,
  type WorktreeCalls,
  worktreeCalls,
} from './calls/worktrees.ts'
import { type FollowOptions, follow } from './follow/follow.ts'
import { type FollowAllOptions, type Following, followAll } from './follow/follow-all.ts'
import type { TranscriptStore } from './follow/transcript-store.ts'
import { type Watch, type WatchOptions, watch } from './follow/watch.ts'
import { defaultPlatform, type Platform } from './platform.ts'
import { type ManyStream, type ManyStreamOptions, manyStream } from './stream/many-sessions.ts'
import { createTransport, type Token } from './transport.ts'

export interface ClientOptions extends Partial<Platform> {
  /** The address of the server, such as `http://127.0.0.1:3000`. */
  url: string
  /** A token or an API key, or a function that returns the one that is valid now. */
  token?: Token
  /** In a page: the key that the page got when its browser was paired. The browser adds a cookie. */
  pageKey?: Token
}

/** A Sluice server: its calls and its streams. Every failure is an `ApiError`. */
export interface Client extends ServerCalls {
  readonly agents: AgentCalls
  readonly projects: ProjectCalls
  readonly trust: TrustCalls
  readonly sessions: SessionCalls
  readonly worktrees: WorktreeCalls
  readonly comparisons: ComparisonCalls
  readonly loops: LoopCalls
  readonly approvals: ApprovalCalls
  readonly rules: RuleCalls
  readonly budgets: BudgetCalls
  readonly blobs: BlobCalls
  readonly auth: AuthCalls
  readonly keys: KeyCalls
  readonly audit: AuditCalls
  readonly browsers: BrowserCalls
  readonly nodes: NodeCalls
  readonly watched: WatchedCalls
  readonly passkeys: PasskeyCalls
  /** Reads the events of several sessions and of the overview, over one connection. */
  stream(options?: ManyStreamOptions): ManyStream
  /** Follows one session as a transcript, over its own connection. */
  follow(sessionId: string, options?: FollowOptions): TranscriptStore
  /** Follows the overview and any number of transcripts, over one connection. */
  followAll(options?: FollowAllOptions): Following
  /** Follows the overview, and passes the events of sessions on without building transcripts. */
  watch(options?: WatchOptions): Watch
}

export const createClient = ({ url, token, pageKey, ...platform }: ClientOptions): Client => {
  const transport = createTransport(url, { token, pageKey }, { ...defaultPlatform, ...platform })
  const caller = createCaller(transport)
  return {
    ...serverCalls(caller),
    agents: agentCalls(caller),
    projects: projectCalls(caller),
    trust: trustCalls(caller),
    sessions: sessionCalls(caller, transport),
    worktrees: worktreeCalls(caller),
    comparisons: comparisonCalls(caller),
    loops: loopCalls(caller),
    approvals: approvalCalls(caller),
    rules: ruleCalls(caller),
    budgets: budgetCalls(caller),
    blobs: blobCalls(caller),
    auth: authCalls(caller),
    keys: keyCalls(caller),
    audit: auditCalls(caller),
    browsers: browserCalls(caller),
    nodes: nodeCalls(caller),
    watched: watchedCalls(caller),
    passkeys: passkeyCalls(caller),
    stream: (options) => manyStream(transport, options),
    follow: (sessionId, options) => follow(transport, sessionId, options),
    followAll: (options) => followAll(transport, options),
    watch: (options) => watch(transport, options),
  }
}
