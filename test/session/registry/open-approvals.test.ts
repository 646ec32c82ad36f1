import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openSqliteLog } from '../../../src/log/index.ts'
import type { Session } from '../../../src/session/conversation/session.ts'
import { openSessions } from '../../../src/session/registry/open-sessions.ts'
import { dataDirectory } from '../../support/demo-sessions.ts'
import { eventually } from '../../support/eventually.ts'

/** Speaks as Pi: an extension of it asks something after the run. */
const agentScript = `#!${process.execPath}
const { createInterface } = require('node:readline')
const print = (line) => process.stdout.write(JSON.stringify(line) + '\\n')
createInterface({ input: process.stdin }).on('line', (text) => {
  const { id, type: command, message } = JSON.parse(text)
  if (command !== 'extension_ui_response') print({ type: 'response', id, command, success: true })
  if (command !== 'prompt') return
  print({ type: 'agent_start' })
  print({ type: 'agent_end', messages: [] })
  print({ type: 'agent_settled' })
  if (message === 'ask')
    print({ type: 'extension_ui_request', id: 'late', method: 'confirm', title: 'Deploy?' })
}).on('close', () => process.exit())
`

test('a session that waits for an approval is not idle, and makes no room for others', async () => {
  const directory = dataDirectory()
  const program = join(directory, 'agent')
  writeFileSync(program, agentScript, { mode: 0o755 })
  const log = await openSqliteLog(join(directory, 'data'))
  const options = { log, findProgram: () => program, idleMs: 20, maxAgents: 2 }
  const sessions = await openSessions(options)
  const create = async () => (await sessions.create({ agent: 'pi', cwd: directory })).session
  const [first, second, third] = [await create(), await create(), await create()]
  const waits = (session: Session) =>
    eventually(() =>
      expect([session.isBusy(), session.pendingApprovals().length]).toEqual([false, 1]),
    )
  await first.prompt('ask')
  await waits(first)

  // Its idle time begins later: when it is over, that of the first session would be, too.
  await second.prompt('be quiet')
  await eventually(() => expect(second.isAlive()).toBe(false))
  await waits(first)
  expect(first.isAlive()).toBe(true)

  await second.prompt('ask')
  await waits(second)
  expect(await third.prompt('ask')).toMatchObject({ code: 'too_many_sessions' })

  for (const session of [first, second]) {
    const [{ approvalId = '' } = {}] = session.pendingApprovals()
    session.answer(approvalId, { action: 'deny' })
    await eventually(() => expect(session.isAlive()).toBe(false))
  }
  await sessions.close()
  await log.close()
})
