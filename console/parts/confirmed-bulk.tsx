import { useCallback, useEffect, useState } from 'preact/hooks'
import type { BulkResult } from '../../src/contract/admin/bulk.ts'
import { type BodyOf, type PathOf, type ReplyOf, sendJson } from '../api/client.ts'
import { count as written, plural } from './format.ts'
import { Failure, Loading } from './notice.tsx'
import { toast } from './toast.tsx'

/** The endpoints that act on all that passes a filter. */
type BulkPath = {
  [Path in PathOf<'POST'>]: ReplyOf<'POST', Path> extends BulkResult ? Path : never
}[PathOf<'POST'>]

type Props<Path extends BulkPath> = {
  path: Path
  /** The action with its filter, as the API wants it, without the count. */
  body: Omit<BodyOf<'POST', Path>, 'expected_count'>
  /** “Retry”, and “job”. */
  verb: string
  noun: string
  /** Something was done. */
  onDone: () => void
}

/** An action over a whole filter: the gateway counts first, and acts only if the count that the person has seen is still true. */
export function ConfirmedBulk<Path extends BulkPath>({ path, body, verb, noun, onDone }: Props<Path>) {
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
      toast(`${verb}: finished ${written(answer.done)} of ${plural(answer.count, noun)}.`)
      onDone()
      // One call does a limited number, so what is left wants to be confirmed anew.
      ask()
    }, setError)
    setBusy(false)
  }
  if (error) return <Failure error={error} onRetry={ask} />
  if (count === undefined) return <Loading what={`the number of ${noun}s`} />
  if (count === 0) return <p role="status">{`No ${noun}s to ${verb.toLowerCase()}.`}</p>
  return (
    <button type="button" class="danger" disabled={isBusy} onClick={act}>
      {verb} {plural(count, noun)}
    </button>
  )
}

/** Without a count, nothing is done. */
function send(path: BulkPath, body: string, expected?: number): Promise<BulkResult> {
  const asked = JSON.parse(body) as BodyOf<'POST', BulkPath>
  return sendJson('POST', path, { ...asked, ...(expected !== undefined && { expected_count: expected }) })
}
