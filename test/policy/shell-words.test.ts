import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { coversCommand } from '../../src/policy/command-pattern.ts'
import { shellWords } from '../../src/policy/shell-words.ts'

const cwd = mkdtempSync(join(tmpdir(), 'sluice-words-'))
// A word that expands to names of files would differ.
for (const name of ['xa', 'xb', 'a', 'b']) writeFileSync(join(cwd, name), '')
afterAll(() => rmSync(cwd, { recursive: true, force: true }))

describe('a simple command', () => {
  test.each<[command: string, words: string[]]>([
    ['npm test', ['npm', 'test']],
    ['  git   diff  ', ['git', 'diff']],
    [`git commit -m "it's done"`, ['git', 'commit', '-m', "it's done"]],
    ["echo 'a; rm -rf $HOME'", ['echo', 'a; rm -rf $HOME']],
    ['echo a\\ b \\$x', ['echo', 'a b', '$x']],
    ['echo "a\\"b\\\\c\\d"', ['echo', 'a"b\\c\\d']],
    [`"l"'s' -la`, ['ls', '-la']],
    ["grep '' x", ['grep', '', 'x']],
    ['make -j4 A=b', ['make', '-j4', 'A=b']],
  ])('%s has these words', (command, words) => {
    expect(shellWords(command)).toEqual(words)
  })

  test.each([
    'npm test; rm -rf /',
    'npm test && rm -rf /',
    'npm test | sh',
    'npm test & rm x',
    'npm test > /etc/passwd',
    'npm test < x',
    'npm test $(rm x)',
    'npm test `rm x`',
    'npm test "$(rm x)"',
    'npm test "`rm x`"',
    'npm test $HOME',
    `npm test "\${x}"`,
    'npm test\nrm x',
    'npm test\rrm x',
    'npm test\\\nrm x',
    "npm test 'a\nb'",
    'npm\ttest',
    'npm test *',
    'npm test a?',
    'npm test [a]',
    'npm test {a,b}',
    'npm test ~/x',
    'npm test # rm',
    'npm test !!',
    'npm test "!x"',
    '(npm test)',
    'PATH=/tmp npm test',
    'A+=b npm test',
    "'A=b' npm",
    '=npm test',
    'npm =ls',
    '%1',
    "npm 'test",
    'npm "test',
    'npm test \\',
    'npm t\u00a0est',
    'npm t\u202eest',
    'n\u0440m test',
    'npm test \u0000',
    '',
    '   ',
    '""',
  ])('is not %j', (command) => {
    expect(shellWords(command)).toBeUndefined()
  })
})

describe('a pattern', () => {
  test.each<[pattern: string, command: string, isCovered: boolean]>([
    ['npm test', 'npm test', true],
    ['npm test', 'npm  "test"', true],
    ['npm test', 'npm test --watch', false],
    ['npm test', 'npm tests', false],
    ['npm test', 'npm test; rm x', false],
    ['git diff *', 'git diff', true],
    ['git diff *', 'git diff --stat HEAD', true],
    ['git diff *', 'git diffs', false],
    ['git diff *', 'git diff $(rm x)', false],
    ['git diff *', 'git diff | sh', false],
    ['git diff *', 'git diff --output=x & rm y', false],
    ['git *', 'git diff', true],
    ['git*', 'git diff', false],
    ['* diff', 'git diff', false],
    ['*', 'git diff', false],
    [' *', 'git diff', false],
    ['ls *.ts', 'ls *.ts', true],
    ['ls *.ts', 'ls a.ts', false],
    ['echo a && echo b', 'echo a && echo b', true],
    ['echo a && echo b', 'echo a  && echo b', false],
    ['echo a && *', 'echo a && rm x', false],
    ["git commit -m '*'", 'git commit -m x', false],
  ])('%s and the command %s: %s', (pattern, command, isCovered) => {
    expect(coversCommand(pattern, command)).toBe(isCovered)
  })
})

/** Prints each of its arguments, so that a shell shows how it reads a command. */
const printer = 'p() { printf "%s\\0" "$@"; }; '

/** The words that bash runs a command with; undefined if it does anything else, or fails. */
const wordsInBash = (command: string): string[] | undefined => {
  const script = `${printer}p ${command}`
  const { status, stdout, stderr } = spawnSync('/bin/bash', ['--norc', '-c', script], {
    cwd,
    encoding: 'utf8',
    env: { PATH: '/nonexistent' },
  })
  if (status !== 0 || stderr !== '') return undefined
  return stdout.split('\0').slice(0, -1)
}

describe('bash', () => {
  const risky = fc.constantFrom(
    ...['a', 'b1', '-x', '=', '/', '.', ':', ',', '@', '%', '+', '_', ' ', '  ', "'", '"', '\\'],
    ...[';', '&', '|', '<', '>', '$', '`', '(', ')', '{', '}', '*', '?', '[', ']', '#', '!', '~'],
    ...['\n', '\t', '\r', '$(a)', '$' + '{a}', "$'a'", '\\\n', '&&', '||', '<<', 'é', '\u00a0'],
  )
  const mild = fc.constantFrom('a', 'b', ' ', "'", '"', '\\', '-', '=', '$', '`', ';', '\\"', "\\'")
  const command = fc.oneof(
    fc.array(risky, { minLength: 1, maxLength: 12 }),
    fc.array(mild, { minLength: 1, maxLength: 16 }),
  )

  test('reads every command that is simple as exactly these words', () => {
    let simple = 0
    fc.assert(
      fc.property(command, (parts) => {
        const text = `x${parts.join('')}`
        const words = shellWords(text)
        if (!words) return
        simple += 1
        expect(wordsInBash(text)).toEqual(words)
      }),
      { numRuns: 1500 },
    )
    expect(simple).toBeGreaterThan(50)
  })

  test('runs nothing beyond the words of a pattern that covers the command', () => {
    fc.assert(
      fc.property(command, (parts) => {
        const text = `git diff ${parts.join('')}`
        if (!coversCommand('git diff *', text)) return
        const words = wordsInBash(text)
        expect(words?.slice(0, 2)).toEqual(['git', 'diff'])
      }),
      { numRuns: 800 },
    )
  })
})
