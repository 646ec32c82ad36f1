import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { descendantsOf } from '../../src/process/descendants.ts'
import {
  type LocalServer,
  readProblem,
  startLocalServer,
  waitForRunEnd,
} from '../support/local-server.ts'

/** The agents that this process has started, the server’s own. */
const agents = (): number[] =>
  descendantsOf(process.pid).filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('demo')
    } catch {
      return false // gone by now
    }
  })

describe('a session that is removed', () => {
  let server: LocalServer
  beforeAll(async () => {
    server = await startLocalServer()
    // Long enough that a run goes on when it is ended.
    process.env.SLUICE_DEMO_PACE = '20'
  })
  afterAll(async () => {
    await server.close()
    server.remove()
  })

  const prompt = (id: string) =>
    server.api(`/sessions/${id}/prompt`, { method: 'POST', body: { text: 'long' } })
  const remove = (id: string) => server.api(`/sessions/${id}`, { method: 'DELETE' })

  test('while a prompt is on its way has no agent afterwards', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { id } = await server.createDemoSession()
      const asked = prompt(id)
      for (let requests = 0; requests < round % 5; requests += 1) await server.api('/health')
      const removed = await remove(id)
      expect(removed.status).toBe(204)
      expect([202, 410]).toContain((await asked).status)
      expect(agents()).toEqual([])
    }
  })

  test('while it works, and is asked again and again, has no agent afterwards', async () => {
    for (let round = 0; round < 3; round += 1) {
      const { id } = await server.createDemoSession()
      expect((await prompt(id)).status).toBe(202)
      const askOn = async (): Promise<void> => {
        const { status } = await prompt(id)
        if (status === 410) return
        expect(status).toBe(409)
        await askOn()
      }
      const asking = [askOn(), askOn(), askOn()]
      expect((await remove(id)).status).toBe(204)
      await Promise.all(asking)
      expect(agents()).toEqual([])
    }
  })

  test('takes no command, and takes them again when it is taken back', async () => {
    const { id } = await server.createDemoSession()
    expect((await prompt(id)).status).toBe(202)
    expect((await remove(id)).status).toBe(204)
    for (const command of ['prompt', 'steer', 'follow-up', 'abort', 'compact', 'model'])
      expect(
        await readProblem(
          server.api(`/sessions/${id}/${command}`, {
            method: 'POST',
            body: command === 'model' ? { model: 'm' } : command === 'compact' ? {} : { text: 'x' },
          }),
        ),
      ).toMatchObject({ status: 410, code: 'gone' })
    await server.client.sessions.update(id, { removed: false })
    process.env.SLUICE_DEMO_PACE = '0'
    const { seq } = await server.client.sessions.prompt(id, 'think')
    await waitForRunEnd(server, id, seq)
  })
})
