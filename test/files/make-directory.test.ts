import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { makeDirectory } from '../../src/files/make-directory.ts'

const temporary = (): string => {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-make-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

test('a directory is made with those above it, for this user only', () => {
  const directory = join(temporary(), 'a', 'b')
  makeDirectory(directory)
  makeDirectory(directory)
  expect(statSync(directory).mode & 0o777).toBe(0o700)
})

test('a file in place of a directory is an error', () => {
  const file = join(temporary(), 'file')
  writeFileSync(file, '')
  expect(() => makeDirectory(file)).toThrow('EEXIST')
  expect(() => makeDirectory(join(file, 'below'))).toThrow()
  expect(existsSync(join(file, 'below'))).toBe(false)
})

test.skipIf(!existsSync('/proc/self'))('below /proc, it fails at once', () => {
  expect(() => makeDirectory('/proc/sluice/data')).toThrow('ENOENT')
})
