import { useEffect, useState } from 'preact/hooks'
import type { RequestLine } from '../../../src/contract/admin/requests.ts'
import { pathWith, type Query } from '../../api/client.ts'

type Props = { filter: Query; onRequest: (line: RequestLine) => void }

/** New calls appear as they end. One connection for each tab, and the gateway applies the filter. */
export function LiveTail({ filter, onRequest }: Props) {
  const [isLive, setLive] = useState(false)
  const [isConnected, setConnected] = useState(false)
  const url = pathWith('/admin/requests/live', filter)
  useEffect(() => {
    if (!isLive) return
    const source = new EventSource(url)
    source.onopen = () => setConnected(true)
    source.onerror = () => setConnected(false)
    source.addEventListener('request', ({ data }) => onRequest(JSON.parse(data as string) as RequestLine))
    return () => source.close()
  }, [isLive, url, onRequest])
  return (
    <button type="button" aria-pressed={isLive} onClick={() => setLive(!isLive)}>
      {isLive ? (isConnected ? 'Live' : 'Connecting…') : 'Go live'}
    </button>
  )
}
