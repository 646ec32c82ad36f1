/** One row of a table of fields. */
export interface Row {
  field: string
  type: string
  required: string
}

/** One subject of a document: a table for an event, two for a request. */
export interface Described {
  type: string
  tables: Row[][]
}

/** Reads a reference document: from each line `Subject:` on, its type and its tables. */
export const readSubjects = (document: string): Map<string, Described> => {
  const subjects = new Map<string, Described>()
  let current: Described = { type: '', tables: [] }
  for (const line of document.replaceAll('`', '').split('\n')) {
    const subject = line.match(/^Subject: (\S+)$/)?.[1]
    if (subject !== undefined) {
      current = { type: '', tables: [] }
      subjects.set(subject, current)
    }
    current.type = line.match(/^Type: (.+)$/)?.[1] ?? current.type
    if (line.startsWith('| Field | Type |')) current.tables.push([])
    const row = readRow(line)
    if (row) current.tables.at(-1)?.push(row)
  }
  return subjects
}

/** The rows about the namespace, above all subjects. */
export const readHead = (document: string): string[] =>
  (document.replaceAll('`', '').split('\nSubject: ')[0] ?? '')
    .split('\n')
    .filter((line) => /^\| [A-Z][a-z ]+ \| [^|]+ \|$/.test(line))

/** Bars of a type are escaped; whatever comes after `Required` is not compared. */
const readRow = (line: string): Row | undefined => {
  const row = line.match(/^\| (?<field>\w+) \| (?<type>.+?) \| (?<required>yes|no) \|/)?.groups
  if (!row) return undefined
  const { field = '', type = '', required = '' } = row
  return { field, type: type.replaceAll('\\|', '|'), required }
}
