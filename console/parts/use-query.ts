import { useLocation } from 'preact-iso/router'
import { useCallback } from 'preact/hooks'
import { pathWith, type Query } from '../api/client.ts'

export type Texts = Readonly<Record<string, string>>

/** The filter is in the address, so that it survives a reload and can be shared as a link. */
export function useQuery(): { query: Texts; change: (changes: Query) => void } {
  const { path, query, route } = useLocation()
  const change = useCallback(
    (changes: Query) => route(pathWith(path, { ...query, ...changes })),
    // One location has one query and one function.
    [path, query, route],
  )
  return { query, change }
}

/** The part of a query that an API knows. */
export function pick<Name extends string>(query: Texts, names: readonly Name[]): Partial<Record<Name, string>> {
  const found: Partial<Record<Name, string>> = {}
  for (const name of names) if (query[name]) found[name] = query[name]
  return found
}
