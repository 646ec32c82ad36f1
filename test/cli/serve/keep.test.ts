import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import { waitForRunEnd } from '../../support/local-server.ts'
import { createServerDirectories, startServerProcess } from '../../support/server-process.ts'
import { sluice } from '../../support/sluice.ts'

test('serve --keep deletes sessions that are not used, but no pinned ones', async () => {
  const directories = createServerDirectories()
  const first = await startServerProcess(directories)
  const project = await first.client.projects.create({ name: 'P', path: directories.projects })
  const run = async (): Promise<string> => {
    const { id } = await first.client.sessions.create({ projectId: project.id, agent: 'demo' })
    await first.client.sessions.prompt(id, 'fail')
    await waitForRunEnd(first, id)
    return id
  }
  const pinned = await run()
  const other = await run()
  await first.client.sessions.update(pinned, { pinned: true })
  await first.stop()
  const turns = join(directories.data, 'turns')
  expect(existsSync(join(turns, other))).toBe(true)

  const server = await startServerProcess(directories, { args: ['--keep', '1s', '--keep', '1GB'] })
  try {
    await eventually(async () => {
      const { sessions } = await server.client.sessions.list()
      expect(sessions.map(({ id }) => id)).toEqual([pinned])
    })
    await eventually(() => expect(readdirSync(turns)).toEqual([pinned]))
    await eventually(async () => {
      const { entries } = await server.client.audit.list({ sessionId: other })
      expect(entries[0]).toMatchObject({ action: 'session_deleted', by: 'retention' })
    })
    const metrics = await fetch(`${server.url}/metrics`, {
      headers: { authorization: `Bearer ${server.token}` },
    })
    const text = await metrics.text()
    expect(text).toMatch(/^sluice_retention_deleted_total 1$/m)
    expect(text).toMatch(/^sluice_database_bytes [1-9]\d+$/m)
    expect(text).toMatch(/^sluice_disk_free_bytes [1-9]\d+$/m)
  } finally {
    await server.stop()
    directories.remove()
  }
})

test.each(['20', '0d', '90d,XB'])('--keep %s is refused', async (keep) => {
  const { code, stderr } = await sluice(['serve', '--keep', keep])
  expect(code).toBe(2)
  expect(stderr).toContain('Give a time such as 90d, a size such as 20GB, or both: 90d,20GB.')
})
