import type { CodeStore, StoredCode } from '../shared-log.ts'
import type { Documents } from './documents.ts'
import { recordKeys } from './record-keys.ts'

/** Codes in the bucket: one record per group, changed from its newest revision only. */
export const createCodeStore = (
  documents: Pick<Documents, 'change'>,
  ensureOpen: () => void,
): CodeStore => ({
  async put(group, code, limit) {
    ensureOpen()
    await documents.change(recordKeys.codes(group), (text) => {
      const valid = codesIn(text).filter(({ expiresAt }) => expiresAt > code.createdAt)
      return JSON.stringify([...valid, code].slice(-limit))
    })
  },
  async take(group, id, now) {
    ensureOpen()
    let found: StoredCode | undefined
    await documents.change(recordKeys.codes(group), (text) => {
      const codes = codesIn(text)
      found = codes.find((each) => each.id === id)
      return found ? JSON.stringify(codes.filter((each) => each !== found)) : text
    })
    return found && found.expiresAt > now ? found.content : undefined
  },
})

const codesIn = (text: string | undefined): StoredCode[] =>
  text === undefined ? [] : JSON.parse(text)
