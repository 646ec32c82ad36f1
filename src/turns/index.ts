export * from './turns.ts'
