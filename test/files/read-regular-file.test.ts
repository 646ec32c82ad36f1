import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readRegularFile } from '../../src/files/read-regular-file.ts'
import { temporaryDirectory } from '../log/samples.ts'

test('reads a file, also through a link', async () => {
  const directory = temporaryDirectory('files')
  writeFileSync(join(directory, 'file'), 'content')
  symlinkSync('file', join(directory, 'link'))
  for (const name of ['file', 'link'])
    expect(await readRegularFile(join(directory, name), 7)).toMatchObject({
      bytes: Buffer.from('content'),
    })
})

test('refuses at once whatever is not a file of the allowed size', async () => {
  const directory = temporaryDirectory('files')
  const path = (name: string) => join(directory, name)
  execFileSync('mkfifo', [path('pipe')])
  symlinkSync('pipe', path('link-to-pipe'))
  symlinkSync('loop', path('loop'))
  mkdirSync(path('folder'))
  writeFileSync(path('large'), 'content')
  const server = createServer().listen(path('socket'))
  await new Promise((resolve) => server.once('listening', resolve))
  const results = await Promise.all(
    ['pipe', 'link-to-pipe', 'socket', 'folder', 'large', 'nothing', 'large/below', 'loop'].map(
      (name) => readRegularFile(path(name), 6),
    ),
  )
  server.close()
  expect(results).toEqual([
    ...['not_a_file', 'not_a_file', 'not_a_file', 'not_a_file'],
    ...['too_large', 'missing', 'missing', 'not_a_file'],
  ])
  expect(await readRegularFile('/dev/zero', 6)).toBe('not_a_file')
})
