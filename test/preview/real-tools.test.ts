import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { applyPatch } from 'diff'
import fc from 'fast-check'
import * as pi073 from 'pi-0.73'
import * as pi087 from 'pi-0.87'
import { afterAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { pi } from '../../src/agents/pi/index.ts'
import { previewCall } from '../../src/preview/preview-call.ts'

const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-real-tools-')))
const path = 'file.txt'
const file = join(cwd, path)
afterAll(() => rmSync(cwd, { recursive: true, force: true }))

const schemaOfTool = z.looseObject({
  properties: z.record(z.string(), z.looseObject({ type: z.string() })),
})

const samples: Record<string, unknown> = {
  string: 'a.txt',
  number: 1,
  boolean: true,
  array: [{ oldText: 'a', newText: 'b' }],
}

/** The file after what a preview draws; undefined if it draws no diff. */
const drawnResult = async (toolName: string, args: object): Promise<string | undefined> => {
  const before = readFileSync(file, 'utf8')
  const preview = await previewCall({ toolName, args }, { agent: pi, cwd })
  if (preview.kind !== 'edit') return undefined
  const { hunks } = preview
  const names = { oldFileName: 'f', newFileName: 'f', oldHeader: '', newHeader: '' }
  const after = applyPatch(before, { ...names, hunks })
  return after === false ? expect.unreachable('the hunks do not apply') : after
}

/** The tools of real releases of Pi. */
describe.each([
  ['0.73', pi073],
  ['0.87', pi087],
])('Pi %s', (_, sdk) => {
  const tools = [
    ['bash', sdk.createBashTool(cwd)],
    ['write', sdk.createWriteTool(cwd)],
    ['edit', sdk.createEditTool(cwd)],
    ['read', sdk.createReadTool(cwd)],
    ['ls', sdk.createLsTool(cwd)],
    ['grep', sdk.createGrepTool(cwd)],
    ['find', sdk.createFindTool(cwd)],
  ] as const

  test.each(tools)('%s has exactly the arguments that Sluice knows', (name, { parameters }) => {
    const { properties } = schemaOfTool.parse(JSON.parse(JSON.stringify(parameters)))
    const args = Object.fromEntries(
      Object.entries(properties).map(([key, { type }]) => [key, samples[type]]),
    )
    const call = pi.knownCall?.(name, args)
    expect(call).toBeDefined()
    const more = pi.knownCall?.(name, { ...args, surprise: 'x' })
    expect(more?.kind === 'command' ? more.isPlain : more).toBe(
      call?.kind === 'command' ? false : undefined,
    )
  })

  const line = fc.constantFrom('a', 'b', 'ab', 'x$&y', '“q”', ' a ', '', '-', '\t')
  const text = fc.array(line, { maxLength: 8 }).map((lines) => lines.join('\n'))
  const part = fc.string({ unit: fc.constantFrom('a', 'b', '\n', '$', '"', ' '), maxLength: 4 })
  /** A piece of a text: most others are not in it, so that nothing would be drawn. */
  const pieceOf = (whole: string) =>
    fc
      .tuple(fc.nat(whole.length), fc.nat(whole.length))
      .map(([one, other]) => whole.slice(Math.min(one, other), Math.max(one, other)))
  const editsOf = (before: string) => {
    const oldText = fc.oneof(part, { weight: 2, arbitrary: pieceOf(before) })
    return fc.array(fc.record({ oldText, newText: part }), { minLength: 1, maxLength: 3 })
  }
  const change = text.chain((before) => fc.tuple(fc.constant(before), editsOf(before)))

  test('a write does exactly what the preview draws', async () => {
    await fc.assert(
      fc.asyncProperty(text, text, async (before, content) => {
        writeFileSync(file, before)
        const args = { path, content }
        const drawn = await drawnResult('write', args)
        await sdk.createWriteTool(cwd).execute('call', args)
        expect(drawn).toBe(readFileSync(file, 'utf8'))
      }),
      { numRuns: 60 },
    )
  })

  test('an edit does exactly what the preview draws, or fails', async () => {
    let drawnEdits = 0
    await fc.assert(
      fc.asyncProperty(change, async ([before, list]) => {
        writeFileSync(file, before)
        const args = { path, edits: list }
        const drawn = await drawnResult('edit', args)
        const hasFailed = await sdk
          .createEditTool(cwd)
          .execute('call', args)
          .then(
            () => false,
            () => true,
          )
        if (drawn === undefined) return
        drawnEdits += 1
        expect(readFileSync(file, 'utf8')).toBe(hasFailed ? before : drawn)
      }),
      { numRuns: 300 },
    )
    expect(drawnEdits).toBeGreaterThan(5)
  })
})
