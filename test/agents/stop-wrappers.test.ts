import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { StampedEvent } from '../../src/events/types.ts'
import { deltasOf, ofType } from '../support/decoded.ts'
import { eventually } from '../support/eventually.ts'
import { openContractRig } from './contract-rig.ts'
import { installedLiveAgents } from './live-agents.ts'
import type { AgentSetup } from './sandbox.ts'

const isEnd = ({ type }: StampedEvent) => type === 'agent_end'
const hasText = (event: StampedEvent) => deltasOf([event]).length > 0

/** The wrapper that npm puts beside the packages: it starts the real program as a second process. */
const wrapperOf = (program: string, name: string): string | undefined => {
  for (let folder = dirname(program); folder !== '/'; folder = dirname(folder)) {
    const wrapper = join(folder, 'node_modules', '.bin', name)
    if (existsSync(wrapper)) return wrapper
  }
  return undefined
}

/** Agents whose installed program is not the process that works. OpenCode’s install script replaces its own. */
const wrapped = installedLiveAgents()
  .filter(({ title }) => /^(Codex|Gemini CLI|Qwen Code|GitHub Copilot)$/.test(title))
  .flatMap((live) => {
    const { setup } = live.setUp('http://127.0.0.1')
    setup?.remove()
    const wrapper = wrapperOf(setup?.argv[0] ?? '/', live.agent.program)
    if (!wrapper) console.log(`skipped: ${live.title}: it has no wrapper`)
    return wrapper ? [{ ...live, wrapper }] : []
  })

/** Gemini CLI and Qwen Code start themselves again, unless a variable prevents it. */
const withRelaunch = (setup: AgentSetup, wrapper: string): AgentSetup => ({
  ...setup,
  argv: [wrapper],
  env: { ...setup.env, GEMINI_CLI_NO_RELAUNCH: '', QWEN_CODE_NO_RELAUNCH: '' },
})

// A file without tests would fail.
test.skipIf(wrapped.length > 0)('none of these agents is installed', () => {
  expect(wrapped).toEqual([])
})

describe.each(wrapped)('the wrapper of $title', ({ wrapper, ...live }) => {
  test('stopping ends the wrapper, the agent and its commands', async () => {
    const rig = await openContractRig(live, (setup) => withRelaunch(setup, wrapper))
    const { from } = await rig.runUntil('tree', ({ type }) => type === 'tool_execution_start')
    const tree = await eventually(() => {
      const all = rig.processes()
      expect(all.length).toBeGreaterThan(3)
      return all
    })
    await rig.session.stop()
    expect(ofType(rig.session.events.slice(from), 'agent_end')).toHaveLength(1)
    await eventually(() => expect(rig.left(tree)).toEqual([]))
    await rig.close()
  })

  test('the death of the wrapper ends the agent that it started', async () => {
    const rig = await openContractRig(live, (setup) => withRelaunch(setup, wrapper))
    const { from } = await rig.runUntil('slow', hasText)
    const tree = rig.processes()
    process.kill(rig.pid(), 'SIGKILL')
    expect(await rig.session.until(isEnd, from)).toMatchObject({ stopReason: 'interrupted' })
    await eventually(() => expect(rig.left(tree)).toEqual([]))
    await rig.close()
  })
})
