import { expect, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { openAskingClaude, whyNoTerminal } from './claude-terminal.ts'

const reason = whyNoTerminal()
if (reason !== undefined) console.log(`skipped: faults of approvals in a terminal: ${reason}`)
const withTerminal = test.skipIf(reason !== undefined)

withTerminal('two calls at once are two questions, and each answer reaches its call', async () => {
  const { terminal, allPending, answer, has, pending } = await openAskingClaude({ watches: true })
  const { type, shows } = await terminal()
  type('scenario:both')
  const first = await pending()
  const commandOf = (args: unknown) => JSON.stringify(args)
  expect(commandOf(first.args)).toContain('one.txt')
  await answer(first, { action: 'deny', message: 'Not this one.' })
  const second = await eventually(async () => {
    const [found] = await allPending(1)
    if (!found || found.approvalId === first.approvalId) throw new Error('no other')
    return found
  })
  expect(commandOf(second.args)).toContain('two.txt')
  expect(second.toolCallId).not.toBe(first.toolCallId)
  await answer(second, { action: 'allow' })
  await shows('It is over.')
  expect([has('one.txt'), has('two.txt')]).toEqual([false, true])
})

withTerminal(
  'a subagent asks here for half a minute, since its terminal asks after it',
  async () => {
    const { terminal, pending, answer, has } = await openAskingClaude()
    const { type, shows, text } = await terminal()
    type('scenario:delegate')
    const asked = await pending()
    expect(asked).toMatchObject({ toolName: 'Bash' })
    expect(asked.deadline).toBeLessThan(Date.now() + 30_000)
    expect(text()).not.toContain('Do you want to proceed?')
    await answer(asked, { action: 'allow' })
    await eventually(() => expect(has('made.txt')).toBe(true))
    await shows('It is over.')
  },
)

withTerminal(
  'the server is killed: the prompt stays, and what was open is closed later',
  async () => {
    const { stop, terminal, pending, outcomeOf, has } = await openAskingClaude()
    const { type, key, shows } = await terminal()
    type('scenario:touch')
    const open = await pending()
    const start = await stop('SIGKILL')
    await shows('Do you want to proceed?')
    key('Enter')
    await shows('It is over.')
    expect(has('made.txt')).toBe(true)
    await start()
    expect(await outcomeOf(open)).toMatchObject({ action: 'deny', outcome: 'cancelled' })
  },
)

withTerminal('a server that starts later is asked from then on', async () => {
  const { stop, terminal, pending, answer, has } = await openAskingClaude()
  const start = await stop()
  const { type, key, shows } = await terminal()
  type('scenario:touch')
  await shows('Do you want to proceed?')
  await start()
  key('Enter')
  await shows('It is over.')
  expect(has('made.txt')).toBe(true)
  type('/clear')
  type('scenario:both')
  await answer(await pending(), { action: 'allow' })
  await eventually(() => expect(has('one.txt')).toBe(true))
})

withTerminal('refused with “No” in the terminal', async () => {
  const { terminal, pending, outcomeOf, has } = await openAskingClaude({ watches: true })
  const { type, key, shows } = await terminal()
  type('scenario:touch')
  const open = await pending()
  await shows('Do you want to proceed?')
  await eventually(() => key('Up'))
  key('Enter')
  expect(await outcomeOf(open)).toEqual({ action: 'deny', outcome: 'answered', by: 'terminal' })
  expect(has('made.txt')).toBe(false)
})
