import type { ComponentChildren, ComponentProps } from 'preact'
import { useId, useState } from 'preact/hooks'
import { type BodyOf, sendJson } from '../../api/client.ts'
import { Failure } from '../../parts/notice.tsx'

export type AccountField = ComponentProps<'input'> & { name: string; label: string; minLength?: number }

type SessionPath = '/admin/sessions' | '/admin/setup' | '/admin/invitations/accept'

type Props = {
  title: string
  fields: readonly AccountField[]
  /** Where the fields are sent, and what is sent with them. */
  path: SessionPath
  extra?: Record<string, string>
  next: string
  children?: ComponentChildren
}

/** A form that ends with a session. The page is loaded anew then, so that nothing of the former session stays. */
export function AccountForm({ title, fields, path, extra, next, children }: Props) {
  const [error, setError] = useState<Error>()
  const [isBusy, setBusy] = useState(false)
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    setBusy(true)
    setError(undefined)
    const typed = Object.fromEntries(new FormData(event.currentTarget as HTMLFormElement))
    // The form has the fields that the endpoint asks for; the gateway checks them.
    const body = { ...typed, ...extra } as BodyOf<'POST', SessionPath>
    await sendJson('POST', path, body).then(() => location.assign(next), setError)
    setBusy(false)
  }
  return (
    <form class="stack" onSubmit={submit}>
      {fields.map((field) => (
        <AccountInput key={field.name} {...field} />
      ))}
      <Failure error={error} />
      <button type="submit" class="primary" disabled={isBusy}>
        {title}
      </button>
      {children}
    </form>
  )
}

type Entered = { currentTarget: HTMLInputElement; preventDefault: () => void }

/** What is wrong is said below the field: the bubble of the browser would cover the hint and the button. */
function AccountInput({ label, ...field }: AccountField) {
  const id = useId()
  const [problem, setProblem] = useState('')
  const refuse = (event: Entered) => {
    event.preventDefault()
    const input = event.currentTarget
    setProblem(problemWith(input, label))
    if (input.form?.querySelector(':invalid') === input) input.focus()
  }
  const type = ({ currentTarget: input }: Entered) =>
    setProblem((before) => (before && !input.validity.valid ? problemWith(input, label) : ''))
  const hint = problem || (field.minLength ? `At least ${field.minLength} characters.` : '')
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        {...field}
        {...{ id, required: true, 'aria-invalid': problem !== '' }}
        aria-describedby={hint ? `${id}-hint` : undefined}
        onInvalid={refuse}
        onInput={type}
      />
      {hint && (
        <small id={`${id}-hint`} class={problem ? 'status bad' : ''} role={problem ? 'alert' : undefined}>
          {hint}
        </small>
      )}
    </div>
  )
}

function problemWith({ validity, minLength, value }: HTMLInputElement, label: string): string {
  if (validity.tooShort) return `At least ${minLength} characters; these are ${value.length}.`
  if (validity.typeMismatch) return 'Enter an e-mail address, such as you@example.com.'
  return `${label} is required.`
}
