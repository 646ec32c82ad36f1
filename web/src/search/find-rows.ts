import type { Entry } from '../../../src/transcript/index.ts'
import type { Row } from '../entries/entry-rows.ts'
import { subjectOf } from '../tools/subject-of.ts'
import { outputOf, textOf } from '../tools/tool-output.ts'
import { lowered } from './mark-matches.ts'

/** The rows in which some words occur. */
export const findRows = (rows: readonly Row[], query: string): Row[] => {
  const wanted = lowered(query.trim())
  if (wanted === '') return []
  return rows.filter(({ entry }) => lowered(wordsOf(entry)).includes(wanted))
}

/** All that an entry says. */
export const wordsOf = (entry: Entry): string => {
  switch (entry.kind) {
    case 'message':
      return `${textOf(entry.message.content)}\n${entry.message.errorMessage ?? ''}`
    case 'tool':
      return `${entry.toolName} ${subjectOf(entry.toolName, entry.args)}\n${outputOf(entry)}`
    case 'notice':
      return entry.text
  }
}
