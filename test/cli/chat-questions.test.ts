import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { piSetup } from '../agents/pi.ts'
import { createSandbox } from '../agents/sandbox.ts'
import { startModel } from '../model/server.ts'
import { agentProgram } from '../support/agent-program.ts'
import { ptyMaker, startInTerminal } from '../support/pty.ts'
import { root } from '../support/sluice.ts'

if (ptyMaker.reason !== undefined) console.log(`skipped: questions in a chat: ${ptyMaker.reason}`)

const enter = '\r'
const controlD = '\x04'

/** What agents want to know of a person, whatever the policy for tools is. */
describe.skipIf(ptyMaker.reason !== undefined)('a question in a chat', () => {
  const cleanUp: (() => unknown)[] = []
  afterEach(async () => {
    for (const undo of cleanUp.splice(0).reverse()) await undo()
  })

  const chat = async (args: readonly string[], cwd: string, env: NodeJS.ProcessEnv) => {
    const main = join(root, 'src/cli/main.js')
    const place = ['--cwd', cwd, '--data', join(cwd, '..', 'data')]
    const argv = [process.execPath, main, 'chat', ...args, ...place]
    const terminal = startInTerminal(argv, { cwd, env: { ...env, NO_COLOR: '1' } })
    cleanUp.push(terminal.kill)
    await terminal.shows('› ')
    return terminal
  }

  test('of Claude Code is answered with a number, as recorded', async () => {
    const sandbox = createSandbox('recorded-agent')
    cleanUp.push(sandbox.remove)
    const report = join(sandbox.cwd, 'report.json')
    const env = {
      ...sandbox.env,
      CLAUDE_BIN: agentProgram({
        ...sandbox,
        argv: [process.execPath, join(root, 'test/support/recorded-agent.js')],
      }),
      RECORDED_DIALOG: join(root, 'recordings/claude/2.1.325/bi-ask'),
      DIALOG_REPORT: report,
    }
    const terminal = await chat(['claude', '--approve', 'allow'], sandbox.cwd, env)
    terminal.type(`scenario:ask go${enter}`)
    let seen = await terminal.shows('Which colour?')
    seen = await terminal.shows('2 Blue: cold', seen)
    seen = await terminal.shows('answer › ', seen)
    terminal.type(`2${enter}`)
    await terminal.shows('› ', seen)
    terminal.type(controlD)
    expect(await terminal.ended).toBe(0)
    const { problems, missing } = JSON.parse(readFileSync(report, 'utf8'))
    expect({ problems, missing }).toEqual({ problems: [], missing: [] })
  })

  test('of a Pi extension is answered with a choice, a line or yes', async () => {
    const model = await startModel()
    cleanUp.push(model.close)
    const setup = piSetup('0.87', model.url)
    cleanUp.push(setup.remove)
    const extensions = join(setup.env.PI_CODING_AGENT_DIR ?? '', 'extensions')
    mkdirSync(extensions)
    writeFileSync(join(extensions, 'ask.js'), extension)
    const env = { ...setup.env, PI_BIN: agentProgram(setup) }
    const args = ['pi', '--model', 'fake/fake-sonnet', '--approve', 'allow']
    const terminal = await chat(args, setup.cwd, env)
    terminal.type(`scenario:tool please${enter}`)
    let seen = await terminal.shows('Which way?')
    seen = await terminal.shows('2 right', seen)
    seen = await terminal.shows('answer › ', seen)
    terminal.type(`2${enter}`)
    seen = await terminal.shows('How far?', seen)
    seen = await terminal.shows('answer › ', seen)
    terminal.type(`two miles${enter}`)
    seen = await terminal.shows('There is no way back.', seen)
    seen = await terminal.shows('answer › ', seen)
    terminal.type(`y${enter}`)
    await terminal.shows('right, two miles, true', seen)
  })
})

/** Asks three things before a tool runs, and then says what it heard instead of running it. */
const extension = `export default (pi) => {
  pi.on('tool_call', async (_, ctx) => {
    const way = await ctx.ui.select('Which way?', ['left', 'right'])
    const far = await ctx.ui.input('How far?', 'in miles')
    const isSure = await ctx.ui.confirm('Sure?', 'There is no way back.')
    return { block: true, reason: [way, far, isSure].join(', ') }
  })
}
`
