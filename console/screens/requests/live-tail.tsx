import { useEffect, useState } from 'preact/hooks'
import type { RequestLine } from '../../../src/contract/admin/requests.ts'
import { ApiError, openAnswer, pathWith, type Query } from '../../api/client.ts'
import type { Pages } from '../../api/use-pages.ts'
import { plural } from '../../parts/format.ts'
import { Icon } from '../../parts/icons/icon.tsx'
import { toast } from '../../parts/toast.tsx'

type Props = { filter: Query; onRequest: Pages<RequestLine>['prepend'] }
type State = 'connecting' | 'live' | 'waiting'

/** While the gateway is away or restarts, it is asked again after this time. */
const AGAIN_MS = 3_000
const TEXTS: Readonly<Record<State, string>> = {
  connecting: 'Connecting…',
  live: 'Live',
  waiting: 'Gateway unavailable, reconnecting…',
}

/** New calls appear as they end. One connection for each tab, and the gateway applies the filter. */
export function LiveTail({ filter, onRequest }: Props) {
  const [isLive, setLive] = useState(false)
  const [state, setState] = useState<State>('connecting')
  const url = pathWith('/admin/requests/live', filter)
  useEffect(() => {
    if (!isLive) return
    setState('connecting')
    const giveUp = ({ message }: Error) => {
      setLive(false)
      toast(message, 'bad')
    }
    return follow(url, { onRequest, onState: setState, onRefused: giveUp })
  }, [isLive, url, onRequest])
  return (
    <>
      <button type="button" aria-pressed={isLive} onClick={() => setLive(!isLive)}>
        <Icon name="live" /> {isLive ? TEXTS[state] : 'Live tail'}
      </button>
      {/* Not in the button: what is in there has no role of its own. */}
      <span role="status" class="sr-only">
        {isLive && TEXTS[state]}
      </span>
    </>
  )
}

type Follower = {
  onRequest: Props['onRequest']
  onState: (state: State) => void
  onRefused: (reason: Error) => void
}

/** Returns how to end it. A browser does not try again after a refusal, such as that of a gateway that is shutting down. */
function follow(url: string, { onRequest, onState, onRefused }: Follower): () => void {
  const ending = new AbortController()
  let source: EventSource | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  const again = () => (timer = setTimeout(open, AGAIN_MS))
  const closed = async () => {
    const reason = await whyRefused(url, ending.signal)
    if (ending.signal.aborted) return
    if (reason instanceof ApiError && reason.status < 500) return onRefused(reason)
    onState('waiting')
    again()
  }
  function open() {
    source = new EventSource(url)
    source.onopen = () => onState('live')
    source.onerror = () => (source?.readyState === EventSource.CLOSED ? void closed() : onState('connecting'))
    source.addEventListener('request', ({ data }) => {
      const line = JSON.parse(data as string) as RequestLine
      onRequest(line, ({ id }) => id === line.id)
    })
    source.addEventListener('dropped', ({ data }) =>
      toast(`${plural(countIn(data as string), 'request')} left out: too many at once.`),
    )
  }
  open()
  return () => {
    ending.abort()
    clearTimeout(timer)
    source?.close()
  }
}

/** An event source does not say why it was closed, so the same is asked again. Undefined if it is answered now. */
async function whyRefused(url: string, signal: AbortSignal): Promise<Error | undefined> {
  const probe = new AbortController()
  try {
    await openAnswer(url, { signal: AbortSignal.any([signal, probe.signal]) })
    return undefined
  } catch (error) {
    return error as Error
  } finally {
    probe.abort()
  }
}

function countIn(data: string): number {
  return (JSON.parse(data) as { count: number }).count
}
