import { SelectField } from '../../../parts/fields.tsx'
import { useQuery } from '../../../parts/use-query.ts'
import type { usePayers } from '../../../parts/payers.ts'

/** Which project pays, and whether models are really called. */
export type Who = { project: string | undefined; kind: string | undefined }

const MODES = { live: 'Live', sandbox: 'Sandbox (free)' }

type Props = { who: Who; payers: NonNullable<ReturnType<typeof usePayers>['payers']> }

export function WhoFields({ who: { project = '', kind }, payers }: Props) {
  const { change } = useQuery()
  return (
    <div class="who">
      <SelectField
        label="Billed to"
        value={project}
        choices={Object.fromEntries(payers.map(({ id, name }) => [id, name]))}
        set={(chosen) => change({ project: chosen })}
      />
      <SelectField
        label="Mode"
        value={kind === 'sandbox' ? 'sandbox' : 'live'}
        choices={MODES}
        set={(chosen) => change({ kind: chosen })}
      />
    </div>
  )
}
