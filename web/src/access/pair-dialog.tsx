import { useEffect, useState } from 'react'
import type { Pairing } from '../../../src/api/index.ts'
import { reasonOf } from '../../../src/shared/reason.ts'
import { useApp } from '../app/use-app.ts'
import { CopyButton } from '../parts/copy-button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { ProblemMessage } from '../parts/problem-message.tsx'
import { Countdown } from '../parts/relative-time.tsx'
import { QrCode } from './qr-code.tsx'

/** Makes a link that signs another browser in, and shows it as a QR code for a phone. */
export const PairDialog = ({ onClose }: { onClose: () => void }) => {
  const { client, browsers } = useApp()
  const [pairing, setPairing] = useState<Pairing>()
  const [reason, setReason] = useState<string>()
  useEffect(() => {
    const control = new AbortController()
    client.auth.createPairing({}, { signal: control.signal }).then(setPairing, (cause: unknown) => {
      if (!control.signal.aborted) setReason(reasonOf(cause))
    })
    return () => control.abort()
  }, [client])
  const close = () => {
    browsers.load()
    onClose()
  }
  return (
    <Dialog title="Pair another device" onClose={close}>
      <ProblemMessage reason={reason} />
      {pairing && <PairingLinks pairing={pairing} />}
    </Dialog>
  )
}

const PairingLinks = ({ pairing: { url, networkUrls, qr, expiresAt } }: { pairing: Pairing }) => {
  const [networkUrl] = networkUrls
  return (
    <div className="pairing">
      <p>
        Open this link on the other device. It works once. Time left:{' '}
        <Countdown until={expiresAt} />.
      </p>
      {qr && <QrCode rows={qr} />}
      <p className="pairing-link">
        <code>{networkUrl ?? url}</code>
        <CopyButton text={networkUrl ?? url} label="Copy the link" />
      </p>
      {networkUrl === undefined && (
        <p className="optional">
          The link works in browsers on this machine only: the server does not listen on a network.
          For a phone, start it with <code>--public-url</code> or <code>--host</code>.
        </p>
      )}
    </div>
  )
}
