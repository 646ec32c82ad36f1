import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { AgentEvent } from '../../src/events/types.ts'
import { decodeChunks, recording } from '../support/recordings.ts'
import { fileOf, linesOf, openProject, type Project } from './project.ts'
import { readDiffOf } from './tool-runs.ts'

let project: Project
beforeEach(async () => {
  project = await openProject()
})
afterEach(() => project.close())

const readDiff = (events: readonly AgentEvent[], cwd?: string) => readDiffOf(project, events, cwd)

const recorded = (name: string) => {
  const { agent, bytes } = recording(name)
  return decodeChunks(agent, [bytes()])
}

describe('turn diff of recorded runs', () => {
  test.each(['pi/0.73.1/write-edit', 'pi/0.73.1/rpc-tools', 'pi/1.5.0/rpc-tools'])(
    '%s: a file that was written, then edited, is one file',
    async (name) => {
      const events = recorded(name)
      const first = events.findIndex(({ type }) => type === 'agent_start')
      // Only the first agent_start is used: the tools of all prompts are one turn here.
      const run = events.filter(({ type }, index) => type !== 'agent_start' || index === first)
      const diff = await readDiff(run)
      expect(linesOf(diff)).toEqual(['written src/hello.ts'])
      expect(fileOf(diff, 'src/hello.ts')).toMatchObject({ additions: 4, deletions: 0, size: 91 })
      expect(fileOf(diff, 'src/hello.ts').diff).toBe(
        [
          '--- a/src/hello.ts',
          '+++ b/src/hello.ts',
          '@@ -0,0 +1,4 @@',
          "+export const hello = 'world';",
          '+export const n = 2;',
          '+export const m = 3;',
          '+export const z = 26;',
          '',
        ].join('\n'),
      )
    },
  )

  test('Pi: a single edit, with the patch that Pi reports', async () => {
    const diff = await readDiff(recorded('pi/0.87.1/edit-legacy-args'))
    expect(diff.files).toEqual([
      {
        path: 'a.txt',
        status: 'modified',
        kind: 'text',
        additions: 1,
        deletions: 1,
        diff: '--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n-alpha\n+ALPHA\n beta\n gamma\n',
      },
    ])
  })

  test('Claude Code: a new file that is written and edited', async () => {
    const diff = await readDiff(recorded('claude/2.1.325/edit'), '/home/dev/project')
    expect(diff.files).toEqual([
      {
        path: 'demo.txt',
        status: 'added',
        kind: 'text',
        size: 17,
        additions: 3,
        deletions: 0,
        diff: '--- /dev/null\n+++ b/demo.txt\n@@ -0,0 +1,3 @@\n+alpha\n+BETA\n+gamma\n',
      },
    ])
  })

  test.each(['claude/2.1.325/deniedwrite', 'claude/2.1.325/editfail', 'pi/1.5.0/tool-fail-kinds'])(
    '%s: a call that failed or was denied changes nothing',
    async (name) => {
      expect((await readDiff(recorded(name), '/home/dev/project')).files).toEqual([])
    },
  )

  test('only the last turn counts', async () => {
    const edit = recorded('claude/2.1.325/edit')
    const diff = await readDiff([...edit, { type: 'agent_start' }], '/home/dev/project')
    expect(diff.files).toEqual([])
  })
})
