import { useEffect, useState } from 'preact/hooks'
import { Mark } from '../../parts/icons/mark.tsx'
import { ThemeChoice } from '../../parts/theme-choice.tsx'
import { groupsOf, type Listed, type OpenApiDocument } from '../read/document.ts'
import { type GuideSource, guideAt, guidePlace } from '../read/guides.ts'
import { isAdmin, otherUrl, version } from '../read/page-facts.ts'
import { Method } from './method.tsx'
import { place } from './place.ts'
import { Search } from './search.tsx'

type Props = { document: OpenApiDocument; operations: readonly Listed[]; guides: readonly GuideSource[] }

/** Search and chapters. On a narrow window they are behind a button. */
export function Sidebar({ document, operations, guides }: Props) {
  const [isOpen, setOpen] = useState(false)
  const [query, setQuery] = useState('')
  useEffect(() => setOpen(false), [place.value])
  const search = { query, setQuery, document, operations, guides, open: () => setOpen(true) }
  return (
    <header class="docs-side">
      <div class="docs-top">
        <a class="brand" href="#start">
          <Mark /> Gatehouse{' '}
          <small>
            {version}
            {isAdmin && ' · Admin API'}
          </small>
        </a>
        <button type="button" aria-expanded={isOpen} aria-controls="contents" onClick={() => setOpen(!isOpen)}>
          Contents
        </button>
      </div>
      <div id="contents" class={isOpen ? 'contents open' : 'contents'}>
        <Search {...search} />
        {query.trim() === '' && <Chapters document={document} operations={operations} guides={guides} />}
        <Foot />
      </div>
    </header>
  )
}

function Chapters({ document: { 'x-guides': chapters = [] }, operations, guides }: Props) {
  const here = place.value
  const texts = [{ id: 'start', name: 'Overview' }, ...chapters]
  return (
    <nav aria-label="Guides and operations">
      {guides.length > 0 && <p class="side-part">Guides</p>}
      {[...Map.groupBy(guides, ({ group }) => group)].map(([title, within]) => (
        <GuideGroup key={title} title={title} within={within} />
      ))}
      <p class="side-part">API</p>
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

function GuideGroup({ title, within }: { title: string; within: readonly GuideSource[] }) {
  const here = guideAt(place.value)?.id
  return (
    <details open={within.some(({ id }) => id === here)}>
      <summary>{title}</summary>
      <ul class="side-guides">
        {within.map(({ id, title: name }) => (
          <li key={id}>
            <a href={`#${guidePlace(id)}`} aria-current={id === here ? 'page' : undefined}>
              {name}
            </a>
          </li>
        ))}
      </ul>
    </details>
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
