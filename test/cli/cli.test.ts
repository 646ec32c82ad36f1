import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { envelope } from '../../src/events/envelope.ts'
import { agentEvent } from '../../src/events/event.ts'
import { recording } from '../support/recordings.ts'
import { root, run, sluice } from '../support/sluice.ts'

const file = (name: string) => join(root, 'recordings', `${name}.ndjson`)

describe('decode', () => {
  test('--out events prints stamped events, one per line', async () => {
    const { code, stdout } = await sluice([
      'decode',
      'pi',
      file('pi/1.5.0/text-only'),
      '--out',
      'events',
    ])
    const events = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(code).toBe(0)
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
    for (const { sessionId, seq, timestamp, ...event } of events) {
      expect(envelope.parse({ sessionId, seq, timestamp })).toBeTruthy()
      expect(agentEvent.safeParse(event).error).toBeUndefined()
    }
  })

  test('--out text prints the final text only', async () => {
    const { stdout } = await sluice([
      'decode',
      'claude',
      file('claude/2.1.325/bash'),
      '--out',
      'text',
    ])
    expect(stdout).toBe('The command printed hello and Linux.\n')
  })

  test('exits with 1 for a run that failed, and --out text says why on stderr', async () => {
    const decode = (out: string) =>
      sluice(['decode', 'pi', file('pi/0.87.1/retry-exhaust'), '--out', out])
    const { code, stdout, stderr } = await decode('text')
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/^sluice: .*overloaded/i)
    expect(await decode('summary')).toMatchObject({ code: 1, stderr: '' })
  })

  test('warns when the lines are from another agent', async () => {
    const { code, stdout, stderr } = await sluice(['decode', 'pi', file('claude/2.1.325/bash')])
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: '\n– The stream contains no run of an agent.\n',
    })
    expect(stderr).toBe(
      'sluice: none of the 6 lines is from Pi. Is it a stream of another agent?\n',
    )
  })

  test('warns when no line is JSON', async () => {
    const options = { input: 'not json\n\nneither\n' }
    const { stderr } = await sluice(['decode', 'pi', '-', '--out', 'text'], options)
    expect(stderr).toBe(
      'sluice: none of the 2 lines is from Pi. Is it a stream of another agent?\n',
    )
  })

  test('--out summary prints one object', async () => {
    const { stdout } = await sluice([
      'decode',
      'claude',
      file('claude/2.1.325/bash'),
      '--out',
      'summary',
    ])
    expect(JSON.parse(stdout)).toMatchObject({
      agent: 'claude',
      turns: 2,
      ended: true,
      violations: 0,
      stopReason: 'stop',
      usage: { input: 8, output: 60 },
    })
  })

  test('pretty output is the default, and stdin without a file', async () => {
    const input = recording('pi/0.73.1/tool-fail-kinds').bytes()
    const { code, stdout } = await sluice(['decode', 'pi'], { input })
    expect(code).toBe(0)
    expect(stdout).toMatch(/● read .*\n/)
    expect(stdout).toMatch(/Duration .* · Cost .* · Turns \d+ · Context /)
  })

  test('a broken pipe ends quietly', async () => {
    const command = `"${process.execPath}" src/cli/main.js decode pi "${file('pi/0.73.1/huge-tool-output')}" --out events | head -n 1`
    const { code, stdout, stderr } = await run('bash', ['-o', 'pipefail', '-c', command])
    expect(stdout.split('\n')).toHaveLength(2)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  })

  test('garbage is reported in the stream, and the exit code is still 0', async () => {
    const { code, stdout } = await sluice(['decode', 'pi', '-', '--out', 'events'], {
      input: 'what?\n{"type":"new"}\n',
    })
    expect(code).toBe(0)
    expect(stdout).toContain('"code":"malformed_line"')
    expect(stdout).toContain('"type":"raw"')
  })
})

describe('corpus', () => {
  let directory = ''
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'sluice-corpus-'))
  })
  afterAll(() => rmSync(directory, { recursive: true, force: true }))

  test('--json prints a row for each recording, with every promised field', async () => {
    const { code, stdout } = await sluice(['corpus', join(root, 'recordings'), '--json'])
    const rows = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(code).toBe(0)
    const row = rows.find((each) => each.file === 'claude/2.1.325/bash.ndjson')
    expect(Object.keys(row)).toEqual([
      'file',
      'agent',
      'version',
      'lines',
      'events',
      'raw',
      'malformed',
      'torn',
      'violations',
      'text',
      'toolCalls',
      'turns',
      'costUsd',
      'usage',
      'ended',
    ])
    expect(row).toMatchObject({
      agent: 'claude',
      version: '2.1.325',
      lines: 6,
      torn: 0,
      ended: true,
    })
    expect(row.toolCalls).toEqual([{ id: expect.any(String), name: 'Bash', isError: false }])
    expect(rows.filter(({ violations }) => violations > 0)).toEqual([])
    expect(rows.some((each) => each.file.endsWith('.stdin.ndjson'))).toBe(false)
  })

  test('an empty directory says what is expected', async () => {
    const { code, stdout, stderr } = await sluice(['corpus', directory, '--json'])
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
    expect(stderr).toBe(`sluice: no <agent>/<version>/*.ndjson found in ${directory}\n`)
  })

  test('recordings without a decoder are named and skipped', async () => {
    writeFileSync(join(directory, 'x.ndjson'), '')
    const { code, stdout } = await sluice(['corpus', directory])
    expect(code).toBe(0)
    expect(stdout).toContain('skipped 1 recording of x.ndjson: there is no decoder for it')
  })
})

describe('usage', () => {
  test.each([
    [['decode', 'nobody'], 'Choose pi, claude, '],
    [['decode', 'pi', '/no/such/file'], 'Cannot read /no/such/file: no such file or directory\n'],
    [['decode', 'pi', '/'], 'Cannot read /: illegal operation on a directory\n'],
    [['decode', 'pi', '--out', 'video'], 'pretty, text, events, summary'],
    [['corpus', '/no/such/directory'], 'Cannot read the directory'],
    [['run', 'pi'], "missing required argument 'prompt'"],
    [['xylophone'], "sluice: unknown command 'xylophone'\nRun sluice --help for help.\n"],
    [['keys', 'xylophone'], 'Run sluice keys --help for help.\n'],
    [['keys', 'add', ' '], 'The name must not be empty.\nRun sluice keys add --help for help.\n'],
    [['serve', '--port', '65536'], 'Give a number from 0 to 65535.'],
    [['serve', '--idle-after', '1.5h'], 'Give a time such as 90s, 45m, 12h, 30d or 4w.'],
    [['serve', '--approval-timeout', '0s'], 'Give a time such as'],
    [['serve', '--approve', 'maybe'], 'ask, allow-reads, allow-edits, allow, deny'],
    [['serve', '--root', '/no/such/directory'], 'The directory does not exist.'],
  ])('%j is told in words and exits 2', async (args, words) => {
    const { code, stderr } = await sluice(args)
    expect(code).toBe(2)
    expect(stderr).toContain(words)
  })

  test.each([[], ['decode'], ['run'], ['corpus'], ['agents']])(
    '%s --help tells how, with an example',
    async (...verb) => {
      const { code, stdout } = await sluice([...verb, '--help'])
      expect(code).toBe(0)
      expect(stdout).toContain('Usage: sluice')
      if (verb.length > 0) expect(stdout).toContain('Example:')
    },
  )

  test('help shows defaults only where they help', async () => {
    const { stdout } = await sluice(['serve', '--help'])
    expect(stdout).toContain('3000)')
    expect(stdout).not.toMatch(/default: (false|\[\])/)
    const run = await sluice(['run', '--help'])
    expect(run.stdout).toContain('the directory to work in (default: this one)')
  })

  test('an agent that is not installed is named, with what to do', async () => {
    const env = { ...process.env, PATH: '/nowhere', PI_BIN: '', CLAUDE_BIN: '' }
    const { code, stderr } = await sluice(['run', 'pi', 'hello'], { env })
    expect(code).toBe(2)
    expect(stderr).toMatch(/run `npm install -g \S+`, or set PI_BIN to its path/)
    const listed = await sluice(['agents'], { env })
    expect(listed.stdout).toContain('not installed')
  })

  test('--version prints the version of the package', async () => {
    const { stdout } = await sluice(['--version'])
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
  })
})
