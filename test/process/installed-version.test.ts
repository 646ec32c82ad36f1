import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { installedVersion, rememberVersion } from '../../src/process/installed-version.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'sluice-version-'))
})
afterEach(() => rmSync(root, { recursive: true }))

const put = (path: string, content = '') => {
  const file = join(root, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, content)
  return file
}
const link = (target: string, path: string) => {
  const file = join(root, path)
  mkdirSync(dirname(file), { recursive: true })
  symlinkSync(target, file)
  return file
}

test('the version of an npm package is that of its package.json', () => {
  const program = put('node_modules/agent/bin/agent.exe')
  const about = { version: '2.1.325', bin: { agent: 'bin/agent.exe' } }
  put('node_modules/agent/package.json', JSON.stringify(about))
  expect(installedVersion(link(program, 'node_modules/.bin/agent'))).toBe('2.1.325')
})

test('a program that its installer named after its version has that version', () => {
  const program = put('share/agent/versions/2.1.200')
  expect(installedVersion(link(program, 'bin/agent'))).toBe('2.1.200')
})

test('the package with the binary for a platform has no `bin`, and lists it among its files', () => {
  const program = put('agent-linux-x64/agent')
  const about = { version: '2.1.325', files: ['agent', 'README.md'] }
  put('agent-linux-x64/package.json', JSON.stringify(about))
  expect(installedVersion(program)).toBe('2.1.325')
})

test('a script has the version that it printed, until the script changes', () => {
  const program = put('bin/agent', '#!/bin/sh\nexec /opt/agent "$@"\n')
  expect(installedVersion(program)).toBeUndefined()
  rememberVersion(program, '0.73.1')
  expect(installedVersion(program)).toBe('0.73.1')
  put('bin/agent', '#!/bin/sh\nexec /opt/agent-2 "$@"\n')
  expect(installedVersion(program)).toBeUndefined()
})

test('a file that merely lies in a package has no version, nor has a missing one', () => {
  put('project/package.json', JSON.stringify({ version: '1.0.0', bin: 'other.js' }))
  expect(installedVersion(put('project/wrapper.sh'))).toBeUndefined()
  expect(installedVersion(join(root, 'missing'))).toBeUndefined()
})
