import type { TodoItem } from '../../../src/events/types.ts'
import { Fold } from '../parts/fold.tsx'
import { Revealed } from '../parts/revealed.tsx'

interface Props {
  todos: readonly TodoItem[]
  /** Whether a run is in progress. Between runs, a list that is done is not shown. */
  isWorking: boolean
  /** Whether the list is folded at first, because other things need the room. */
  isFolded: boolean
}

/** The agent’s to-do list: how much is done, and what the agent does now. */
export const TodoView = ({ todos, isWorking, isFolded }: Props) => {
  const counted = todos.filter(({ state }) => state !== 'cancelled')
  const open = counted.filter(({ state }) => state !== 'completed')
  if (counted.length === 0 || (open.length === 0 && !isWorking)) return null
  const current = open.find(({ state }) => state === 'in_progress')
  return (
    <Fold
      foldKey="todos"
      className="queue"
      isOpenAtFirst={!isFolded}
      head={
        <>
          <span className="todo-count number">
            To do: {counted.length - open.length} of {counted.length} done
          </span>
          {current && (
            <span className="todo-current">
              <Revealed text={current.activity ?? current.text} />
            </span>
          )}
        </>
      }
    >
      {() => (
        <ul className="todo-list">
          {todos.map((item, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: items have no ids, and hold no state.
            <TodoRow key={index} item={item} />
          ))}
        </ul>
      )}
    </Fold>
  )
}

const TodoRow = ({ item: { text, state } }: { item: TodoItem }) => (
  <li className={`todo-item todo-${state}`}>
    <span className="todo-mark" aria-hidden="true">
      {marks[state]}
    </span>
    <span>
      <span className="visually-hidden">{stateNames[state]}: </span>
      <Revealed text={text} />
    </span>
  </li>
)

const marks: Readonly<Record<TodoItem['state'], string>> = {
  pending: '○',
  in_progress: '▸',
  completed: '✓',
  cancelled: '–',
}

const stateNames: Readonly<Record<TodoItem['state'], string>> = {
  pending: 'Open',
  in_progress: 'In progress',
  completed: 'Done',
  cancelled: 'Cancelled',
}
