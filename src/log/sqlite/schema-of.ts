import { DatabaseSync } from 'node:sqlite'
import { type Database, prepareStatement } from './database.ts'
import { migrate, migrations } from './migrations.ts'

/** The statements that made the tables, indices and triggers of a database. */
const schemaOf = (database: Pick<Database, 'prepare'>): string[] =>
  prepareStatement(
    database,
    `SELECT type || ' ' || name || ': ' || sql FROM sqlite_schema
    WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'backup_%' ORDER BY 1`,
  )
    .all()
    .map(String)

/** Whether the tables, indices and triggers of a database are those of a version of Sluice. */
const hasSchemaOf = (database: Pick<Database, 'prepare'>, version: number): boolean => {
  const model = new DatabaseSync(':memory:')
  try {
    migrate(model, migrations.slice(0, version))
    return schemaOf(database).join('\n') === schemaOf(model).join('\n')
  } finally {
    model.close()
  }
}

/** What is wrong with the schema of a database that says it has this version. Undefined if nothing is. */
export const schemaProblem = (
  database: Pick<Database, 'prepare'>,
  version: number,
): string | undefined =>
  hasSchemaOf(database, version)
    ? undefined
    : `The tables are not those of version ${version} of the database.`

/** Whether the schema is that of this or any earlier version, whatever version the file says. */
export const isKnownSchema = (database: Pick<Database, 'prepare'>): boolean =>
  migrations.some((_, index) => hasSchemaOf(database, index + 1))
