import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openSqliteLog } from '../../src/log/index.ts'
import { eventually } from '../support/eventually.ts'
import { harmful } from '../support/hostile.ts'
import { ptyMaker, startInTerminal } from '../support/pty.ts'
import { root, sluice } from '../support/sluice.ts'

if (ptyMaker.reason !== undefined) console.log(`skipped: hostile text: ${ptyMaker.reason}`)

const enter = '\r'
const controlD = '\x04'

/** Everything that an agent may try with a terminal. */
const attack = [
  '\x1b]0;title\x07\x1b]52;c;ZXZpbA==\x07\x1b]8;;http://evil\x1b\\link\x1b]8;;\x1b\\',
  '\x1b[2J\x1b[H\x1b[5A\x1b[?1049h\x1bc\x1b(0\x9b2K\x9d0;c1\x9c',
  'safe\rover\b\b\b\x07\0\x7f \u202ereversed\u2066 zero\u200bwidth\ufeff \u{e0041}',
  '\x1b[30;40mblack\x1b[38;5;0mnone\x1b[5mblink\x1b[31mred\x1b[8mhidden',
].join('\n')

describe.skipIf(ptyMaker.reason !== undefined)('hostile text in a terminal', () => {
  let directory = ''
  let end: (() => void) | undefined

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'sluice-hostile-'))
    const agent = join(root, 'test/support/hostile-agent.js')
    writeFileSync(
      join(directory, 'claude'),
      `#!/bin/sh\nexec "${process.execPath}" "${agent}" "$@"\n`,
      { mode: 0o755 },
    )
  })
  afterEach(() => {
    end?.()
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
  })

  const start = (args: readonly string[], hostile: object = {}, env: NodeJS.ProcessEnv = {}) => {
    const terminal = startInTerminal([process.execPath, join(root, 'src/cli/main.js'), ...args], {
      cwd: directory,
      env: {
        ...process.env,
        FORCE_COLOR: '1',
        NO_COLOR: undefined,
        CLAUDE_BIN: join(directory, 'claude'),
        HOSTILE: JSON.stringify(hostile),
        HOSTILE_REPORT: join(directory, 'report'),
        ...env,
      },
    })
    end = terminal.kill
    return terminal
  }

  /** Runs a verb to its end, and returns the screen. A terminal adds a carriage return to each line. */
  const screenOf = async (args: readonly string[], hostile: object = {}): Promise<string> => {
    const terminal = start(args, hostile)
    await terminal.ended
    return terminal.screen().replaceAll('\r\n', '\n')
  }

  const recording = (): string => {
    const file = join(directory, `evil\x1b[8m\u202e.ndjson`)
    const content = [{ type: 'text', text: attack }]
    const message = { role: 'assistant', content, model: attack, stopReason: 'stop' }
    const call = { toolCallId: 'c', toolName: attack, args: { command: attack } }
    const output = { content }
    const lines = [
      { type: 'agent_start' },
      { type: 'turn_start' },
      { type: 'message_start', message: { ...message, content: [] } },
      ...Array.from(attack, (delta) => ({
        type: 'message_update',
        assistantMessageEvent: { type: 'text_delta', contentIndex: 0, delta },
        message,
      })),
      { type: 'message_end', message },
      { type: 'tool_execution_start', ...call },
      { type: 'tool_execution_update', ...call, partialResult: output },
      { type: 'tool_execution_end', ...call, result: output, isError: true },
      { type: 'agent_end', messages: [message] },
    ]
    writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    return file
  }

  test.each(['pretty', 'text', 'events', 'summary'])('decode --out %s', async (out) => {
    const screen = await screenOf(['decode', 'pi', recording(), '--out', out])
    expect(screen).toContain('reversed')
    expect(screen).not.toMatch(harmful)
    if (out === 'events')
      expect(
        screen
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line).type),
      ).toContain('agent_end')
  })

  test.each(['pretty', 'text', 'events', 'summary'])('run --out %s', async (out) => {
    const hostile = { text: attack, output: attack, stderr: attack }
    const screen = await screenOf(['run', 'claude', 'hello', '--out', out], hostile)
    expect(screen).toContain('reversed')
    expect(screen).not.toMatch(harmful)
  })

  test('text to a pipe is cleaned as well', async () => {
    const { stdout, stderr } = await sluice(['decode', 'pi', recording(), '--out', 'text'])
    expect(stdout).toContain('zero\\u200bwidth')
    expect(stdout + stderr).not.toMatch(harmful)
    expect(stdout).not.toContain('\x1b')
  })

  test('errors: a file name, a directory, an option', async () => {
    const name = `no\x1b[8mfile\u202e\r${attack.replaceAll('\0', '')}`
    for (const args of [
      ['decode', 'pi', name],
      ['corpus', name],
      ['sessions', '--data', recording()],
      ['run', 'claude', 'hello', '--cwd', name],
      ['decode', name],
      [name],
      ['chat', '--resume', name, '--data', join(directory, 'data')],
      ['keys', 'revoke', name, '--data', join(directory, 'data')],
    ]) {
      const screen = await screenOf(args)
      expect(screen).toContain('sluice: ')
      expect(screen).not.toMatch(harmful)
    }
  }, 60_000)

  test('sessions and keys: names and directories', async () => {
    const data = join(directory, 'data')
    const log = await openSqliteLog(data)
    await log.sessions.create({
      id: 's',
      agent: 'pi',
      cwd: `/tmp/${attack}`,
      name: attack,
      state: 'idle',
      createdAt: 1,
      updatedAt: 1,
    })
    await log.close()
    for (const args of [
      ['sessions'],
      ['sessions', '--json'],
      ['keys', 'add', attack.replaceAll('\0', '')],
      ['keys', 'list'],
      ['keys', 'list', '--json'],
    ]) {
      const screen = await screenOf([...args, '--data', data])
      expect(screen.trim()).not.toBe('')
      expect(screen).not.toMatch(harmful)
    }
  }, 60_000)

  test.each([true, false])(
    'the log of the server and unexpected errors, pretty: %s',
    async (isPretty) => {
      const file = join(directory, 'log.ts')
      writeFileSync(
        file,
        `import { createServerLog } from '${root}src/cli/server-log.ts'
       import { printUnexpected } from '${root}src/cli/terminal.ts'
       const log = createServerLog({ level: 'info', isPretty: ${isPretty} })
       const attack = ${JSON.stringify(attack)}
       log.info({ path: attack }, attack)
       log.failed(new Error(attack))
       await log.flush()
       printUnexpected(new Error(attack, { cause: attack }))`,
      )
      const terminal = startInTerminal([process.execPath, file], { cwd: directory, env: {} })
      await terminal.ended
      const screen = terminal.screen().replaceAll('\r\n', '\n')
      expect(screen).toContain('reversed')
      expect(screen).not.toMatch(harmful)
    },
  )

  const editorMoves = new RegExp(`\\x1b\\[(?:${String.raw`J|\d+C|\?2004[hl]`})`, 'g')
  /** Without what the line editor writes: it moves the cursor, and echoes what is typed. */
  const withoutEditor = (screen: string): string =>
    screen.replaceAll('\r\n', '\n').replaceAll(editorMoves, '').replaceAll('\r', '')

  const chat = async (hostile: object) => {
    mkdirSync(join(directory, 'project'))
    const place = ['--cwd', join(directory, 'project'), '--data', join(directory, 'data')]
    const terminal = start(['chat', 'claude', ...place], hostile)
    await terminal.shows('› ')
    terminal.type(`go${enter}`)
    return terminal
  }
  const report = () => {
    const file = join(directory, 'report')
    if (!existsSync(file)) return []
    const lines = readFileSync(file, 'utf8').trim().split('\n')
    return lines.map((line) => JSON.parse(line))
  }

  test('the question after hidden text is visible, and shows every argument', async () => {
    const terminal = await chat({
      text: `${attack}\nbye \x1b[8m`,
      asks: [{ command: `echo ${attack}`, dangerouslyDisableSandbox: true }],
      output: attack,
    })
    const asked = await terminal.shows('answer › ')
    const screen = withoutEditor(terminal.screen())
    expect(screen).not.toMatch(harmful)
    expect(screen).toContain('Allow Bash?')
    expect(screen).toContain('dangerouslyDisableSandbox: true')
    expect(screen).toContain('Contains control characters.')
    terminal.type(`y${enter}`)
    await terminal.shows('I am done.', asked)
    terminal.type(controlD)
    await terminal.ended
    expect(withoutEditor(terminal.screen())).not.toMatch(harmful)
    expect(report()).toMatchObject([{ behavior: 'allow' }])
  })

  test('a long command is allowed only after its end was on the screen', async () => {
    const command = `echo ${'x'.repeat(4000)} && echo THE-END`
    const terminal = await chat({ asks: [{ command }, { command }] })
    let seen = await terminal.shows('more › ')
    terminal.type(`y${enter}`)
    seen = await terminal.shows('page 1 of 4 · Enter or space shows more', seen)
    seen = await terminal.shows('more › ', seen)
    expect(report()).toEqual([])
    const first = seen
    for (const key of [enter, enter]) {
      terminal.type(key)
      seen = await terminal.shows('more › ', seen)
    }
    terminal.type(' ')
    seen = await terminal.shows('answer › ', seen)
    await terminal.shows('THE-END', first)
    expect(report()).toEqual([])
    terminal.type(`y${enter}`)
    seen = await terminal.shows('more › ', seen)
    expect(report()).toMatchObject([{ behavior: 'allow' }])
    terminal.type('d')
    await terminal.shows('I am done.', seen)
    expect(report()).toMatchObject([{ behavior: 'allow' }, { behavior: 'deny' }])
  })

  test('what was typed before the question does not answer it, and comes back', async () => {
    mkdirSync(join(directory, 'project'))
    const place = ['--cwd', join(directory, 'project'), '--data', join(directory, 'data')]
    const terminal = start(['chat', 'claude', ...place], { asks: [{ command: 'ls' }] })
    await terminal.shows('› ')
    terminal.type(`go${enter}y`)
    let seen = await terminal.shows('answer › ')
    terminal.type(enter)
    seen = await terminal.shows('answer › ', seen)
    expect(report()).toEqual([])
    terminal.type(`n${enter}`)
    await terminal.shows('› y', seen)
    await eventually(() => expect(report()).toMatchObject([{ behavior: 'deny' }]))
  })

  test('a rule is offered narrow, can be edited, is listed, and is taken back', async () => {
    const asks = ['npm test -- a', 'npm test -- b', 'npm test -- c'].map((command) => ({ command }))
    const terminal = await chat({ asks })
    let seen = await terminal.shows('from now on: the same command')
    seen = await terminal.shows('such as: s npm test *', seen)
    seen = await terminal.shows('answer › ', seen)
    terminal.type(`s git *${enter}`)
    seen = await terminal.shows('The pattern does not cover this call.', seen)
    seen = await terminal.shows('answer › ', seen)
    expect(report()).toEqual([])
    terminal.type(`s npm test *${enter}`)
    seen = await terminal.shows('I am done.', seen)
    expect(report()).toMatchObject(asks.map(() => ({ behavior: 'allow' })))
    seen = await terminal.shows('› ', seen)
    terminal.type(`/rules${enter}`)
    seen = await terminal.shows('1 allow Bash: npm test * (this session)', seen)
    seen = await terminal.shows('› ', seen)
    terminal.type(`/rules remove 1${enter}`)
    seen = await terminal.shows('Removed: allow Bash: npm test *', seen)
    seen = await terminal.shows('› ', seen)
    terminal.type(`/rules${enter}`)
    seen = await terminal.shows('There are no rules.', seen)
    terminal.type(controlD)
    await terminal.ended
    const log = await openSqliteLog(join(directory, 'data'))
    const audited = await log.audit.list({ limit: 10 })
    await log.close()
    expect(audited.map(({ action, detail }) => [action, detail])).toEqual(
      expect.arrayContaining([
        ['rule_added', 'session: allow Bash npm test *'],
        ['rule_removed', 'session: allow Bash npm test *'],
      ]),
    )
  })
})
