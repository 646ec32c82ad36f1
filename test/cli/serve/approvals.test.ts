import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import { createServerDirectories, startServerProcess } from '../../support/server-process.ts'

test('serve has flags for the mode, the time limit and the idle time', async () => {
  const directories = createServerDirectories()
  const args = ['--approve', 'allow-edits', '--approval-timeout', '1s', '--idle-after', '1s']
  const server = await startServerProcess(directories, { args })
  try {
    const { projects, sessions, rules } = server.client
    const project = await projects.create({ name: 'P', path: directories.projects })
    const { id } = await sessions.create({ projectId: project.id, agent: 'demo' })
    expect((await rules.ofSession(id)).mode).toBe('allow-edits')
    await sessions.prompt(id, 'approve')
    await eventually(async () => {
      const { events } = await sessions.events(id)
      const [request] = events.filter(({ type }) => type === 'approval_request')
      expect(request).toHaveProperty('deadline')
      expect(events.filter(({ type }) => type === 'approval_resolved')).toMatchObject([
        { outcome: 'expired', action: 'deny' },
      ])
    })
    const { pid } = server.child
    await eventually(() =>
      expect(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')).toBe(''),
    )
  } finally {
    await server.stop()
    directories.remove()
  }
})
