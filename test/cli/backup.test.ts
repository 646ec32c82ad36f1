import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { waitForRunEnd } from '../support/local-server.ts'
import {
  createServerDirectories,
  type ServerProcess,
  startServerProcess,
} from '../support/server-process.ts'
import { sluice } from '../support/sluice.ts'

const directories = createServerDirectories()
const { data } = directories
const file = join(dirname(data), 'copy.db')
let server: ServerProcess
beforeAll(async () => {
  server = await startServerProcess(directories)
})
afterAll(async () => {
  await server.stop()
  directories.remove()
})

const runOnce = async (): Promise<string> => {
  const project = await server.client.projects.create({ name: 'P', path: directories.projects })
  const { id } = await server.client.sessions.create({ projectId: project.id, agent: 'demo' })
  await server.client.sessions.prompt(id, 'fail')
  await waitForRunEnd(server, id)
  return id
}

test('sessions are backed up beside a running server, and restored when it is stopped', async () => {
  const before = await runOnce()
  const backup = await sluice(['backup', file, '--data', data])
  expect(backup).toMatchObject({ code: 0, stderr: '' })
  expect(backup.stdout).toMatch(
    /^Wrote .*copy\.db \(.*\): 1 session, \d+ events, .* is complete\.\n/,
  )
  const again = await sluice(['backup', file, '--data', data])
  expect(again).toMatchObject({ code: 1, stdout: '' })
  expect(again.stderr).toMatch(/copy\.db exists/)
  expect(await sluice(['backup', file, '--data', data, '--force', '--json'])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('"sessions":1'),
  })

  const after = await runOnce()
  // A reader sees more of the first session than the backup has.
  const { seq = 0 } = await server.client.sessions.get(before)
  await server.client.sessions.prompt(before, 'fail')
  await waitForRunEnd(server, before, seq)
  const cursor = await firstIdOf(before)
  const refused = await sluice(['restore', file, '--data', data, '--force'])
  expect(refused).toMatchObject({ code: 1, stdout: '' })
  expect(refused.stderr).toMatch(/in use by process \d+\. Stop it first\./)
  await server.stop()
  expect((await sluice(['restore', file, '--data', data])).stderr).toMatch(/already has a log/)
  const restored = await sluice(['restore', file, '--data', data, '--force'])
  expect(restored).toMatchObject({ code: 0, stderr: '' })
  expect(restored.stdout).toMatch(/^Restored 1 sessions with \d+ events of /)
  expect(restored.stdout).toMatch(/is now .*before-restore-/)

  server = await startServerProcess(directories)
  const { sessions } = await server.client.sessions.list()
  expect(sessions.map(({ id }) => id)).toEqual([before])
  expect(after).not.toBe(before)
  // The session gets other events with the same numbers: the old cursor belongs to none of them.
  await server.client.sessions.prompt(before, 'fail again')
  await waitForRunEnd(server, before)
  expect(await firstFrameOf(before, cursor)).toContain('"verdict":"gap"')
})

/** What a stream sends first, up to the end of a frame with an id. */
const firstFrameOf = async (id: string, lastEventId?: string): Promise<string> => {
  const response = await fetch(`${server.url}/api/v1/sessions/${id}/stream`, {
    headers: {
      authorization: `Bearer ${server.token}`,
      ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
    },
  })
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true })
    if (/^data: .*\n\n/m.test(text)) break
  }
  return text
}

/** The cursor of the snapshot of a session. */
const firstIdOf = async (id: string): Promise<string> =>
  /^id: (.+)$/m.exec(await firstFrameOf(id))?.[1] ?? ''

test('there is no backup of a directory without a log', async () => {
  const target = join(dirname(data), 'nothing')
  const ran = await sluice(['backup', join(dirname(data), 'nothing.db'), '--data', target])
  expect(ran).toMatchObject({ code: 1, stderr: `sluice: There is no log in ${target}.\n` })
  expect(readdirSync(dirname(data)).filter((name) => name.includes('nothing'))).toEqual([])
})

test('the log is compacted while no server runs only', async () => {
  expect((await sluice(['compact', '--data', data])).stderr).toMatch(/in use by process/)
  await server.stop()
  const compacted = await sluice(['compact', '--data', data])
  expect(compacted).toMatchObject({ code: 0, stderr: '' })
  expect(compacted.stdout).toMatch(/^The log was .*B and is .*B now\.\n$/)
})
