import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openSqliteLog } from '../../../src/log/index.ts'
import { run } from '../../support/sluice.ts'
import { directoryOf } from '../samples.ts'

const program = (name: string) => new URL(`../${name}`, import.meta.url).pathname
const openElsewhere = async (directory: string, ...args: string[]): Promise<unknown> => {
  const { code, stdout, stderr } = await run(process.execPath, [
    program('opener.ts'),
    directory,
    ...args,
  ])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout)
}

test('a second log of the same directory is refused, in this process and in another', async () => {
  const directory = directoryOf('lock')
  const log = await openSqliteLog(directory)
  await expect(openSqliteLog(directory)).rejects.toMatchObject({
    name: 'LogFault',
    code: 'locked',
    message: `The data directory ${directory} is in use by this process.`,
  })
  expect(await openElsewhere(directory)).toEqual({
    code: 'locked',
    message: `The data directory ${directory} is in use by process ${process.pid}.`,
  })
  await expect(log.sessions.list()).resolves.toEqual([]) // the first has not noticed
  await log.close()
  expect(await openElsewhere(directory)).toEqual({ head: 50 })
})

test('the lock of a process that was killed is free at once', async () => {
  const directory = directoryOf('lock')
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
  expect(existsSync(join(directory, 'sluice.pid'))).toBe(true) // stale, and nobody minds
  const log = await openSqliteLog(directory)
  await log.close()
})

test('of many that open at once, one gets it', async () => {
  const directory = directoryOf('lock')
  const opened = await Promise.allSettled(Array.from({ length: 5 }, () => openSqliteLog(directory)))
  const logs = opened.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
  expect(logs).toHaveLength(1)
  for (const log of logs) await log.close()
})

test('a closed log leaves its file and nothing else', async () => {
  const directory = join(directoryOf('lock'), 'made', 'on demand')
  const log = await openSqliteLog(directory)
  await log.close()
  expect(readdirSync(directory).sort()).toEqual(['sluice.db', 'sluice.lock'])
})

test('a process that leaves its log open ends all the same, and loses nothing', async () => {
  const directory = directoryOf('lock')
  expect(await openElsewhere(directory, 'leave')).toEqual({ head: 50 })
  const log = await openSqliteLog(directory)
  const [left] = await log.sessions.list()
  expect(await log.head(left?.id ?? '')).toBe(50)
  await log.close()
})

test('a directory that cannot be used is refused under a name', async () => {
  const directory = directoryOf('lock')
  const file = join(directory, 'file')
  writeFileSync(file, '')
  await expect(openSqliteLog(join(file, 'below'))).rejects.toMatchObject({
    code: 'unusable_directory',
    message: expect.stringContaining(file),
  })
  writeFileSync(
    join(directory, 'sluice.db'),
    'this is no database, but long enough to be looked at',
  )
  await expect(openSqliteLog(directory)).rejects.toMatchObject({ code: 'unusable_directory' })
})
