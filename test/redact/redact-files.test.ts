import { expect, test } from 'vitest'
import { redactValue } from '../../src/redact/redact-value.ts'

const base64 = (text: string) => Buffer.from(text).toString('base64')
const redactor = {
  text: (text: string) => text.replaceAll('sk-1', '[key]'),
  blob: () => undefined,
  keepImages: false,
}

test('text of an attached file is redacted, and so is its name', () => {
  const data = base64('use sk-1 “here”')
  const file = { type: 'attachedFile', name: 'sk-1.md', mimeType: 'text/plain', data }
  expect(redactValue(file, redactor)).toEqual({
    ...file,
    name: '[key].md',
    data: base64('use [key] “here”'),
  })
})

test('a PDF file, which no rule can read, is replaced', () => {
  const data = base64('%PDF-1.4 sk-1')
  const file = { type: 'attachedFile', name: 'a.pdf', mimeType: 'application/pdf', data }
  expect(redactValue(file, redactor)).toMatchObject({ name: 'a.pdf', mimeType: 'image/png' })
  expect(JSON.stringify(redactValue(file, redactor))).not.toContain(data)
})

test('a file that is a blob gets the redacted blob, and keeps its name', () => {
  const ref = { hash: 'a'.repeat(64), size: 9, mimeType: 'text/plain' }
  const other = { ...ref, hash: 'b'.repeat(64) }
  const file = { type: 'attachedFile', name: 'a.md', mimeType: 'text/plain', data: '', blob: ref }
  const blob = () => ({ ref: other, preview: 'use' })
  expect(redactValue(file, { ...redactor, blob })).toEqual({ ...file, blob: other })
})
