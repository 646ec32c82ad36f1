import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { sandboxFlags } from '../../src/process/sandbox-flags.ts'

test('a further directory that became a link is not made writable', () => {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-flags-')))
  onTestFinished(() => rmSync(top, { recursive: true }))
  const [project, further, swapped] = ['project', 'further', 'swapped'].map((name) =>
    join(top, name),
  )
  if (!project || !further || !swapped) return expect.unreachable('three paths')
  for (const path of [project, further]) mkdirSync(path)
  symlinkSync('/etc', swapped)
  const flags = sandboxFlags({
    command: { program: '/bin/sh', cwd: project, directories: [further, swapped] },
    privileges: [],
    isProject: true,
    masks: { directories: [], readOnly: [], files: [], pinned: [] },
  })
  expect(flags).toContain(further)
  expect(flags).not.toContain(swapped)
})
