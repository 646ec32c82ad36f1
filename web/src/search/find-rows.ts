import type { Entry } from '../../../src/transcript/index.ts'
import type { EntryRow } from '../entries/entry-rows.ts'
import { subjectOf } from '../tools/subject-of.ts'
import { blockText, toolOutput } from '../tools/tool-output.ts'
import { lowerCased } from './mark-matches.ts'

/** The rows that contain the query. */
export const findRows = (rows: readonly EntryRow[], query: string): EntryRow[] => {
  const wanted = lowerCased(query.trim())
  if (wanted === '') return []
  return rows.filter(({ entry }) => lowerCased(searchableText(entry)).includes(wanted))
}

const searchableText = (entry: Entry): string => {
  switch (entry.kind) {
    case 'message':
      return `${blockText(entry.message.content)}\n${entry.message.errorMessage ?? ''}`
    case 'tool':
      return `${entry.toolName} ${subjectOf(entry.toolName, entry.args)}\n${toolOutput(entry)}`
    case 'notice':
      return entry.text
  }
}
