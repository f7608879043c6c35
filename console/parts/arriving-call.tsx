import { useEffect, useState } from 'preact/hooks'
import type { RequestLine } from '../../src/contract/admin/requests.ts'
import { getJson, pathWith, type QueryOf } from '../api/client.ts'
import { duration } from './format.ts'
import { Status } from './status.tsx'

type Filter = Pick<QueryOf<'GET', '/admin/requests'>, 'key' | 'project'>
type Props = { filter: Filter; what: string; onArrived?: () => void }

/** The gateway refuses a live connection if the person has too many of them: then it is asked now and then. */
const POLL_MS = 3_000

/** Waits for the first call from now on, and shows it as soon as it has ended. */
export function ArrivingCall({ filter, what, onArrived }: Props) {
  const line = useNextCall(filter)
  useEffect(() => {
    if (line) onArrived?.()
  }, [line])
  return (
    <p class="arriving" role="status">
      <span class={line ? 'beacon here' : 'beacon'} aria-hidden="true" />
      {line ? <Arrived line={line} /> : <span>Waiting for {what}…</span>}
    </p>
  )
}

function Arrived({ line: { id, status, code, model, duration_ms: ms } }: { line: RequestLine }) {
  return (
    <span>
      Received: <Status status={status} code={code} /> {model} in {duration(ms)}.{' '}
      <a href={pathWith('/requests', { call: id })}>View request</a>
    </span>
  )
}

function useNextCall({ key, project }: Filter): RequestLine | undefined {
  const [line, setLine] = useState<RequestLine>()
  useEffect(() => {
    const from = new Date().toISOString()
    const ending = new AbortController()
    let timer: ReturnType<typeof setInterval> | undefined
    const source = new EventSource(pathWith('/admin/requests/live', { key, project }))
    const end = () => {
      source.close()
      clearInterval(timer)
      ending.abort()
    }
    const show = (found: RequestLine) => {
      setLine(found)
      end()
    }
    const look = async () => {
      const { items } = await getJson('/admin/requests', { key, project, from, limit: 1 }, ending.signal)
      if (items[0]) show(items[0])
    }
    source.addEventListener('request', ({ data }) => show(JSON.parse(data as string) as RequestLine))
    const lookUnlessGone = () => void look().catch(() => {})
    // A call may have come before the connection.
    source.onopen = lookUnlessGone
    source.onerror = () => {
      if (source.readyState === EventSource.CLOSED) timer ??= setInterval(lookUnlessGone, POLL_MS)
    }
    return end
  }, [key, project])
  return line
}
