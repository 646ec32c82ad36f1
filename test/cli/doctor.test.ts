import { chmodSync, globSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { recordedVersions, standingOf } from '../../src/agents/recorded-versions.ts'
import { wrapText } from '../../src/cli/wrap-text.ts'
import { createStamp } from '../../src/events/stamp.ts'
import type { AgentEvent } from '../../src/events/types.ts'
import { openLog } from '../../src/sluice/open-log.ts'
import { temporaryDirectory } from '../log/samples.ts'
import { createServerDirectories, startServerProcess } from '../support/server-process.ts'
import { root, sluice } from '../support/sluice.ts'

const report = z.object({
  findings: z.array(
    z.object({
      ...{ check: z.string(), status: z.string(), message: z.string() },
      advice: z.string().optional(),
    }),
  ),
  unreadLines: z.looseObject({ unknown: z.number(), malformed: z.number() }).optional(),
})

/** Without the agents of this machine. */
const env = { ...process.env, PI_BIN: undefined, CLAUDE_BIN: undefined, PATH: '/usr/bin:/bin' }

const doctor = async (data: string, options: { env?: NodeJS.ProcessEnv } = {}) => {
  const args = ['doctor', '--data', data, '--json', '--port', '0']
  const { code, stdout } = await sluice(args, { env, ...options })
  const { findings, unreadLines } = report.parse(JSON.parse(stdout))
  const statusOf = (check: string) => findings.find((each) => each.check === check)?.status
  return { code, findings, statusOf, unreadLines }
}

test('the recorded versions are those of the recordings', () => {
  const versionsOf = (agent: string) =>
    globSync(`recordings/${agent}/*`, { cwd: root })
      .map((path) => path.split('/').at(-1) ?? '')
      .filter((name) => /^\d/.test(name))
      .sort((left, right) => left.localeCompare(right, 'en', { numeric: true }))
  for (const [agent, versions] of Object.entries(recordedVersions))
    expect(versions).toEqual(versionsOf(agent))
  expect(standingOf('pi', '0.73.1')).toBe('recorded')
  expect(standingOf('pi', '0.80.0')).toBe('between')
  expect(standingOf('pi', '0.1.0')).toBe('older')
  expect(standingOf('pi', '99.0.0')).toBe('newer')
  expect(standingOf('demo', '1.0.0')).toBe('unknown')
})

test('text is wrapped at spaces, and a long word stays whole', () => {
  expect(wrapText('one two three', 9, '  ')).toBe('  one two\n  three')
  expect(wrapText('a /very/long/path b', 8)).toBe('a\n/very/long/path\nb')
})

describe('sluice doctor', () => {
  test('finds nothing wrong on a new machine, and exits with 0', async () => {
    const { code, statusOf } = await doctor(join(temporaryDirectory('doctor'), 'new'))
    expect(code).toBe(0)
    for (const check of [
      'program',
      'decoder pi',
      'decoder claude',
      'data',
      'disk',
      'prices',
      'lines',
    ])
      expect([check, statusOf(check)]).toEqual([check, 'ok'])
    expect(statusOf('agent pi')).toBe('absent')
  })

  test('exits with 1 and says what to do about what is wrong', async () => {
    const data = temporaryDirectory('doctor-wrong')
    chmodSync(data, 0o755)
    writeFileSync(join(data, 'prices.json'), '{')
    const { code, findings } = await doctor(data, { env: { ...env, PI_BIN: '/no/such/pi' } })
    expect(code).toBe(1)
    expect(findings.filter(({ status }) => status === 'problem')).toMatchObject([
      { check: 'agent pi', message: expect.stringContaining('PI_BIN does not name a program') },
      { check: 'data', advice: `Run: chmod 700 ${data}` },
      { check: 'prices', message: expect.stringContaining('prices.json cannot be read') },
    ])
  })

  test('counts unknown and malformed lines, with samples that hold no secrets', async () => {
    const data = join(temporaryDirectory('doctor-lines'), 'data')
    const key = `sk-ant-api03-${'aB3dE6gH9j'.repeat(9)}-AA`
    const raw = (type: string): AgentEvent => ({
      type: 'raw',
      agent: 'claude',
      line: { type, note: `the key is ${key}`, token: 'hunter2-hunter2' },
    })
    const malformed: AgentEvent = {
      ...{ type: 'error', code: 'malformed_line', fatal: false, bytes: 9 },
      message: `A line of the agent is not JSON: ${key}`,
    }
    const log = await openLog(data)
    const times = { createdAt: 1, updatedAt: 1, lastActivity: 1 }
    await log.sessions.create({ id: 's', agent: 'claude', cwd: '/', state: 'idle', ...times })
    const events = [raw('new_thing'), raw('new_thing'), malformed, raw('other')]
    await log.append('s', events.map(createStamp('s', () => 1, 0)))
    await log.close()

    const { code, unreadLines, statusOf } = await doctor(data)
    expect(code).toBe(0)
    expect(statusOf('lines')).toBe('warning')
    expect(unreadLines).toMatchObject({
      ...{ unknown: 3, malformed: 1, sessions: 1, events: 4 },
      samples: [{ kind: 'new_thing', count: 2 }, { kind: 'malformed_line' }, { kind: 'other' }],
    })
    const { stdout } = await sluice(['doctor', '--data', data], { env })
    expect(stdout).toMatch(
      /^2 × Claude Code, new_thing\n\{"type":"new_thing","note":"the key is \[/m,
    )
    for (const secret of [key, 'hunter2']) expect(stdout).not.toContain(secret)
    expect(stdout).toContain('0 problems, ')
  })

  test('reports the server that runs on the data directory', async () => {
    const directories = createServerDirectories()
    const server = await startServerProcess(directories)
    onTestFinished(async () => {
      await server.stop()
      directories.remove()
    })
    const { findings } = await doctor(directories.data)
    expect(findings.find(({ check }) => check === 'server')).toMatchObject({
      status: 'ok',
      message: expect.stringMatching(/^Server: process \d+ at http:.* responds \(ok\)\.$/),
    })
  })
})
