import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Argument, Command, Option } from 'commander'
import { describe, expect, onTestFinished, test } from 'vitest'
import { agentNames } from '../../src/agents/known-agents.ts'
import { completeWords } from '../../src/cli/complete-words.ts'
import { openSqliteLog } from '../../src/log/index.ts'
import { session } from '../log/samples.ts'
import { dataDirectory } from '../support/demo-sessions.ts'
import { ptyMaker, startInTerminal } from '../support/pty.ts'
import { root, run, sluice } from '../support/sluice.ts'

const main = join(root, 'src/cli/main.js')

/** A program with one of everything. */
const program = () => {
  const made = new Command('sluice')
  made
    .command('start')
    .description('start something')
    .argument('<agent>')
    .argument('[file]')
    .option('--json', 'print JSON')
    .option('--tag <name>', 'repeatable', (value: string, all: string[]) => [...all, value], [])
    .addOption(new Option('--out <form>', 'the form').choices(['text', 'events']))
    .addOption(new Option('--secret').hideHelp())
    .option('--cwd <directory>', 'where')
    .option('--data <directory>', 'the data')
  made.command('__hidden', { hidden: true })
  const keys = made.command('keys').description('keys')
  keys.command('add').addArgument(new Argument('<kind>').choices(['one', 'two']))
  keys.command('attach').argument('<session>')
  made.command('loop').argument('[agent]').command('list')
  return made
}

describe('what can stand in place of the last word', () => {
  const valuesFor = (...words: string[]) =>
    completeWords(program(), words).choices.map(({ value }) => value)

  test.each([
    [[''], ['start', 'keys', 'loop']],
    [
      ['loop', ''],
      ['list', ...agentNames],
    ],
    [
      ['keys', ''],
      ['add', 'attach'],
    ],
    [
      ['keys', 'add', ''],
      ['one', 'two'],
    ],
    [
      ['start', '--out', ''],
      ['text', 'events'],
    ],
    [
      ['start', '--out=e'],
      ['--out=text', '--out=events'],
    ],
    [
      ['start', '--json', '--tag', 'a', '-'],
      ['--tag', '--out', '--cwd', '--data', '--help'],
    ],
    [['start', 'pi', 'file', 'more', ''], []],
    [['start', '--', '-'], [...agentNames]],
    [['nonsense', ''], []],
  ])('%j: %j', (words, values) => {
    expect(valuesFor(...words).toSorted()).toEqual(values.toSorted())
  })

  test('files, directories and sessions', () => {
    expect(completeWords(program(), ['start', 'pi', ''])).toMatchObject({ paths: 'files' })
    expect(completeWords(program(), ['start', '--cwd', ''])).toMatchObject({ paths: 'directories' })
    expect(completeWords(program(), ['keys', 'attach', ''])).toMatchObject({ sessions: true })
  })
})

test('sessions are offered by the beginning of their id, and by their name', async () => {
  const data = dataDirectory()
  const log = await openSqliteLog(data)
  const [named, other] = ['0f0e0d0c', '1a2b3c4d'].map(
    (each) => `${each}-1111-4222-8333-444455556666`,
  )
  await log.sessions.create(session(named ?? '', { name: 'fix-ci' }))
  await log.sessions.create(session(other ?? '', { title: 'a\x1b[8mb\n' }))
  await log.close()
  const { stdout } = await sluice(['__complete', '--', 'attach', '--data', data, ''])
  expect(stdout.split('\n').toSorted()).toEqual([
    '',
    '0f0e0d0c\tpi: fix-ci',
    '1a2b3c4d\tpi: ab ',
    'fix-ci\tpi: fix-ci',
  ])
  const broken = await sluice(['__complete', '--', 'attach', '--data', main, ''])
  expect(broken).toEqual({ code: 0, stdout: '', stderr: '' })
})

/** A directory with `sluice` on the path, and the completion script in a file. */
const shellWith = async (shell: string) => {
  const directory = dataDirectory()
  mkdirSync(join(directory, 'deep'))
  const program = `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`
  writeFileSync(join(directory, 'sluice'), program, { mode: 0o755 })
  const { stdout } = await sluice(['completion', shell])
  const script = join(directory, 'script')
  writeFileSync(script, stdout)
  const env = { ...process.env, PATH: `${directory}:${process.env.PATH}`, ZDOTDIR: directory }
  return { directory, script, env }
}

/** What is typed before Tab, and what stands there after it. */
const lines = [
  ['sluice completi', 'sluice completion '],
  ['sluice run --out=ev', 'sluice run --out=events '],
  ['sluice run --cwd de', 'sluice run --cwd deep/'],
  ['sluice keys rev', 'sluice keys revoke '],
] as const

const reasonWithout = (shell: string): string | undefined => {
  if (spawnSync(shell, ['--version'], { stdio: 'ignore' }).status !== 0)
    return `${shell} is not installed`
  return shell === 'fish' ? undefined : ptyMaker.reason
}

describe.each(['bash', 'zsh'])('in %s', (shell) => {
  const reason = reasonWithout(shell)
  if (reason !== undefined) console.log(`skipped: completion in ${shell}: ${reason}`)

  test.skipIf(reason !== undefined)('Tab completes verbs, options and paths', async () => {
    const { directory, script, env } = await shellWith(shell)
    const compinit = `autoload -U compinit; compinit -u -d '${join(directory, 'dump')}'`
    const start = `PS1='ready> '\n${shell === 'zsh' ? `${compinit}\n` : ''}source '${script}'\n`
    const file = join(directory, '.zshrc')
    writeFileSync(file, start)
    const argv =
      shell === 'zsh' ? ['zsh', '-d', '-i'] : ['bash', '--noprofile', '--rcfile', file, '-i']
    const terminal = startInTerminal(argv, { cwd: directory, env })
    onTestFinished(async () => {
      terminal.kill()
      await terminal.ended
    })
    let seen = 0
    for (const [typed, completed] of lines) {
      seen = await terminal.shows('ready> ', seen)
      terminal.type(`${typed}\t`)
      // Shells draw the last blank or slash in their own way.
      seen = await terminal.shows(completed.slice(typed.length).replace(/[ /]$/, ''), seen)
      terminal.type('\x15\r')
    }
  })
})

describe('in fish', () => {
  const reason = reasonWithout('fish')
  if (reason !== undefined) console.log(`skipped: completion in fish: ${reason}`)

  test.skipIf(reason !== undefined)('verbs, options and paths are completed', async () => {
    const { directory, script, env } = await shellWith('fish')
    const commands = lines.map(([typed]) => `complete -C '${typed}'`).join('; ')
    const args = ['-N', '-c', `source '${script}'; ${commands}`]
    const { stdout } = await run('fish', args, { cwd: directory, env })
    const values = stdout
      .trim()
      .split('\n')
      .map((line) => line.split('\t')[0])
    expect(values).toEqual(['completion', '--out=events', 'deep/', 'revoke'])
  })
})
