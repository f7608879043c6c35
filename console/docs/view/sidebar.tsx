import { useEffect, useState } from 'preact/hooks'
import { ThemeChoice } from '../../parts/theme-choice.tsx'
import { groupsOf, type Listed, type OpenApiDocument } from '../read/document.ts'
import { isAdmin, otherUrl } from '../read/page-facts.ts'
import { Method } from './method.tsx'
import { place } from './place.ts'
import { Search } from './search.tsx'

type Props = { document: OpenApiDocument; operations: readonly Listed[] }

/** Search and chapters. On a narrow window they are behind a button. */
export function Sidebar({ document, operations }: Props) {
  const [isOpen, setOpen] = useState(false)
  const [query, setQuery] = useState('')
  useEffect(() => setOpen(false), [place.value])
  const search = { query, setQuery, document, operations, open: () => setOpen(true) }
  return (
    <header class="docs-side">
      <div class="docs-top">
        <a class="brand" href="#start">
          Gatehouse <small>{isAdmin ? 'Admin API' : 'API'}</small>
        </a>
        <button type="button" aria-expanded={isOpen} aria-controls="contents" onClick={() => setOpen(!isOpen)}>
          Contents
        </button>
      </div>
      <div id="contents" class={isOpen ? 'contents open' : 'contents'}>
        <Search {...search} />
        {query.trim() === '' && <Chapters document={document} operations={operations} />}
        <Foot />
      </div>
    </header>
  )
}

function Chapters({ document: { 'x-guides': guides = [] }, operations }: Props) {
  const here = place.value
  const texts = [{ id: 'start', name: 'Overview' }, ...guides]
  return (
    <nav aria-label="Operations">
      <ul>
        {texts.map(({ id, name }) => (
          <li key={id}>
            <a href={`#${id}`} aria-current={id === here ? 'page' : undefined}>
              {name}
            </a>
          </li>
        ))}
      </ul>
      {groupsOf(operations).map(([title, within], at) => (
        <Chapter key={title} title={title} within={within} isFirst={at === 0} />
      ))}
    </nav>
  )
}

type ChapterProps = { title: string; within: readonly Listed[]; isFirst: boolean }

function Chapter({ title, within, isFirst }: ChapterProps) {
  const here = place.value
  const hasHere = within.some(({ id }) => id === here)
  return (
    <details open={hasHere || (isFirst && here === 'start')}>
      <summary>{title}</summary>
      <ul>
        {within.map(({ id, method, operation }) => (
          <li key={id}>
            <a href={`#${id}`} aria-current={id === here ? 'page' : undefined}>
              <Method name={method} />
              <span>{operation.summary}</span>
            </a>
          </li>
        ))}
      </ul>
    </details>
  )
}

function Foot() {
  return (
    <div class="side-foot">
      <ThemeChoice />
      <p>
        {otherUrl && <a href={`${otherUrl}/docs`}>{isAdmin ? 'Public API' : 'Admin API'}</a>}
        {isAdmin && <a href="./">Console</a>}
        <a href="docs/text">As text</a>
        <a href="openapi.json">OpenAPI</a>
      </p>
    </div>
  )
}
