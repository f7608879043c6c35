import type { ComponentChildren } from 'preact'
import { ApiError } from '../api/client.ts'

/** Why something did not work, with every field that was wrong. */
export function Failure({ error, onRetry }: { error: Error | undefined; onRetry?: () => void }) {
  if (!error) return null
  // One issue alone is the message already.
  const issues = error instanceof ApiError ? error.issues.filter(({ msg }) => !error.message.includes(msg)) : []
  return (
    <div class="notice bad" role="alert">
      <p>{error.message}</p>
      {issues.length > 0 && (
        <ul>
          {issues.map(({ loc, msg }) => (
            <li key={loc.join('.')}>
              <code>{loc.slice(1).join('.')}</code>: {msg}
            </li>
          ))}
        </ul>
      )}
      {onRetry && (
        <button type="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  )
}

export function Loading({ what }: { what: string }) {
  return (
    <p class="loading" role="status">
      Loading {what}…
    </p>
  )
}

/** For a person who may see a call, a job or a webhook, and not what is in it. */
export function ContentsRefused() {
  return (
    <p class="faint">
      You don't have access to this content. Owners and admins have it, members for their own keys, and managers if the
      settings of the project allow it.
    </p>
  )
}

/** A list without entries says how it gets its first one. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <section class="empty">
      <h2>{title}</h2>
      {children}
    </section>
  )
}
