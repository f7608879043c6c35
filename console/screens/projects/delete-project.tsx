import { ApiError, pathTo, sendJson } from '../../api/client.ts'
import { useSend } from '../../api/use-send.ts'
import { Failure } from '../../parts/notice.tsx'
import { toast } from '../../parts/toast.tsx'
import { TwoSteps } from '../../parts/two-steps.tsx'

type Props = { id: string; name: string; onRemoved: () => void }

/** While jobs run the gateway refuses it. Only then giving them up is offered. */
export function DeleteProject({ id, name, onRemoved }: Props) {
  const { error, send } = useSend()
  const remove = (force?: true) =>
    void send(async () => {
      await sendJson('DELETE', pathTo('/admin/projects/{project}', { project: id }, { force }))
      toast(`${name} is deleted.`)
      onRemoved()
    })
  const hasJobs = error instanceof ApiError && error.status === 409
  return (
    <section>
      <h3>Delete</h3>
      <p class="faint">
        Revokes its keys and deletes its files, responses, conversations and jobs. What it has spent stays in the
        ledger. The id cannot be used again.
      </p>
      <Failure error={error} />
      {hasJobs ? (
        <TwoSteps label="Delete it anyway" sure="Give up its jobs and delete it" onSure={() => remove(true)} />
      ) : (
        <TwoSteps label="Delete this project" sure="Delete it for good" onSure={() => remove()} />
      )}
    </section>
  )
}
