import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { AgentEvent } from '../../src/events/types.ts'
import { decodeChunks, recording } from '../support/recordings.ts'
import { fileOf, inShort, openProject, type Project } from './project.ts'
import { toldOf } from './tool-runs.ts'

let project: Project
beforeEach(async () => {
  project = await openProject()
})
afterEach(() => project.close())

const told = (events: readonly AgentEvent[], cwd?: string) => toldOf(project, events, cwd)

const recorded = (name: string) => {
  const { agent, bytes } = recording(name)
  return decodeChunks(agent, [bytes()])
}

describe('as the agents were recorded', () => {
  test.each(['pi/0.73.1/write-edit', 'pi/0.73.1/rpc-tools', 'pi/1.5.0/rpc-tools'])(
    '%s: what was written, then edited, is one file',
    async (name) => {
      const events = recorded(name)
      const first = events.findIndex(({ type }) => type === 'agent_start')
      // Tools of several prompts are one turn here: the other beginnings are left out.
      const run = events.filter(({ type }, index) => type !== 'agent_start' || index === first)
      const answer = await told(run)
      expect(inShort(answer)).toEqual(['written src/hello.ts'])
      expect(fileOf(answer, 'src/hello.ts')).toMatchObject({ additions: 4, deletions: 0, size: 91 })
      expect(fileOf(answer, 'src/hello.ts').diff).toBe(
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

  test('Pi’s edit alone, with the patch that it tells', async () => {
    const answer = await told(recorded('pi/0.87.1/edit-legacy-args'))
    expect(answer.files).toEqual([
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

  test('Claude’s write and edit, of a file that was not there', async () => {
    const answer = await told(recorded('claude/2.1.325/edit'), '/home/dev/project')
    expect(answer.files).toEqual([
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
    '%s: what failed or was denied changed nothing',
    async (name) => {
      expect((await told(recorded(name), '/home/dev/project')).files).toEqual([])
    },
  )

  test('only the last run counts', async () => {
    const edit = recorded('claude/2.1.325/edit')
    const answer = await told([...edit, { type: 'agent_start' }], '/home/dev/project')
    expect(answer.files).toEqual([])
  })
})
