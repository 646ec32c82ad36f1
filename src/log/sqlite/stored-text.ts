import { isFields } from '../../shared/fields.ts'
import { checksumOf } from '../checksum.ts'
import { columnOf } from './database.ts'

/** A text and its checksum, as the values of two columns. */
export const withChecksum = (text: string): [text: string, checksum: number] => [
  text,
  checksumOf(text),
]

/** Where a row has a text and its checksum. */
export interface TextColumns {
  text: number
  checksum: number
}

const firstColumns: TextColumns = { text: 0, checksum: 1 }

/** The text in a row if it is as it was stored; undefined if it is damaged. */
export const intactText = (
  row: unknown,
  columns: TextColumns = firstColumns,
): string | undefined => {
  const text = columnOf(row, columns.text)
  const checksum = columnOf(row, columns.checksum)
  if (typeof text !== 'string') return undefined
  // Rows of older versions may have none.
  if (checksum === null) return text
  return checksum === checksumOf(text) ? text : undefined
}

/** The record in a row if it is as it was stored; undefined if it is damaged. */
export const intactRecord = <Record>(row: unknown, columns?: TextColumns): Record | undefined => {
  const text = intactText(row, columns)
  if (text === undefined) return undefined
  try {
    const record: Record = JSON.parse(text)
    return isFields(record) ? record : undefined
  } catch {
    return undefined
  }
}
