/** Downloads a file in the browser. */
export const downloadFile = (blob: Blob, name: string): void => {
  const url = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // By then, the browser has started the download.
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
