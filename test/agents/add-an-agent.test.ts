import { execFile } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../', import.meta.url))

/** An agent that prints `{"say":"…"}`: each line is one run with one message. */
const folder = {
  'entry.ts': `
    import type { AgentEntry } from '../agent.ts'
    import { oneShotCapabilities } from '../default-capabilities.ts'

    export const echoEntry = {
      name: 'echo',
      title: 'Echo',
      program: 'echo-agent',
      programVariable: 'ECHO_BIN',
      capabilities: oneShotCapabilities,
      adapter: 'echoCli',
      load: async () => (await import('./index.ts')).echo,
    } as const satisfies AgentEntry
  `,
  'index.ts': `
    import type { Agent } from '../agent.ts'
    import { createEchoDecoder } from './decode.ts'
    import { echoEntry } from './entry.ts'

    export const echo: Agent = {
      ...echoEntry,
      stopSignals: ['SIGTERM', 'SIGKILL'],
      command: (prompt) => [prompt],
      createDecoder: createEchoDecoder,
    }
  `,
  'decode.ts': `
    import type { AgentEvent } from '../../events/types.ts'
    import { isFields, stringOf } from '../../shared/fields.ts'
    import type { Decoder, DecoderOptions } from '../agent.ts'
    import { createOpenMessage } from '../open-message.ts'

    export const createEchoDecoder = ({ scope = '' }: DecoderOptions = {}): Decoder => {
      let count = 0

      const decode = (text: string): AgentEvent[] => {
        const events: AgentEvent[] = count === 0 ? [{ type: 'session_start', agent: 'echo' }] : []
        count += 1
        const messageId = scope + 'm' + count
        events.push({ type: 'agent_start' }, { type: 'turn_start' })
        events.push({ type: 'message_start', messageRole: 'assistant', messageId })
        createOpenMessage(messageId, (event) => events.push(event)).finish({
          role: 'assistant',
          content: [{ type: 'text', text }],
          stopReason: 'stop',
        })
        return [...events, { type: 'turn_end' }, { type: 'agent_end', stopReason: 'stop' }]
      }

      return {
        push(line) {
          const text = isFields(line) ? stringOf(line.say) : undefined
          return text === undefined ? [{ type: 'raw', agent: 'echo', line }] : decode(text)
        },
        end: () => [],
      }
    }
  `,
}

/** The lines of the table: the import, and the row. */
const addToTable = (table: string): string =>
  table
    .replace(/^import/m, "import { echoEntry } from './echo/entry.ts'\nimport")
    .replace('  pi: piEntry,\n', '  pi: piEntry,\n  echo: echoEntry,\n')

/** Compiles only if the subjects of the new agent are typed; prints them. */
const typedUse = `
  import { loadAgent } from './src/agents/index.ts'
  import { adapters, createLocalBus, definitions } from './src/bus/index.ts'

  const bus = createLocalBus({ onError: console.error })
  bus.on('adapter:echoCli.text_delta', ({ payload }) => console.log(payload.delta.length))
  bus.respond('adapter:echoCli.tool_approval', ({ toolCallId }) => ({
    action: 'deny',
    message: toolCallId,
  }))
  const namespace: 'adapter:echoCli' = adapters.echo.namespace
  const { title } = await loadAgent('echo')
  const subjects = [...definitions.keys()].filter((each) => each.startsWith(namespace + '.'))
  console.log(JSON.stringify({ title, subjects }))
`

describe('a new agent is its folder and its line in the table', () => {
  let copy: string
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(copy, file)), { recursive: true })
    writeFileSync(join(copy, file), text)
  }
  const node = (...args: string[]) => run(process.execPath, args, { cwd: copy })
  const sluice = (...args: string[]) => node('src/cli/main.js', ...args)

  beforeAll(() => {
    copy = mkdtempSync(join(tmpdir(), 'sluice-add-an-agent-'))
    for (const file of ['src', 'package.json', 'tsconfig.json'])
      cpSync(join(root, file), join(copy, file), { recursive: true })
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
    for (const [file, text] of Object.entries(folder)) write(`src/agents/echo/${file}`, text)
    write(
      'src/agents/table.ts',
      addToTable(readFileSync(join(copy, 'src/agents/table.ts'), 'utf8')),
    )
    write('use.ts', typedUse)
    write('tsconfig.json', '{ "extends": "./tsconfig.base.json", "include": ["src", "use.ts"] }')
    cpSync(join(root, 'tsconfig.json'), join(copy, 'tsconfig.base.json'))
  })
  afterAll(() => rmSync(copy, { recursive: true, force: true }))

  test('the types compile, those of its bus subjects too', async () => {
    await expect(node('node_modules/.bin/tsc', '-p', '.')).resolves.toMatchObject({ stdout: '' })
  })

  test('`sluice decode` reads its stream and prints the last message', async () => {
    write('run.ndjson', '{"say":"Hello."}\n{"say":"Good-bye."}\n')
    const { stdout } = await sluice('decode', 'echo', 'run.ndjson', '--out', 'text')
    expect(stdout).toBe('Good-bye.\n')
  })

  test('`sluice agents` lists it', async () => {
    const { stdout } = await sluice('agents')
    expect(stdout).toMatch(/^echo +Echo, not installed\n +To get it, .*`echo-agent`.*ECHO_BIN/m)
  })

  test('the bus has the subjects of its adapter', async () => {
    const { stdout } = await node('use.ts')
    const { title, subjects } = JSON.parse(stdout)
    expect(title).toBe('Echo')
    expect(subjects).toHaveLength(23)
    expect(subjects).toContain('adapter:echoCli.tool_started')
  })
})
