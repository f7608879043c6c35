import { type ComponentChildren, createContext, Fragment } from 'preact'
import { useContext, useEffect, useRef } from 'preact/hooks'
import { Icon } from '../icons/icon.tsx'
import { useShortcut } from '../shortcuts.ts'
import { useQuery } from '../use-query.ts'

/** A table whose rows open: the name that the address has for the open one, and what shows it. */
export type Opens = { as: string; show: (id: string) => ComponentChildren }

type Way = 'previous' | 'next'
type Steps = { place: string; go: Readonly<Record<Way, (() => void) | undefined>>; came: Way | undefined }

const StepsOfRow = createContext<Steps | undefined>(undefined)

/** What shows the row that the address names, with the way to its neighbours in the order of the table. */
export function OpenRow({ opens, ids }: { opens: Opens; ids: readonly string[] }) {
  const { query, change } = useQuery()
  const came = useRef<Way>(undefined)
  const id = query[opens.as]
  useFocusBack(id)
  if (!id) {
    came.current = undefined
    return null
  }
  const at = ids.indexOf(id)
  const stepTo = (way: Way, other: string | undefined) =>
    other === undefined
      ? undefined
      : () => {
          came.current = way
          change({ [opens.as]: other }, true)
        }
  const go = { previous: stepTo('previous', ids[at - 1]), next: at < 0 ? undefined : stepTo('next', ids[at + 1]) }
  const steps = at < 0 ? undefined : { go, place: `${at + 1} of ${ids.length}`, came: came.current }
  return (
    <StepsOfRow.Provider value={steps}>
      <Fragment key={id}>{opens.show(id)}</Fragment>
    </StepsOfRow.Provider>
  )
}

/** When the last row that was open is closed, its link has the focus: the person goes on from there. */
function useFocusBack(id: string | undefined): void {
  const last = useRef<string>(undefined)
  useEffect(() => {
    if (id === undefined && last.current !== undefined)
      document.querySelector<HTMLElement>(`[data-row="${CSS.escape(last.current)}"] .row-link`)?.focus()
    last.current = id
  }, [id])
}

/** For the head of a drawer. Nothing if it does not show a row of a table. */
export function StepButtons() {
  const steps = useContext(StepsOfRow)
  useShortcut('j', steps?.go.next, 'dialog')
  useShortcut('k', steps?.go.previous, 'dialog')
  if (!steps) return null
  return (
    <div class="steps">
      <small>{steps.place}</small>
      <StepButton {...{ steps, way: 'previous', label: 'Previous (K)' }} />
      <StepButton {...{ steps, way: 'next', label: 'Next (J)' }} />
    </div>
  )
}

type ButtonProps = { steps: Steps; way: Way; label: string }

/** Each row has a drawer of its own, so the button that led to it gets the focus again. */
function StepButton({ steps: { go, came }, way, label }: ButtonProps) {
  const step = go[way]
  return (
    <button
      type="button"
      class="quiet"
      aria-label={label}
      title={label}
      disabled={!step}
      // In a dialog the browser would choose another one.
      autofocus={came === way}
      onClick={step}
    >
      <Icon name={way} />
    </button>
  )
}
