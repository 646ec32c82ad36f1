import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { checkOrder } from '../../../src/events/order.ts'
import { startPiServer } from '../../support/pi-server.ts'

let rig: Awaited<ReturnType<typeof startPiServer>>

beforeEach(async () => {
  rig = await startPiServer()
})
afterEach(() => rig.close())

const git = (...args: string[]) =>
  execFileSync('git', args, {
    cwd: rig.directories.projects,
    env: {
      ...process.env,
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_AUTHOR_NAME: 'T',
      GIT_AUTHOR_EMAIL: 't@example.org',
      GIT_COMMITTER_NAME: 'T',
      GIT_COMMITTER_EMAIL: 't@example.org',
    },
  })

test('a real Pi behind a real port: prompt, stream, approval, result, turn-diff', async () => {
  writeFileSync(join(rig.directories.projects, 'kept.txt'), 'one\ntwo\n')
  git('init', '-q')
  git('add', '.')
  git('commit', '-qm', 'first')

  const { client } = rig.server
  // Pi takes its time to say which it is; nobody waits for that.
  const pi = async () => (await client.agents.list()).find(({ name }) => name === 'pi')
  await expect.poll(pi, { timeout: 20_000 }).toMatchObject({ isInstalled: true, version: '0.87.1' })
  const project = await client.projects.create({ name: 'P', path: rig.directories.projects })
  const { id } = await client.sessions.create({
    projectId: project.id,
    agent: 'pi',
    model: 'fake/fake-sonnet',
  })
  expect(await client.sessions.turnDiff(id)).toMatchObject({ source: 'none', files: [] })

  const types: string[] = []
  let result: unknown
  for await (const event of client.sessions.stream(id)) {
    types.push(event.type)
    if (event.type === 'snapshot') await client.sessions.prompt(id, 'scenario:tool please')
    if (event.type === 'approval_request') {
      expect(await client.approvals.list()).toMatchObject([
        { approvalId: event.approvalId, sessionId: id, toolName: 'bash' },
      ])
      // The shell changes files that no tool of the agent tells of.
      const command = 'echo two >> kept.txt; echo hello > made.txt; echo hello'
      await client.approvals.answer(event.approvalId, {
        action: 'allow',
        updatedInput: { command },
      })
    }
    if (event.type === 'tool_result') result = event.message
    if (event.type === 'agent_end') break
  }

  expect(types[0]).toBe('snapshot')
  expect(types).toContain('message_update')
  expect(types).toContain('approval_resolved')
  expect(result).toMatchObject({ toolName: 'bash', isError: false, content: [{ text: 'hello\n' }] })
  const { files, source } = await client.sessions.turnDiff(id)
  expect(source).toBe('git')
  expect(files).toMatchObject([
    { path: 'kept.txt', status: 'modified', additions: 1, deletions: 0 },
    { path: 'made.txt', status: 'added', diff: expect.stringContaining('+hello') },
  ])
  expect(git('status', '--porcelain').toString()).toBe(' M kept.txt\n?? made.txt\n')

  const { events } = await client.sessions.events(id, { limit: 5000 })
  expect(checkOrder(events)).toEqual([])
  expect(await client.sessions.usage(id)).toMatchObject({
    totals: { costUsd: expect.any(Number), provenance: { cost: 'reported' } },
    turns: [{ endedAt: expect.any(Number) }],
  })
  expect(await client.approvals.list()).toEqual([])
  expect(await rig.server.stop()).toBe(0)
})
