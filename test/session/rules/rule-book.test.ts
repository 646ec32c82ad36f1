import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { pi } from '../../../src/agents/pi/index.ts'
import type { ApprovalMode } from '../../../src/events/types.ts'
import { createProjectRules } from '../../../src/session/rules/project-rules.ts'
import { createRuleBook } from '../../../src/session/rules/rule-book.ts'
import { createSessionRules } from '../../../src/session/rules/session-rules.ts'

let directory = ''
let shop = ''
let file = ''
beforeEach(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-rules-')))
  shop = join(directory, 'shop')
  mkdirSync(join(shop, 'src'), { recursive: true })
  file = join(directory, 'policies.json')
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

const openBook = () => createRuleBook({ projects: createProjectRules(file), now: () => 1000 })
const npmTest = { effect: 'allow', tool: 'bash', pattern: 'npm test', by: 'me' } as const

describe('rules of a project', () => {
  test('hold for every session in the directory and below, also after a restart', () => {
    openBook().add({ sessionId: 'a', cwd: shop }, 'project', npmTest)
    const stored = { ...npmTest, scope: 'project', directory: shop, createdAt: 1000 }
    for (const cwd of [shop, join(shop, 'src')])
      expect(openBook().list({ sessionId: 'b', cwd }).rules).toEqual([
        { ...stored, id: expect.any(String) },
      ])
    expect(openBook().list({ cwd: directory }).rules).toEqual([])
    expect(openBook().list({ cwd: `${shop}-other` }).rules).toEqual([])
  })

  test('belong to the real directory', () => {
    symlinkSync(shop, join(directory, 'link'))
    openBook().add({ cwd: join(directory, 'link') }, 'project', npmTest)
    expect(openBook().list({ cwd: shop }).rules).toHaveLength(1)
  })

  test('are stored once, in a file that only its owner reads, and can be removed', () => {
    const book = openBook()
    const target = { cwd: shop }
    const added = book.add(target, 'project', npmTest)
    expect(book.add(target, 'project', { ...npmTest, by: 'you' })).toMatchObject({
      rule: { id: 'rule' in added && added.rule.id },
    })
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readdirSync(directory).toSorted()).toEqual(['policies.json', 'shop'])
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      projects: { [shop]: { rules: [{ ...npmTest, createdAt: 1000 }] } },
    })
    const id = 'rule' in added ? added.rule.id : ''
    expect(book.remove({ cwd: join(shop, 'src') }, id)).toBe(false)
    expect([book.remove(target, id), book.remove(target, id)]).toEqual([true, false])
    expect(book.list(target).rules).toEqual([])
  })

  test('can be edited by hand, and hold at once', () => {
    const book = openBook()
    const rules = [{ effect: 'deny', tool: 'bash', pattern: 'git push *' }]
    writeFileSync(file, JSON.stringify({ projects: { [shop]: { rules } } }))
    expect(book.list({ cwd: shop }).rules).toMatchObject(rules)
  })
})

test('rules of a session hold for this session only', () => {
  const book = openBook()
  const added = book.add({ sessionId: 'a', cwd: shop }, 'session', npmTest)
  if (!('rule' in added)) throw new Error(added.warning)
  expect(book.list({ sessionId: 'a', cwd: shop }).rules).toEqual([added.rule])
  expect(book.list({ sessionId: 'b', cwd: shop }).rules).toEqual([])
  expect(existsSync(file)).toBe(false)
  expect(book.remove({ sessionId: 'b', cwd: shop }, added.rule.id)).toBe(false)
  expect(book.remove({ sessionId: 'a', cwd: shop }, added.rule.id)).toBe(true)
})

describe('a session', () => {
  const open = (mode: ApprovalMode = 'ask') => {
    const book = openBook()
    const errors: string[] = []
    const onError = (cause: unknown) => errors.push(String(cause))
    const rules = createSessionRules({ book, sessionId: 's', cwd: shop, agent: pi, mode, onError })
    const decide = (toolName: string, args: object) => rules.decide({ toolName, args })
    return { ...rules, decide, book, errors }
  }

  test('is decided by its own rules and by those of its project', () => {
    const { decide, remember, book } = open()
    expect(decide('bash', { command: 'npm test' })).toBeUndefined()
    remember('session', { tool: 'bash', pattern: 'npm test' }, 'me')
    expect(decide('bash', { command: 'npm test' })).toEqual({
      action: 'allow',
      by: 'rule',
      message: 'Allowed by a rule of this session: bash: npm test',
    })
    book.add({ cwd: shop }, 'project', { effect: 'deny', tool: 'bash', pattern: 'npm *' })
    expect(decide('bash', { command: 'npm test' })).toEqual({
      action: 'deny',
      by: 'rule',
      message: 'Denied by a rule of this project: bash: npm *',
    })
  })

  test.each([
    '{"projects": {',
    '[]',
    '{"projects":{"/":{"rules":[{"effect":"allowed","tool":"bash"}]}}}',
    '{"projects":{"/":{"rules":[{"effect":"allow","tool":"bash","patern":"ls"}]}}}',
  ])('asks about everything while the stored rules cannot be read: %s', (text) => {
    writeFileSync(file, text)
    for (const mode of ['ask', 'allow-edits', 'allow'] as const) {
      const { decide, remember, errors, book } = open(mode)
      remember('session', { tool: 'bash', pattern: 'ls' }, 'me')
      expect(decide('bash', { command: 'ls' })).toBeUndefined()
      expect(errors[0]).toContain(`The rules in ${file} cannot be read`)
      expect(book.list({ sessionId: 's', cwd: shop }).warning).toContain('cannot be read')
      expect(book.add({ cwd: shop }, 'project', npmTest)).toHaveProperty('warning')
    }
    expect(open('deny').decide('bash', { command: 'ls' })).toMatchObject({ action: 'deny' })
    expect(readFileSync(file, 'utf8')).toBe(text)
  })

  test('asks when the file of the rules is a FIFO, without waiting for it', () => {
    execFileSync('mkfifo', [file])
    expect(open('allow').decide('bash', { command: 'ls' })).toBeUndefined()
  })

  test('reads and edits by mode only inside its directory, by real path', () => {
    writeFileSync(join(shop, 'a.txt'), '')
    writeFileSync(join(directory, 'secret'), '')
    symlinkSync(join(directory, 'secret'), join(shop, 'link'))
    symlinkSync(join(directory, 'nowhere'), join(shop, 'dangling'))
    symlinkSync(directory, join(shop, 'up'))
    const { decide } = open('allow-edits')
    const action = (toolName: string, args: object) => decide(toolName, args)?.action
    const content = 'x'
    expect(action('read', { path: 'a.txt' })).toBe('allow')
    expect(action('ls', {})).toBe('allow')
    expect(action('grep', { pattern: 'x', path: 'src' })).toBe('allow')
    expect(action('write', { path: 'a.txt', content })).toBe('allow')
    expect(action('write', { path: 'new/deep/file', content })).toBe('allow')
    for (const path of ['link', 'dangling', 'up/x', '../secret', '/etc/passwd', 'src/../../secret'])
      for (const [tool, args] of [
        ['read', { path }],
        ['write', { path, content }],
      ] as const)
        expect([tool, path, action(tool, args)]).toEqual([tool, path, undefined])
    expect(action('read', { path: 'missing' })).toBeUndefined()
    expect(action('find', { pattern: '../*' })).toBeUndefined()
    expect(action('write', { path: '.git/hooks/pre-commit', content })).toBeUndefined()
    expect(action('write', { path: 'a.txt', content, patch: '' })).toBeUndefined()
    expect(action('bash', { command: 'ls' })).toBeUndefined()
    expect(open('allow-reads').decide('write', { path: 'a.txt', content })).toBeUndefined()
  })
})
