export * from './lines.ts'
export * from './literal.ts'
export * from './text.ts'
