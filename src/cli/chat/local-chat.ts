import type { AgentEntry } from '../../agents/agent.ts'
import { isAgentName, readerOfAgent, titleOfAgentIn } from '../../agents/known-agents.ts'
import type { ApprovalMode, StampedEvent } from '../../events/types.ts'
import { createAuditor, terminalActor } from '../../log/auditor.ts'
import type { Log } from '../../log/log.ts'
import type { SessionRecord } from '../../log/types.ts'
import { type PreviewContext, previewCall } from '../../preview/preview-call.ts'
import type { SandboxMode } from '../../process/sandbox.ts'
import { reasonOf } from '../../shared/reason.ts'
import { openSluice, type Sluice } from '../../sluice/sluice.ts'
import { findStoredSession, storedSessions } from '../find-session.ts'
import { lastSessionIn } from '../last-session.ts'
import { sandboxWarning } from '../sandbox-line.ts'
import { printError, printRawError } from '../terminal.ts'
import { localTrust, offerTrust } from '../trust-question.ts'
import { type AgentChoices, choicesIn } from './agent-choices.ts'
import type { ChatBackend, ChatHistory, RequestPreview } from './chat-backend.ts'
import { offerRules } from './offer-rules.ts'
import { ruleDetail } from './offered-rules.ts'
import { type ChatTarget, type OpenChat, openChat } from './open-chat.ts'

export interface LocalChatOptions extends ChatTarget {
  approve: ApprovalMode
  data: string
  sandbox: SandboxMode
  /** The agent `acp`, by the command that a person gave. */
  acp?: AgentEntry | undefined
}

/** A chat in this process, and what runs for it. */
export interface LocalChat {
  backend: ChatBackend
  sluice: Sluice
}

/** Opens a data directory for a chat, and creates or finds its session there. */
export const openLocalChat = async (options: LocalChatOptions): Promise<LocalChat> => {
  let listener: ((event: StampedEvent) => void) | undefined
  const { data, approve, sandbox, acp } = options
  const found = await foundSession(options)
  const sluice = await openSluice({
    ...{ data, name: 'terminal', policy: approve, sandbox, acp },
    onEvent: (event) => listener?.(event),
  })
  printRawError(sandboxWarning(sandbox, sluice.sandbox))
  if (options.agent !== undefined && !isAgentName(options.agent))
    await offerTrust(localTrust(sluice.log), { agent: 'sluice', cwd: options.cwd ?? process.cwd() })
  const opened = await openChat(sluice, { ...options, ...found }).catch(async (cause: unknown) => {
    await sluice.close()
    throw cause
  })
  const { agent: name, cwd, id } = opened.record
  const agent = await readerOfAgent(name)?.load()
  const backend = localBackend(sluice, opened, { agent, cwd }, (next) => {
    // Opening may close runs of other sessions, left behind by a crash.
    listener = (event) => event.sessionId === id && !isUserMessage(event) && next(event)
  })
  return { backend, sluice }
}

/** The id of the session to continue, if there is one. */
const foundSession = async (options: LocalChatOptions): Promise<Pick<ChatTarget, 'resume'>> => {
  const { data, resume, agent, cwd = process.cwd() } = options
  if (resume !== undefined) return { resume: (await findStoredSession(data, resume)).id }
  if (options.continue !== true) return {}
  return { resume: lastSessionIn(await storedSessions(data), { cwd, agent }).id }
}

const localBackend = (
  { log, sessions, kill, close }: Sluice,
  { record, session }: OpenChat,
  context: PreviewContext,
  listen: ChatBackend['listen'],
): ChatBackend => {
  const { id, cwd } = record
  const target = { sessionId: id, cwd }
  const recordAction = createAuditor({
    audit: log.audit,
    program: terminalActor,
    now: Date.now,
    onError: (cause) => printError(reasonOf(cause)),
  })
  return {
    id,
    outlivesChat: false,
    directory: cwd,
    listen,
    history: (limit) => historyOf(log, id, limit),
    async offerTrust() {
      const trusts = await offerTrust(localTrust(log), record)
      if (trusts !== undefined)
        recordAction({ action: trusts ? 'trust_given' : 'trust_refused', detail: cwd })
    },
    isBusy: session.isBusy,
    prompt: session.prompt,
    steer: session.steer,
    followUp: session.followUp,
    abort: session.abort,
    choices: choicesOf(record),
    setMode: session.setMode,
    setThinking: session.setThinking,
    setModel: session.setModel,
    models: async () => (await session.models()) ?? [],
    compact: session.compact,
    setSwitch: session.setSwitch,
    stopTask: session.stopTask,
    runShell: session.runShell,
    stopShell: session.stopShell,
    idle: session.idle,
    pendingApprovals: session.pendingApprovals,
    previewRequest: (request) => previewRequest(request, context),
    async answer(approvalId, decision) {
      const isInTime = session.answer(approvalId, decision)
      if (!isInTime || !decision.remember) return undefined
      const { scope, rule } = decision.remember
      const detail = ruleDetail({ scope, effect: 'allow', ...rule })
      recordAction({ action: 'rule_added', sessionId: id, detail })
      return undefined
    },
    rules: async () => sessions.rules.list(target),
    async removeRule(ruleId) {
      const rule = sessions.rules.list(target).rules.find((each) => each.id === ruleId)
      if (!rule || !sessions.rules.remove(target, ruleId)) return false
      recordAction({ action: 'rule_removed', sessionId: id, detail: ruleDetail(rule) })
      return true
    },
    kill,
    close,
  }
}

/** What is known before the agent runs: from its description, and from the start of the session. */
const choicesOf = (record: SessionRecord): AgentChoices => {
  const { start } = record
  const agent = readerOfAgent(record.agent)
  return {
    ...choicesIn(agent?.capabilities),
    title: titleOfAgentIn(record),
    login: agent?.login,
    modes: agent?.capabilities.modes ?? [],
    mode: start?.mode,
    level: start?.thinkingLevel,
    model: record.model,
  }
}

/** The person’s own message is on the screen already. */
const isUserMessage = (event: StampedEvent): boolean =>
  event.type === 'message_end' && event.message.role === 'user'

const historyOf = async (
  log: Pick<Log, 'head' | 'read'>,
  id: string,
  limit: number,
): Promise<ChatHistory> => {
  const after = Math.max(0, (await log.head(id)) - limit)
  const events: StampedEvent[] = []
  for await (const event of log.read(id, after)) events.push(event)
  return { events, isWhole: after === 0 }
}

/** A request that cannot be previewed is still shown whole. */
const previewRequest = async (
  request: Parameters<ChatBackend['previewRequest']>[0],
  context: PreviewContext,
): Promise<RequestPreview> => ({
  preview: await previewCall(request, context).catch(() => ({
    kind: 'arguments' as const,
    args: request.args,
  })),
  rules: offerRules(request, context),
})
