export type * from './presence.ts'
export * from './presence-registry.ts'
