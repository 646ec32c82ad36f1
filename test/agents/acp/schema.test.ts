import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { McpServer } from '../../../src/events/types.ts'
import { connectRig, initialized, readyRig } from '../../support/acp-rig.ts'
import { acpLineCheck, isAcpMethod } from '../../support/acp-schema.ts'
import { root } from '../../support/sluice.ts'

const recordings = join(root, 'recordings/acp')

const linesIn = (file: string): unknown[] =>
  readFileSync(join(recordings, file), 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .flatMap((line) => {
      try {
        return [JSON.parse(line)]
      } catch {
        return [] // One recording has a line that is no JSON, on purpose.
      }
    })

/** The recorded lines of an agent that break the official schema. */
const problemsIn = (agent: string): string[] =>
  globSync(`${agent}/*.ndjson`, { cwd: recordings })
    .filter((file) => !file.endsWith('.stdin.ndjson'))
    .flatMap((file) => {
      const check = acpLineCheck()
      // The responses are checked by the method of the request.
      for (const line of linesIn(file.replace('.ndjson', '.stdin.ndjson'))) check(line, 'client')
      return linesIn(file).flatMap((line) =>
        check(line, 'agent').map((problem) => `${file}: ${problem}`),
      )
    })

test.each(globSync('*', { cwd: recordings }).sort())(
  'every recorded line of %s is one of the protocol',
  (agent) => {
    expect(problemsIn(agent)).toEqual([])
  },
)

test('the check finds lines that are none of the protocol', () => {
  const check = acpLineCheck()
  const line = (method: string, params: object) => ({ jsonrpc: '2.0', id: 1, method, params })
  expect(check(line('session/new', { cwd: '/a', mcpServers: [] }), 'client')).toEqual([])
  expect(check(line('session/new', { cwd: '/a' }), 'client')).not.toEqual([])
  expect(check(line('session/prompt', { sessionId: 's', prompt: 'hi' }), 'client')).not.toEqual([])
  expect(check({ jsonrpc: '2.0', id: 1, result: {} }, 'agent')).not.toEqual([])
  expect(check({ id: 1, method: 'initialize' }, 'client')).not.toEqual([])
})

/** The rig checks each line that is written. */
test('every request of ours is one of the protocol, or known as unstable', () => {
  const modes = { currentModeId: 'a', availableModes: ['a', 'b'].map((id) => ({ id, name: id })) }
  const configOptions = ['model', 'thought_level'].map((category) => ({
    ...{ id: category, name: category, category, type: 'select', currentValue: 'x' },
    options: ['x', 'y'].map((value) => ({ value, name: value })),
  }))
  const servers: Record<string, McpServer> = {
    local: { command: '/bin/true', args: ['a'], env: { A: 'b' } },
    web: { type: 'http', url: 'https://example.org', headers: { A: 'b' } },
  }
  const start = { mcpServers: servers, directories: ['/b'], mode: 'b', thinkingLevel: 'y' }
  const rig = connectRig({ model: 'y', start })
  const capabilities = { promptCapabilities: { image: true }, mcpCapabilities: { http: true } }
  rig.answer(initialized(capabilities))
  rig.answer({ sessionId: 's1', modes, configOptions })
  rig.answer({ configOptions })
  rig.answer({})
  rig.answer({ configOptions })
  const image = { data: 'aGk=', mimeType: 'image/png' }
  rig.connection.send({ type: 'prompt', id: 'c1', text: 'hi', images: [image] })
  rig.connection.send({ type: 'abort', id: 'c2' })
  const methods = rig.written.map(({ method }) => String(method))
  expect(methods).toEqual([
    'initialize',
    'session/new',
    'session/set_config_option',
    'session/set_mode',
    'session/set_config_option',
    'session/prompt',
    'session/cancel',
  ])
  expect(methods.filter((method) => !isAcpMethod(method))).toEqual([])
})

test.each(['resume', 'load', 'fork'])('session/%s is one of the protocol', (way) => {
  const rig = connectRig({ resume: 's0', ...(way === 'fork' && { fork: true as const }) })
  const sessionCapabilities = { [way]: {} }
  rig.answer(initialized({ loadSession: true, sessionCapabilities }))
  expect(rig.last()).toMatchObject({ method: `session/${way}`, params: { sessionId: 's0' } })
})

test('an unknown request of the agent gets a valid error', () => {
  const rig = readyRig()
  rig.receive({ id: 5, method: 'some/thing', params: {} })
  expect(rig.last()).toMatchObject({ id: 5, error: { code: -32_601 } })
})
