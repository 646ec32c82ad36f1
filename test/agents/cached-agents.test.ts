import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { temporaryDirectory } from '../log/samples.ts'
import { programForTests } from './cached-agents.ts'

afterEach(() => vi.unstubAllEnvs())

const program = (...path: string[]): string => {
  const file = join(...path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, '#!/bin/sh\n')
  chmodSync(file, 0o755)
  return file
}

test('tests use the program of the variable, then that on PATH, then that of the cache', () => {
  const cache = temporaryDirectory('agent-cache')
  const bin = temporaryDirectory('agents-on-path')
  vi.stubEnv('GEMINI_BIN', '')
  vi.stubEnv('PATH', bin)
  expect(programForTests('gemini', cache)).toBeUndefined()
  const cached = program(cache, 'node_modules', '.bin', 'gemini')
  expect(programForTests('gemini', cache)).toBe(cached)
  const onPath = program(bin, 'gemini')
  expect(programForTests('gemini', cache)).toBe(onPath)
  vi.stubEnv('GEMINI_BIN', '/elsewhere/gemini')
  expect(programForTests('gemini', cache)).toBe('/elsewhere/gemini')
})
