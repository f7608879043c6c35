import { useMemo } from 'preact/hooks'
import { may, mayEverywhere } from '../../api/session.ts'
import { usePages } from '../../api/use-pages.ts'
import { adminCommand } from '../../parts/admin-command.ts'
import { CodeBlock } from '../../parts/code-block.tsx'
import { ColumnChoice, useColumns } from '../../parts/table/column-choice.tsx'
import { Downloads } from '../../parts/downloads.tsx'
import { Icon } from '../../parts/icons/icon.tsx'
import { Empty } from '../../parts/notice.tsx'
import { ScreenHead } from '../../parts/screen-head.tsx'
import type { Opens } from '../../parts/table/open-row.tsx'
import { PagedTable } from '../../parts/table/paged-table.tsx'
import { useDialog } from '../../parts/use-query.ts'
import { columnsFor } from './columns.tsx'
import { EditLimit } from './edit-limit.tsx'
import { type Holders, useHolders } from './holders.ts'
import { BUDGET, type LimitKind, RATE_LIMIT } from './kinds.ts'
import { LimitDetail } from './limit-detail.tsx'
import { holderChoices } from './limit-fields.tsx'

export default function Budgets() {
  const holders = useHolders()
  const { chosen, choose } = useColumns('limits', columnsFor(holders))
  return (
    <>
      <ScreenHead title="Budgets and rate limits">
        <ColumnChoice all={columnsFor(holders)} chosen={chosen} choose={choose} />
      </ScreenHead>
      <Limits kind={BUDGET} holders={holders} chosen={chosen} />
      <Limits kind={RATE_LIMIT} holders={holders} chosen={chosen} />
    </>
  )
}

type Props = { kind: LimitKind; holders: Holders; chosen: readonly string[] }

function Limits({ kind, holders, chosen }: Props) {
  const create = useDialog(kind.parameter)
  // Whom a new limit can be for is known a little later than the address.
  const isReady = may('limits.write') && Object.keys(holderChoices(holders)).length > 0
  const pages = usePages(kind.path, {})
  const columns = useMemo(() => columnsFor(holders).filter(({ name }) => chosen.includes(name)), [holders, chosen])
  const opens: Opens = {
    as: kind.parameter,
    show: (id) => <LimitDetail kind={kind} id={id} holders={holders} onChanged={pages.reload} />,
  }
  return (
    <section>
      <header class="section-head">
        <h2>{kind.title}</h2>
        <div class="actions">
          <Downloads path={kind.path} query={{}} formats={['csv']} />
          {may('limits.write') && (
            <button type="button" class="primary" onClick={create.open}>
              <Icon name="add" /> New {kind.word}
            </button>
          )}
        </div>
      </header>
      <PagedTable
        label={kind.title}
        columns={columns}
        keyOf={({ id }) => id}
        pages={pages}
        noun={kind.word}
        opens={opens}
      >
        <NoLimits kind={kind} />
      </PagedTable>
      {create.isOpen && isReady && (
        <EditLimit kind={kind} holders={holders} onClose={create.close} onSaved={pages.reload} />
      )}
    </section>
  )
}

const EXAMPLES = {
  budget: { applies_to: 'all', limit: 100, window: 'month' },
  'rate limit': { applies_to: 'all', per: 'key', unit: 'requests', limit: 60, window: 'minute' },
} as Record<string, object>

function NoLimits({ kind: { path, word } }: { kind: LimitKind }) {
  if (!mayEverywhere('limits.read'))
    return (
      <Empty title={`You manage no ${word}s`}>
        <p>
          Limits of others may still apply to you: the <a href="/">overview</a> has your budgets, and each key lists all
          of its limits.
        </p>
      </Empty>
    )
  return (
    <Empty title={`No ${word}s yet`}>
      <p>
        {word === 'budget' ? 'Spending is not limited.' : 'Traffic is not limited.'} Create one here, or by the admin
        API:
      </p>
      <CodeBlock label={`the command for a ${word}`} text={adminCommand(path, EXAMPLES[word]!)} />
    </Empty>
  )
}
