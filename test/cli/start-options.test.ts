import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { claude } from '../../src/agents/claude/index.ts'
import { pi } from '../../src/agents/pi/index.ts'
import { requireSupport } from '../../src/cli/prepare-start.ts'
import { startOf } from '../../src/cli/verbs/start-options.ts'

test('flags become start options, with the MCP servers of a file', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-start-'))
  const mcpConfig = join(directory, 'mcp.json')
  const mcpServers = { files: { command: 'files' } }
  writeFileSync(mcpConfig, JSON.stringify({ mcpServers }))
  expect(await startOf({ mode: 'plan', denyTool: ['Bash'], mcpConfig })).toEqual({
    mode: 'plan',
    deniedTools: ['Bash'],
    mcpServers,
  })
  writeFileSync(mcpConfig, '{"mcpServers": {"files": {}}}')
  await expect(startOf({ mcpConfig })).rejects.toMatchObject({ code: 'usage' })
  writeFileSync(mcpConfig, '{"servers": {}}')
  await expect(startOf({ mcpConfig })).rejects.toThrow('There are no mcpServers in')
  rmSync(directory, { recursive: true })
  await expect(startOf({ mcpConfig })).rejects.toMatchObject({ code: 'usage' })
  expect(await startOf({})).toBeUndefined()
})

test('a further directory that is not there is an error: the agent would ignore it', () => {
  const missing = join(tmpdir(), 'sluice-no-such-directory')
  expect(() => requireSupport(claude, { directories: [missing] }, '2.1.325')).toThrow(
    `${missing} is not a directory.`,
  )
  expect(() => requireSupport(claude, { directories: [tmpdir()] }, '2.1.325')).not.toThrow()
})

test('an option that the agent or its version does not have is a usage error', () => {
  const usage = (start: object, version = '0.87.1') => {
    try {
      requireSupport(pi, start, version)
    } catch (cause) {
      return cause instanceof Error ? cause.message : ''
    }
    return undefined
  }
  expect(usage({ mode: 'plan' })).toBe('Pi does not support permission modes.')
  expect(usage({ deniedTools: ['bash'] }, '0.73.1')).toContain('Update Pi')
  expect(usage({ deniedTools: ['bash'] })).toBeUndefined()
})
