import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { type Address, getUrl, type PathOf, pathWith, type QueryOf, type ReplyOf } from './client.ts'

type Page<Item> = { items: Item[]; next_cursor: string | null }

/** The paths whose answers are pages. */
type ListPath = {
  [Path in PathOf<'GET'>]: ReplyOf<'GET', Path> extends Page<unknown> ? Path : never
}[PathOf<'GET'>]
type ItemOf<Path extends ListPath> = ReplyOf<'GET', Path>['items'][number]

export type Pages<Item> = {
  items: readonly Item[]
  error: Error | undefined
  isLoading: boolean
  hasMore: boolean
  /** Another page, of this size at most. */
  more: (limit?: number) => void
  reload: () => void
  /** Puts an item that has just come into being before the others, unless it is there already. */
  prepend: (item: Item, isSame: (other: Item) => boolean) => void
}

type State<Item> = { items: readonly Item[]; cursor: string | null; error?: Error; isLoading: boolean }

/** A page may be empty although others follow, because a rare filter is searched for in parts. */
const MAX_EMPTY_PAGES = 3
const PREPENDED_MOST = 1_000

/** A list of the admin API, page by page. It begins anew when the filter changes. */
export function usePages<Path extends ListPath>(
  path: Address<Path>,
  query: Omit<QueryOf<'GET', Path>, 'cursor'>,
): Pages<ItemOf<Path>> {
  type Item = ItemOf<Path>
  const url = pathWith(path, query)
  const [state, setState] = useState<State<Item>>({ items: [], cursor: null, isLoading: true })
  const ending = useRef<AbortController | undefined>(undefined)
  const load = useCallback(
    (before: readonly Item[], cursor: string | null, limit?: number) => {
      ending.current?.abort()
      ending.current = new AbortController()
      void show(before, nextItems<Item>(url, { cursor, limit }, ending.current.signal), setState)
    },
    [url],
  )
  const reload = useCallback(() => load([], null), [load])
  useEffect(() => {
    reload()
    return () => ending.current?.abort()
  }, [reload])
  const prepend = useCallback<Pages<Item>['prepend']>((item, isSame) => {
    setState((before) => (before.items.some(isSame) ? before : withFirst(before, item)))
  }, [])
  const more = (limit?: number) => load(state.items, state.cursor, limit)
  return { ...state, error: state.error, hasMore: state.cursor !== null, more, reload, prepend }
}

type SetState<Item> = (change: (before: State<Item>) => State<Item>) => void

async function show<Item>(before: readonly Item[], next: Promise<Page<Item>>, setState: SetState<Item>): Promise<void> {
  setState(({ cursor }) => ({ items: before, cursor, isLoading: true }))
  try {
    const { items, next_cursor: cursor } = await next
    setState(() => ({ items: [...before, ...items], cursor, isLoading: false }))
  } catch (error) {
    if (error instanceof DOMException) return
    setState(({ items, cursor }) => ({ items, cursor, error: error as Error, isLoading: false }))
  }
}

type From = { cursor: string | null; limit: number | undefined }

async function nextItems<Item>(url: string, { cursor, limit }: From, signal: AbortSignal): Promise<Page<Item>> {
  const [path, search] = url.split('?') as [string, string?]
  const filter = Object.fromEntries(new URLSearchParams(search))
  let page: Page<Item> = { items: [], next_cursor: cursor }
  for (let empty = 0; empty < MAX_EMPTY_PAGES; empty++) {
    const next = pathWith(path, { ...filter, ...(limit && { limit }), cursor: page.next_cursor ?? undefined })
    page = (await getUrl(next, signal)) as Page<Item>
    if (page.items.length > 0 || page.next_cursor === null) return page
  }
  return page
}

function withFirst<Item>(before: State<Item>, item: Item): State<Item> {
  return { ...before, items: [item, ...before.items].slice(0, PREPENDED_MOST) }
}
