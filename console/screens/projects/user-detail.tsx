import { useLocation } from 'preact-iso/router'
import type { User } from '../../../src/contract/admin/people.ts'
import { pathTo, pathWith, sendJson } from '../../api/client.ts'
import { may, mayIn, me } from '../../api/session.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { useSend } from '../../api/use-send.ts'
import { ActionBar } from '../../parts/action-bar.tsx'
import { ApplyingLimits } from '../../parts/applying-limits.tsx'
import { callAll } from '../../parts/call-all.ts'
import { ConfirmStep } from '../../parts/confirm-step.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Facts } from '../../parts/facts.tsx'
import { moment } from '../../parts/format.ts'
import { Failure, Loading } from '../../parts/notice.tsx'
import { toast } from '../../parts/toast.tsx'
import { useQuery } from '../../parts/use-query.ts'
import { signInText, UserState } from './user-columns.tsx'
import { UserRoles } from './user-roles.tsx'
import { UserSessions } from './user-sessions.tsx'
import { UserTokens } from './user-tokens.tsx'

type Props = { id: string; onChanged: () => void }

export function UserDetail({ id, onChanged }: Props) {
  const { route } = useLocation()
  const { query } = useQuery()
  const { value: user, error, reload } = useAnswer(pathTo('/admin/users/{id}', { id }))
  const close = () => route(pathWith('/projects', { ...query, user: undefined }))
  const changed = callAll(reload, onChanged)
  const removed = callAll(onChanged, close)
  return (
    <Dialog title={user?.name ?? 'User'} isDrawer onClose={close}>
      <Failure error={error} onRetry={reload} />
      {!user && !error && <Loading what="the user" />}
      {user && mayIn('users.write', { organization: user.organization }) && id !== me.value?.id && (
        <ChangeUser of={user} onChanged={changed} onRemoved={removed} />
      )}
      {user && <UserFacts of={user} />}
      <UserRoles id={id} onChanged={changed} />
      <UserLimits id={id} />
      {may('usage.read') && <UserSessions id={id} />}
      {user?.kind === 'service' && mayIn('users.write', { organization: user.organization }) && (
        <UserTokens user={user} />
      )}
    </Dialog>
  )
}

function UserFacts({ of: user }: { of: User }) {
  const facts = {
    State: <UserState of={user} />,
    'E-mail': user.email,
    Kind: user.kind === 'service' ? 'service account' : 'person',
    'Signs in with': signInText(user),
    'Last signed in': user.last_seen_at ? moment(user.last_seen_at) : 'never',
    Created: moment(user.created_at),
    Disabled: user.disabled_at && moment(user.disabled_at),
    ID: user.id,
  }
  return <Facts of={facts} />
}

function UserLimits({ id }: { id: string }) {
  const { value, error, reload } = useAnswer(pathTo('/admin/users/{id}/limits', { id }))
  return (
    <section>
      <h3>Limits</h3>
      <Failure error={error} onRetry={reload} />
      {value ? <ApplyingLimits limits={value.items} what="this account" /> : !error && <Loading what="limits" />}
    </section>
  )
}

type ChangeProps = { of: User; onChanged: () => void; onRemoved: () => void }

const ENABLE = { text: 'Revoked keys stay revoked.', sure: 'Enable account', isHarmless: true }
const ENDS = 'Sessions and tokens end immediately, and keys are revoked within five seconds.'
const DISABLE = { text: ENDS, sure: 'Disable account' }
const DELETE = { text: `${ENDS} This cannot be undone.`, sure: 'Delete account' }

/** People must not lock themselves out, so this is not offered for the own account. */
function ChangeUser({ of: { id, name, disabled_at: disabled }, onChanged, onRemoved }: ChangeProps) {
  const { error, send } = useSend()
  const path = pathTo('/admin/users/{id}', { id })
  const able = () =>
    send(async () => {
      await sendJson('PATCH', path, { disabled: !disabled })
      toast(disabled ? `${name} enabled. Revoked keys stay revoked.` : `${name} disabled.`)
      onChanged()
    })
  const remove = () =>
    send(async () => {
      await sendJson('DELETE', path)
      toast(`${name} deleted.`)
      onRemoved()
    })
  return (
    <>
      <Failure error={error} />
      <ActionBar
        actions={[
          disabled
            ? { title: 'Enable', icon: 'done', form: <ConfirmStep {...ENABLE} onSure={() => void able()} /> }
            : {
                title: 'Disable',
                icon: 'revoke',
                isDanger: true,
                form: <ConfirmStep {...DISABLE} onSure={() => void able()} />,
              },
          {
            title: 'Delete',
            icon: 'remove',
            isDanger: true,
            form: <ConfirmStep {...DELETE} onSure={() => void remove()} />,
          },
        ]}
      />
    </>
  )
}
