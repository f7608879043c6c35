import { Icon } from './icons/icon.tsx'
import { pathWith, type Query } from '../api/client.ts'

const TITLES = { csv: 'CSV', jsonl: 'JSON lines', json: 'JSON' }

type Props = { path: string; query: Query; formats: readonly (keyof typeof TITLES)[] }

/** Everything that passes the filter, not only what is on the screen. The gateway streams it. */
export function Downloads({ path, query, formats }: Props) {
  return (
    <>
      {formats.map((format) => (
        <a key={format} class="button" href={pathWith(path, { ...query, format })} download>
          <Icon name="download" /> {TITLES[format]}
          <span class="sr-only"> of all filtered rows</span>
        </a>
      ))}
    </>
  )
}
