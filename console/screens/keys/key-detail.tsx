import { useLocation } from 'preact-iso/router'
import type { CreatedKey, KeySummary } from '../../../src/contract/admin/keys.ts'
import { pathTo, pathWith } from '../../api/client.ts'
import { may } from '../../api/session.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { type Action, ActionBar } from '../../parts/action-bar.tsx'
import { callAll } from '../../parts/call-all.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { FactGroups } from '../../parts/facts.tsx'
import { moment } from '../../parts/format.ts'
import { Failure, Loading } from '../../parts/notice.tsx'
import { usePeople, useProjectNames } from '../../parts/use-names.ts'
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
    <Dialog title={renewed ? 'New secret' : (key?.name ?? 'Key')} isDrawer onClose={close}>
      <Failure error={error} onRetry={reload} />
      {!key && !error && <Loading what="the key" />}
      {renewed && <ClientSettings created={renewed} onDone={done} />}
      {key && !renewed && <Parts of={key} onRenewed={setRenewed} onChanged={changed} />}
    </Dialog>
  )
}

type PartsProps = { of: KeySummary; onRenewed: (key: CreatedKey) => void; onChanged: () => void }

function Parts({ of: key, onRenewed, onChanged }: PartsProps) {
  const { id, name } = key
  const isChangeable = may('keys.write') && !key.revoked_at
  const actions: readonly Action[] = [
    { title: 'Rotate secret', icon: 'refresh', form: <RotateKey id={id} onRenewed={onRenewed} /> },
    { title: 'Record requests', icon: 'record', form: <RecordKey id={id} onChanged={onChanged} /> },
    { title: 'Revoke', icon: 'revoke', isDanger: true, form: <RevokeKey {...{ id, name, onChanged }} /> },
  ]
  return (
    <>
      <ActionBar actions={isChangeable ? actions : []} links={linksTo(key)} />
      <KeyFacts of={key} />
      <h3>Limits</h3>
      <KeyLimits of={key} />
    </>
  )
}

function linksTo({ id }: KeySummary): Readonly<Record<string, string>> {
  return {
    'View requests': pathWith('/requests', { key: id, last: '30d' }),
    'View usage': pathWith('/usage', { key: id }),
  }
}

function KeyFacts({ of: key }: { of: KeySummary }) {
  const people = usePeople()
  const projectName = useProjectNames()
  const groups = {
    Key: {
      State: <KeyState of={key} />,
      Project: projectName(key.project),
      User: key.user && (people.get(`user:${key.user}`) ?? people.get(`service:${key.user}`) ?? key.user),
      Kind: key.kind,
      'Ends with': `…${key.last4}`,
      ID: key.id,
    },
    Access: {
      Scopes: scopesText(key.scopes),
      Region: key.region,
      Networks: key.allowed_ips?.join(', ') ?? 'all',
    },
    Activity: {
      Created: moment(key.created_at),
      'Last used': key.last_used_at ? moment(key.last_used_at) : 'never',
      Expires: key.expires_at ? moment(key.expires_at) : 'never',
      'Old secret until': key.former_valid_until && moment(key.former_valid_until),
      Recording: key.recording && recordingText(key.recording),
      Revoked: key.revoked_at && moment(key.revoked_at),
    },
  }
  return <FactGroups of={groups} />
}
