import { useCallback, useEffect, useState } from 'preact/hooks'
import { getJson, pathWith, type Query } from './client.ts'

export type Answer<Body> = {
  /** The last answer. It stays while another one is on its way. */
  value: Body | undefined
  error: Error | undefined
  isLoading: boolean
  reload: () => void
}

type State<Body> = { value?: Body; error?: Error; isLoading: boolean }

/** Asks whenever the address changes. Without a path, nothing is asked. */
export function useAnswer<Body>(path: string | undefined, query?: Query): Answer<Body> {
  const url = path === undefined ? undefined : pathWith(path, query)
  const [state, setState] = useState<State<Body>>({ isLoading: url !== undefined })
  const [round, setRound] = useState(0)
  useEffect(() => (url === undefined ? undefined : load<Body>(url, setState)), [url, round])
  const reload = useCallback(() => setRound((before) => before + 1), [])
  return { value: state.value, error: state.error, isLoading: state.isLoading, reload }
}

type SetState<Body> = (change: (before: State<Body>) => State<Body>) => void

/** Returns how to give it up. */
function load<Body>(url: string, setState: SetState<Body>): () => void {
  const ending = new AbortController()
  const unlessGone = (change: (before: State<Body>) => State<Body>) => {
    if (!ending.signal.aborted) setState(change)
  }
  setState(({ value }) => ({ value, isLoading: true }))
  getJson<Body>(url, {}, ending.signal).then(
    (value) => unlessGone(() => ({ value, isLoading: false })),
    (error: Error) => unlessGone(({ value }) => ({ value, error, isLoading: false })),
  )
  return () => ending.abort()
}
