import { useLocation } from 'preact-iso/router'
import { useCallback } from 'preact/hooks'
import { pathWith, type Query } from '../api/client.ts'

export type Texts = Readonly<Record<string, string>>

/** `isReplacing`: the way back leads to what was before both. */
type ChangeQuery = (changes: Query, isReplacing?: boolean) => void

/** The filter is in the address, so that it survives a reload and can be shared as a link. */
export function useQuery(): { query: Texts; change: ChangeQuery } {
  const { path, query, route } = useLocation()
  const change = useCallback<ChangeQuery>(
    (changes, isReplacing = false) => route(pathWith(path, { ...query, ...changes }), isReplacing),
    // One location has one query and one function.
    [path, query, route],
  )
  return { query, change }
}

/** A dialog that the address can open, so that a link leads right into it: `/keys?new=key`. */
export function useDialog(name: string): { isOpen: boolean; open: () => void; close: () => void } {
  const { query, change } = useQuery()
  return {
    isOpen: query.new === name,
    open: () => change({ new: name }),
    // The way back does not open it again.
    close: () => change({ new: undefined }, true),
  }
}

/** The part of a query that an API knows. */
export function pick<Name extends string>(query: Texts, names: readonly Name[]): Partial<Record<Name, string>> {
  const found: Partial<Record<Name, string>> = {}
  for (const name of names) if (query[name]) found[name] = query[name]
  return found
}
