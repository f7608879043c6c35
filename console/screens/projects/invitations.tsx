import type { Invitation } from '../../../src/contract/admin/members.ts'
import { pathTo, sendJson } from '../../api/client.ts'
import { may, mayIn } from '../../api/session.ts'
import { type Pages, usePages } from '../../api/use-pages.ts'
import { moment } from '../../parts/format.ts'
import { Icon } from '../../parts/icons/icon.tsx'
import { Empty } from '../../parts/notice.tsx'
import type { Column } from '../../parts/table/column.ts'
import { PagedTable } from '../../parts/table/paged-table.tsx'
import { toast } from '../../parts/toast.tsx'
import { useDialog } from '../../parts/use-query.ts'
import { Invite } from './invite.tsx'
import { roleText } from './user-columns.tsx'

export function Invitations({ projectName }: { projectName: (id: string) => string }) {
  const pages = usePages('/admin/invitations', {})
  const invite = useDialog('invitation')
  return (
    <section>
      <header class="section-head">
        <h2>Invitations</h2>
        {may('members.write') && (
          <button type="button" class="primary" onClick={invite.open}>
            <Icon name="add" /> Invite
          </button>
        )}
      </header>
      <PagedTable
        label="Invitations"
        columns={columnsFor(pages, projectName)}
        keyOf={({ id }) => id}
        pages={pages}
        noun="invitation"
      >
        <Empty title="No open invitations">
          {may('members.write') &&
            'An invitation is a link that works once. You send it yourself: the gateway sends no e-mail.'}
        </Empty>
      </PagedTable>
      {invite.isOpen && may('members.write') && <Invite onClose={invite.close} onInvited={pages.reload} />}
    </section>
  )
}

function columnsFor({ reload }: Pages<Invitation>, projectName: (id: string) => string): readonly Column<Invitation>[] {
  return [
    { name: 'email', title: 'E-mail', cell: ({ email }) => email },
    { name: 'role', title: 'Role', cell: (one) => roleText(one, projectName) },
    { name: 'state', title: 'State', cell: (one) => <State of={one} /> },
    { name: 'created', title: 'Invited', cell: ({ created_at }) => moment(created_at) },
    { name: 'withdraw', title: 'Withdraw', cell: (one) => <Withdraw of={one} onDone={reload} /> },
  ]
}

function isOpen({ used_at: used, expires_at: end }: Invitation): boolean {
  return !used && Date.parse(end) > Date.now()
}

function State({ of: invitation }: { of: Invitation }) {
  const { used_at: used, expires_at: end } = invitation
  if (used) return <span>used {moment(used)}</span>
  return isOpen(invitation) ? <span>open until {moment(end)}</span> : <span class="faint">ended {moment(end)}</span>
}

function Withdraw({ of: invitation, onDone }: { of: Invitation; onDone: () => void }) {
  if (!isOpen(invitation) || !mayIn('members.write', invitation)) return null
  const withdraw = () =>
    sendJson('DELETE', pathTo('/admin/invitations/{id}', { id: invitation.id })).then(onDone, (error: Error) =>
      toast(error.message, 'bad'),
    )
  return (
    <button type="button" class="small" onClick={() => void withdraw()}>
      Withdraw<span class="sr-only"> the invitation of {invitation.email}</span>
    </button>
  )
}
