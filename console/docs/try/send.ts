import { eventsIn } from '../../api/event-data.ts'
import type { Listed } from '../read/document.ts'
import { type Draft, headersOf, JSON_TYPE, pathOf } from '../read/draft.ts'
import { credentialOptions } from './credentials.ts'
import { textIn } from './joined-text.ts'

/** What came back so far. */
export type ReceivedAnswer = {
  status: number
  headers: readonly [string, string][]
  /** Until the first byte, and until the last. */
  firstMs: number
  totalMs?: number
  body?: Body
}
type Body =
  | { kind: 'text'; text: string; isJson: boolean }
  | { kind: 'events'; events: readonly string[]; joined: string }
  | { kind: 'file'; blob: Blob }

type Sending = { signal: AbortSignal; onChange: (outcome: ReceivedAnswer) => void }

/** Sends what the reader has written, and tells of the answer as it arrives. Rejects if there is none. */
export async function send(listed: Listed, draft: Draft, { signal, onChange }: Sending): Promise<void> {
  const start = performance.now()
  const answer = await fetch(`.${pathOf(listed, draft)}`, { ...requestOf(listed, draft), signal })
  let outcome: ReceivedAnswer = {
    status: answer.status,
    headers: [...answer.headers],
    firstMs: performance.now() - start,
  }
  onChange(outcome)
  for await (const body of bodiesOf(answer)) {
    outcome = { ...outcome, body }
    onChange(outcome)
  }
  onChange({ ...outcome, totalMs: performance.now() - start })
}

function requestOf(listed: Listed, draft: Draft): RequestInit {
  const { method } = listed
  const isJson = draft.type === JSON_TYPE
  const { headers, credentials } = credentialOptions(draft.type !== undefined && !isJson)
  const type: Record<string, string> = isJson ? { 'content-type': JSON_TYPE } : {}
  const body = draft.type === undefined ? undefined : isJson ? draft.body : formOf(draft)
  return {
    method,
    credentials,
    cache: 'no-store',
    referrerPolicy: 'no-referrer',
    headers: { ...type, ...headersOf(listed, draft), ...headers },
    ...(body !== undefined && { body }),
  }
}

function formOf({ type, form, files }: Draft): FormData | URLSearchParams {
  const texts = Object.entries(form).filter(([, value]) => value !== '')
  if (type !== 'multipart/form-data') return new URLSearchParams(texts)
  const data = new FormData()
  for (const [name, value] of texts) data.append(name, value)
  for (const [name, chosen] of Object.entries(files)) for (const file of chosen) data.append(name, file, file.name)
  return data
}

/** The body so far, again and again for a stream, once for all others. */
async function* bodiesOf(answer: Response): AsyncGenerator<Body> {
  const type = answer.headers.get('content-type') ?? ''
  if (type.startsWith('text/event-stream')) yield* eventBodies(answer)
  else if (/json|^text\/|pem/.test(type) || type === '')
    yield { kind: 'text', text: await answer.text(), isJson: /json(?!l)/.test(type) }
  else yield { kind: 'file', blob: await answer.blob() }
}

async function* eventBodies(answer: Response): AsyncGenerator<Body> {
  let body: Body = { kind: 'events', events: [], joined: '' }
  yield body
  for await (const event of eventsIn(answer.body!)) {
    body = { kind: 'events', events: [...body.events, event], joined: body.joined + textIn(event) }
    yield body
  }
}
