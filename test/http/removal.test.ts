import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { descendantsOf } from '../support/descendants.ts'
import {
  type LocalServer,
  readProblem,
  startLocalServer,
  waitForRunEnd,
} from '../support/local-server.ts'

/** The processes of demo agents that this process has started. */
const agents = (): number[] =>
  descendantsOf(process.pid).filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('demo')
    } catch {
      return false // it has exited
    }
  })

describe('a session that is removed', () => {
  let server: LocalServer
  beforeAll(async () => {
    server = await startLocalServer()
    // Slow enough that the run is not over when the session is removed.
    process.env.SLUICE_DEMO_PACE = '20'
  })
  afterAll(async () => {
    await server.close()
    server.remove()
  })

  const prompt = (id: string) =>
    server.api(`/sessions/${id}/prompt`, { method: 'POST', body: { text: 'long' } })
  const remove = (id: string) => server.api(`/sessions/${id}`, { method: 'DELETE' })

  test('while a prompt is being sent leaves no agent behind', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { id } = await server.createDemoSession()
      const prompted = prompt(id)
      for (let requests = 0; requests < round % 5; requests += 1) await server.api('/health')
      const removed = await remove(id)
      expect(removed.status).toBe(204)
      expect([202, 410]).toContain((await prompted).status)
      expect(agents()).toEqual([])
    }
  })

  test('during a run, while prompts keep arriving, leaves no agent behind', async () => {
    for (let round = 0; round < 3; round += 1) {
      const { id } = await server.createDemoSession()
      expect((await prompt(id)).status).toBe(202)
      const keepPrompting = async (): Promise<void> => {
        const { status } = await prompt(id)
        if (status === 410) return
        expect(status).toBe(409)
        await keepPrompting()
      }
      const prompting = [keepPrompting(), keepPrompting(), keepPrompting()]
      expect((await remove(id)).status).toBe(204)
      await Promise.all(prompting)
      expect(agents()).toEqual([])
    }
  })

  test('refuses commands until it is restored', async () => {
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
