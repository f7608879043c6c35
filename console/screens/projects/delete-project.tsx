import { ApiError, pathTo, sendJson } from '../../api/client.ts'
import { useSend } from '../../api/use-send.ts'
import { ConfirmStep } from '../../parts/confirm-step.tsx'
import { Failure } from '../../parts/notice.tsx'
import { toast } from '../../parts/toast.tsx'

type Props = { id: string; name: string; onRemoved: () => void }

/** While jobs run the gateway refuses it. Only then giving them up is offered. */
export function DeleteProject({ id, name, onRemoved }: Props) {
  const { error, send } = useSend()
  const remove = (force?: true) =>
    void send(async () => {
      await sendJson('DELETE', pathTo('/admin/projects/{project}', { project: id }, { force }))
      toast(`${name} deleted.`)
      onRemoved()
    })
  const hasJobs = error instanceof ApiError && error.status === 409
  return (
    <>
      <Failure error={error} />
      <ConfirmStep
        text="Revokes the keys of the project, and deletes its files, responses, conversations and jobs. Its usage stays in the
          ledger. The id cannot be used again."
        {...(hasJobs
          ? { sure: 'Cancel jobs and delete project', onSure: () => remove(true) }
          : { sure: 'Delete project', onSure: () => remove() })}
      />
    </>
  )
}
