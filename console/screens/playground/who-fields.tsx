import type { Query } from '../../api/client.ts'
import type { usePayers } from './payers.ts'

/** Which project pays, and with what kind of answers. */
export type Who = { project: string | undefined; kind: string | undefined }

type Props = {
  who: Who
  payers: NonNullable<ReturnType<typeof usePayers>['payers']>
  change: (changes: Query) => void
}

export function WhoFields({ who: { project, kind }, payers, change }: Props) {
  return (
    <>
      <label>
        Project that pays
        <select value={project} onChange={(event) => change({ project: event.currentTarget.value })}>
          {payers.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label>
        Answers
        <select value={kind ?? 'live'} onChange={(event) => change({ kind: event.currentTarget.value })}>
          <option value="live">Real</option>
          <option value="sandbox">Simulated, free</option>
        </select>
      </label>
    </>
  )
}
