/** A QR code from rows of 0 (light) and 1 (dark). It is dark on light in every theme. */
export const QrCode = ({ rows }: { rows: readonly string[] }) => {
  const size = rows.length
  const path = rows
    .flatMap((row, y) => [...row.matchAll(/1+/g)].map(({ 0: run, index }) => bar(index, y, run)))
    .join('')
  return (
    <svg className="qr-code" viewBox={`0 0 ${size} ${size}`} role="img" aria-label="QR code">
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  )
}

const bar = (x: number, y: number, run: string): string =>
  `M${x} ${y}h${run.length}v1h-${run.length}z`
