import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { piSetup } from '../agents/pi.ts'
import { temporaryDirectory } from '../log/samples.ts'
import { startModel } from '../model/server.ts'
import { agentProgram } from '../support/agent-program.ts'
import { eventsIn, ofType, textOf } from '../support/decoded.ts'
import { sluice } from '../support/sluice.ts'

const printed = z.object({
  agent: z.string(),
  version: z.string(),
  files: z.object({
    ...{ output: z.string(), input: z.string(), errors: z.string() },
    ...{ events: z.string(), about: z.string() },
  }),
})
const filesIn = (stdout: string) => printed.parse(JSON.parse(stdout)).files
const read = (path: string) => readFileSync(path, 'utf8')

describe('sluice record', () => {
  test('writes the bytes of the real Pi in both directions, and the events that they mean', async () => {
    const model = await startModel()
    const setup = piSetup('0.87', model.url)
    onTestFinished(async () => {
      setup.remove()
      await model.close()
    })
    setup.env.PI_BIN = agentProgram(setup)
    const to = temporaryDirectory('record')
    const prompts = ['scenario:text please', 'scenario:tool please']
    const { code, stdout, stderr } = await sluice(
      [
        'record',
        'pi',
        ...prompts,
        '--model',
        'fake/fake-sonnet',
        '--name',
        'two-prompts',
        '--json',
      ].concat(['--to', to, '--cwd', setup.cwd, '--approve', 'allow', '--sandbox', 'off']),
      { env: setup.env },
    )
    expect({ code, stderr }).toMatchObject({ code: 0 })
    const files = filesIn(stdout)
    expect(files.output).toMatch(/\/pi\/0\.87\.\d+\/two-prompts\.ndjson$/)
    for (const path of Object.values(files)) expect(statSync(path).mode & 0o777).toBe(0o600)
    for (const prompt of prompts) expect(read(files.input)).toContain(prompt)

    // The recording decodes to what was recorded: it is a fixture.
    const recorded = eventsIn(read(files.events))
    expect(recorded.filter(({ type }) => type === 'agent_end')).toHaveLength(2)
    const decoded = await sluice(['decode', 'pi', files.output, '--out', 'events'])
    expect(textOf(eventsIn(decoded.stdout))).toBe(textOf(recorded))
    expect(ofType(recorded, 'tool_result').length).toBeGreaterThan(0)
    expect(JSON.parse(read(files.about))).toMatchObject({
      ...{ agent: 'pi', exitCode: 0, what: prompts.join('\n'), redacted: false },
      argv: expect.arrayContaining(['pi', '--mode', 'rpc']),
    })
    const corpus = await sluice(['corpus', to])
    expect(corpus.stdout).toContain('1 files: 0 unknown, 0 malformed, 0 torn lines, 0 order')
  })

  test('hides keys with --redact, reads prompts from stdin, and never overwrites', async () => {
    const to = temporaryDirectory('record-demo')
    const key = `sk-ant-api03-${'aB3dE6gH9j'.repeat(9)}-AA`
    const args = ['record', 'demo', '--to', to, '--name', 'demo', '--redact', '--json']
    const options = {
      env: { ...process.env, SLUICE_DEMO_PACE: '0' },
      input: `fail ${key}\n\nfail again\n`,
    }
    const { code, stdout } = await sluice(args, options)
    expect(code).toBe(0)
    const files = filesIn(stdout)
    for (const path of Object.values(files)) expect(read(path)).not.toContain(key)
    expect(read(files.input)).toMatch(/"fail \[redacted[^"]*"/)
    expect(read(files.events)).toContain('"seq":1,')
    expect(ofType(eventsIn(read(files.events)), 'agent_end')).toHaveLength(2)
    expect(dirname(files.output)).toContain(to)
    expect(await sluice([...args, 'hello'], options)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('exists. Choose another name with --name.'),
    })
  })

  test('exits with 1 where it cannot write, and with 1 when the agent dies at once', async () => {
    const to = temporaryDirectory('record-fails')
    writeFileSync(join(to, 'file'), '')
    const refused = await sluice(['record', 'demo', 'hello', '--to', join(to, 'file')])
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(refused.stderr).toMatch(/^sluice: Cannot write to .*\n$/)
    const args = ['record', 'pi', 'hello', '--to', to, '--sandbox', 'off', '--json', '--name', 'x']
    const dead = await sluice(args, { env: { ...process.env, PI_BIN: '/bin/false' } })
    expect(dead).toMatchObject({ code: 1 })
    expect(read(filesIn(dead.stdout).events)).toContain('"code":"agent_exit"')
  })
})
