import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join, relative } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { agents } from '../../src/agents/index.ts'
import { findAgent } from '../../src/process/find-agent.ts'

/** A directory with a program in it; `relativeDirectory` is its path from the current directory. */
const createProgram = () => {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-find-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  const path = join(directory, 'pi')
  writeFileSync(path, '#!/bin/sh\n')
  chmodSync(path, 0o755)
  return { path, relativeDirectory: relative(process.cwd(), directory) }
}

test('a program is found by its variable, then on PATH, and its path is absolute', () => {
  const { path, relativeDirectory } = createProgram()
  expect(findAgent(agents.pi, { PI_BIN: join(relativeDirectory, 'pi'), PATH: '/none' })).toBe(path)
  expect(findAgent(agents.pi, { PATH: ['', '/none', relativeDirectory].join(delimiter) })).toBe(
    path,
  )
})

test('a program that does not exist or is not executable is not found', () => {
  const { path, relativeDirectory } = createProgram()
  expect(
    findAgent(agents.pi, { PI_BIN: join(relativeDirectory, 'none'), PATH: relativeDirectory }),
  ).toBeUndefined()
  chmodSync(path, 0o644)
  expect(findAgent(agents.pi, { PATH: relativeDirectory })).toBeUndefined()
  expect(findAgent(agents.pi, { PI_BIN: relativeDirectory })).toBeUndefined() // a directory
})

test('a built-in agent runs on the current Node', () => {
  expect(findAgent(agents.demo, {})).toBe(process.execPath)
})
