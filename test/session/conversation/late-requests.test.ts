import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { demo } from '../../../src/agents/demo/index.ts'
import { ofType } from '../../support/decoded.ts'
import { dataDirectory } from '../../support/demo-sessions.ts'
import { openLiveSession } from '../../support/live-session.ts'

const script = fileURLToPath(new URL('../agents/asks-after-abort.js', import.meta.url))

/** Rules that allow every tool, as `--approve allow` does. */
const allowAll = {
  decide: () => ({ action: 'allow', by: 'policy', message: 'Allowed.' }) as const,
  covers: () => false,
  remember() {},
  suggest: () => [],
}

test('a tool call that arrives after an abort is denied, although a rule allows it', async () => {
  const { live } = demo
  if (!live) throw new Error('no live agent')
  const session = openLiveSession({
    agent: { ...demo, live: { ...live, args: () => [script] } },
    setup: { argv: [process.execPath, '-'], env: {}, cwd: dataDirectory(), remove() {} },
    model: 'm',
    deps: { program: () => process.execPath, env: { ...process.env }, rules: allowAll },
  })
  await session.prompt('work')
  await session.until((event) => event.type === 'agent_start')
  await session.abort()
  expect(ofType(session.events, 'approval_resolved')).toMatchObject([
    { action: 'deny', outcome: 'cancelled', message: 'The run was stopped.' },
  ])
  expect(ofType(session.events, 'agent_end')).toMatchObject([{ stopReason: 'aborted' }])
  await session.close()
})
