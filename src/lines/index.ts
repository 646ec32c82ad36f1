export * from './lines.ts'
export * from './literal.ts'
export * from './piece.ts'
export * from './text.ts'
