import { Link } from './link.tsx'
import { Revealed } from './revealed.tsx'

/** Names models without a price, because amounts leave them out. */
export const UnpricedNote = ({ models }: { models: readonly string[] | undefined }) =>
  models !== undefined &&
  models.length > 0 && (
    <p className="unpriced">
      No price is known for{' '}
      {models.map((model, at) => (
        <span key={model}>
          {at > 0 && ', '}
          <code>
            <Revealed text={model} />
          </code>
        </span>
      ))}
      . The cost leaves {models.length === 1 ? 'this model' : 'these models'} out.{' '}
      <Link to="/prices">Set a price</Link>
    </p>
  )
