import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { piSetup } from '../agents/pi.ts'
import type { AgentSetup } from '../agents/sandbox.ts'
import { type Model, startModel } from '../model/server.ts'
import { agentProgram } from '../support/agent-program.ts'
import { eventually } from '../support/eventually.ts'
import { ptyMaker, startInTerminal } from '../support/pty.ts'
import { root, sluice } from '../support/sluice.ts'

let model: Model
let setup: AgentSetup
let marker: string

beforeEach(async () => {
  model = await startModel()
  setup = piSetup('0.73', model.url)
  setup.env.PI_BIN = agentProgram(setup)
  marker = join(setup.cwd, 'marker')
  mkdirSync(join(setup.cwd, '.pi/extensions'), { recursive: true })
  const extension = `import { writeFileSync } from 'node:fs'
    export default () => writeFileSync(${JSON.stringify(marker)}, '')`
  writeFileSync(join(setup.cwd, '.pi/extensions/a\u202eb.ts'), extension)
})
afterEach(async () => {
  setup.remove()
  await model.close()
})

const options = () => ['--model', 'fake/fake-sonnet', '--cwd', setup.cwd, '--sandbox', 'off']
const runPi = (...more: string[]) =>
  sluice(['run', 'pi', 'scenario:text please', ...options(), ...more, '--', '--no-session'], {
    env: setup.env,
  })

describe('sluice run', () => {
  test('starts without the extensions of the project, and says so', async () => {
    const { code, stdout, stderr } = await runPi()
    expect(code).toBe(0)
    expect(stdout).toContain('Hello from the model.')
    expect(stderr).toContain('Pi starts without .pi/extensions/a\\u202eb.ts.')
    expect(existsSync(marker)).toBe(false)
  })

  test('starts without them where there are too many files to check', async () => {
    mkdirSync(join(setup.cwd, '.pi/extensions', 'a/'.repeat(25)), { recursive: true })
    const { code, stderr } = await runPi()
    expect(code).toBe(0)
    expect(stderr).toContain('Pi starts without the files of this project')
    expect(existsSync(marker)).toBe(false)
  })

  test('loads them with --trust-project', async () => {
    const { code, stderr } = await runPi('--trust-project')
    expect(code).toBe(0)
    expect(stderr).not.toContain('starts without')
    expect(existsSync(marker)).toBe(true)
  })
})

if (ptyMaker.reason) console.log(`skipped: questions in a terminal: ${ptyMaker.reason}`)

describe.skipIf(ptyMaker.reason)('sluice chat', () => {
  const startChat = () => {
    const program = join(root, 'src/cli/main.js')
    const data = join(setup.cwd, '..', 'data')
    const argv = [process.execPath, program, 'chat', 'pi', ...options(), '--data', data]
    return startInTerminal(argv, setup)
  }

  test('what was typed before the question does not answer it', async () => {
    const chat = startChat()
    chat.type('y\r')
    const asked = await chat.shows('Trust this folder? [y/N]')
    // Nor does what is pasted.
    chat.type('\x1b[200~y\r\x1b[201~')
    const pastedAt = performance.now()
    await eventually(() => expect(performance.now() - pastedAt).toBeGreaterThan(500))
    chat.type('\r')
    const refused = await chat.shows('Pasted text cannot answer this.', asked)
    const again = await chat.shows('Trust this folder? [y/N]', refused)
    chat.type('\r')
    const ready = await chat.shows('Enter sends', again)
    chat.type('scenario:text please\r')
    await chat.shows('Hello from the model.', ready)
    chat.type('\u0004')
    await chat.ended
    expect(existsSync(marker)).toBe(false)
  })

  test('asks before the first prompt, and remembers the answer', async () => {
    const first = startChat()
    const asked = await first.shows('Trust this folder? [y/N]')
    expect(first.screen()).toContain(
      '.pi/extensions/a\\u202eb.ts  (Pi: extension, which is a program)',
    )
    first.type('n\r')
    const ready = await first.shows('Enter sends', asked)
    first.type('scenario:text please\r')
    await first.shows('Hello from the model.', ready)
    first.type('\u0004')
    await first.ended
    expect(existsSync(marker)).toBe(false)

    const second = startChat()
    await second.shows('Enter sends')
    expect(second.screen()).not.toContain('Trust this folder?')
    second.type('\u0004')
    await second.ended

    // Other files: another question.
    writeFileSync(join(setup.cwd, '.pi/extensions/c.ts'), 'export default () => {}')
    const third = startChat()
    const again = await third.shows('Trust this folder? [y/N]')
    expect(third.screen()).toContain('have changed')
    third.type('y\r')
    await third.shows('Enter sends', again)
    third.type('scenario:text please\r')
    await third.shows('Hello from the model.')
    third.type('\u0004')
    await third.ended
    expect(existsSync(marker)).toBe(true)
    const { stdout } = await sluice(['audit', '--json', '--data', join(setup.cwd, '..', 'data')])
    expect(stdout.match(/"trust_\w+"/g)).toEqual(['"trust_refused"', '"trust_given"'])
  })
})
