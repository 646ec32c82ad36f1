import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { checkOrder } from '../../../src/events/order.ts'
import type { StampedEvent } from '../../../src/events/types.ts'
import { openSqliteLog } from '../../../src/log/index.ts'
import { processTable } from '../../../src/process/process-table.ts'
import { openSessions } from '../../../src/session/registry/open-sessions.ts'
import { piSetup } from '../../agents/pi.ts'
import { startModel } from '../../model/server.ts'
import { agentProgram } from '../../support/agent-program.ts'
import { ofType } from '../../support/decoded.ts'
import { eventually } from '../../support/eventually.ts'
import { run } from '../../support/sluice.ts'

describe('sessions over a database', () => {
  let model: Awaited<ReturnType<typeof startModel>>
  let setup: ReturnType<typeof piSetup>
  let directory = ''
  let program = ''

  beforeEach(async () => {
    model = await startModel()
    setup = piSetup('0.87', model.url)
    directory = mkdtempSync(join(tmpdir(), 'sluice-sessions-'))
    program = agentProgram(setup)
  })
  afterEach(async () => {
    setup.remove()
    rmSync(directory, { recursive: true, force: true })
    await model.close()
  })

  const open = async (more: object = {}) => {
    const log = await openSqliteLog(directory)
    const published: StampedEvent[] = []
    const sessions = await openSessions({
      log,
      publish: (event) => published.push(event),
      findProgram: () => program,
      env: setup.env,
      policy: 'allow',
      ...more,
    })
    const close = async () => {
      await sessions.close()
      await log.close()
    }
    return { log, published, sessions, close }
  }

  const stored = async (log: Awaited<ReturnType<typeof openSqliteLog>>, id: string) => {
    const events: StampedEvent[] = []
    for await (const event of log.read(id, 0)) events.push(event)
    return events
  }

  test('publishes what it stores, and continues a conversation after a restart', async () => {
    const first = await open()
    const { record, session } = await first.sessions.create({
      agent: 'pi',
      cwd: setup.cwd,
      model: 'fake/fake-sonnet',
    })
    await session.prompt('scenario:tool please')
    await session.idle()
    await first.sessions.close()
    expect(await stored(first.log, record.id)).toEqual(first.published)
    await first.log.close()

    const second = await open()
    const again = await second.sessions.get(record.id)
    await again?.prompt('scenario:text and then?')
    await again?.idle()
    await second.sessions.close()
    const events = await stored(second.log, record.id)
    expect(checkOrder(events)).toEqual([])
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
    expect(JSON.stringify(model.requests.at(-1))).toContain('scenario:tool please')
    const costs = ofType(events, 'usage_update').map(({ totals }) => totals.costUsd ?? 0)
    expect(costs).toEqual(costs.toSorted((left, right) => left - right))
    await second.log.close()
  })

  test('the last activity is that of the run, not the end of an idle process or a rename', async () => {
    let time = 1000
    const { log, sessions, close } = await open({ now: () => time, idleMs: 300 })
    const { record, session } = await sessions.create({
      agent: 'pi',
      cwd: setup.cwd,
      model: 'fake/fake-sonnet',
    })
    expect(record).toMatchObject({ lastActivity: 1000 })
    time = 2000
    await session.prompt('scenario:tool please')
    await session.idle()
    await eventually(async () =>
      expect(await log.sessions.get(record.id)).toMatchObject({
        state: 'idle',
        pid: expect.any(Number),
      }),
    )
    time = 3000
    await eventually(async () =>
      expect(await log.sessions.get(record.id)).not.toHaveProperty('pid'),
    )
    expect(await log.sessions.get(record.id)).toMatchObject({ lastActivity: 2000, updatedAt: 2000 })
    await session.rename('New name')
    await eventually(async () =>
      expect(await log.sessions.get(record.id)).toMatchObject({ name: 'New name' }),
    )
    expect(await log.sessions.get(record.id)).toMatchObject({ lastActivity: 2000 })
    await close()
  })

  test('stores approval requests with their outcome', async () => {
    const { log, sessions, close } = await open()
    const { session } = await sessions.create({
      agent: 'pi',
      cwd: setup.cwd,
      model: 'fake/fake-sonnet',
    })
    await session.prompt('scenario:tool please')
    await session.idle()
    await sessions.close()
    expect(await log.approvals.list()).toMatchObject([
      { toolName: 'bash', status: 'answered', action: 'allow', by: 'policy' },
    ])
    await close()
  })

  test('closes the run and ends the agent after kill -9 of Sluice, and the session continues', async () => {
    const script = join(setup.cwd, 'server.ts')
    writeFileSync(script, serverOf({ directory, program, cwd: setup.cwd }))
    let pid = 0
    await run(process.execPath, [script], {
      env: setup.env,
      onStdout(child, stdout) {
        const found = /agent (\d+)\n/.exec(stdout)
        if (!found || pid > 0) return
        pid = Number(found[1])
        process.kill(pid, 'SIGSTOP') // otherwise it ends by itself when its stdin closes
        child.kill('SIGKILL')
      },
    })
    expect(processTable.startTimeOf(pid)).toBeDefined()

    const { log, sessions, close } = await open()
    await eventually(() => expect(processTable.startTimeOf(pid)).toBeUndefined())
    const [record] = await log.sessions.list()
    if (!record) throw new Error('the session is gone')
    expect(record).toMatchObject({ state: 'idle' })
    expect(record.pid).toBeUndefined()
    const events = await stored(log, record.id)
    expect(checkOrder(events)).toEqual([])
    expect(events.at(-1)).toMatchObject({ type: 'agent_end', interrupted: true })
    expect(events.at(-2)).toMatchObject({ type: 'turn_state', newState: 'turn_finished' })
    const session = await sessions.get(record.id)
    await session?.prompt('scenario:text again')
    await session?.idle()
    await sessions.close()
    expect((await stored(log, record.id)).at(-1)).toMatchObject({ type: 'agent_end' })
    await close()
  })
})

/** A program that opens a session, prompts it, and prints the agent’s pid once text streams. */
const serverOf = ({
  directory,
  program,
  cwd,
}: {
  directory: string
  program: string
  cwd: string
}) => {
  const source = new URL('../../../src/', import.meta.url).href
  return `
    import { openSqliteLog } from '${source}log/index.ts'
    import { openSessions } from '${source}session/registry/open-sessions.ts'
    const log = await openSqliteLog(${JSON.stringify(directory)})
    let record
    const sessions = await openSessions({
      log,
      async publish(event) {
        if (event.type !== 'message_update') return
        const { pid } = await log.sessions.get(record.id)
        console.log('agent ' + pid)
      },
      findProgram: () => ${JSON.stringify(program)},
      policy: 'allow',
    })
    const created = await sessions.create({ agent: 'pi', cwd: ${JSON.stringify(cwd)}, model: 'fake/fake-sonnet' })
    record = created.record
    await created.session.prompt('scenario:slow please')
  `
}
