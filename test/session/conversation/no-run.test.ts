import { join } from 'node:path'
import { expect, test } from 'vitest'
import { demo } from '../../../src/agents/demo/index.ts'
import { demoProtocol } from '../../../src/agents/demo/live.ts'
import { connectLines } from '../../../src/agents/line-protocol.ts'
import type { Live } from '../../../src/agents/live.ts'
import { ofType } from '../../support/decoded.ts'
import { dataDirectory } from '../../support/demo-sessions.ts'
import { openLiveSession } from '../../support/live-session.ts'
import { root } from '../../support/sluice.ts'

/** An agent that reports that it is idle, whatever it was sent. */
const idle: Live = {
  queue: 'agent',
  args: () => [join(root, 'test/session/agents/ignores-abort.js')],
  connect: (options) =>
    connectLines(
      {
        ...demoProtocol,
        state: { request: (id) => [{ type: 'state', id }], isWorking: () => false },
      },
      options,
    ),
}

test('a prompt that starts no run is a run without an answer', async () => {
  const session = openLiveSession({
    agent: { ...demo, live: idle },
    setup: { argv: [process.execPath, '-'], env: {}, cwd: dataDirectory(), remove() {} },
    model: 'm',
    deps: { program: () => process.execPath, env: { ...process.env }, runStartMs: 2 },
  })
  expect(await session.prompt('nothing')).toEqual({ outcome: 'accepted' })
  expect(session.isBusy()).toBe(true)
  await session.idle()
  expect(ofType(session.events, 'message_delivery')).toMatchObject([{ state: 'taken' }])
  expect(ofType(session.events, 'agent_end')).toMatchObject([{ stopReason: 'stop' }])
  expect(await session.prompt('something')).toEqual({ outcome: 'accepted' })
  await session.close()
})
