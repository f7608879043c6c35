import { useMemo } from 'preact/hooks'
import { may } from '../../api/session.ts'
import { usePages } from '../../api/use-pages.ts'
import { adminCommand } from '../../parts/admin-command.ts'
import { CodeBlock } from '../../parts/code-block.tsx'
import { Downloads } from '../../parts/downloads.tsx'
import { Icon } from '../../parts/icons/icon.tsx'
import { Empty } from '../../parts/notice.tsx'
import { ScreenHead } from '../../parts/screen-head.tsx'
import { ColumnChoice, useColumns } from '../../parts/table/column-choice.tsx'
import type { Opens } from '../../parts/table/open-row.tsx'
import { PagedTable } from '../../parts/table/paged-table.tsx'
import { useHolderNames } from '../../parts/use-names.ts'
import { useDialog } from '../../parts/use-query.ts'
import { columnsFor } from './columns.tsx'
import { EditGuardrail } from './edit-guardrail.tsx'
import { GuardrailDetail } from './guardrail-detail.tsx'

const PATH = '/admin/guardrails'
const EXAMPLE = { applies_to: 'all', checks: [{ check: 'secrets' }], action: 'block', mode: 'shadow' }

/** What is checked of all calls, whatever their callers ask for. */
export default function Guardrails() {
  const create = useDialog('guardrail')
  const pages = usePages(PATH, {})
  const holderName = useHolderNames()
  const { columns, ...choice } = useColumns(
    'guardrails',
    useMemo(() => columnsFor(holderName), [holderName]),
  )
  const opens: Opens = { as: 'guardrail', show: (id) => <GuardrailDetail id={id} onChanged={pages.reload} /> }
  return (
    <>
      <ScreenHead title="Guardrails">
        <ColumnChoice {...choice} />
        <Downloads path={PATH} query={{}} formats={['csv']} />
        {may('guardrails.write') && (
          <button type="button" class="primary" onClick={create.open}>
            <Icon name="add" /> New guardrail
          </button>
        )}
      </ScreenHead>
      <PagedTable
        label="Guardrails"
        columns={columns}
        keyOf={({ id }) => id}
        pages={pages}
        noun="guardrail"
        opens={opens}
      >
        <Empty title="No guardrails yet">
          <p>
            A guardrail checks the texts of calls for secrets, personal data or content that you do not allow, and
            reports, redacts or blocks them. Create one here or through the admin API:
          </p>
          <CodeBlock label="the command for a guardrail" text={adminCommand(PATH, EXAMPLE)} />
        </Empty>
      </PagedTable>
      {create.isOpen && <EditGuardrail onClose={create.close} onSaved={pages.reload} />}
    </>
  )
}
