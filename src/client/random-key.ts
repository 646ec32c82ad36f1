/** A key that nobody else makes. `randomUUID` is missing on pages that came over plain HTTP. */
export const randomKey = (): string => {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
