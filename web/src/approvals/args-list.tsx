import { isFields } from '../../../src/shared/fields.ts'
import { Revealed } from '../parts/revealed.tsx'

/** One argument as it is shown. */
export interface ShownArg {
  readonly name: string
  readonly text: string
  /** The type of a value that is not a text, so that `true` and "true" differ. */
  readonly type?: string
}

/** All arguments of a call; strings as they are, other values as JSON. */
export const shownArgs = (args: unknown): ShownArg[] => {
  if (args === undefined) return []
  if (!isFields(args)) return [shownArg('arguments', args)]
  return Object.entries(args).map(([name, value]) => shownArg(name, value))
}

const shownArg = (name: string, value: unknown): ShownArg =>
  typeof value === 'string'
    ? { name, text: value }
    : { name, text: JSON.stringify(value, null, 2) ?? 'undefined', type: typeOf(value) }

const typeOf = (value: unknown): string => {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'list' : typeof value
}

/** Arguments by name, each with its whole value. */
export const ArgsList = ({ args }: { args: readonly ShownArg[] }) => (
  <dl className="args">
    {args.map(({ name, text, type }, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the arguments of a request do not move.
      <div key={index} className="arg">
        <dt>
          <code className="arg-name">
            <Revealed text={name} />
          </code>
          {type !== undefined && <span className="arg-type">{type}</span>}
        </dt>
        <dd>
          {text === '' ? (
            <span className="arg-type">empty</span>
          ) : (
            <pre className="request-text">
              <Revealed text={text} isCollapsed />
            </pre>
          )}
        </dd>
      </div>
    ))}
  </dl>
)

/** The arguments that a better view of a call does not show. */
export const UnshownArgs = ({ args }: { args: readonly ShownArg[] }) =>
  args.length > 0 && (
    <>
      <p className="request-note">Other arguments:</p>
      <ArgsList args={args} />
    </>
  )
