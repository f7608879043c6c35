import { useState } from 'preact/hooks'
import type { Member } from '../../../src/contract/admin/members.ts'
import type { Role } from '../../../src/contract/admin/roles.ts'
import { pathTo, sendJson } from '../../api/client.ts'
import { may, mayIn } from '../../api/session.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { useSend } from '../../api/use-send.ts'
import { callAll } from '../../parts/call-all.ts'
import { SelectField } from '../../parts/fields.tsx'
import { Icon } from '../../parts/icons/icon.tsx'
import { Failure, Loading } from '../../parts/notice.tsx'
import { toast } from '../../parts/toast.tsx'
import { TwoSteps } from '../../parts/two-steps.tsx'
import { useProjectNames } from '../../parts/use-names.ts'
import { grantableRoles } from './grantable-roles.ts'
import { FIRST_GRANT, grantOf, RoleFields } from './role-fields.tsx'
import { roleText } from './user-columns.tsx'

type Props = { id: string; onChanged: () => void }

/** A change of roles ends the sessions of the person, so that the next one has the new rights. */
export function UserRoles({ id, onChanged }: Props) {
  const { value, error, reload } = useAnswer('/admin/members', { user: id, limit: 1000 })
  const changed = callAll(reload, onChanged)
  const projectName = useProjectNames()
  return (
    <section>
      <h3>Roles</h3>
      <Failure error={error} onRetry={reload} />
      {!value && !error && <Loading what="roles" />}
      {value?.items.length === 0 && <p class="faint">None, so this account has no access.</p>}
      <ul class="stack">
        {value?.items.map((member) => (
          <li key={member.id}>
            <OneRole of={member} projectName={projectName} onChanged={changed} />
          </li>
        ))}
      </ul>
      {may('members.write') && <AddRole id={id} onChanged={changed} />}
    </section>
  )
}

type RoleProps = { of: Member; projectName: (id: string) => string; onChanged: () => void }

/** A role of an identity provider is ruled there. */
function OneRole({ of: member, projectName, onChanged }: RoleProps) {
  const { id, role, project, source } = member
  const { error, send } = useSend()
  const choices = grantableRoles(member)
  const path = pathTo('/admin/members/{id}', { id })
  const change = (work: () => Promise<unknown>, text: string) =>
    void send(async () => {
      await work()
      toast(text)
      onChanged()
    })
  if (source !== 'manual') return <p>{`${roleText(member, projectName)}, by ${source.toUpperCase()}`}</p>
  if (!mayIn('members.write', member) || !(role in choices)) return <p>{roleText(member, projectName)}</p>
  return (
    <>
      <div class="filters">
        <SelectField
          {...{ label: project ? `In ${projectName(project)}` : 'In the whole organization', value: role, choices }}
          set={(wanted: Role) => change(() => sendJson('PATCH', path, { role: wanted }), `Role changed to ${wanted}.`)}
        />
        <TwoSteps
          {...{ label: 'Remove role', sure: 'Remove this role' }}
          onSure={() => change(() => sendJson('DELETE', path), 'Role removed. Keys and sessions have ended.')}
        />
      </div>
      <Failure error={error} />
    </>
  )
}

function AddRole({ id, onChanged }: Props) {
  const [isOpen, setOpen] = useState(false)
  const [grant, setGrant] = useState(FIRST_GRANT)
  const { error, send } = useSend()
  const add = (event: SubmitEvent) => {
    event.preventDefault()
    void send(async () => {
      await sendJson('POST', '/admin/members', { user: id, ...grantOf(grant) })
      setOpen(false)
      onChanged()
    })
  }
  if (!isOpen)
    return (
      <button type="button" onClick={() => setOpen(true)}>
        <Icon name="add" /> Add role
      </button>
    )
  return (
    <form class="filters" onSubmit={add}>
      <RoleFields grant={grant} set={setGrant} />
      <button type="submit">Add role</button>
      <Failure error={error} />
    </form>
  )
}
