import type { ComponentChildren, ComponentProps } from 'preact'
import { useState } from 'preact/hooks'
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

function AccountInput({ label, ...field }: AccountField) {
  return (
    <label>
      {label}
      <input {...field} required />
      {field.minLength && <small>At least {field.minLength} characters.</small>}
    </label>
  )
}
