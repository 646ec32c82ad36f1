/** The package that the price list comes from. A test compares the version with the installed one. */
export const priceListVersion = {
  name: 'genai-prices',
  version: '0.1.8',
  /** When this version was published. */
  date: '2026-09-23',
} as const

/** Name, version and date, as events and reports show them. */
export const priceListName = `${priceListVersion.name} ${priceListVersion.version} (${priceListVersion.date})`
