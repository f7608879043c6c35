import { useState } from 'preact/hooks'
import type { McpServerBody } from '../../../src/contract/admin/mcp-servers.ts'
import { pathTo, sendJson } from '../../api/client.ts'
import { useSend } from '../../api/use-send.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { TextField } from '../../parts/fields.tsx'
import { Failure } from '../../parts/notice.tsx'
import { toast } from '../../parts/toast.tsx'
import { AvailableField } from './available-field.tsx'
import { changesOf, draftOf, EMPTY_SERVER, requestOf, type ServerDraft } from './server-draft.ts'

type Props = { before?: McpServerBody; onClose: () => void; onChanged: () => void }
type FieldOf = (name: Exclude<keyof ServerDraft, 'appliesTo'>) => { value: string; set: (value: string) => void }

export function EditServer({ before, onClose, onChanged }: Props) {
  const [draft, setDraft] = useState<ServerDraft>(() => (before ? draftOf(before) : EMPTY_SERVER))
  const { error, isSending, send } = useSend()
  const change = (changes: Partial<ServerDraft>) => setDraft((was) => ({ ...was, ...changes }))
  const field: FieldOf = (name) => ({ value: draft[name], set: (value) => change({ [name]: value }) })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    void send(async () => {
      await (before
        ? sendJson('PATCH', pathTo('/admin/mcp/servers/{server_name}', { server_name: before.name }), changesOf(draft))
        : sendJson('POST', '/admin/mcp/servers', requestOf(draft)))
      toast(`${draft.name} ${before ? 'saved' : 'added'}.`)
      onChanged()
      onClose()
    })
  }
  return (
    <Dialog title={before ? `Edit ${before.name}` : 'New MCP server'} onClose={onClose}>
      <form class="stack" onSubmit={submit}>
        {!before && <TextField label="Name" isRequired maxLength={32} placeholder="tickets" {...field('name')} />}
        <TextField label="Address" isRequired placeholder="https://mcp.example.com/mcp" {...field('url')} />
        <MoreFields field={field} hasCredential={before?.has_credential ?? false} />
        <AvailableField holders={draft.appliesTo} set={(appliesTo) => change({ appliesTo })} />
        <Failure error={error} />
        <button type="submit" class="primary" disabled={isSending}>
          {before ? 'Save' : 'Add server'}
        </button>
      </form>
    </Dialog>
  )
}

function MoreFields({ field, hasCredential }: { field: FieldOf; hasCredential: boolean }) {
  const credential = hasCredential ? 'New credential (unchanged if empty)' : 'Credential (stored encrypted)'
  return (
    <div class="form-grid">
      <TextField {...{ label: credential, type: 'password', autoComplete: 'off', ...field('credential') }} />
      <TextField label="Header (bearer token if empty)" placeholder="X-Api-Key" {...field('header')} />
      <TextField label="Allowed tools (all if empty)" placeholder="find count" {...field('allow')} />
      <TextField label="Denied tools" placeholder="delete" {...field('deny')} />
      <TextField label="Price per call, USD" type="number" {...field('price')} />
      <TextField label="Timeout, seconds" type="number" {...field('timeout')} />
    </div>
  )
}
