import { useEffect, useState } from 'react'
import { useApp } from '../app/use-app.ts'

/** An image that is stored as a blob; loaded when it is shown. */
export const BlobImage = ({ hash, label }: { hash: string; label: string }) => {
  const { client } = useApp()
  const [source, setSource] = useState<string>()
  useEffect(() => {
    const control = new AbortController()
    let url: string | undefined
    client.blobs.get(hash, { signal: control.signal }).then(
      (blob) => {
        if (control.signal.aborted) return
        url = URL.createObjectURL(blob)
        setSource(url)
      },
      () => {}, // The label stays in its place.
    )
    return () => {
      control.abort()
      if (url !== undefined) URL.revokeObjectURL(url)
    }
  }, [client, hash])
  return source === undefined ? <span>Image {label}</span> : <img src={source} alt={label} />
}
