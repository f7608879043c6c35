import { useState } from 'preact/hooks'
import { TwoSteps } from '../../parts/two-steps.tsx'
import type { Listed, OpenApiDocument } from '../read/document.ts'
import { JSON_TYPE } from '../read/draft.ts'
import { needsKey } from '../read/sample-request.ts'
import { TriedAnswer } from './answer.tsx'
import { CredentialField } from './credential-field.tsx'
import { draftOf, resetDraft } from './drafts.ts'
import { RequestFields } from './request-fields.tsx'
import { type Trial, useTry } from './use-try.ts'

/** Sends real requests to this gateway. */
export function TryIt({ listed, document }: { listed: Listed; document: OpenApiDocument }) {
  const trial = useTry(listed)
  // A field for files can only be emptied by making it anew.
  const [round, setRound] = useState(0)
  const draft = draftOf(listed, document)
  const isForm = draft.type !== undefined && draft.type !== JSON_TYPE
  const reset = () => {
    resetDraft(listed)
    setRound(round + 1)
  }
  const submit = (event: Event) => {
    event.preventDefault()
    if (!trial.isSending && listed.method !== 'DELETE') trial.go(draft)
  }
  return (
    <section class="card try" aria-labelledby="try-title">
      <h2 id="try-title">Try it</h2>
      {needsKey(listed.operation) && <CredentialField isForm={isForm} />}
      <form key={round} class="stack" onSubmit={submit}>
        <RequestFields listed={listed} document={document} draft={draft} />
        <div class="actions">
          <SendButton listed={listed} trial={trial} go={() => trial.go(draft)} />
          <button type="button" class="quiet" onClick={reset}>
            Reset
          </button>
        </div>
      </form>
      <TriedAnswer trial={trial} />
    </section>
  )
}

/** Each button is an element of its own: the click that stops must not submit the form as the button that it becomes. */
function SendButton({ listed, trial, go }: { listed: Listed; trial: Trial; go: () => void }) {
  if (trial.isSending)
    return (
      <button key="stop" type="button" onClick={trial.stop}>
        Stop
      </button>
    )
  if (listed.method === 'DELETE') return <TwoSteps label="Send" sure="Send and delete" onSure={go} />
  return (
    <button key="send" type="submit" class="primary">
      Send
    </button>
  )
}
