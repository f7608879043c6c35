import { useEffect, useRef } from 'preact/hooks'
import { CodeBlock } from '../../parts/code-block.tsx'
import { duration } from '../../parts/format.ts'
import { Pictures } from './pictures.tsx'
import { AnswerFile } from './answer-file.tsx'
import type { ReceivedAnswer } from './send.ts'
import type { Trial } from './use-try.ts'

/** Texts of answers are texts: nothing here makes markup from them. */
const SHOWN_CHARS = 200_000
const LONG_TEXT_CHARS = 2_000
const KEPT_CHARS = 120
const HEADERS_OF_INTEREST = /^(?:x-(?!content)|retry-after|ratelimit|content-type|sunset|www-auth)/

export function TriedAnswer({ trial }: { trial: Trial }) {
  const { outcome, failure, isSending } = trial
  const box = useRef<HTMLElement>(null)
  // The form may be longer than the window.
  useEffect(() => box.current?.scrollIntoView({ block: 'nearest' }), [outcome?.totalMs, failure])
  if (!outcome && !failure && !isSending) return null
  return (
    <section ref={box} class="tried" aria-label="Answer">
      <p class="tried-status" role="status">
        {outcome ? <StatusLine outcome={outcome} /> : isSending ? 'Waiting for the answer…' : ''}
      </p>
      {outcome && <Hint status={outcome.status} />}
      {failure && (
        <p class="notice" role="alert">
          {failure}
        </p>
      )}
      {outcome && <AnswerBody outcome={outcome} />}
      {outcome && <AnswerHeaders outcome={outcome} />}
    </section>
  )
}

function StatusLine({ outcome: { status, firstMs, totalMs } }: { outcome: ReceivedAnswer }) {
  const look = status < 400 ? 'good' : status === 429 ? 'warn' : 'bad'
  return (
    <>
      <span class={`status ${look}`}>{status}</span>
      <span>first byte {duration(firstMs)}</span>
      <span>{totalMs === undefined ? 'arriving…' : `total ${duration(totalMs)}`}</span>
    </>
  )
}

const HINTS: Readonly<Record<number, string>> = {
  401: 'The key is missing, unknown, expired or of the wrong kind. Paste another key above.',
  402: 'A budget is used up.',
  403: 'The key or the account is valid, but it is not allowed to do this.',
  413: 'The body is larger than the gateway accepts.',
  422: 'The request does not match the description on this page. The answer names the field.',
  424: 'The provider of this model is not set up, or it refused the credential of the gateway.',
  429: 'A rate limit is reached. The header Retry-After says when to try again.',
}

function Hint({ status }: { status: number }) {
  const text = HINTS[status]
  return text ? <p class="notice">{text}</p> : null
}

function AnswerBody({ outcome: { body } }: { outcome: ReceivedAnswer }) {
  if (!body) return null
  if (body.kind === 'file') return <AnswerFile blob={body.blob} />
  if (body.kind === 'events') return <Events {...body} />
  if (body.text === '') return <p class="faint">The answer has no body.</p>
  return (
    <>
      {body.isJson && <Pictures text={body.text} />}
      <CodeBlock label="the answer" text={shown(body.isJson ? formatted(body.text) : body.text)} />
    </>
  )
}

function Events({ events, joined }: { events: readonly string[]; joined: string }) {
  return (
    <>
      {joined !== '' && <p class="joined">{joined}</p>}
      <details open={joined === ''}>
        <summary>{events.length} events</summary>
        <CodeBlock label="the events" text={shown(events.map((event) => `data: ${event}`).join('\n\n'))} />
      </details>
    </>
  )
}

function AnswerHeaders({ outcome: { headers } }: { outcome: ReceivedAnswer }) {
  const interesting = headers.filter(([name]) => HEADERS_OF_INTEREST.test(name))
  return (
    <details class="tried-headers">
      <summary>Headers</summary>
      <dl>
        {interesting.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </details>
  )
}

/** With line breaks, and without the middle of very long texts, such as images. */
function formatted(text: string): string {
  const shorten = (_: string, value: unknown) =>
    typeof value === 'string' && value.length > LONG_TEXT_CHARS
      ? `${value.slice(0, KEPT_CHARS)}… (${value.length} characters)`
      : value
  try {
    return JSON.stringify(JSON.parse(text), shorten, 2)
  } catch {
    return text
  }
}

function shown(text: string): string {
  return text.length <= SHOWN_CHARS ? text : `${text.slice(0, SHOWN_CHARS)}\n… (${text.length} characters in total)`
}
