import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ApprovalMode } from '../../src/events/types.ts'
import {
  coversCall,
  decideByMode,
  decideByRules,
  type Rule,
  type RuleSubject,
  ruleProblem,
} from '../../src/policy/rules.ts'
import { suggestRules } from '../../src/policy/suggest-rules.ts'

const command = (text: string, isPlain = true): RuleSubject => ({
  tool: 'bash',
  call: { kind: 'command', command: text, isPlain },
})

const base = '/home/ann/shop'
const file = (
  kind: 'edit' | 'read',
  real: string | undefined,
  named = real ?? '',
): RuleSubject => ({
  tool: kind,
  call: { kind, base, paths: [{ named, real }] },
})

const rule = (effect: Rule['effect'], pattern?: string, tool = 'bash'): Rule => ({
  effect,
  tool,
  pattern,
})

describe('rules', () => {
  const cases: [rules: Rule[], subject: RuleSubject, effect: Rule['effect'] | undefined][] = [
    [[], command('ls'), undefined],
    [[rule('allow', 'ls')], command('ls'), 'allow'],
    [[rule('allow', 'ls')], command('ls -a'), undefined],
    [[rule('allow', 'ls', 'Bash')], command('ls'), undefined],
    [[rule('allow', 'ls *'), rule('ask', 'ls -a')], command('ls -a'), 'ask'],
    [
      [rule('allow', 'git *'), rule('ask', 'git *'), rule('deny', 'git push *')],
      command('git push'),
      'deny',
    ],
    [[rule('deny')], command('anything | at all'), 'deny'],
    [[rule('ask')], command('ls'), 'ask'],
  ]
  test.each(cases)('%j decide %j: %s', (rules, subject, effect) => {
    expect(decideByRules(rules, subject)?.effect).toBe(effect)
  })

  test('deny beats ask, and ask beats allow, in any order', () => {
    const effect = fc.constantFrom<Rule['effect']>('allow', 'ask', 'deny')
    fc.assert(
      fc.property(fc.array(effect, { minLength: 1 }), (effects) => {
        const rules = effects.map((each) => rule(each, 'ls *'))
        const strongest = ['deny', 'ask', 'allow'].find((each) => effects.some((e) => e === each))
        expect(decideByRules(rules, command('ls -l'))?.effect).toBe(strongest)
      }),
    )
  })

  test('a command that cannot be taken apart is asked where something is denied', () => {
    const rules = [rule('deny', 'git push *')]
    expect(decideByRules(rules, command('true; git push'))?.effect).toBe('ask')
    expect(decideByRules(rules, command('git status'))).toBeUndefined()
    expect(decideByRules(rules, { tool: 'bash', call: undefined })?.effect).toBe('ask')
    const exact = [...rules, rule('allow', 'true; git push')]
    expect(decideByRules(exact, command('true; git push'))?.effect).toBe('allow')
  })

  test('no argument that changes what runs is covered by a rule that allows', () => {
    expect(coversCall(rule('allow', 'ls'), command('ls', false))).toBe(false)
    expect(coversCall(rule('deny', 'ls'), command('ls', false))).toBe(true)
  })

  test('only tools that read can be allowed as a whole, and only inside the project', () => {
    expect(coversCall(rule('allow'), command('ls'))).toBe(false)
    expect(coversCall(rule('allow', undefined, 'edit'), file('edit', `${base}/a`))).toBe(false)
    const reads = rule('allow', undefined, 'read')
    expect(coversCall(reads, file('read', `${base}/a`))).toBe(true)
    expect(coversCall(reads, file('read', base))).toBe(true)
    expect(coversCall(reads, file('read', `${base}-other/a`))).toBe(false)
    expect(coversCall(reads, file('read', '/etc/passwd', `${base}/link`))).toBe(false)
    expect(coversCall(reads, file('read', undefined, `${base}/a`))).toBe(false)
    expect(coversCall(reads, { tool: 'read', call: undefined })).toBe(false)
  })

  test.each<[pattern: string, path: string, isCovered: boolean]>([
    ['src/a.ts', `${base}/src/a.ts`, true],
    ['./src/a.ts', `${base}/src/a.ts`, true],
    ['src/a.ts', `${base}/src/a.tsx`, false],
    ['src/**', `${base}/src/deep/a.ts`, true],
    ['src/**', `${base}/srcs/a.ts`, false],
    ['src/../**', `${base}/a.ts`, true],
    ['../**', '/home/ann/other', true],
    ['**', `${base}/a.ts`, true],
    ['**', '/etc/passwd', false],
    ['/etc/hosts', '/etc/hosts', true],
    ['src/*.ts', `${base}/src/a.ts`, false],
    ['**/a.ts', `${base}/src/a.ts`, false],
    ['**', `${base}/.git/hooks/pre-commit`, false],
    ['**', `${base}/sub/.GIT/config`, false],
    ['**', `${base}/.claude/settings.json`, false],
    ['.git/config', `${base}/.git/config`, true],
  ])('the pattern %s and the file %s: %s', (pattern, path, isCovered) => {
    expect(coversCall(rule('allow', pattern, 'edit'), file('edit', path))).toBe(isCovered)
  })

  test('a denied file is denied by its name and by where it leads', () => {
    const denied = rule('deny', 'secret/**', 'edit')
    expect(coversCall(denied, file('edit', `${base}/secret/a`, `${base}/link`))).toBe(true)
    expect(coversCall(denied, file('edit', '/elsewhere', `${base}/secret/a`))).toBe(true)
    expect(coversCall(denied, file('edit', undefined, `${base}/secret/a`))).toBe(true)
  })
})

test('a mode decides what no rule covers', () => {
  const inside = `${base}/a`
  const subjects: Record<string, RuleSubject> = {
    command: command('ls'),
    unknown: { tool: 'WebFetch', call: undefined },
    read: file('read', inside),
    'read elsewhere': file('read', '/etc/passwd'),
    edit: file('edit', inside),
    'edit elsewhere': file('edit', '/etc/passwd'),
    'edit a hook': file('edit', `${base}/.git/hooks/pre-commit`),
  }
  const allowedBy = (mode: ApprovalMode) =>
    Object.keys(subjects).filter((name) => {
      const subject = subjects[name]
      return subject && decideByMode(mode, subject) === 'allow'
    })
  expect(allowedBy('ask')).toEqual([])
  expect(allowedBy('allow-reads')).toEqual(['read'])
  expect(allowedBy('allow-edits')).toEqual(['read', 'edit'])
  expect(allowedBy('allow')).toEqual(Object.keys(subjects))
  expect(allowedBy('deny')).toEqual([])
  expect(decideByMode('deny', command('ls'))).toBe('deny')
  expect(decideByMode('allow-reads', command('ls'))).toBeUndefined()
})

describe('suggestions', () => {
  test.each<[text: string, patterns: string[]]>([
    ['npm test', ['npm test', 'npm test *']],
    ['npm run build --silent', ['npm run build --silent', 'npm run build *']],
    ['git diff HEAD~', ['git diff HEAD~']],
    ['git diff --stat', ['git diff --stat', 'git diff *']],
    ['git push', ['git push']],
    ['rm -rf build', ['rm -rf build']],
    ['rm *', []],
    ['echo a && echo b', ['echo a && echo b']],
  ])('for %s are the exact command, then a pattern', (text, patterns) => {
    expect(suggestRules(command(text)).map(({ pattern }) => pattern)).toEqual(patterns)
  })

  test('for files are the file, then its directory, or every read in the project', () => {
    expect(suggestRules(file('edit', `${base}/src/a.ts`))).toEqual([
      { tool: 'edit', pattern: 'src/a.ts' },
      { tool: 'edit', pattern: 'src/**' },
    ])
    expect(suggestRules(file('edit', `${base}/.git/config`))).toEqual([
      { tool: 'edit', pattern: '.git/config' },
    ])
    expect(suggestRules(file('read', `${base}/a.ts`))).toEqual([
      { tool: 'read', pattern: 'a.ts' },
      { tool: 'read' },
    ])
    expect(suggestRules(file('read', '/etc/hosts'))).toEqual([
      { tool: 'read', pattern: '/etc/hosts' },
    ])
  })

  test('are none for calls that Sluice does not know, or whose arguments change what runs', () => {
    expect(suggestRules({ tool: 'x', call: undefined })).toEqual([])
    expect(suggestRules(command('ls', false))).toEqual([])
  })

  test('always cover the call', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const subject = command(text)
        for (const each of suggestRules(subject))
          expect(coversCall({ effect: 'allow', ...each }, subject)).toBe(true)
      }),
    )
  })
})

test('a rule that cannot work is refused with the reason', () => {
  expect(ruleProblem(rule('allow'), 'command')).toContain('only for tools that read')
  expect(ruleProblem(rule('deny'), 'command')).toBeUndefined()
  expect(ruleProblem(rule('allow', '*'), 'command')).toContain('must begin with a word')
  expect(ruleProblem(rule('allow', 'src/*.ts'), 'edit')).toContain('a directory and /**')
  expect(ruleProblem(rule('allow', 'npm test *'), 'command')).toBeUndefined()
})
