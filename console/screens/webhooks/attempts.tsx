import type { DeliveryRecord } from '../../../src/contract/admin/deliveries.ts'
import { CodeBlock } from '../../parts/code-block.tsx'
import { duration, moment } from '../../parts/format.ts'
import { Status } from '../../parts/status.tsx'

type Attempt = DeliveryRecord['attempt_list'][number]

/** Newest first, each with the headers that it was sent with, which have its signatures. */
export function DeliveryAttempts({ attempts }: { attempts: readonly Attempt[] }) {
  if (attempts.length === 0) return <p class="faint">Not sent yet.</p>
  return (
    <ol class="attempts">
      {attempts.map((attempt) => (
        <li key={attempt.at}>
          <AttemptParts attempt={attempt} />
        </li>
      ))}
    </ol>
  )
}

function AttemptParts({ attempt: { at, status, error, duration_ms: ms, answer, headers } }: { attempt: Attempt }) {
  return (
    <>
      {status === null ? <span class="status bad">no answer</span> : <Status status={status} code={null} />}{' '}
      <span class="faint">
        {moment(at)}, {duration(ms)}
      </span>
      {error && <div class="reason">{error}</div>}
      {headers && (
        <details>
          <summary>Headers and signatures</summary>
          <CodeBlock label="the headers" text={headerLines(headers)} />
        </details>
      )}
      {answer && (
        <details open>
          <summary>Start of the answer</summary>
          <CodeBlock label="the answer" text={answer} />
        </details>
      )}
    </>
  )
}

export function headerLines(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')
}
