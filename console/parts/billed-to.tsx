import { useEffect } from 'preact/hooks'
import { SelectField } from './fields.tsx'
import { PERSONAL, usePayers } from './payers.ts'

type Props = { value: string; set: (project: string) => void }

/** Which project pays for a call of the person. */
export function BilledTo({ value, set }: Props) {
  const { payers } = usePayers()
  // A member of one project has no personal one.
  useEffect(() => {
    if (payers?.[0] && !payers.some(({ id }) => id === value)) set(payers[0].id)
  }, [payers, value])
  const choices = Object.fromEntries((payers ?? [{ id: PERSONAL, name: 'Personal' }]).map(({ id, name }) => [id, name]))
  return <SelectField label="Billed to" value={value} set={set} choices={choices} />
}
