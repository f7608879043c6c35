import type { RequestContent } from '../../../../src/contract/admin/content.ts'
import { CodeBlock } from '../../../parts/code-block.tsx'
import { moment } from '../../../parts/format.ts'
import { leftOut } from './left-out.ts'
import { type Turn, turnsOf } from './turns.ts'

const MODES = {
  redacted: 'Personal data was replaced by placeholders before the content was kept.',
  full: 'Kept as it was sent.',
}

export function KeptContent({ content }: { content: RequestContent }) {
  const { mode, expires_at: end, request, answer, status, code } = content
  return (
    <>
      <p class="faint">
        {MODES[mode]} Deleted on {moment(end)}.
      </p>
      <LeftOut sentences={leftOut(request, answer)} />
      <Side title="Request" value={request} />
      {answer === null ? (
        <p class="faint">No answer was kept. Status: {[status, code].filter(Boolean).join(', ')}.</p>
      ) : (
        <Side title="Answer" value={answer} />
      )}
    </>
  )
}

function LeftOut({ sentences }: { sentences: readonly string[] }) {
  if (sentences.length === 0) return null
  return (
    <ul class="notice">
      {sentences.map((sentence) => (
        <li key={sentence}>{sentence}</li>
      ))}
    </ul>
  )
}

/** Readable if it is a conversation; in any case as JSON. */
function Side({ title, value }: { title: string; value: unknown }) {
  const turns = turnsOf(value)
  return (
    <section aria-label={title}>
      <h4>{title}</h4>
      <ol class="turns">
        {turns.map((turn, at) => (
          <TurnParts key={at} turn={turn} />
        ))}
      </ol>
      <details open={turns.length === 0}>
        <summary>{title} as JSON</summary>
        <CodeBlock label={`the ${title.toLowerCase()}`} text={JSON.stringify(value, null, 2)} />
      </details>
    </section>
  )
}

function TurnParts({ turn: { role, parts } }: { turn: Turn }) {
  return (
    <li>
      <strong>{role}</strong>
      {parts.map(({ title, text }, at) => (
        <div key={at} class={title === undefined ? 'said' : 'said framed'}>
          {title !== undefined && <span class="faint">{title}</span>}
          <div class="said-text">{text}</div>
        </div>
      ))}
    </li>
  )
}
