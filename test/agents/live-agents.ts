import type { Agent } from '../../src/agents/agent.ts'
import { claude } from '../../src/agents/claude/index.ts'
import { codex } from '../../src/agents/codex/index.ts'
import { configuredEntry } from '../../src/agents/configured-agent.ts'
import { copilot } from '../../src/agents/copilot/index.ts'
import { gemini } from '../../src/agents/gemini/index.ts'
import { openCode } from '../../src/agents/opencode/index.ts'
import { pi } from '../../src/agents/pi/index.ts'
import { presets } from '../../src/agents/presets.ts'
import { qwen } from '../../src/agents/qwen/index.ts'
import { findOnPath } from '../../src/process/find-agent.ts'
import { claudeSetup } from './claude.ts'
import { codexModel, codexSetup } from './codex.ts'
import { copilotSetup } from './copilot.ts'
import { geminiSetup } from './gemini.ts'
import { openCodeSetup } from './opencode.ts'
import { piSetup } from './pi.ts'
import { qwenSetup } from './qwen.ts'
import type { FoundSetup } from './sandbox.ts'

/** A real program that tests drive over a scripted model. */
export interface LiveAgent {
  readonly title: string
  readonly agent: Agent
  /** The model of its sessions. */
  readonly model: string
  /** The permission mode of its sessions, where the usual one requests no approvals. */
  readonly mode?: string
  /** The scenario whose call needs an approval: `touch` runs a command, `patch` edits a file. */
  readonly call: 'touch' | 'patch'
  /** The agent sends no images to this model: it takes it for one that reads only text. */
  readonly isModelBlind?: true
  /** What it claims holds for any agent that speaks ACP, and not for each one. */
  readonly isAdapter?: true
  /** Whether the model is called again after a person denied a call. */
  readonly goesOnAfterDenial: boolean
  setUp(modelUrl: string): FoundSetup
}

/** An adapter that speaks ACP, as a preset describes it. */
const adapter = async (name: string): Promise<Agent> => {
  const preset = presets.find((each) => each.name === name)
  if (!preset) throw new Error(`no preset ${name}`)
  return configuredEntry(preset, 'preset').load()
}

const claudeAcp = await adapter('claude-agent-acp')
const codexAcp = await adapter('codex-acp')

/** Every program that is held to the live contract. */
export const liveAgents: readonly LiveAgent[] = [
  {
    title: 'Pi 0.73',
    agent: pi,
    model: 'fake/fake-sonnet',
    call: 'touch',
    goesOnAfterDenial: true,
    setUp: (url) => ({ setup: piSetup('0.73', url) }),
  },
  {
    title: 'Pi 0.87',
    agent: pi,
    model: 'fake/fake-sonnet',
    call: 'touch',
    goesOnAfterDenial: true,
    setUp: (url) => ({ setup: piSetup('0.87', url) }),
  },
  {
    title: 'Claude Code',
    agent: claude,
    model: 'claude-sonnet-4-5',
    call: 'touch',
    goesOnAfterDenial: true,
    setUp: (url) => claudeSetup(url),
  },
  {
    title: 'Codex',
    agent: codex,
    model: codexModel,
    call: 'touch',
    goesOnAfterDenial: true,
    setUp: (url) => codexSetup(url),
  },
  {
    title: 'OpenCode',
    agent: openCode,
    model: 'fake/fake-model',
    call: 'touch',
    goesOnAfterDenial: false,
    setUp: (url) => openCodeSetup(url),
  },
  {
    title: 'Gemini CLI',
    agent: gemini,
    model: 'gemini-2.5-flash',
    call: 'touch',
    goesOnAfterDenial: true,
    setUp: (url) => geminiSetup(url),
  },
  {
    title: 'Qwen Code',
    agent: qwen,
    model: 'qwen3-coder-plus',
    isModelBlind: true,
    call: 'touch',
    goesOnAfterDenial: false,
    setUp: (url) => qwenSetup(url),
  },
  {
    title: 'GitHub Copilot',
    agent: copilot,
    model: 'gpt-4.1',
    call: 'touch',
    goesOnAfterDenial: false,
    setUp: (url) => copilotSetup(url),
  },
  {
    title: 'Claude Code over ACP',
    agent: claudeAcp,
    model: 'claude-sonnet-4-5',
    call: 'touch',
    isAdapter: true,
    goesOnAfterDenial: true,
    setUp: (url) => adapterSetup(claudeAcp, (program) => claudeSetup(url, program)),
  },
  {
    title: 'Codex over ACP',
    agent: codexAcp,
    model: codexModel,
    call: 'patch',
    isAdapter: true,
    goesOnAfterDenial: false,
    // In its other modes, it edits files of the project without a request.
    mode: 'read-only',
    setUp: (url) => adapterSetup(codexAcp, (program) => codexSetup(url, program)),
  },
]

/** The setup of the agent behind an adapter, with the program of the adapter. */
const adapterSetup = (
  { title, program, programVariable }: Agent,
  setUp: (program: string) => FoundSetup,
): FoundSetup => {
  const found = process.env[programVariable] ?? findOnPath(program, process.env)
  if (!found) return { setup: undefined, reason: `${programVariable} does not name ${title}` }
  const { setup } = setUp(found)
  if (!setup) throw new Error(`${title} went away`)
  return { setup: { ...setup, argv: setup.argv.slice(0, 1) } }
}

/** Those that are installed. The others are named, with the reason. */
export const installedLiveAgents = (): LiveAgent[] =>
  liveAgents.filter(({ title, setUp }) => {
    const found = setUp('http://127.0.0.1')
    found.setup?.remove()
    if ('reason' in found) console.log(`skipped: ${title}: ${found.reason}`)
    return found.setup !== undefined
  })
