import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { commandKeyOf } from '../../src/http/idempotency.ts'
import { command, session } from '../log/samples.ts'
import { startMemoryServer } from '../support/memory-server.ts'

/** Prompts with a key whose receipt is stored right after the server has looked for it. */
const promptLate = async (isFoundThen: boolean) => {
  const { log, root, url, key: token } = await startMemoryServer()
  const cwd = join(root, 'project')
  mkdirSync(cwd)
  await log.sessions.create(session('late', { agent: 'demo', cwd }))
  const body = JSON.stringify({ text: 'think' })
  const { hash } = commandKeyOf({ owner: '', route: '', key: '', body })
  const receipt = vi.spyOn(log.commands, 'receipt').mockImplementationOnce(async (key) => {
    await log.commands.add(command('earlier', 'late', { seq: 7, receipt: { key, hash } }))
    return undefined
  })
  if (!isFoundThen) receipt.mockResolvedValueOnce(undefined)
  const response = await fetch(`${url}/sessions/late/prompt`, {
    ...{ method: 'POST', body },
    headers: {
      ...{ authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      'idempotency-key': 'k',
    },
  })
  return { response, found: await response.json() }
}

test('a prompt whose earlier try was stored at another node meanwhile gets its response', async () => {
  const { response, found } = await promptLate(true)
  expect(response.status).toBe(202)
  expect(response.headers.get('Idempotency-Replayed')).toBe('true')
  expect(found).toMatchObject({ sessionId: 'late', seq: 7 })
})

test('while its receipt cannot be read, the request counts as running', async () => {
  const { response, found } = await promptLate(false)
  expect(response.status).toBe(409)
  expect(response.headers.get('Retry-After')).toBe('1')
  expect(found).toMatchObject({ code: 'request_running' })
})
