import type { LimitBody } from '../../../src/contract/admin/limits.ts'
import { pathTo, sendJson } from '../../api/client.ts'
import { useSend } from '../../api/use-send.ts'
import { limitAmount } from '../../parts/limit-amounts.ts'
import { Failure } from '../../parts/notice.tsx'
import { toast } from '../../parts/toast.tsx'
import type { Action } from '../../parts/action-bar.tsx'
import { ConfirmStep } from '../../parts/confirm-step.tsx'
import { Increase } from './increase.tsx'
import type { LimitKind } from './kinds.ts'

type Props = { kind: LimitKind; limit: LimitBody; onEdit: () => void; onChanged: () => void; onRemoved: () => void }

/** What can be done with a limit. One of the config file can only be changed there; what was counted can be taken back anyway. */
export function changesOffered({ kind, limit, onEdit, onChanged, onRemoved }: Props): (Action | false)[] {
  const { id, spent, lost, unit, owned_by: owner } = limit
  const isOfFile = owner === 'file'
  const post = (action: 'reset' | 'release') => () =>
    sendJson('POST', pathTo(`${kind.path}/{limit_id}/${action}`, { limit_id: id })).then(onChanged)
  const remove = () => sendJson('DELETE', pathTo(`${kind.path}/{limit_id}`, { limit_id: id })).then(onRemoved)
  return [
    !isOfFile && { title: 'Edit', icon: 'edit', run: onEdit },
    !isOfFile && {
      title: 'Temporary increase',
      icon: 'raise',
      form: <Increase kind={kind} limit={limit} onChanged={onChanged} />,
    },
    spent > 0 && {
      title: 'Reset spend',
      icon: 'refresh',
      form: (
        <Change
          text={`The current period starts again at zero: ${limitAmount(unit, spent)} are no longer counted.`}
          {...{ sure: 'Reset to zero', done: 'The current period starts at zero.', work: post('reset') }}
        />
      ),
    },
    lost > 0 && {
      title: 'Release stuck reservations',
      icon: 'refresh',
      form: (
        <Change
          text={`${limitAmount(unit, lost)} are reserved by processes that no longer run.`}
          {...{ sure: `Release ${limitAmount(unit, lost)}`, done: 'Reservations released.', work: post('release') }}
        />
      ),
    },
    !isOfFile && {
      title: 'Delete',
      icon: 'remove',
      isDanger: true,
      form: (
        <Change
          text={`Deletes this ${kind.word}. This cannot be undone.`}
          {...{ sure: `Delete ${kind.word}`, done: 'Deleted.', work: remove }}
        />
      ),
    },
  ]
}

type ChangeProps = { text: string; sure: string; done: string; work: () => Promise<unknown> }

function Change({ text, sure, done, work }: ChangeProps) {
  const { error, send } = useSend()
  const run = () =>
    send(async () => {
      await work()
      toast(done)
    })
  return (
    <>
      <Failure error={error} />
      <ConfirmStep text={text} sure={sure} onSure={() => void run()} />
    </>
  )
}
