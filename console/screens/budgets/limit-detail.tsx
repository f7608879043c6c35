import { useState } from 'preact/hooks'
import type { LimitBody } from '../../../src/contract/admin/limits.ts'
import { pathTo } from '../../api/client.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { ActionBar } from '../../parts/action-bar.tsx'
import { callAll } from '../../parts/call-all.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { FactGroups } from '../../parts/facts.tsx'
import { moment, share } from '../../parts/format.ts'
import { limitAmount, limitText } from '../../parts/limit-amounts.ts'
import { LimitBar, LimitPace } from '../../parts/limit-bar.tsx'
import { Failure, Loading } from '../../parts/notice.tsx'
import { useQuery } from '../../parts/use-query.ts'
import { Buckets } from './buckets.tsx'
import { changesOffered } from './change-limit.tsx'
import { limitName, originOf, restrictionsOf, whomText } from './columns.tsx'
import { EditLimit } from './edit-limit.tsx'
import { type Holders, mayChange } from './holders.ts'
import type { LimitKind } from './kinds.ts'
import { draftOf, requestOf } from './limit-draft.ts'
import { Simulate } from './simulate.tsx'

type Props = { kind: LimitKind; id: string; holders: Holders; onChanged: () => void }

export function LimitDetail({ kind, id, holders, onChanged }: Props) {
  const { change } = useQuery()
  const [isEditing, setEditing] = useState(false)
  const { value: limit, error, reload } = useAnswer(pathTo(`${kind.path}/{limit_id}`, { limit_id: id }))
  const close = () => change({ [kind.parameter]: undefined })
  const changed = callAll(reload, onChanged)
  const removed = callAll(onChanged, close)
  const actionsOf = (shown: LimitBody) => [
    ...(mayChange(shown, holders)
      ? changesOffered({ kind, limit: shown, onEdit: () => setEditing(true), onChanged: changed, onRemoved: removed })
      : []),
    { title: 'Simulate on past traffic', icon: 'usage', form: <Simulation kind={kind} limit={shown} /> } as const,
  ]
  if (limit && isEditing)
    return (
      <EditLimit kind={kind} holders={holders} before={limit} onClose={() => setEditing(false)} onSaved={changed} />
    )
  return (
    <Dialog title={limit ? limitName(limit) : id} isDrawer onClose={close}>
      <Failure error={error} onRetry={reload} />
      {!limit && !error && <Loading what={`the ${kind.word}`} />}
      {limit && <ActionBar actions={actionsOf(limit)} />}
      {limit?.owned_by === 'file' && (
        <p class="notice">
          This {kind.word} is set in the config file. Change it there, then reload the configuration.
        </p>
      )}
      {limit && <LimitFacts limit={limit} holders={holders} />}
      {limit && <Buckets limit={limit} holders={holders} />}
    </Dialog>
  )
}

function Simulation({ kind, limit }: { kind: LimitKind; limit: LimitBody }) {
  return <Simulate path={kind.path} unit={limit.unit} request={() => requestOf({ ...draftOf(limit), id: '' }, kind)} />
}

function LimitFacts({ limit, holders }: { limit: LimitBody; holders: Holders }) {
  const { unit, increase, effective_limit, resets_at: resets, timezone, mode, alerts, lost } = limit
  return (
    <>
      <LimitBar limit={limit} />
      <FactGroups
        of={{
          Limit: {
            'Applies to': whomText(limit, holders),
            Limit: limitText(limit),
            Mode: mode === 'shadow' ? 'monitor only' : 'block',
            'Only for': restrictionsOf(limit),
            Alerts: alerts && `at ${alerts.map(share).join(', ')}`,
            'Set in': originOf(limit),
            ID: limit.name ? limit.id : undefined,
          },
          'Current period': {
            Forecast: <LimitPace limit={limit} />,
            Resets: resets && moment(resets),
            'Time zone': resets && (timezone ?? 'UTC'),
            Increase:
              increase &&
              effective_limit > limit.limit &&
              `${limitAmount(unit, increase.amount)} more until ${moment(increase.until)}`,
            Stuck: lost > 0 && `${limitAmount(unit, lost)} reserved by processes that no longer run`,
          },
        }}
      />
    </>
  )
}
