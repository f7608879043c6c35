import { useLocation } from 'preact-iso/router'
import type { CreatedKey, KeySummary } from '../../../src/contract/admin/keys.ts'
import { pathTo, pathWith } from '../../api/client.ts'
import { may } from '../../api/session.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { callAll } from '../../parts/call-all.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Facts } from '../../parts/facts.tsx'
import { moment } from '../../parts/format.ts'
import { Failure, Loading } from '../../parts/notice.tsx'
import { useQuery } from '../../parts/use-query.ts'
import { useState } from 'preact/hooks'
import { ClientSettings } from './client-settings.tsx'
import { KeyState, scopesText } from './columns.tsx'
import { KeyLimits } from './key-limits.tsx'
import { RevokeKey, RotateKey } from './change-key.tsx'
import { RecordKey, recordingText } from './record-key.tsx'

type Props = { id: string; listed: KeySummary | undefined; onChanged: () => void }

/** A key that is not on the pages of the list is asked for. */
export function KeyDetail({ id, listed, onChanged }: Props) {
  const { route } = useLocation()
  const [renewed, setRenewed] = useState<CreatedKey>()
  const { value, error, reload } = useAnswer(listed ? undefined : pathTo('/admin/keys/{id}', { id }))
  const key = listed ?? value
  const { query } = useQuery()
  const close = () => route(pathWith('/keys', { ...query, key: undefined }))
  // One that the list does not have is asked for again.
  const changed = callAll(onChanged, reload)
  const done = callAll(() => setRenewed(undefined), changed)
  return (
    <Dialog title={renewed ? 'The new secret' : (key?.name ?? 'Key')} isDrawer onClose={close}>
      <Failure error={error} onRetry={reload} />
      {!key && !error && <Loading what="the key" />}
      {renewed && <ClientSettings created={renewed} onDone={done} />}
      {key && !renewed && <Parts of={key} onRenewed={setRenewed} onChanged={changed} />}
    </Dialog>
  )
}

type PartsProps = { of: KeySummary; onRenewed: (key: CreatedKey) => void; onChanged: () => void }

function Parts({ of: key, onRenewed, onChanged }: PartsProps) {
  const isChangeable = may('keys.write') && !key.revoked_at
  return (
    <>
      <KeyFacts of={key} />
      <p class="links-line">
        <a href={pathWith('/requests', { key: key.id, last: '30d' })}>Its requests</a>
        <a href={pathWith('/usage', { key: key.id })}>Its usage</a>
      </p>
      <h3>Limits that apply to it</h3>
      <KeyLimits of={key} />
      {isChangeable && <RecordKey id={key.id} onChanged={onChanged} />}
      {isChangeable && <RotateKey id={key.id} onRenewed={onRenewed} />}
      {isChangeable && <RevokeKey id={key.id} name={key.name} onChanged={onChanged} />}
    </>
  )
}

function KeyFacts({ of: key }: { of: KeySummary }) {
  const facts = {
    State: <KeyState of={key} />,
    Project: key.project,
    Kind: key.kind,
    'May use': scopesText(key.scopes),
    Region: key.region,
    Networks: key.allowed_ips?.join(', ') ?? 'all',
    User: key.user,
    Created: moment(key.created_at),
    'Last used': key.last_used_at ? moment(key.last_used_at) : 'never',
    Expires: key.expires_at ? moment(key.expires_at) : 'never',
    'Old secret until': key.former_valid_until && moment(key.former_valid_until),
    Recorded: key.recording && recordingText(key.recording),
    Revoked: key.revoked_at && moment(key.revoked_at),
    'Ends with': `…${key.last4}`,
    Id: key.id,
  }
  return <Facts of={facts} />
}
