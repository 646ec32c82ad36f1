import { z } from 'zod'
import { type ToolKind, toolKindOf } from '../../agents/tool-calls/tool-kind.ts'
import { approvalRule, newProjectRule, newSessionRule, ruleList } from '../../api/rule.ts'
import type { ApprovalRule, NewProjectRule, RuleList } from '../../api/types.ts'
import { ruleProblem, type SubjectCall } from '../../policy/rules.ts'
import type { RuleTarget } from '../../session/rules/rule-book.ts'
import { Problem } from '../../shared/problem.ts'
import type { AppContext } from '../app-context.ts'
import { endpoints } from '../endpoints.ts'
import { requireOwnSession, requireSession } from '../require-session.ts'
import { idParams, sessionParams } from './params.ts'
import { passkeyRequestOf } from './passkeys.ts'
import { requireProject } from './projects.ts'
import { type RouteContext, route } from './route.ts'

const tag = 'Rules'

const ruleId = z.string().min(1).max(200).describe('The id of the rule.')

/** Rules that decide approvals without a person. */
export const ruleRoutes = [
  route({
    endpoint: endpoints.listSessionRules,
    tag,
    summary: 'List the rules that hold for a session',
    description: 'Those of the session, and the stored ones of its directory.',
    parts: { params: sessionParams },
    reply: { status: 200, schema: ruleList },
    problems: ['unknown_session', 'gone', 'session_read_only'],
    handle: async ({ params }, { app }) => ({
      status: 200,
      body: listRules(app, await sessionTarget(app, params.id)),
    }),
  }),
  route({
    endpoint: endpoints.addSessionRule,
    tag,
    summary: 'Add a rule for a session, or for its directory',
    description: 'A rule that exists already stays as it is.',
    parts: { params: sessionParams, body: newSessionRule },
    reply: { status: 201, schema: approvalRule },
    problems: [
      'unknown_session',
      'gone',
      'session_read_only',
      'rules_unreadable',
      'passkey_required',
    ],
    async handle({ params: { id }, body: { scope = 'session', ...rule } }, context) {
      const target = await sessionTarget(context.app, id)
      if (scope === 'project') await requireWholeProject(context, id)
      if (rule.effect === 'allow') await confirmLess(context, id)
      const added = addRule(context, target, scope, rule)
      context.audit({ action: 'rule_added', sessionId: id, detail: describeRule(added) })
      return { status: 201, body: added }
    },
  }),
  route({
    endpoint: endpoints.removeSessionRule,
    tag,
    summary: 'Remove a rule of a session, or of its directory',
    parts: { params: z.strictObject({ ...sessionParams.shape, ruleId }) },
    reply: { status: 204 },
    problems: ['unknown_session', 'gone', 'session_read_only', 'unknown_rule', 'passkey_required'],
    async handle({ params }, context) {
      const { app, audit } = context
      const target = await sessionTarget(app, params.id)
      const found = findRule(app, target, params.ruleId)
      if (found.scope === 'project') await requireWholeProject(context, params.id)
      if (found.effect !== 'allow') await confirmLess(context, params.id)
      const removed = removeRule(app, target, params.ruleId)
      audit({ action: 'rule_removed', sessionId: params.id, detail: describeRule(removed) })
      return { status: 204 }
    },
  }),
  route({
    endpoint: endpoints.listProjectRules,
    tag,
    summary: 'List the stored rules of a project',
    description: 'Rules of the directories that the project lies in hold, too.',
    parts: { params: idParams },
    reply: { status: 200, schema: ruleList },
    problems: ['unknown_project'],
    handle: async ({ params }, { app }) => ({
      status: 200,
      body: listRules(app, await projectTarget(app, params.id)),
    }),
  }),
  route({
    endpoint: endpoints.addProjectRule,
    tag,
    summary: 'Add a rule for every session of a project',
    description: 'It is stored in the data directory. A rule that exists already stays as it is.',
    parts: { params: idParams, body: newProjectRule },
    reply: { status: 201, schema: approvalRule },
    problems: ['unknown_project', 'rules_unreadable', 'passkey_required'],
    async handle({ params: { id }, body }, context) {
      if (body.effect === 'allow') await confirmLess(context, id)
      const added = addRule(context, await projectTarget(context.app, id), 'project', body)
      context.audit({ action: 'rule_added', projectId: id, detail: describeRule(added) })
      return { status: 201, body: added }
    },
  }),
  route({
    endpoint: endpoints.removeProjectRule,
    tag,
    summary: 'Remove a rule of a project',
    parts: { params: z.strictObject({ ...idParams.shape, ruleId }) },
    reply: { status: 204 },
    problems: ['unknown_project', 'unknown_rule', 'passkey_required'],
    async handle({ params }, context) {
      const { app, audit } = context
      const target = await projectTarget(app, params.id)
      if (findRule(app, target, params.ruleId).effect !== 'allow')
        await confirmLess(context, params.id)
      const removed = removeRule(app, target, params.ruleId)
      audit({ action: 'rule_removed', projectId: params.id, detail: describeRule(removed) })
      return { status: 204 }
    },
  }),
]

/** On a server that requires passkeys, rules that ask people less often need one, too. */
export const confirmLess = ({ app, actor, request }: RouteContext, id: string): Promise<void> =>
  app.passkeys.check({ kind: 'rule', id }, passkeyRequestOf(request, actor))

const sessionTarget = async ({ log }: AppContext, sessionId: string): Promise<RuleTarget> => {
  const { cwd } = await requireOwnSession(log, sessionId)
  return { sessionId, cwd }
}

const projectTarget = async ({ log }: AppContext, id: string): Promise<RuleTarget> => ({
  cwd: (await requireProject(log, id)).path,
})

const listRules = ({ sessions }: AppContext, target: RuleTarget): RuleList => {
  const { rules, warning } = sessions.rules.list(target)
  return { mode: sessions.policy, rules: [...rules], ...(warning !== undefined && { warning }) }
}

const addRule = (
  { app, actor }: RouteContext,
  target: RuleTarget,
  scope: 'session' | 'project',
  rule: NewProjectRule,
): ApprovalRule => {
  const problem = ruleProblem(rule, callKinds[toolKindOf(rule.tool)])
  if (problem !== undefined) throw new Problem(422, 'invalid', problem)
  const added = app.sessions.rules.add(target, scope, { ...rule, by: actor.name })
  if ('warning' in added) throw new Problem(409, 'rules_unreadable', added.warning)
  return added.rule
}

/** What the calls of a tool are to rules: only a tool that reads may be allowed as a whole. */
const callKinds: Record<ToolKind, SubjectCall['kind']> = {
  shell: 'command',
  read: 'read',
  search: 'read',
  edit: 'edit',
  subagent: 'command',
  question: 'command',
  plan: 'command',
  other: 'command',
}

const findRule = ({ sessions }: AppContext, target: RuleTarget, id: string): ApprovalRule => {
  const found = sessions.rules.list(target).rules.find((each) => each.id === id)
  if (!found) throw unknownRule(id)
  return found
}

const removeRule = (app: AppContext, target: RuleTarget, id: string): ApprovalRule => {
  const found = findRule(app, target, id)
  if (!app.sessions.rules.remove(target, id)) throw unknownRule(id)
  return found
}

const unknownRule = (id: string): Problem =>
  new Problem(404, 'unknown_rule', `There is no rule ${id} here.`)

/** Throws a `Problem` 409 if the stored rules cannot be read, and so not be changed. */
export const requireReadableRules = ({ sessions }: AppContext, target: RuleTarget): void => {
  const { warning } = sessions.rules.list(target)
  if (warning !== undefined) throw new Problem(409, 'rules_unreadable', warning)
}

/**
 * A rule of a project holds for all its sessions. Throws a `Problem` 403 if the key sees only some of
 * them.
 */
export const requireWholeProject = async (
  { app, access: { range } }: Pick<RouteContext, 'app' | 'access'>,
  sessionId: string,
): Promise<void> => {
  if (!range) return
  const { projectId = '' } = await requireSession(app.log, sessionId)
  if (!range.projects.includes(projectId))
    throw new Problem(
      403,
      'key_limited',
      'This key sees only some sessions of the project, so it cannot change the project’s rules.',
    )
}

/** A rule in one line, for the audit. */
export const describeRule = ({
  scope,
  effect,
  tool,
  pattern,
}: Pick<ApprovalRule, 'scope' | 'effect' | 'tool' | 'pattern'>): string =>
  [`${scope}: ${effect} ${tool}`, ...(pattern === undefined ? [] : [pattern])].join(' ')
