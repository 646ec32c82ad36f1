import type { ApprovalRule } from '../../api/types.ts'
import type { ChatBackend } from './chat-backend.ts'
import type { HelpRow } from './command-group.ts'
import { drawLine } from './drawn-text.ts'
import type { Screen } from './screen.ts'

export interface RuleCommandsOptions {
  backend: Pick<ChatBackend, 'rules' | 'removeRule'>
  screen: Screen
}

/** The commands about rules, for completion. */
export const ruleWords: readonly string[] = ['/rules', '/rules remove ']

/** What `/help` says about rules. */
export const ruleHelp: readonly HelpRow[] = [
  ['/rules', 'lists the rules for approvals; /rules remove 1 removes the first one'],
]

/** Runs `/rules` and `/rules remove 2`; false when a line is neither. */
export type RunRuleCommand = (line: string) => Promise<boolean>

export const createRuleCommands = ({ backend, screen }: RuleCommandsOptions): RunRuleCommand => {
  /** The list that the person saw: numbers mean places in it. */
  let listed: readonly ApprovalRule[] | undefined

  const list = async (): Promise<void> => {
    const { rules: found, warning } = await backend.rules()
    listed = found
    if (warning !== undefined) screen.error(drawLine(warning, screen.style))
    screen.notice(found.length === 0 ? 'There are no rules.' : 'Rules for approvals:')
    for (const [index, rule] of found.entries())
      screen.line(`  ${index + 1} ${ruleLine(rule, screen)}`)
    if (found.length > 0) screen.hint('  /rules remove 1 takes the first one back')
  }

  const remove = async (place: number): Promise<void> => {
    const rule = (listed ?? (await backend.rules()).rules)[place - 1]
    const text = rule ? ruleLine(rule, screen) : ''
    if (!rule) screen.error(`There is no rule ${place}. List them with /rules.`)
    else if (!(await backend.removeRule(rule.id)))
      screen.error(`Not removed: ${text}. Remove it in a session of that directory.`)
    else {
      screen.notice(`Removed: ${text}`)
      listed = undefined
    }
  }

  const run = async (line: string): Promise<boolean> => {
    const [, place] = /^\/rules(?:\s+remove\s+(\d+))?$/.exec(line) ?? []
    if (place !== undefined) await remove(Number(place))
    else if (line === '/rules') await list()
    else if (!line.startsWith('/rules ')) return false
    else screen.error('Type /rules, or /rules remove and the number of a rule.')
    return true
  }

  /** A list that was requested first is printed first. */
  let last: Promise<unknown> = Promise.resolve()
  return (line) => {
    const result = last.then(() => run(line))
    last = result
    return result
  }
}

const ruleLine = ({ effect, tool, pattern, scope, directory }: ApprovalRule, screen: Screen) => {
  const what = pattern === undefined ? `every ${tool}` : `${tool}: ${pattern}`
  const where = scope === 'session' ? 'this session' : `in ${directory ?? 'this project'}`
  return drawLine(`${effect} ${what} (${where})`, screen.style)
}
