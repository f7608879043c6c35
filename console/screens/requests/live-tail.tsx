import { useEffect, useState } from 'preact/hooks'
import type { RequestLine } from '../../../src/contract/admin/requests.ts'
import { pathWith, type Query } from '../../api/client.ts'
import type { Pages } from '../../api/use-pages.ts'
import { toast } from '../../parts/toast.tsx'

type Props = { filter: Query; onRequest: Pages<RequestLine>['prepend'] }

/** New calls appear as they end. One connection for each tab, and the gateway applies the filter. */
export function LiveTail({ filter, onRequest }: Props) {
  const [isLive, setLive] = useState(false)
  const [isConnected, setConnected] = useState(false)
  const url = pathWith('/admin/requests/live', filter)
  useEffect(() => {
    if (!isLive) return
    const source = new EventSource(url)
    source.onopen = () => setConnected(true)
    source.onerror = () => {
      setConnected(false)
      if (source.readyState === EventSource.CLOSED) giveUp()
    }
    const giveUp = () => {
      setLive(false)
      toast('The gateway did not accept the live connection. You may have four at a time.', 'bad')
    }
    source.addEventListener('request', ({ data }) => {
      const line = JSON.parse(data as string) as RequestLine
      onRequest(line, ({ id }) => id === line.id)
    })
    source.addEventListener('dropped', ({ data }) =>
      toast(`${countIn(data as string)} calls were left out: too many at once.`),
    )
    return () => source.close()
  }, [isLive, url, onRequest])
  return (
    <button type="button" aria-pressed={isLive} onClick={() => setLive(!isLive)}>
      {isLive ? (isConnected ? 'Live' : 'Connecting…') : 'Go live'}
    </button>
  )
}

function countIn(data: string): number {
  return (JSON.parse(data) as { count: number }).count
}
