import { setTimeout as pause } from 'node:timers/promises'
import { knownAgent } from '../../agents/known-agents.ts'
import { comparison, newComparison } from '../../api/comparison.ts'
import type {
  ComparedFile,
  ComparedSession,
  Comparison,
  NewComparison,
  SessionInfo,
} from '../../api/types.ts'
import { loginAdvice } from '../../events/login-advice.ts'
import type { SessionRecord } from '../../log/types.ts'
import { titleOf } from '../../session/registry/title.ts'
import { defined } from '../../shared/fields.ts'
import { Problem } from '../../shared/problem.ts'
import { reasonOf } from '../../shared/reason.ts'
import { shortened } from '../../shared/shortened.ts'
import { sessionInfoOf } from '../../streams/overview/summaries.ts'
import { worktreeChanges } from '../../worktrees/worktree-changes.ts'
import type { AppContext } from '../app-context.ts'
import { apiBase, endpoints } from '../endpoints.ts'
import type { RouteResponse } from '../send-response.ts'
import { inWorktree } from './in-worktree.ts'
import { idParams } from './params.ts'
import { type RouteContext, route } from './route.ts'
import { sendCommand } from './send-command.ts'
import { requireWorkplace } from './workplace.ts'

const tag = 'Worktrees'

/** The same prompt to several agents. */
export const comparisonRoutes = [
  route({
    endpoint: endpoints.createComparison,
    tag,
    summary: 'Send the same prompt to several agents',
    description:
      'Each agent gets a session in a git worktree of its own. If one session cannot be created, none is. An agent that does not accept the prompt is reported with its `problem`.',
    parts: { body: newComparison },
    hasLargeBody: true,
    isIdempotent: true,
    reply: { status: 201, schema: comparison },
    problems: [
      'unknown_project',
      'agent_not_installed',
      'path_outside_roots',
      'not_a_directory',
      'overlaps_data',
      'no_repository',
      'uncommitted_changes',
      'quota_exceeded',
      'disk_quota_exceeded',
    ],
    async handle({ body }, context) {
      const { app } = context
      const id = context.newId().slice(0, idLength)
      const before = await app.log.sessions.list({ comparisonId: id, limit: 1 })
      if (before.length > 0) return created(await readComparison(app, id))
      const records = await createAll(context, body, id)
      const refusals = await Promise.all(
        records.map((record) => sendPrompt(context, record, body.prompt)),
      )
      const compared = await readComparison(app, id)
      return created({
        ...compared,
        agents: compared.agents.map((each) => ({
          ...each,
          ...defined({ problem: refusals[records.findIndex((r) => r.id === each.session.id)] }),
        })),
      })
    },
  }),
  route({
    endpoint: endpoints.getComparison,
    tag,
    summary: 'Get the agents of a comparison: state, cost, time, changes and answers',
    parts: { params: idParams },
    reply: { status: 200, schema: comparison },
    problems: ['unknown_comparison', 'path_outside_roots'],
    handle: async ({ params: { id } }, { app }) => ({
      status: 200,
      body: await readComparison(app, id),
    }),
  }),
]

/** Short, because people type it. */
const idLength = 6

const created = (body: Comparison): RouteResponse => ({
  status: 201,
  body,
  headers: { Location: `${apiBase}/comparisons/${body.id}` },
})

/** Creates all sessions, or none. */
const createAll = async (
  { app, access, actor }: RouteContext,
  body: NewComparison,
  comparisonId: string,
): Promise<SessionRecord[]> => {
  const { projectId, agents, models = {}, name, budget, fromHead } = body
  const created: SessionRecord[] = []
  const directories = new Map<string, string>()
  for (const agent of agents)
    directories.set(agent, await requireWorkplace(app, access, { projectId, agent }))
  try {
    for (const [agent, directory] of directories) {
      const release = await app.quotas.reserveSession(access)
      const wanted = { projectId, agent, comparisonId, worktree: true as const, fromHead }
      const { record } = await inWorktree(directory, wanted, (place) =>
        app.sessions.create({
          ...{ projectId, agent, comparisonId, by: actor, creatorId: access.keyId },
          ...place,
          // An agent that fails to start gets no prompt, and its session still has the title of the others.
          ...defined({ name, budget, model: models[agent], title: titleOf(body.prompt) }),
        }),
      ).finally(release)
      created.push(record)
    }
    return created
  } catch (cause) {
    // Their worktrees go with them.
    for (const { id } of created) await app.sessions.remove(id, { by: actor })
    throw cause
  }
}

/** How long a response waits for agents that start slowly. The stream shows what becomes of them. */
const promptMs = 5000

/** Sends the prompt to one agent. Returns why the agent did not accept it. */
const sendPrompt = async (
  { app, actor: by }: RouteContext,
  { id }: SessionRecord,
  prompt: string,
): Promise<string | undefined> => {
  const sent = sendCommand(app, id, {
    feature: 'prompts',
    send: (session) => session.prompt(prompt, { by }),
  }).then(
    () => undefined,
    (cause: unknown) => {
      if (!(cause instanceof Problem)) app.onError(cause)
      return reasonOf(cause)
    },
  )
  return Promise.race([sent, pause(promptMs, undefined, { ref: false })])
}

/** How much of a session a comparison shows. */
const textLimit = 100_000
const fileLimit = 500

const readComparison = async (app: AppContext, id: string): Promise<Comparison> => {
  const records = await app.log.sessions.list({ comparisonId: id, limit: 50 })
  const [first] = records.toReversed()
  if (!first)
    throw new Problem(
      404,
      'unknown_comparison',
      `There is no comparison ${id}, or no session of it.`,
    )
  const agents: ComparedSession[] = []
  for (const record of records.toReversed()) agents.push(await readCompared(app, record))
  const { projectId, createdAt } = first
  return { id, createdAt, agents, ...defined({ projectId }) }
}

const readCompared = async (app: AppContext, record: SessionRecord): Promise<ComparedSession> => {
  const session = sessionInfoOf(record, app.streams.summaryOf(record.id))
  const state = stateOf(session)
  const files = record.imported || state === 'not_started' ? [] : await changesOf(app, record)
  const { messages } = await app.streams.snapshotOf(record.id)
  return {
    session,
    state,
    ...(state === 'failed' && defined({ problem: problemOf(session) })),
    text: shortened(lastText(messages), textLimit),
    files: files.slice(0, fileLimit),
    additions: files.reduce((sum, { additions = 0 }) => sum + additions, 0),
    deletions: files.reduce((sum, { deletions = 0 }) => sum + deletions, 0),
  }
}

/** Why an agent failed, and how to log it in if that is the reason. */
const problemOf = ({ agent, activity }: SessionInfo): string | undefined => {
  const [problem, entry] = [activity?.detail, knownAgent(agent)]
  const advice = entry && loginAdvice(entry, problem)
  return advice === undefined ? problem : `${problem?.replace(/([^.!?])$/, '$1.')} ${advice}`
}

/** All changes in the worktree; those of the last run if it was deleted. */
const changesOf = async (
  app: AppContext,
  { id, cwd, worktree }: SessionRecord,
): Promise<ComparedFile[]> => {
  // Since the session was created, the path may have become a link elsewhere.
  await app.roots.check(cwd)
  const changes = worktree && (await worktreeChanges(worktree))
  if (changes) return changes
  const { files } = await app.turnDiffs.read(id, cwd)
  return files.map(({ diff: _, ...file }) => file)
}

const stateOf = ({ state, activity, seq = 0 }: SessionInfo): ComparedSession['state'] => {
  if (activity?.kind === 'failed' || activity?.kind === 'approval') return activity.kind
  if (state === 'running') return 'running'
  return seq === 0 ? 'not_started' : 'done'
}

/** The text of the last message of the agent that has one. */
const lastText = (messages: readonly { role: string; content?: unknown }[]): string => {
  for (const { role, content } of messages.toReversed()) {
    if (role !== 'assistant' || !Array.isArray(content)) continue
    const text = content.map(textOf).join('')
    if (text !== '') return text
  }
  return ''
}

const textOf = (block: unknown): string =>
  typeof block === 'object' &&
  block !== null &&
  'type' in block &&
  block.type === 'text' &&
  'text' in block
    ? String(block.text)
    : ''
