import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import {
  createServerDirectories,
  type ServerDirectories,
  type ServerProcess,
  startServerProcess,
} from '../../support/server-process.ts'
import { type SluiceOptions, sluice } from '../../support/sluice.ts'

let directories: ServerDirectories
let server: ServerProcess
beforeAll(async () => {
  directories = createServerDirectories()
  server = await startServerProcess(directories)
})
afterAll(async () => {
  await server.stop()
  directories.remove()
})

const at = (args: readonly string[], options?: SluiceOptions) =>
  sluice([...args, '--data', directories.data], options)

test('a message gets into the run of a session, and abort ends it', async () => {
  const { client } = server
  const { id: projectId } = await client.projects.create({
    ...{ name: 'P', path: directories.projects },
  })
  const { id } = await client.sessions.create({ projectId, agent: 'demo', name: 'Roses' })
  await client.sessions.prompt(id, 'tool')
  await eventually(async () => expect(await client.approvals.list()).toHaveLength(1))

  const sent = await at(['steer', 'roses', 'more', 'water'])
  expect(sent).toEqual({ code: 0, stderr: '', stdout: `Sent to ${id.slice(0, 8)} (Roses).\n` })
  const queued = await at(['steer', id.slice(0, 5), '-', '--queue', '--json'], { input: 'later\n' })
  expect(JSON.parse(queued.stdout)).toMatchObject({ sessionId: id, outcome: 'accepted' })
  await eventually(async () =>
    expect((await client.sessions.queue(id)).items.map(({ text }) => text)).toEqual(
      expect.arrayContaining(['more water', 'later']),
    ),
  )

  const stopped = await at(['abort', 'roses'])
  expect(stopped).toMatchObject({ code: 0, stdout: expect.stringContaining('Stopping the run of') })
  await eventually(async () => expect((await client.sessions.get(id)).state).toBe('idle'))
  const again = await at(['abort', 'roses'])
  expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('There was no run') })
})

test.each([
  [['steer', 'nobody', 'x'], 'Session nobody does not exist.'],
  [['abort', 'nobody'], 'Session nobody does not exist.'],
  [['steer', 'nobody', ' '], 'The message is empty.'],
])('%j is refused', async (args, reason) => {
  expect(await at(args)).toMatchObject({ code: 2, stderr: expect.stringContaining(reason) })
})

test('a file goes with a message, and one that cannot be read is named', async () => {
  const { client } = server
  const { id: projectId } = await client.projects.create({ name: 'F', path: directories.projects })
  const { id } = await client.sessions.create({ projectId, agent: 'demo', name: 'Tulips' })
  const path = join(directories.projects, 'notes.md')
  writeFileSync(path, 'Use tabs.')
  expect(await at(['steer', 'tulips', 'think', '--file', path])).toMatchObject({ code: 0 })
  await eventually(async () => {
    const { messages } = await client.sessions.messages(id)
    expect(messages[0]?.content[1]).toMatchObject({ type: 'attachedFile', name: 'notes.md' })
  })
  expect(await at(['steer', 'tulips', 'think', '--file', `${path}.not`])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('cannot be sent: there is no such file'),
  })
})
