import type { LimitBody } from '../../../src/contract/admin/limits.ts'
import { LimitBar } from '../../parts/limit-bar.tsx'
import { splitHolder } from '../../parts/holder-name.ts'
import type { Holders } from './holders.ts'

const SHOWN = 10

/** Of a limit that is counted for each of many: those that have spent most. */
export function Buckets({ limit, holders }: { limit: LimitBody; holders: Holders }) {
  const { per, effective_limit, buckets } = limit
  if (!per || buckets.length === 0) return null
  return (
    <section>
      <h3>Top consumers</h3>
      <ul class="ranking">
        {buckets.slice(0, SHOWN).map(({ bucket, spent, reserved }) => (
          <li key={bucket}>
            <span>{nameOf(per, bucket, holders)}</span>
            <LimitBar limit={{ ...limit, spent, reserved, left: Math.max(0, effective_limit - spent - reserved) }} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function nameOf(per: string, bucket: string, holders: Holders): string {
  const { kind } = splitHolder(per)
  return holders[kind]?.find(({ value }) => value === bucket)?.title ?? (bucket || 'requests without one')
}
