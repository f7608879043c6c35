import { useCallback, useEffect, useState } from 'preact/hooks'
import type { BulkResult } from '../../src/contract/admin/bulk.ts'
import { sendJson } from '../api/client.ts'
import { count as written } from './format.ts'
import { Failure, Loading } from './notice.tsx'
import { toast } from './toast.tsx'

type Props = {
  path: string
  /** The action with its filter, as the API wants it, without the count. */
  body: object
  /** “Retry”, and “job”. */
  verb: string
  noun: string
  /** Something was done. */
  onDone: () => void
}

/** An action over a whole filter: the gateway counts first, and acts only if the count that somebody has seen is still true. */
export function ConfirmedBulk({ path, body, verb, noun, onDone }: Props) {
  const [count, setCount] = useState<number>()
  const [error, setError] = useState<Error>()
  const [isBusy, setBusy] = useState(false)
  const text = JSON.stringify(body)
  const ask = useCallback(() => {
    setError(undefined)
    setCount(undefined)
    send(path, text).then((answer) => setCount(answer.count), setError)
  }, [path, text])
  useEffect(ask, [ask])
  const act = async () => {
    setBusy(true)
    await send(path, text, count).then((answer) => {
      toast(`${verb}: done with ${written(answer.done)} of ${named(answer.count, noun)}.`)
      onDone()
      // One call does a limited number, so what is left wants to be confirmed anew.
      ask()
    }, setError)
    setBusy(false)
  }
  if (error) return <Failure error={error} onRetry={ask} />
  if (count === undefined) return <Loading what={`how many ${noun}s that are`} />
  if (count === 0) return <p role="status">There are no {noun}s that this can be done with.</p>
  return (
    <button type="button" class="danger" disabled={isBusy} onClick={act}>
      {verb} {named(count, noun)}
    </button>
  )
}

function named(count: number, noun: string): string {
  return `${written(count)} ${noun}${count === 1 ? '' : 's'}`
}

/** Without a count, nothing is done. */
function send(path: string, body: string, expected?: number): Promise<BulkResult> {
  const confirmed = expected === undefined ? {} : { expected_count: expected }
  return sendJson<BulkResult>('POST', path, { ...(JSON.parse(body) as object), ...confirmed })
}
