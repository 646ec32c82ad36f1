import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openSqliteLog } from '../../../src/log/index.ts'
import { run } from '../../support/sluice.ts'
import { temporaryDirectory } from '../samples.ts'

const program = (name: string) => new URL(`../${name}`, import.meta.url).pathname
const openInChild = async (directory: string, ...args: string[]): Promise<unknown> => {
  const { code, stdout, stderr } = await run(process.execPath, [
    program('opener.ts'),
    directory,
    ...args,
  ])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout)
}

test('a second log in the same directory is rejected, in this process and in another', async () => {
  const directory = temporaryDirectory('lock')
  const log = await openSqliteLog(directory)
  await expect(openSqliteLog(directory)).rejects.toMatchObject({
    name: 'LogFault',
    code: 'locked',
    message: `The data directory ${directory} is in use by this process.`,
  })
  expect(await openInChild(directory)).toEqual({
    code: 'locked',
    message: `The data directory ${directory} is in use by process ${process.pid}.`,
  })
  await expect(log.sessions.list()).resolves.toEqual([]) // the first log still works
  await log.close()
  expect(await openInChild(directory)).toEqual({ head: 50 })
})

test('the lock of a killed process is released at once', async () => {
  const directory = temporaryDirectory('lock')
  const child = spawn(process.execPath, [program('writer.ts'), directory], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const closed = once(child, 'close')
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  await expect(openSqliteLog(directory)).rejects.toMatchObject({
    code: 'locked',
    message: `The data directory ${directory} is in use by process ${child.pid}.`,
  })
  child.kill('SIGKILL')
  await closed
  expect(existsSync(join(directory, 'sluice.pid'))).toBe(true) // left behind, and harmless
  const log = await openSqliteLog(directory)
  await log.close()
})

test('when several open a directory at once, only one succeeds', async () => {
  const directory = temporaryDirectory('lock')
  const opened = await Promise.allSettled(Array.from({ length: 5 }, () => openSqliteLog(directory)))
  const logs = opened.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
  expect(logs).toHaveLength(1)
  for (const log of logs) await log.close()
})

test('a closed log leaves only its database and its lock file', async () => {
  const directory = join(temporaryDirectory('lock'), 'new', 'directory')
  const log = await openSqliteLog(directory)
  await log.close()
  expect(readdirSync(directory).sort()).toEqual(['sluice.db', 'sluice.lock'])
})

test('a process that does not close its log still ends, and loses nothing', async () => {
  const directory = temporaryDirectory('lock')
  expect(await openInChild(directory, 'leave')).toEqual({ head: 50 })
  const log = await openSqliteLog(directory)
  const [left] = await log.sessions.list()
  expect(await log.head(left?.id ?? '')).toBe(50)
  await log.close()
})

test('a directory that cannot be used is rejected with its own code', async () => {
  const directory = temporaryDirectory('lock')
  const file = join(directory, 'file')
  writeFileSync(file, '')
  await expect(openSqliteLog(join(file, 'below'))).rejects.toMatchObject({
    code: 'unusable_directory',
    message: expect.stringContaining(file),
  })
  writeFileSync(
    join(directory, 'sluice.db'),
    'this is not a database, but long enough to be read as one',
  )
  await expect(openSqliteLog(directory)).rejects.toMatchObject({ code: 'damaged' })
})
