import { Revealed } from './revealed.tsx'

/** A path in one line. Where it is too long, its beginning is cut: the name of the file stays. */
export const PathLabel = ({ path }: { path: string }) => (
  <span className="path-label">
    <bdi dir="ltr">
      <Revealed text={path} />
    </bdi>
  </span>
)
