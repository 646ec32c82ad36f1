import { z } from 'zod'
import { budgetUse, sessionBudget } from '../events/budget.ts'
import { forkFields } from '../events/fork.ts'
import { loopFields } from '../events/loop.ts'
import { turnState } from '../events/run-events.ts'
import { originFields, sessionDamage, sessionState } from '../events/session-events.ts'
import { startInfo, startOptions } from '../events/start-options.ts'
import { storedAgentTitle } from '../events/stored-agent-title.ts'
import { approvalKind } from '../events/tool-events.ts'
import { contextGauge, totals } from '../events/usage.ts'
import { worktreeFields } from '../events/worktree.ts'
import { conversationId } from './agent-conversation.ts'
import { count, label, newWork, next, pageQuery, time } from './fields.ts'

export { sessionState } from '../events/session-events.ts'

const messageRef = z.string().min(1).max(200)

export const activity = z
  .object({
    kind: z
      .enum([
        'idle',
        'starting',
        'thinking',
        'writing',
        'tool',
        'approval',
        'retrying',
        'compacting',
        'failed',
      ])
      .describe(
        '`starting`: a message is on its way to the agent. `thinking`: the model works and has written nothing yet. `writing`: the model writes. `tool`: a tool runs. `approval`: a person must decide. `failed`: the last run failed.',
      ),
    toolName: z.string().optional().describe('Name of the tool that runs or needs an approval.'),
    approvalKind: approvalKind
      .optional()
      .describe('What a person must decide. Only if `kind` is `approval`.'),
    since: time('When the activity started').optional(),
    detail: z.string().optional().describe('Why the run failed or is retried, for people.'),
  })
  .describe('What a session is doing now.')

export const liveSummary = z
  .object({
    seq: count.optional().describe('The `seq` of the last event that the summary includes.'),
    activity: activity.optional(),
    turnState: turnState.optional(),
    usage: totals.optional().describe('Usage of the session.'),
    context: contextGauge.nullable().optional().describe('How full the context window is.'),
    pendingApprovals: count.optional().describe('Number of pending approvals.'),
    queuedMessages: count.optional().describe('Number of messages that wait for the agent.'),
    budgets: z
      .array(budgetUse)
      .optional()
      .describe('Limits that were nearly used or reached when the last event about them came.'),
  })
  .describe('What the events of a session add up to. A field that is unknown is absent.')

export const sessionInfo = z
  .object({
    id: z.string().describe('Id of the session.'),
    projectId: z.string().optional().describe('Id of the project.'),
    agent: z.string().describe('Name of the agent, such as `pi` or `claude`.'),
    agentTitle: storedAgentTitle.optional(),
    model: z.string().optional().describe('Model of the main thread.'),
    permissionMode: z
      .string()
      .optional()
      .describe('What the agent may do without approval, in the agent’s own term.'),
    name: z.string().optional().describe('Name that a person gave to the session.'),
    title: z
      .string()
      .optional()
      .describe(
        'First line of the first prompt, shortened: the title of a session without a name.',
      ),
    cwd: z.string().describe('Working directory of the agent.'),
    ...loopFields,
    ...worktreeFields,
    ...forkFields,
    state: sessionState,
    leftOut: z
      .array(z.string())
      .optional()
      .describe(
        'Project files that the agent started without, because the directory is not trusted: at most 20.',
      ),
    createdAt: time('When the session was created'),
    updatedAt: time('When the session last changed'),
    lastActivity: time('When a person or the agent last did something in the conversation'),
    pinned: z
      .boolean()
      .optional()
      .describe('True: the session stays, however old it is or however much space is used.'),
    removedAt: z
      .number()
      .int()
      .optional()
      .describe(
        'When the session was deleted, in milliseconds since 1970. It can still be restored.',
      ),
    ...originFields,
    damage: sessionDamage.optional(),
    start: startInfo.optional(),
    budget: sessionBudget.optional().describe('The session’s own limits, as they are now.'),
    workedMs: count
      .optional()
      .describe(
        'How long the agent has worked in the runs that have ended, in milliseconds, without the time in which it waited for a person.',
      ),
    ...liveSummary.shape,
  })
  .describe('A session, as lists and the overview show it.')

export const newSession = z
  .strictObject({
    ...newWork,
    name: label.optional().describe('Name of the session.'),
    start: startOptions
      .optional()
      .describe(
        'How the agent starts. `GET agents` lists which options an agent has. `mode` and `allowedTools` need the scope `approve`, `mcpServers` the scope `admin`.',
      ),
    worktree: z
      .literal(true)
      .optional()
      .describe('The agent works in a new git worktree of the project, on a branch of its own.'),
    fromHead: z
      .boolean()
      .optional()
      .describe(
        'The worktree starts from the last commit, although there are changes that are not committed.',
      ),
    comparisonId: z
      .string()
      .regex(/^[a-z0-9-]{1,50}$/)
      .optional()
      .describe('Marks sessions that get the same prompt, to compare them. Choose any id.'),
    conversationId: conversationId
      .optional()
      .describe(
        'Continues a conversation that the agent itself has stored: its id in `GET agents/:name/conversations`. Its earlier messages do not become events of the session. Not with `worktree`.',
      ),
    budget: sessionBudget
      .optional()
      .describe('Limits of the session. Those of `GET budgets` hold as well.'),
  })
  .describe('Body of `POST sessions`.')

export const newFork = z
  .strictObject({
    name: label.optional().describe('Name of the new session.'),
    beforeMessage: messageRef
      .optional()
      .describe(
        'Id of a message that started a run. The copy ends before it, where the agent can do that (`forkBefore` of `GET agents`). Default: everything is copied.',
      ),
  })
  .describe('Body of `POST sessions/:id/fork`.')

export const continuation = z
  .strictObject({
    confirmed: z
      .boolean()
      .optional()
      .describe(
        'A person says that no other program works in the session. Needed where the machine does not say it (409 `presence_unknown`).',
      ),
    lostNode: z
      .string()
      .max(100)
      .optional()
      .describe(
        'Only with several nodes: the name of the lost node of this session. A person confirms with it that its machine is gone for good, or that the agent there has ended (503 `no_owner` with `state` `machine_lost`). Refused while the node lives.',
      ),
  })
  .describe('Body of `POST sessions/:id/continue`.')

export const rewindBody = z
  .strictObject({
    beforeMessage: messageRef.describe('Id of a message of the user, as the events name it.'),
    dryRun: z
      .boolean()
      .optional()
      .describe('True: nothing is changed. The response says what would be.'),
  })
  .describe('Body of `POST sessions/:id/rewind`.')

export const rewindResult = z
  .object({
    sessionId: z.string().describe('Id of the session.'),
    files: z.array(z.string()).describe('Paths of the files that were, or would be, restored.'),
    insertions: count
      .optional()
      .describe('Lines that come back. Absent if the agent does not report it.'),
    deletions: count
      .optional()
      .describe('Lines that go away. Absent if the agent does not report it.'),
    dryRun: z.boolean().describe('True: nothing was changed.'),
  })
  .describe('Response of `POST sessions/:id/rewind`.')

export const sessionQuery = z
  .strictObject({
    projectId: z.string().max(200).optional().describe('Only sessions of this project.'),
    agent: z.string().max(100).optional().describe('Only sessions with this agent.'),
    state: sessionState.optional().describe('Only sessions in this state.'),
    comparisonId: z.string().max(50).optional().describe('Only sessions of this comparison.'),
    forkedFrom: z
      .string()
      .max(200)
      .optional()
      .describe('Only sessions that continue the conversation of this one.'),
    ...pageQuery,
  })
  .describe('Query of `GET sessions`.')

export const sessionPage = z
  .object({
    sessions: z.array(sessionInfo).describe('Sessions, newest first.'),
    next,
  })
  .describe('Response of `GET sessions`.')

export const sessionChange = z
  .strictObject({
    name: label.nullable().optional().describe('New name. Null removes the name.'),
    pinned: z
      .boolean()
      .optional()
      .describe('True: `--keep` never deletes the session. False: it may be deleted again.'),
    budget: sessionBudget.nullable().optional().describe('New limits. Null removes them.'),
    removed: z
      .literal(false)
      .optional()
      .describe('Restores a deleted session, while that is possible.'),
  })
  .describe('Body of `PATCH sessions/:id`. Fields that are absent do not change.')
