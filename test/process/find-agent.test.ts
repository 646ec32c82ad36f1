import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join, relative } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { agents } from '../../src/agents/index.ts'
import { findAgent } from '../../src/process/find-agent.ts'

/** A directory with a program in it, by the way that leads there from here. */
const createProgram = () => {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-find-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  const path = join(directory, 'pi')
  writeFileSync(path, '#!/bin/sh\n')
  chmodSync(path, 0o755)
  return { path, here: relative(process.cwd(), directory) }
}

test('a program is found by its variable, then on PATH, and named by its whole path', () => {
  const { path, here } = createProgram()
  expect(findAgent(agents.pi, { PI_BIN: join(here, 'pi'), PATH: '/none' })).toBe(path)
  expect(findAgent(agents.pi, { PATH: ['', '/none', here].join(delimiter) })).toBe(path)
})

test('what is named and not there, or cannot be run, is not found', () => {
  const { path, here } = createProgram()
  expect(findAgent(agents.pi, { PI_BIN: join(here, 'none'), PATH: here })).toBeUndefined()
  chmodSync(path, 0o644)
  expect(findAgent(agents.pi, { PATH: here })).toBeUndefined()
  expect(findAgent(agents.pi, { PI_BIN: here })).toBeUndefined() // a directory
})

test('what is built in needs no program of its own', () => {
  expect(findAgent(agents.demo, {})).toBe(process.execPath)
})
