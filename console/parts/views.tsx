import { pathWith } from '../api/client.ts'
import { pick, useQuery } from './use-query.ts'

type Props = {
  path: string
  views: Readonly<Record<string, string>>
  /** Names of the query that all views share. */
  keeps?: readonly string[]
  /** The one that is shown. The one of the address if absent. */
  shown?: string
}

/** Several lists on one screen, one at a time. The address says which; the first one has no name there, and is shown for an unknown one. */
export function Views({ path, views, keeps = [], shown }: Props) {
  const { query } = useQuery()
  const asked = shown ?? query.view ?? ''
  const current = asked in views ? asked : ''
  return (
    <nav class="tabs" aria-label="Lists of this screen">
      {Object.entries(views).map(([view, title]) => (
        <a
          key={view}
          href={pathWith(path, { ...pick(query, keeps), view })}
          aria-current={current === view ? 'page' : undefined}
        >
          {title}
        </a>
      ))}
    </nav>
  )
}
