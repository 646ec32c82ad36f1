import { hash } from 'node:crypto'
import type { ApprovalRule } from '../../api/types.ts'
import { resolveLinks } from '../../files/real-path.ts'
import type { Rule } from '../../policy/rules.ts'
import { defined } from '../../shared/fields.ts'
import type { ProjectRules, StoredRule } from './project-rules.ts'

/** Whose rules: those of a session, and those of the directory that it works in. */
export interface RuleTarget {
  /** Absent: only the rules of the directory. */
  readonly sessionId?: string
  readonly cwd: string
}

/** Rules that hold, and why stored ones are missing, if they are. */
export interface RuleListing {
  readonly rules: readonly ApprovalRule[]
  readonly warning?: string
}

/** All rules that decide approvals: of sessions, in memory, and of projects, stored. */
export interface RuleBook {
  /** The rules that hold, those of the session first. */
  list(target: RuleTarget): RuleListing
  /** Adds a rule; one that exists already stays as it is. A warning says why it was not stored. */
  add(target: RuleTarget, scope: 'session' | 'project', rule: NewRule): AddedRule
  /** Removes a rule of the session, or of the directory itself. False if there is none. */
  remove(target: RuleTarget, ruleId: string): boolean
  /** Forgets the rules of a session that was deleted. */
  forget(sessionId: string): void
}

export interface NewRule extends Rule {
  readonly by?: string | undefined
}

export type AddedRule = { readonly rule: ApprovalRule } | { readonly warning: string }

export interface RuleBookOptions {
  projects: ProjectRules
  now(): number
}

export const createRuleBook = ({ projects, now }: RuleBookOptions): RuleBook => {
  const bySession = new Map<string, Map<string, ApprovalRule>>()

  const sessionRules = (sessionId: string): Map<string, ApprovalRule> => {
    const found = bySession.get(sessionId) ?? new Map<string, ApprovalRule>()
    bySession.set(sessionId, found)
    return found
  }

  const addToSession = (sessionId: string, rule: StoredRule): ApprovalRule => {
    const rules = sessionRules(sessionId)
    const id = idOf(sessionId, rule)
    const added = rules.get(id) ?? { id, scope: 'session', ...rule }
    rules.set(id, added)
    return added
  }

  return {
    list({ sessionId, cwd }) {
      const own = [...(bySession.get(sessionId ?? '')?.values() ?? [])]
      const stored = projects.of(realDirectory(cwd))
      if ('warning' in stored) return { rules: own, warning: stored.warning }
      return { rules: [...own, ...stored.rules.map((rule) => listed(rule.directory, rule))] }
    },
    add({ sessionId, cwd }, scope, { effect, tool, pattern, by }) {
      const rule: StoredRule = { effect, tool, ...defined({ pattern, by }), createdAt: now() }
      if (scope === 'session') return { rule: addToSession(sessionId ?? '', rule) }
      const directory = realDirectory(cwd)
      const id = idOf(directory, rule)
      const failure = projects.update(directory, (rules) =>
        rules.some((each) => idOf(directory, each) === id) ? rules : [...rules, rule],
      )
      return failure ?? { rule: listed(directory, rule) }
    },
    remove({ sessionId = '', cwd }, ruleId) {
      if (bySession.get(sessionId)?.delete(ruleId)) return true
      const directory = realDirectory(cwd)
      let isFound = false
      const failure = projects.update(directory, (rules) => {
        const others = rules.filter((each) => idOf(directory, each) !== ruleId)
        isFound = others.length < rules.length
        return others
      })
      return isFound && !failure
    },
    forget: (sessionId) => void bySession.delete(sessionId),
  }
}

const listed = (directory: string, rule: StoredRule): ApprovalRule => ({
  ...rule,
  id: idOf(directory, rule),
  scope: 'project',
  directory,
})

/** The same rule has the same id, also after somebody has edited the file. */
const idOf = (owner: string, { effect, tool, pattern }: Rule): string =>
  hash('sha256', JSON.stringify([owner, effect, tool, pattern ?? null])).slice(0, 24)

/** Rules belong to the real directory: a link to it is the same project. */
const realDirectory = (directory: string): string => resolveLinks(directory) ?? directory
