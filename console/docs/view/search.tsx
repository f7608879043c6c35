import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Listed, OpenApiDocument } from '../read/document.ts'
import type { GuideSource } from '../read/guides.ts'
import { type Found, foundPlace, search, searchIndex } from '../read/search.ts'
import { isSearchKey, moveFocus, resultsText } from '../read/search-keys.ts'
import { Method } from './method.tsx'
import { place } from './place.ts'

type Props = {
  query: string
  setQuery: (query: string) => void
  document: OpenApiDocument
  operations: readonly Listed[]
  guides: readonly GuideSource[]
  /** Opens what is behind a button on a narrow window. */
  open: () => void
}

/** `/` leads here from everywhere; arrows lead through what was found, Enter opens the first. */
export function Search({ query, setQuery, document, operations, guides, open }: Props) {
  const box = useRef<HTMLInputElement>(null)
  const [isUsed, setUsed] = useState(false)
  const index = useMemo(
    () => (isUsed ? searchIndex({ operations, document, guides }) : []),
    [isUsed, operations, document, guides],
  )
  const found = useMemo(() => search(index, query), [index, query])
  useSlash(() => {
    open()
    box.current?.focus()
    // On a narrow window it has to be drawn first.
    requestAnimationFrame(() => box.current?.focus())
  })
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') setQuery('')
    if (event.key === 'Enter' && found[0]) location.hash = foundPlace(found[0])
    moveFocus(event, box.current!)
  }
  return (
    <search class="docs-search" onKeyDown={onKeyDown}>
      <label>
        <span class="sr-only">Search the guides and the API</span>
        <input
          ref={box}
          type="search"
          placeholder="Search  ( / )"
          value={query}
          onFocus={() => setUsed(true)}
          onInput={(event) => setQuery(event.currentTarget.value)}
        />
      </label>
      {query.trim() !== '' && <Results found={found} query={query} />}
    </search>
  )
}

function Results({ found, query }: { found: readonly Found[]; query: string }) {
  return (
    <>
      <p class="faint" role="status">
        {resultsText(found.length, query)}
      </p>
      <ul class="found">
        {found.map((one) => (
          <li key={foundPlace(one)}>
            <Result found={one} />
          </li>
        ))}
      </ul>
    </>
  )
}

function Result({ found }: { found: Found }) {
  const to = foundPlace(found)
  const current = to === place.value ? 'page' : undefined
  if ('section' in found)
    return (
      <a href={`#${to}`} aria-current={current}>
        <span class="method">guide</span>
        <span>
          {found.section.heading || found.section.title}
          {found.section.heading && <small>{found.section.title}</small>}
        </span>
      </a>
    )
  const { listed, field } = found
  return (
    <a href={`#${to}`} aria-current={current}>
      <Method name={listed.method} />
      <span>
        {listed.operation.summary}
        <small>{field ? `field ${field}` : listed.path}</small>
      </span>
    </a>
  )
}

function useSlash(go: () => void): void {
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!isSearchKey(event)) return
      event.preventDefault()
      go()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [go])
}
