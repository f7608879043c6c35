import { useState } from 'preact/hooks'
import { sendJson } from '../../api/client.ts'
import { useSend } from '../../api/use-send.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Failure } from '../../parts/notice.tsx'
import { toast } from '../../parts/toast.tsx'
import { EMPTY_PROJECT, requestOf } from './project-draft.ts'
import { ProjectFields } from './project-fields.tsx'

type Props = { onClose: () => void; onCreated: () => void }

export function CreateProject({ onClose, onCreated }: Props) {
  const [draft, setDraft] = useState(EMPTY_PROJECT)
  const { error, isSending, send } = useSend()
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    void send(async () => {
      const { name } = await sendJson('POST', '/admin/projects', requestOf(draft))
      toast(`${name} created. Next: create its first key.`)
      onCreated()
      onClose()
    })
  }
  return (
    <Dialog title="New project" onClose={onClose}>
      <form class="stack" onSubmit={submit}>
        <ProjectFields
          draft={draft}
          set={(changes) => setDraft((was) => ({ ...was, ...changes }))}
          isNew
          isOfOrganization
        />
        <Failure error={error} />
        <button type="submit" class="primary" disabled={isSending}>
          Create project
        </button>
      </form>
    </Dialog>
  )
}
