import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readTaskOutput } from '../../src/http/task-output.ts'

let tasks: string
beforeEach(() => {
  tasks = join(mkdtempSync(join(tmpdir(), 'sluice-task-')), 'tasks')
  mkdirSync(tasks)
})
afterEach(() => rmSync(join(tasks, '..'), { recursive: true }))

const taskWith = (outputFile?: string) => ({
  id: 'b1',
  state: 'running' as const,
  status: 'started',
  ...(outputFile !== undefined && { outputFile }),
})

test('the output is read from a byte on, and no character is cut', async () => {
  const file = join(tasks, 'b1.output')
  writeFileSync(file, 'one\nfür')
  expect(await readTaskOutput(taskWith(file), undefined)).toEqual({
    text: 'one\nfür',
    from: 0,
    next: 8,
    size: 8,
  })
  expect(await readTaskOutput(taskWith(file), 4)).toMatchObject({ text: 'für', next: 8 })
  // The second byte of ü.
  expect(await readTaskOutput(taskWith(file), 6)).toMatchObject({ text: 'r', from: 7 })
})

test('only a file for outputs is read: no other name, no link, nothing that is missing', async () => {
  const secret = join(tasks, 'secret')
  writeFileSync(secret, 'secret')
  symlinkSync(secret, join(tasks, 'b1.output'))
  for (const path of [undefined, secret, join(tasks, 'b1.output'), '/nowhere/tasks/b1.output'])
    await expect(readTaskOutput(taskWith(path), undefined)).rejects.toMatchObject({
      code: 'no_output',
    })
})
