import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openCodeSetup } from '../agents/opencode.ts'
import type { AgentSetup } from '../agents/sandbox.ts'
import { startModel } from '../model/server.ts'
import { sluice } from '../support/sluice.ts'

const { setup: available, ...absent } = openCodeSetup('http://127.0.0.1')
available?.remove()
if ('reason' in absent) console.log(`skipped: sluice run opencode: ${absent.reason}`)

/** The real OpenCode, whose settings ask about commands. */
describe.skipIf(!available)(
  'sluice run opencode, with permission `ask`',
  { timeout: 60_000 },
  () => {
    let model: Awaited<ReturnType<typeof startModel>>
    let setup: AgentSetup
    beforeEach(async () => {
      model = await startModel()
      const found = openCodeSetup(model.url).setup
      if (!found) throw new Error('OPENCODE_BIN went away')
      setup = found
    })
    afterEach(async () => {
      setup.remove()
      await model.close()
    })

    const run = (...more: string[]) =>
      sluice(['run', 'opencode', 'scenario:tool', '--cwd', setup.cwd, ...more], {
        env: { ...process.env, ...setup.env, OPENCODE_BIN: setup.argv[0] },
      })

    test('fails with the reason, and says how to be asked', async () => {
      const { code, stdout, stderr } = await run('--out', 'text')
      expect({ code, stdout }).toEqual({ code: 1, stdout: 'Running it.\n' })
      expect(stderr).toContain('`opencode run` cannot ask anybody')
      expect(stderr).toContain('sluice chat opencode')
    })

    test('works with the flag that the reason names', async () => {
      const { code, stdout } = await run('--out', 'text', '--', '--auto')
      expect({ code, stdout }).toEqual({ code: 0, stdout: 'It ran.\n' })
    })
  },
)
