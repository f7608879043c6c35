import { pathWith } from '../api/client.ts'
import { pick, useQuery } from './use-query.ts'

type Props = {
  path: string
  views: Readonly<Record<string, string>>
  /** Names of the query that all views share. */
  keeps?: readonly string[]
}

/** Several lists on one screen, one at a time. The address says which; the first one has no name there. */
export function Views({ path, views, keeps = [] }: Props) {
  const { query } = useQuery()
  return (
    <nav class="tabs" aria-label="Lists of this screen">
      {Object.entries(views).map(([view, title]) => (
        <a
          key={view}
          href={pathWith(path, { ...pick(query, keeps), view })}
          aria-current={(query.view ?? '') === view ? 'page' : undefined}
        >
          {title}
        </a>
      ))}
    </nav>
  )
}
