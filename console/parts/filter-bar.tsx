import type { ComponentChildren } from 'preact'
import { TypedInput } from './typed-input.tsx'
import { useQuery } from './use-query.ts'

export type FilterField<Name extends string = string> = {
  name: Name
  label: string
  /** Choices, by value. Without them it is a text, or a number with `isNumber`. */
  choices?: Readonly<Record<string, string>>
  isNumber?: boolean
  placeholder?: string
  /** Shown at once. The others are behind “More filters”. */
  isCommon?: boolean
}

type Props = { fields: readonly FilterField[]; children?: ComponentChildren }

/** What a list is limited to. Every change is in the address at once. */
export function FilterBar({ fields, children }: Props) {
  const { query } = useQuery()
  const rare = fields.filter(({ isCommon }) => !isCommon)
  const isUsed = rare.some(({ name }) => query[name])
  return (
    <search class="filters">
      {children}
      {fields
        .filter(({ isCommon }) => isCommon)
        .map((field) => (
          <FilterInput key={field.name} {...field} />
        ))}
      {rare.length > 0 && (
        <details class="more-filters" open={isUsed}>
          <summary>More filters</summary>
          <div class="filters">
            {rare.map((field) => (
              <FilterInput key={field.name} {...field} />
            ))}
          </div>
        </details>
      )}
      <ActiveFilters fields={fields} />
    </search>
  )
}

function FilterInput({ name, label, choices, isNumber, placeholder }: FilterField) {
  const { query, change } = useQuery()
  const value = query[name] ?? ''
  const id = `filter-${name}`
  const set = (text: string) => change({ [name]: text })
  const field = { id, value, isNumber, placeholder }
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {choices ? (
        <Choice id={id} value={value} choices={choices} onChange={(event) => set(event.currentTarget.value)} />
      ) : (
        <TypedInput {...field} onSettle={set} />
      )}
    </div>
  )
}

type ChoiceProps = {
  id: string
  value: string
  choices: Readonly<Record<string, string>>
  onChange: (event: { currentTarget: HTMLSelectElement }) => void
}

function Choice({ choices, ...select }: ChoiceProps) {
  return (
    <select {...select}>
      <option value="">Any</option>
      {Object.entries(choices).map(([one, title]) => (
        <option key={one} value={one}>
          {title}
        </option>
      ))}
    </select>
  )
}

function ActiveFilters({ fields }: { fields: readonly FilterField[] }) {
  const { query, change } = useQuery()
  const used = fields.filter(({ name }) => query[name])
  if (used.length === 0) return null
  const none = Object.fromEntries(used.map(({ name }) => [name, undefined]))
  return (
    <ul class="chips" aria-label="Filters in use">
      {used.map(({ name, label, choices }) => (
        <li key={name}>
          <button type="button" class="chip" onClick={() => change({ [name]: undefined })}>
            <span class="sr-only">Remove filter </span>
            {label}: {choices?.[query[name]!] ?? query[name]} <span aria-hidden="true">✕</span>
          </button>
        </li>
      ))}
      {used.length > 1 && (
        <li>
          <button type="button" class="link" onClick={() => change(none)}>
            Remove all
          </button>
        </li>
      )}
    </ul>
  )
}
