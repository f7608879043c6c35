import { useCallback, useEffect, useState } from 'preact/hooks'
import { type Address, getUrl, type PathOf, pathWith, type QueryOf, type ReplyOf } from './client.ts'

export type Answer<Body> = {
  /** The last answer. It stays while another one is on its way. */
  value: Body | undefined
  error: Error | undefined
  isLoading: boolean
  reload: () => void
}

type State<Body> = { value?: Body; error?: Error; isLoading: boolean }

/** Asks whenever the address changes. Without a path, nothing is asked. */
export function useAnswer<Path extends PathOf<'GET'>>(
  path: Address<Path> | undefined,
  query?: QueryOf<'GET', Path>,
): Answer<ReplyOf<'GET', Path>> {
  type Body = ReplyOf<'GET', Path>
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
  getUrl(url, ending.signal).then(
    (value) => unlessGone(() => ({ value: value as Body, isLoading: false })),
    (error: Error) => unlessGone(({ value }) => ({ value, error, isLoading: false })),
  )
  return () => ending.abort()
}
