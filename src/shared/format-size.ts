/** A size for people: `1.2 GB`. */
export const formatSize = (bytes: number): string => {
  const [unit, size] = bytes >= 1e9 ? ['GB', 1e9] : bytes >= 1e6 ? ['MB', 1e6] : ['KB', 1e3]
  return `${(bytes / Number(size)).toFixed(1)} ${unit}`
}
