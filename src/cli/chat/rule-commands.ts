import type { ApprovalRule } from '../../api/types.ts'
import type { RuleBook } from '../../session/rules/rule-book.ts'
import { drawLine } from './drawn-text.ts'
import { type RecordRule, ruleDetail } from './offered-rules.ts'
import type { Screen } from './screen.ts'

export interface RuleCommandsOptions {
  rules: RuleBook
  sessionId: string
  cwd: string
  screen: Screen
  recordRule: RecordRule
}

/** Runs `/rules` and `/rules remove 2`; false when a line is neither. */
export type RunRuleCommand = (line: string) => boolean

export const createRuleCommands = (options: RuleCommandsOptions): RunRuleCommand => {
  const { rules, cwd, screen } = options
  const target = { sessionId: options.sessionId, cwd }
  /** The list that the person saw: numbers mean places in it. */
  let listed: readonly ApprovalRule[] | undefined

  const list = (): void => {
    const { rules: found, warning } = rules.list(target)
    listed = found
    if (warning !== undefined) screen.error(drawLine(warning, screen.style))
    screen.notice(found.length === 0 ? 'There are no rules.' : 'Rules for approvals:')
    for (const [index, rule] of found.entries())
      screen.line(`  ${index + 1} ${ruleLine(rule, screen)}`)
    if (found.length > 0) screen.hint('  /rules remove 1 takes the first one back')
  }

  const remove = (place: number): void => {
    const rule = (listed ?? rules.list(target).rules)[place - 1]
    const text = rule ? ruleLine(rule, screen) : ''
    if (!rule) screen.error(`There is no rule ${place}. List them with /rules.`)
    else if (!rules.remove(target, rule.id))
      screen.error(`Not removed: ${text}. Remove it in a session of that directory.`)
    else {
      screen.notice(`Removed: ${text}`)
      options.recordRule('rule_removed', ruleDetail(rule))
      listed = undefined
    }
  }

  return (line) => {
    const [, place] = /^\/rules(?:\s+remove\s+(\d+))?$/.exec(line) ?? []
    if (place !== undefined) remove(Number(place))
    else if (line === '/rules') list()
    else if (!line.startsWith('/rules ')) return false
    else screen.error('Type /rules, or /rules remove and the number of a rule.')
    return true
  }
}

const ruleLine = ({ effect, tool, pattern, scope, directory }: ApprovalRule, screen: Screen) => {
  const what = pattern === undefined ? `every ${tool}` : `${tool}: ${pattern}`
  const where = scope === 'session' ? 'this session' : `in ${directory ?? 'this project'}`
  return drawLine(`${effect} ${what} (${where})`, screen.style)
}
