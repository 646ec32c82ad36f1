import type { ApprovalMode, RuleEffect } from '../events/types.ts'
import { coversCommand } from './command-pattern.ts'
import { coversPath, isBelow, isExactPath, isPathPattern } from './path-pattern.ts'
import { shellWords } from './shell-words.ts'

/** A rule as it decides: see `approvalRule` for its form in the API. */
export interface Rule {
  readonly effect: RuleEffect
  /** The name of the tool, exactly as the agent calls it. */
  readonly tool: string
  /** Which calls it covers; absent: every call of the tool. */
  readonly pattern?: string | undefined
}

/** A call that rules decide about. */
export interface RuleSubject {
  readonly tool: string
  /** What the call does, if that is certain. */
  readonly call: SubjectCall | undefined
}

export type SubjectCall =
  | {
      readonly kind: 'command'
      readonly command: string
      /** Whether the command alone says what runs. */
      readonly isPlain: boolean
    }
  | {
      readonly kind: 'edit' | 'read'
      readonly paths: readonly SubjectPath[]
      /** The real path of the session’s directory. */
      readonly base: string
    }

export interface SubjectPath {
  /** The absolute path as the call names it. */
  readonly named: string
  /** Where it leads after symbolic links; undefined if that is not certain. */
  readonly real: string | undefined
}

/** What rules say about a call, and which of them decided. */
export interface RuleDecision<Known extends Rule = Rule> {
  readonly effect: RuleEffect
  readonly rule: Known
}

/** Decides by rules: deny beats ask, and ask beats allow. Undefined if no rule covers the call. */
export const decideByRules = <Known extends Rule>(
  rules: readonly Known[],
  subject: RuleSubject,
): RuleDecision<Known> | undefined => {
  for (const effect of ['deny', 'ask', 'allow'] as const) {
    const rule = rules.find((each) => each.effect === effect && coversCall(each, subject))
    if (rule) return { effect, rule }
  }
  // The call may hide what such a rule is about, so that no mode may allow it.
  const restricting = isOpaque(subject) && rules.find((each) => restricts(each, subject))
  return restricting ? { effect: 'ask', rule: restricting } : undefined
}

/** Whether a rule covers a call. For `allow`, everything must be certain. */
export const coversCall = (rule: Rule, { tool, call }: RuleSubject): boolean => {
  const { effect, pattern } = rule
  if (rule.tool !== tool) return false
  if (effect !== 'allow') return pattern === undefined || (!!call && mayConcern(pattern, call))
  if (!call) return false
  if (pattern === undefined) return call.kind === 'read' && staysInside(call)
  if (call.kind === 'command') return call.isPlain && coversCommand(pattern, call.command)
  const { paths, base } = call
  return paths.every(
    ({ real }) =>
      real !== undefined &&
      coversPath(pattern, real, base) &&
      (call.kind === 'read' || isExactPath(pattern) || !isProtected(real)),
  )
}

/** Whether a rule that denies or asks is about a call. */
const mayConcern = (pattern: string, call: SubjectCall): boolean => {
  if (call.kind === 'command') return coversCommand(pattern, call.command)
  return call.paths.some(({ named, real }) =>
    [named, real].some((path) => path !== undefined && coversPath(pattern, path, call.base)),
  )
}

/** Whether it is not certain what a call does. */
const isOpaque = ({ call }: RuleSubject): boolean =>
  call === undefined || (call.kind === 'command' && shellWords(call.command) === undefined)

const restricts = (rule: Rule, { tool }: RuleSubject): boolean =>
  rule.tool === tool && rule.effect !== 'allow' && rule.pattern !== undefined

type FileCall = Extract<SubjectCall, { kind: 'edit' | 'read' }>

/** Whether a call touches nothing outside the session’s directory, after symbolic links. */
const staysInside = ({ paths, base }: FileCall): boolean =>
  paths.every(({ real }) => real !== undefined && isBelow(real, base))

/** Files that make programs run: git hooks, and what agents load from a project. */
const protectedNames = new Set(['.git', '.claude', '.pi', '.mcp.json', '.envrc', '.vscode'])

const isProtected = (path: string): boolean =>
  path.split('/').some((part) => protectedNames.has(part.toLowerCase()))

/** What a mode says about a call; undefined: a person decides. */
export const decideByMode = (
  mode: ApprovalMode,
  { call }: RuleSubject,
): 'allow' | 'deny' | undefined => {
  if (mode === 'allow' || mode === 'deny') return mode
  if (mode === 'ask' || !call || call.kind === 'command' || !staysInside(call)) return undefined
  if (call.kind === 'read') return 'allow'
  const isSafe = call.paths.every(({ real = '' }) => !isProtected(real))
  return mode === 'allow-edits' && isSafe ? 'allow' : undefined
}

/** Why a rule makes no sense, for the person who wrote it; undefined if it does. */
export const ruleProblem = ({ effect, tool, pattern }: Rule, kind?: SubjectCall['kind']) => {
  if (pattern === undefined)
    return effect === 'allow' && kind !== undefined && kind !== 'read'
      ? `A rule can allow every call only for tools that read. Add a pattern for ${tool}.`
      : undefined
  if (pattern.trim() !== pattern || pattern === '*')
    return 'A pattern must begin with a word, and have no blanks around it.'
  if ((kind === 'edit' || kind === 'read') && !isPathPattern(pattern))
    return 'A pattern for files is a path, or a directory and /** for everything below it.'
  return undefined
}
