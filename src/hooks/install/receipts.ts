import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { makeDirectory } from '../../files/make-directory.ts'
import { readPrivate, writePrivate } from '../../files/private-file.ts'
import { defined, fieldsOf, isFields, listOf, numberOf, stringOf } from '../../shared/fields.ts'
import { withoutParts } from './json-edits.ts'

/**
 * What was added to a settings file, so that exactly this can be taken out again. It has no text of the
 * file, which may hold secrets.
 */
export interface EditReceipt {
  /** The SHA-256 of the file after the edit. */
  hash: string
  /** What was added, by position in the file after the edit. */
  added: readonly { start: number; end: number }[]
  /** There was no file before. */
  isNew: boolean
  /** The topmost directory that was made for the file. */
  directory?: string
}

/** The receipts of a data directory, by the path of the settings file. */
export interface EditReceipts {
  get(path: string): EditReceipt | undefined
  put(path: string, receipt: EditReceipt): void
  remove(path: string): void
}

export const openReceipts = (data: string): EditReceipts => {
  const file = join(data, 'hooks.json')
  const read = (): Map<string, EditReceipt> => {
    try {
      const stored: unknown = JSON.parse(readPrivate(file)?.toString('utf8') ?? '{}')
      return new Map(
        Object.entries(fieldsOf(stored)).flatMap(([path, value]) => {
          const receipt = receiptIn(value)
          return receipt ? [[path, receipt]] : []
        }),
      )
    } catch {
      return new Map() // without receipts, hooks are removed by their marks
    }
  }
  const write = (receipts: ReadonlyMap<string, EditReceipt>): void => {
    makeDirectory(data)
    writePrivate(file, `${JSON.stringify(Object.fromEntries(receipts))}\n`)
  }
  return {
    get: (path) => read().get(path),
    put: (path, receipt) => write(read().set(path, receipt)),
    remove(path) {
      const receipts = read()
      if (receipts.delete(path)) write(receipts)
    },
  }
}

const receiptIn = (value: unknown): EditReceipt | undefined => {
  const { hash, added, isNew, directory } = fieldsOf(value)
  if (!isFields(value) || typeof hash !== 'string') return undefined
  const parts = listOf(added).map((each) => ({
    start: numberOf(fieldsOf(each).start) ?? -1,
    end: numberOf(fieldsOf(each).end) ?? -1,
  }))
  if (parts.some(({ start, end }) => start < 0 || end < start)) return undefined
  return {
    ...{ hash, added: parts, isNew: isNew === true },
    ...defined({ directory: stringOf(directory) }),
  }
}

export const hashOfText = (text: string): string => createHash('sha256').update(text).digest('hex')

/** The text before an edit: undefined if the file has changed since, or if there was none. */
export const textBefore = (text: string, receipt: EditReceipt | undefined): string | undefined => {
  if (!receipt || receipt.hash !== hashOfText(text) || receipt.isNew) return undefined
  return withoutParts(text, receipt.added)
}
