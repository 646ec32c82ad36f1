export type * from './agent.ts'
export type * from './live.ts'
export * from './stream.ts'
export * from './table.ts'
