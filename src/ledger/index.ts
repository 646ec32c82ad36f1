export * from './ledger.ts'
export * from './prices.ts'
export * from './usage-rows.ts'
export * from './usage-update.ts'
