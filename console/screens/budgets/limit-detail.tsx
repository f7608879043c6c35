import { useState } from 'preact/hooks'
import type { LimitBody } from '../../../src/contract/admin/limits.ts'
import { pathTo } from '../../api/client.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { callAll } from '../../parts/call-all.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Facts } from '../../parts/facts.tsx'
import { moment, share } from '../../parts/format.ts'
import { limitAmount, limitText } from '../../parts/limit-amounts.ts'
import { LimitBar, LimitPace } from '../../parts/limit-bar.tsx'
import { Failure, Loading } from '../../parts/notice.tsx'
import { useQuery } from '../../parts/use-query.ts'
import { Buckets } from './buckets.tsx'
import { ChangeLimit } from './change-limit.tsx'
import { originOf, restrictionsOf, whomText } from './columns.tsx'
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
  if (limit && isEditing)
    return (
      <EditLimit kind={kind} holders={holders} before={limit} onClose={() => setEditing(false)} onSaved={changed} />
    )
  return (
    <Dialog title={id} isDrawer onClose={close}>
      <Failure error={error} onRetry={reload} />
      {!limit && !error && <Loading what={`the ${kind.word}`} />}
      {limit && <LimitFacts limit={limit} holders={holders} />}
      {limit && <Buckets limit={limit} holders={holders} />}
      {limit && mayChange(limit, holders) && (
        <ChangeLimit {...{ kind, limit, onChanged: changed, onRemoved: removed }} onEdit={() => setEditing(true)} />
      )}
      {limit && <h3>On the past</h3>}
      {limit && (
        <Simulate path={kind.path} unit={limit.unit} request={() => requestOf({ ...draftOf(limit), id: '' }, kind)} />
      )}
    </Dialog>
  )
}

function LimitFacts({ limit, holders }: { limit: LimitBody; holders: Holders }) {
  const { unit, increase, resets_at: resets, timezone, mode, alerts, lost } = limit
  return (
    <>
      <LimitBar limit={limit} />
      <Facts
        of={{
          For: whomText(limit, holders),
          Limit: limitText(limit),
          'At this pace': <LimitPace limit={limit} />,
          Resets: resets && `${moment(resets)} (${timezone ?? 'UTC'})`,
          Raised: increase && `by ${limitAmount(unit, increase.amount)} until ${moment(increase.until)}`,
          Mode: mode === 'shadow' ? 'only counts' : 'refuses what is too much',
          'Only for': restrictionsOf(limit),
          Alerts: alerts && `at ${alerts.map(share).join(', ')}`,
          Lost: lost > 0 && `${limitAmount(unit, lost)} held by processes that died`,
          'Set in': originOf(limit),
        }}
      />
    </>
  )
}
