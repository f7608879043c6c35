import { useState } from 'preact/hooks'
import type { Column } from './table.tsx'

/** The columns that the person has chosen for a list, kept in this browser. */
export function useColumns<Row>(list: string, all: readonly Column<Row>[]) {
  const [chosen, setChosen] = useState<readonly string[]>(() => stored(list) ?? usual(all))
  const choose = (names: readonly string[]) => {
    localStorage.setItem(`columns:${list}`, JSON.stringify(names))
    setChosen(names)
  }
  return { columns: all.filter(({ name }) => chosen.includes(name)), chosen, choose, all }
}

function usual<Row>(all: readonly Column<Row>[]): string[] {
  return all.filter(({ isExtra }) => !isExtra).map(({ name }) => name)
}

/** What is stored may be of another version, or be broken. */
function stored(list: string): string[] | undefined {
  try {
    const names: unknown = JSON.parse(localStorage.getItem(`columns:${list}`) ?? '')
    return Array.isArray(names) && names.length > 0 ? names.map(String) : undefined
  } catch {
    return undefined
  }
}

type Props<Row> = Omit<ReturnType<typeof useColumns<Row>>, 'columns'>

export function ColumnChoice<Row>({ all, chosen, choose }: Props<Row>) {
  const toggle = (name: string) =>
    choose(chosen.includes(name) ? chosen.filter((one) => one !== name) : [...chosen, name])
  return (
    <div class="popover-anchor">
      <button type="button" popovertarget="columns">
        Columns
      </button>
      <fieldset id="columns" popover="auto">
        <legend>Columns</legend>
        {all.map(({ name, title }) => (
          <label key={name} class="check">
            <input
              type="checkbox"
              checked={chosen.includes(name)}
              disabled={chosen.length === 1 && chosen.includes(name)}
              onChange={() => toggle(name)}
            />
            {title}
          </label>
        ))}
        <button type="button" class="small" onClick={() => choose(usual(all))}>
          As at first
        </button>
      </fieldset>
    </div>
  )
}
