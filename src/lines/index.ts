export * from './lines.ts'
export * from './segment.ts'
export * from './string-literal.ts'
export * from './text-reader.ts'
