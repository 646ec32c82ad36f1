import { describe, expect, test } from 'vitest'
import { cline } from '../../src/agents/cline/index.ts'
import { startProcess } from '../../src/process/spawn.ts'
import { startModel } from '../model/server.ts'
import { ofType, textOf } from '../support/decoded.ts'
import { eventually } from '../support/eventually.ts'
import { openLiveSession } from '../support/live-session.ts'
import { decodeChunks } from '../support/recordings.ts'
import { processesOfSession } from '../support/session-processes.ts'
import { clineSetup } from './cline.ts'

const found = clineSetup('http://127.0.0.1')
found.setup?.remove()
if ('reason' in found) console.log(`skipped: Cline: ${found.reason}`)

/** The real Cline, if it is installed, with a scripted model. It has a key, and nobody signed in. */
describe.skipIf(!found.setup)('Cline', () => {
  const setUp = async () => {
    const model = await startModel()
    const { setup } = clineSetup(model.url)
    if (!setup) throw new Error('CLINE_BIN went away')
    return { model, setup }
  }

  test('a session needs a sign-in: the prompt is refused with what to do', async () => {
    const { model, setup } = await setUp()
    const session = openLiveSession({ agent: cline, setup, model: 'fake-model' })
    const sent = await session.prompt('scenario:text please')
    expect(sent).toMatchObject({
      outcome: 'refused',
      error: expect.stringContaining('Run `cline auth` and sign in.'),
    })
    expect(model.requests).toEqual([])
    await session.close()
    setup.remove()
    await model.close()
  })

  test('a single prompt needs only a key, and leaves no process behind', async () => {
    const { model, setup } = await setUp()
    const tag = `cline-${process.pid}`
    const chunks: Buffer[] = []
    const started = await startProcess({
      agent: cline,
      program: setup.argv[0] ?? '',
      args: cline.command('scenario:tool please'),
      cwd: setup.cwd,
      env: { ...setup.env, AGENT_SESSION_TAG: tag },
      onChunk: (chunk) => chunks.push(Buffer.from(chunk)),
    })
    await started.done
    const events = decodeChunks('cline', chunks)
    expect(textOf(events)).toContain('It ran.')
    expect(ofType(events, 'tool_result')).toMatchObject([{ message: { isError: false } }])
    expect(ofType(events, 'agent_end')).toMatchObject([{ stopReason: 'stop' }])
    // Cline starts a daemon of its own.
    await eventually(() => expect(processesOfSession(tag)).toEqual([]))
    setup.remove()
    await model.close()
  })
})
