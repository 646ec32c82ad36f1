export * from './account.ts'
export * from './ledger.ts'
export * from './prices.ts'
