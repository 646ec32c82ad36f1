import { expect, test } from 'vitest'
import { eventsIn, ofType } from '../support/decoded.ts'
import { sluice } from '../support/sluice.ts'

const runText = (script: string, out: string) =>
  sluice(['run', 'text', '--out', out, '--sandbox', 'off', '--', 'sh', '-c', script])

test('the exit code of a program is shown once, with what it printed to stderr', async () => {
  const script = 'echo one; echo why >&2; exit 3'
  const { code, stdout, stderr } = await runText(script, 'pretty')
  expect(code).toBe(1)
  expect((stdout + stderr).match(/The program exited with code 3\.\nwhy/g)).toHaveLength(1)
  expect(stdout + stderr).not.toContain('Plain text')

  const events = eventsIn((await runText(script, 'events')).stdout)
  expect(ofType(events, 'error')).toEqual([])
  expect(events.at(-1)).toMatchObject({
    type: 'agent_end',
    stopReason: 'error',
    errorMessage: 'The program exited with code 3.\nwhy',
  })
})

test('a program that is killed is an error', async () => {
  const { code, stdout, stderr } = await runText('kill -9 $$', 'pretty')
  expect(code).toBe(1)
  expect((stdout + stderr).match(/The program was killed by SIGKILL\./g)).toHaveLength(1)
})

test('without a program, the message has an example', async () => {
  expect(await sluice(['run', 'text'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('sluice run text -- make test'),
  })
})

test.each([
  ['--clean-up', '--clean-up works only with --agents.\n'],
  ['--json', '--json works only with --agents. For one agent, use --out events.\n'],
])('%s is refused for one agent', async (option, message) => {
  expect(await sluice(['run', 'demo', 'hi', option])).toMatchObject({
    code: 2,
    stderr: `sluice: ${message}`,
  })
})
