import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { agentVersion } from '../../src/process/agent-catalog.ts'
import { agentEnvironment } from '../../src/process/agent-environment.ts'
import { startProcess } from '../../src/process/spawn.ts'
import { sluice } from '../support/sluice.ts'

const secrets = { SLUICE_TOKEN: '7.7.7', SLUICE_DATA: '/data', SLUICE_URL: 'http://127.0.0.1:1' }

/** A program that prints its environment. Its version is the token, if it has one. */
const createSpy = (): string => {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-environment-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  const path = join(directory, 'pi')
  // The whole environment goes to stderr, which `run` shows when the program fails.
  writeFileSync(path, '#!/bin/sh\necho "v$SLUICE_TOKEN"\nenv >&2\nexit 3\n', { mode: 0o755 })
  return path
}

test('the settings of Sluice are removed; the pace of the demo and everything else stay', () => {
  expect(agentEnvironment({ ...secrets, SLUICE_DEMO_PACE: '0', PATH: '/bin' })).toEqual({
    SLUICE_DEMO_PACE: '0',
    PATH: '/bin',
  })
})

test('a process that is started gets no SLUICE_TOKEN, but the mark that identifies it', async () => {
  let text = ''
  const started = await startProcess({
    program: 'env',
    args: [],
    cwd: '/',
    env: { ...secrets, PATH: process.env.PATH },
    onChunk(chunk) {
      text += Buffer.from(chunk).toString('utf8')
    },
  })
  await started.done
  expect(text).not.toContain('SLUICE_')
  expect(text).toMatch(/^AGENT_PROCESS_TAG=\d+$/m)
})

test('a program that is asked for its version gets no SLUICE_TOKEN', async () => {
  const before = process.env.SLUICE_TOKEN
  process.env.SLUICE_TOKEN = secrets.SLUICE_TOKEN
  onTestFinished(() => {
    if (before === undefined) delete process.env.SLUICE_TOKEN
    else process.env.SLUICE_TOKEN = before
  })
  const path = createSpy()
  writeFileSync(path, '#!/bin/sh\necho "1.2.3$SLUICE_TOKEN"\n', { mode: 0o755 })
  expect(await agentVersion(path)).toBe('1.2.3')
})

test('`sluice run` starts its agent without SLUICE_TOKEN', async () => {
  const env = { ...process.env, ...secrets, PI_BIN: createSpy() }
  const { stdout, stderr } = await sluice(['run', 'pi', 'hello', '--out', 'events'], { env })
  expect(stdout + stderr).toContain('PATH=')
  expect(stdout + stderr).not.toContain('SLUICE_TOKEN')
})
