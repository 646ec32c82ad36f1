import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openSandbox } from '../../src/process/sandbox.ts'
import { findBubblewrap } from '../support/bubblewrap.ts'
import { sluice } from '../support/sluice.ts'

const bubblewrap = await findBubblewrap()

describe('without bubblewrap', () => {
  const env = { PATH: '/nowhere' }

  test('`auto` runs agents without a sandbox, and says why', async () => {
    const { info, wrap } = await openSandbox({ hidden: [], env })
    expect(info).toEqual({ mode: 'off', reason: expect.stringContaining('Bubblewrap') })
    expect(wrap).toBeUndefined()
  })

  test.for(['on', 'project'] as const)('`%s` is refused', async (mode) => {
    await expect(openSandbox({ mode, hidden: [], env })).rejects.toMatchObject({
      code: 'sandbox_unavailable',
    })
  })

  test('a verb that requires a sandbox fails, with the reason', async () => {
    const bare = { ...process.env, PATH: '/nowhere' }
    const { code, stderr } = await sluice(['run', 'demo', 'hi', '--sandbox', 'on'], { env: bare })
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/^sluice: There is no sandbox for `--sandbox on`: Bubblewrap /),
    })
  })

  test('`sluice agents` says so', async () => {
    const bare = { ...process.env, PATH: '/nowhere' }
    const text = await sluice(['agents'], { env: bare })
    expect(text.stdout).toContain('Agents are not sandboxed. Bubblewrap is not installed')
    const json = await sluice(['agents', '--json'], { env: bare })
    expect(JSON.parse(json.stdout.split('\n')[0] ?? '')).toMatchObject({ sandbox: { mode: 'off' } })
  })

  test.skipIf(bubblewrap.reason !== undefined)(
    'a bubblewrap that cannot be tried is not used',
    async () => {
      const { TMPDIR } = process.env
      process.env.TMPDIR = '/nowhere'
      try {
        const { info } = await openSandbox({ hidden: [], env: { PATH: bubblewrap.path } })
        expect(info).toEqual({ mode: 'off', reason: expect.stringContaining('/nowhere') })
      } finally {
        if (TMPDIR === undefined) delete process.env.TMPDIR
        else process.env.TMPDIR = TMPDIR
      }
    },
  )

  test.skipIf(process.platform !== 'linux')(
    'a bubblewrap that hides nothing is not used',
    async () => {
      const directory = mkdtempSync(join(tmpdir(), 'sluice-no-box-'))
      const pretender = `#!/bin/bash\nwhile [ "$1" != -- ]; do shift; done; shift; exec "$@"\n`
      writeFileSync(join(directory, 'bwrap'), pretender, { mode: 0o755 })
      const { info } = await openSandbox({ hidden: [], env: { PATH: directory } })
      rmSync(directory, { recursive: true, force: true })
      expect(info.mode).toBe('off')
    },
  )
})
