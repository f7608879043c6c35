import { useState } from 'preact/hooks'
import type { LimitBody } from '../../../src/contract/admin/limits.ts'
import { pathTo, sendJson } from '../../api/client.ts'
import { useSend } from '../../api/use-send.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Failure } from '../../parts/notice.tsx'
import { toast } from '../../parts/toast.tsx'
import type { HolderKind } from '../../parts/holder-name.ts'
import type { Holders } from './holders.ts'
import type { LimitKind } from './kinds.ts'
import { changesOf, draftOf, emptyDraft, type LimitDraft, requestOf } from './limit-draft.ts'
import { holderChoices, MainFields, MoreFields } from './limit-fields.tsx'
import { Simulate } from './simulate.tsx'

type Props = {
  kind: LimitKind
  holders: Holders
  /** The limit to change. Absent for a new one. */
  before?: LimitBody
  onClose: () => void
  onSaved: () => void
}

export function EditLimit({ kind, holders, before, onClose, onSaved }: Props) {
  const [draft, setDraft] = useState<LimitDraft>(() => (before ? draftOf(before) : firstDraft(kind, holders)))
  const { error, isSending, send } = useSend()
  const set = (changes: Partial<LimitDraft>) => setDraft((was) => ({ ...was, ...changes }))
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    void send(async () => {
      const { id, name } = await save(draft, kind, before)
      toast(before ? `${name ?? id} saved.` : `${name ?? id} created.`)
      onSaved()
      onClose()
    })
  }
  return (
    <Dialog title={before ? `Edit ${before.name ?? before.id}` : `New ${kind.word}`} onClose={onClose}>
      <form class="stack" onSubmit={submit}>
        <MainFields draft={draft} set={set} kind={kind} holders={holders} />
        <MoreFields draft={draft} set={set} isNew={!before} />
        <Simulate
          {...{ path: kind.path, unit: draft.unit, isReady: draft.limit !== '' }}
          request={() => requestOf({ ...draft, id: '' }, kind)}
        />
        <Failure error={error} />
        <button type="submit" class="primary" disabled={isSending}>
          {before ? 'Save' : `Create ${kind.word}`}
        </button>
      </form>
    </Dialog>
  )
}

function firstDraft(kind: LimitKind, holders: Holders): LimitDraft {
  const [first = 'key'] = Object.keys(holderChoices(holders)) as HolderKind[]
  return emptyDraft(kind, first)
}

function save(draft: LimitDraft, kind: LimitKind, before: LimitBody | undefined): Promise<LimitBody> {
  if (!before) return sendJson('POST', kind.path, requestOf(draft, kind))
  return sendJson('PATCH', pathTo(`${kind.path}/{limit_id}`, { limit_id: before.id }), changesOf(draft, kind))
}
